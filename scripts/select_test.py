"""Choose test documents rich in rare classes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from crosspro.data_prep.annotate.layers import layers_beside
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.files import make_folder
from crosspro.data_prep.core.task import Task, load_task
from crosspro.data_prep.formats.shared_task import (
    read_examples,
    task_of_file,
    write_doc_ids,
    write_examples,
)
from crosspro.data_prep.pipeline.sets.overlap import TextIndex, overlap
from crosspro.data_prep.pipeline.sets.selection import (
    CandidateDocument,
    candidates,
    select_shared,
)
from crosspro.scripts.common import App, check_outputs, output_prefix, show_table

app = App()


@app.command(epilog="Example: crosspro select-test corpus.data --task en-fr -o test")
def select_test(
    files: Annotated[
        list[Path], typer.Argument(help="Five-column file with documents to choose from.")
    ],
    task: Annotated[
        list[str],
        typer.Option("--task", "-t", help="A task such as en-fr or its file; one for each file."),
    ],
    output: Annotated[
        Path,
        output_prefix(
            "--output",
            "-o",
            help="Prefix: PREFIX.test.data and PREFIX.rest.data; of several tasks "
            "PREFIX.TASK.test.data …",
        ),
    ],
    exclude: Annotated[
        list[Path] | None,
        typer.Option(help="Data sets, of any task, whose documents must not be chosen."),
    ] = None,
    documents: Annotated[int, typer.Option(min=1, help="Documents to choose, at most.")] = 8,
    words: Annotated[
        int, typer.Option(min=1, help="Source words in all, for each task, at most.")
    ] = 25_000,
    min_segments: Annotated[int, typer.Option(min=1, help="Segments of a document.")] = 20,
) -> None:
    """Choose test documents rich in rare classes.

    As for the shared tasks: a few documents of some tens of thousands of words, chosen for rare
    pronouns, disjoint from all given sets by id and by text. Document ids lie beside a file. Files
    of several tasks, whose documents have the same ids, get the same test documents, rich in the
    rare classes of each.
    """
    if len(files) != len(task):
        raise typer.BadParameter(f"a --task for each file: {len(files)} files, {len(task)} tasks")
    tasks = [load_task(name) for name in task]
    if len({rules.name for rules in tasks}) < len(tasks):
        raise typer.BadParameter("a task of its own for each file")
    data = [
        list(read_examples(file, rules, layers_beside(file).documents))
        for file, rules in zip(files, tasks, strict=True)
    ]
    index = TextIndex()
    for other in exclude or []:
        ids = layers_beside(other).documents
        index.add(read_examples(other, task_of_file(other), ids, lenient=True))
    excluded: set[str] = set()
    for examples in data:
        shared = overlap(examples, index)
        excluded |= {*shared.same_id, *shared.same_text}
    usable = [
        candidates(examples, rules, excluded) for examples, rules in zip(data, tasks, strict=True)
    ]
    selections = select_shared(usable, tasks, documents, words, min_segments)
    make_folder(output.parent)
    with TemporaryDirectory(dir=output.parent) as scratch:
        folder = Path(scratch)
        for rules, examples, selection in zip(tasks, data, selections, strict=True):
            name = output.name if len(tasks) == 1 else f"{output.name}.{rules.name}"
            _write(folder, name, examples, {document.document for document in selection})
        written = sorted(folder.iterdir())
        inputs = [*files, *(exclude or [])]
        check_outputs(inputs, [output.with_name(path.name) for path in written])
        for path in written:
            path.replace(output.with_name(path.name))
    for rules, selection in zip(tasks, selections, strict=True):
        print(_table(rules, selection), end="\n" if len(tasks) > 1 else "")
    everywhere = set.intersection(*({row.document for row in rows} for rows in usable))
    left = len(usable[0]) if len(tasks) == 1 else len(everywhere)
    print(f"{len(excluded)} documents excluded, {left} left to choose from")


def _write(folder: Path, name: str, examples: Sequence[Example], chosen: set[str | None]) -> None:
    for part, inside in (("test", True), ("rest", False)):
        lines = [example for example in examples if (example.document in chosen) == inside]
        write_examples(folder / f"{name}.{part}.data", lines)
        write_doc_ids(folder / f"{name}.{part}.doc-ids", lines)


def _table(task: Task, selection: Sequence[CandidateDocument]) -> str:
    """A row for each chosen document, and their sum."""
    rows: list[tuple[str, int, int, Mapping[str, int]]]
    rows = [(c.document, c.segments, c.words, c.classes) for c in selection]
    total: Counter[str] = Counter()
    for candidate in selection:
        total.update(candidate.classes)
    segments, words = sum(row[1] for row in rows), sum(row[2] for row in rows)
    cells = [
        (document, str(segments), f"{words:,}", *(str(counts.get(n, 0)) for n in task.classes))
        for document, segments, words, counts in (*rows, ("total", segments, words, total))
    ]
    return show_table(("document", "segments", "source words", *task.classes), cells)
