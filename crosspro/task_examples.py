"""Tasks and their examples: read, written, generated, made from parallel text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from crosspro.data_prep.core.example import Example
    from crosspro.data_prep.core.task import Task
    from crosspro.prediction.pair_prediction import Prediction


AnyPath = str | Path


def path_or_none(path: AnyPath | None) -> Path | None:
    """The path of an optional file."""
    return None if path is None else Path(path)


def task_of(task: Task | AnyPath) -> Task:
    """A task, or the one of that name or file."""
    from crosspro.data_prep.core.task import Task

    return task if isinstance(task, Task) else load_task(path_of("task", task))


def path_of(name: str, value: object) -> Path:
    """The path of an argument that must be a name or a path."""
    from crosspro.data_prep.core.errors import input_error, quoted

    if not isinstance(value, AnyPath):
        raise input_error("arguments", name, "a name or a path", quoted(repr(value))[1:-1])
    return Path(value)


def load_task(name: AnyPath) -> Task:
    """The rules of a shared task by name (`en-fr`), or from a YAML file of your own.

    >>> import crosspro
    >>> crosspro.load_task("en-fr").classes
    ('ce', 'elle', 'elles', 'il', 'ils', 'cela', 'on', 'OTHER')
    """
    from crosspro.data_prep.core.task import load_task

    return load_task(name)


def read_examples(
    path: AnyPath, task: Task | AnyPath | None = None, *, lenient: bool = False
) -> list[Example]:
    """The examples of a five-column file, with the layers beside it (X.doc-ids, …).

    Labels are checked if a `task` is named. `lenient` accepts what the released scorer accepts.

    >>> import crosspro, tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     crosspro.write_examples(f"{place}/x.data", crosspro.demo("en-fr", "dev", 2))
    ...     examples = crosspro.read_examples(f"{place}/x.data", "en-fr")
    >>> [gap.label for example in examples for gap in example.gaps][:3]
    ['ce', 'elle', 'ce']
    """
    from crosspro.data_prep.annotate.layers import read_layered
    from crosspro.data_prep.formats.shared_task import task_of_file

    rules = task_of_file(path) if task is None else task_of(task)
    return list(read_layered(path, rules, lenient=lenient))


def examples_of(
    examples: Iterable[Example] | AnyPath, task: Task, name: str = "examples"
) -> Sequence[Example]:
    """Examples as a list; those of a path are read."""
    from crosspro.data_prep.core.errors import input_error
    from crosspro.data_prep.core.example import Example

    if isinstance(examples, AnyPath):
        return read_examples(examples, task)
    expected = "examples, or the path of a file"
    if not isinstance(examples, Iterable):
        raise input_error("arguments", name, expected, repr(examples))
    listed = [getattr(item, "example", item) for item in examples]  # predictions have examples
    for number, example in enumerate(listed, start=1):
        if not isinstance(example, Example):
            raise input_error(name, "example", expected, repr(example), number)
    return listed


def write_examples(path: AnyPath, examples: Iterable[Example | Prediction]) -> None:
    """Write examples or predictions as a five-column file, compressed if it ends in .gz or .xz."""
    from crosspro.data_prep.formats.shared_task import write_examples

    plain: Any = (getattr(item, "example", item) for item in examples)
    write_examples(path, plain)


def demo(task: Task | AnyPath, split: str, documents: int, seed: int = 1) -> list[Example]:
    """Documents of the generated demo corpus: `split` is train, dev or test.

    >>> import crosspro
    >>> sum(len(example.gaps) for example in crosspro.demo("en-fr", "test", 2))
    11
    """
    from crosspro.data_prep.demo.corpus import demo_examples

    return demo_examples(task_of(task), split, documents, seed)


def prepare(
    task: Task | AnyPath,
    source: AnyPath,
    target: AnyPath | None = None,
    *,
    doc_ids: AnyPath | None = None,
    links: AnyPath | None = None,
    prior: AnyPath | None = None,
    annotator: str = "auto",
    source_annotator: str = "auto",
    rules: str = "2017",
    cache: AnyPath | None = None,
    jobs: int = 1,
) -> list[Example]:
    """Examples from parallel text: tokenised, aligned, annotated, gaps placed by a year's rules.

    `source` alone may be what two file names have in common. Links begin with a prior (`crosspro
    align --save-prior`), if there is one. Finished steps are kept in `cache`, from which an
    interrupted call goes on; without it they are made again.
    """
    from tempfile import TemporaryDirectory

    from crosspro.data_prep.annotate.bitext import check_source, read_bitext, tokenised_bitext
    from crosspro.data_prep.core.errors import choices, input_error
    from crosspro.data_prep.gaps.extract import RULES, changed_rules
    from crosspro.data_prep.pipeline.prepare import PrepareSettings, prepare

    if rules not in RULES:
        raise input_error("arguments", "rules", choices(RULES), repr(rules))
    task = task_of(task)
    settings = PrepareSettings(
        rules=changed_rules(rules, ()),
        annotator=annotator,
        source_annotator=source_annotator,
        links=path_or_none(links),
        prior=path_or_none(prior),
        jobs=jobs,
    )
    texts = read_bitext(
        Path(source),
        path_or_none(target),
        source_language=task.source_language,
        target_language=task.target_language,
        doc_ids=path_or_none(doc_ids),
    )
    check_source(task, texts, Path(source))
    with TemporaryDirectory() as scratch:
        bitext = tokenised_bitext(task, texts)
        examples, _ = prepare(task, bitext, settings, Path(cache or scratch))
        return list(examples)
