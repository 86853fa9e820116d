"""Pre-train a network on text whose pronouns are hidden.

`train.py system.init_from=RUN` begins with what it learnt.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import chain, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crosspro.conf import CONF_DIR
from crosspro.data_prep.errors import choices, input_error, quoted
from crosspro.scripts.default_command import group_app
from crosspro.scripts.main import run
from crosspro.scripts.options import Jobs, TaskName
from crosspro.scripts.steps import StepDisplay

if TYPE_CHECKING:
    from crosspro.data_prep.cache import Cache
    from crosspro.data_prep.example import Example
    from crosspro.data_prep.task import Task
    from crosspro.data_prep.token import AnnotatedSentence
    from crosspro.prediction.neural.system import NeuralSystem

app = group_app()

SETTINGS = CONF_DIR / "pretraining"
Recipe = Annotated[
    str,
    typer.Option("--recipe", help="Settings: a name in conf/pretraining, or a YAML file."),
]
Changes = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Change a setting (trainer.max_epochs=8)."),
]


@app.callback()
def pretrain() -> None:
    """Pre-train a network on text whose pronouns are hidden.

    `encode` makes what is learnt from, without a GPU; `learn` trains, and goes on where it was
    stopped. `crosspro pretrain FOLDER -o RUN` is short for `crosspro pretrain learn FOLDER -o RUN`.
    """


@app.command()
def learn(
    data: Annotated[Path, typer.Argument(help="A folder that `crosspro pretrain encode` made.")],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="Folder of the run, for system.init_from of train."),
    ],
    recipe: Recipe = "documents",
    changes: Changes = None,
) -> None:
    """Pre-train; a run that was stopped goes on if it is started again."""
    from crosspro.prediction.neural.pretraining_set import load_pretraining_set

    system = system_of(recipe, changes or [])
    loaded = load_pretraining_set(data, system)
    _tell(f"{data}: {len(loaded.data.train.label):,} gaps for {loaded.task.name}")
    output.mkdir(parents=True, exist_ok=True)
    system.fit_encoded(loaded.task, loaded.encoder, loaded.data, output)
    system.save(output / "model")
    told = f": {system.report.told()}" if system.report else ""
    _tell(f"{output}{told}")


@app.command()
def encode(
    task: TaskName,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder to make.")],
    data: Annotated[
        list[Path] | None,
        typer.Option(
            "--data",
            help="A prepared data file of this task (repeat), or of another with the same target "
            "language: TASK:FILE.",
        ),
    ] = None,
    texts: Annotated[
        list[Path] | None,
        typer.Option("--text", help="Text of the target language, a sentence a line (repeat)."),
    ] = None,
    doc_ids: Annotated[
        list[Path] | None,
        typer.Option(
            "--doc-ids", help="Document ids, one line per line of a text (repeat for each)."
        ),
    ] = None,
    unseen: Annotated[
        list[Path] | None,
        typer.Option(
            "--unseen",
            help="A development or test set, as --data: what it says is left out (repeat).",
        ),
    ] = None,
    annotator: Annotated[
        str, typer.Option(help="Of texts, for lemmatised tasks: auto, spacy:MODEL, hanta …")
    ] = "auto",
    held_out: Annotated[
        float, typer.Option(min=0.0001, max=0.5, help="Share of the lines to choose an epoch by.")
    ] = 0.005,
    recipe: Recipe = "documents",
    changes: Changes = None,
    jobs: Jobs = 1,
) -> None:
    """Make what a pre-training learns from: prepared bitext and text of the target language."""
    from crosspro.data_prep import self_labels
    from crosspro.data_prep.cache import Cache
    from crosspro.data_prep.collector import collector_off
    from crosspro.data_prep.sets.unseen import target_digests, without_unseen
    from crosspro.data_prep.task import load_task
    from crosspro.prediction.neural.lexicon_input import inflected_text
    from crosspro.prediction.neural.pretraining_set import write_pretraining_set

    rules = load_task(task)
    system = system_of(recipe, changes or [])
    if not data and not texts:
        raise input_error("settings", "--data", "a data file, or a text (--text)", "none")
    if doc_ids and len(doc_ids) != len(texts or ()):
        expected = f"one for each of {len(texts or ())} texts"
        raise input_error("settings", "--doc-ids", expected, str(len(doc_ids)))
    plain = self_labels.SelfLabels(rules)
    sets = chain.from_iterable(plain.of_bitext(_prepared(path, rules)) for path in unseen or ())
    left_out = target_digests(sets)
    steps = Cache(output.with_name(f"{output.name}.cache"))
    train: list[Example] = []
    dev: list[Example] = []
    with collector_off(), StepDisplay() as display:
        given = list(zip(texts or (), doc_ids or repeat(None), strict=False))
        read = [(path, *_read(path, documents, rules)) for path, documents in given]

        def labelled(labels: self_labels.SelfLabels) -> Iterator[tuple[Path, list[Example]]]:
            for path in data or ():
                yield path, list(labels.of_bitext(_prepared(path, rules)))
            for path, sentences, ids in read:
                annotated = _annotated(rules, sentences, ids, annotator, jobs, steps, display)
                yield path, list(labels.of_text(annotated, ids))

        seen = (without_unseen(lines, left_out) for _, lines in labelled(plain))
        labels = self_labels.learnt_determiners(rules, chain.from_iterable(seen))
        for path, lines in labelled(labels):
            kept = without_unseen(lines, left_out)
            for part, more in zip((train, dev), self_labels.held_out(kept, held_out), strict=True):
                part += more
            gone = f", {len(lines) - len(kept):,} lines left out" if unseen else ""
            _tell(f"{path}: {sum(len(one.gaps) for one in kept):,} pronouns{gone}")
        inflected = inflected_text(rules, train)
        if rules.tagged:
            inflected["target"] = chain.from_iterable(sentences for _, sentences, _ in read)
        sizes = write_pretraining_set(output, system, rules, train, dev, inflected)
    steps.leave()
    _tell(f"{output}: " + ", ".join(f"{count:,} {name}" for name, count in sizes.items()))


def system_of(recipe: str, changes: Sequence[str]) -> NeuralSystem:
    """The system that the settings describe, with what is changed of them."""
    from crosspro.data_prep.files.yaml_file import parse_yaml, read_yaml
    from crosspro.prediction.neural.system import NeuralSystem

    path = Path(recipe)
    if path.suffix not in (".yaml", ".yml"):
        path = SETTINGS / f"{recipe}.yaml"
        names = sorted(one.stem for one in SETTINGS.glob("*.yaml"))
        if recipe not in names:
            expected = f"{choices(names)}, or the path of a .yaml file"
            raise input_error("settings", "--recipe", expected, quoted(recipe))
    content, _ = read_yaml(path, "recipe")
    if not isinstance(content, dict):
        raise input_error(path, "file", "a mapping of settings", type(content).__name__)
    for change in changes:
        name, equals, value = change.partition("=")
        *sections, key = name.split(".")
        place: Any = content
        for section in sections:
            place = place.setdefault(section, {}) if isinstance(place, dict) else None
        if not equals or not key or not isinstance(place, dict):
            raise input_error("settings", "--set", "NAME=VALUE", quoted(change))
        place[key] = parse_yaml(value)
    known = ("network", "network_settings", "training", "optimisation", "trainer", "seed")
    unknown = [key for key in content if key not in known]
    if unknown or "network" not in content:
        found = quoted(str(unknown[0])) if unknown else "no network"
        raise input_error(path, "settings", choices(known), found)
    return NeuralSystem(**content)


def _prepared(given: Path, task: Task) -> Iterator[Example]:
    """The examples of a prepared file, which may be of another task."""
    from crosspro.data_prep.layers import read_layered
    from crosspro.data_prep.task import load_task

    name, colon, file = str(given).partition(":")
    if not colon or given.is_file():
        return read_layered(given, task)
    other = load_task(name)
    if other.target_language != task.target_language or other.target != task.target:
        expected = f"a task with a {task.target} target in {task.target_language}"
        raise input_error("settings", "--data", expected, quoted(name))
    return read_layered(file, other)


def _read(path: Path, doc_ids: Path | None, task: Task) -> tuple[list[list[str]], list[str | None]]:
    """A text in tokens, and the document of each line."""
    from crosspro.data_prep.annotate.tokenise import tokenise_lines
    from crosspro.data_prep.documents import read_doc_ids
    from crosspro.data_prep.files.textfile import read_text_lines

    sentences = list(tokenise_lines(read_text_lines(path), task.target_language))
    ids: list[str | None] = list(read_doc_ids(doc_ids)) if doc_ids else [None] * len(sentences)
    if len(ids) != len(sentences):
        raise input_error(doc_ids or path, "doc-ids", f"{len(sentences)} lines", str(len(ids)))
    return sentences, ids


def _annotated(
    task: Task,
    sentences: Sequence[Sequence[str]],
    documents: Sequence[str | None],
    annotator: str,
    jobs: int,
    steps: Cache,
    display: StepDisplay,
) -> Iterator[AnnotatedSentence]:
    """The sentences with lemmas and tags, where the task has any."""
    from crosspro.data_prep.annotate.corpus import AnnotationSettings
    from crosspro.data_prep.annotate.shards import annotate_shards, document_shards
    from crosspro.data_prep.annotate.store import read_store
    from crosspro.data_prep.prepare import Step
    from crosspro.data_prep.token import AnnotatedSentence, Token

    if not task.tagged:
        for words in sentences:
            yield AnnotatedSentence(tuple(Token(word, word, "") for word in words))
        return
    settings = AnnotationSettings(annotator, task.target_language, task.tagset, parse=False)
    name = f"annotating {task.target_language}"
    files = annotate_shards(
        settings,
        sentences,
        document_shards(documents),
        steps,
        lambda detail, done, total: display.report(Step(name, detail, done, total)),
        jobs=jobs,
    )
    yield from chain.from_iterable(map(read_store, files))


def _tell(note: str) -> None:
    print(note, file=sys.stderr)


if __name__ == "__main__":
    run(app)
