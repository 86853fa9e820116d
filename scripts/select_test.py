"""Choose test documents rich in rare classes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from crosspro.data_prep.annotate.layers import layers_beside
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.files import atomic_files
from crosspro.data_prep.core.task import Task, load_task
from crosspro.data_prep.formats.shared_task import (
    read_examples,
    read_sources,
    write_doc_ids,
    write_examples,
)
from crosspro.data_prep.pipeline.sets.overlap import (
    Selection,
    TextIndex,
    candidates,
    overlap,
    select_shared,
)
from crosspro.scripts.main import command_app, run
from crosspro.scripts.options import DocIdsBeside, layers_of, show_table

app = command_app()


@app.command()
def select_test(
    files: Annotated[
        list[Path], typer.Argument(help="Five-column file with documents to choose from.")
    ],
    task: Annotated[
        list[str],
        typer.Option(
            "--task",
            "-t",
            help="A task such as en-fr, or the path of a task file; one for each file.",
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="Prefix: PREFIX.test.data and PREFIX.rest.data; of several tasks "
            "PREFIX.TASK.test.data …",
        ),
    ],
    doc_ids: DocIdsBeside = None,
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
    pronouns, disjoint from all given sets by id and by text. Files of several tasks, whose
    documents have the same ids, get the same test documents, rich in the rare classes of each.
    """
    tasks = _tasks(files, task)
    if doc_ids is not None and len(files) > 1:
        raise typer.BadParameter("--doc-ids belongs to one file: several have theirs beside them")
    data = [
        list(read_examples(file, rules, layers_of(file, doc_ids).documents))
        for file, rules in zip(files, tasks, strict=True)
    ]
    index = TextIndex()
    for other in exclude or []:
        index.add_sources(read_sources(other, layers_beside(other).documents))
    excluded: set[str] = set()
    for examples in data:
        found = overlap(examples, index)
        excluded |= {*found.shared_documents, *(name for name, _ in found.rich_documents)}
    usable = [
        candidates(examples, rules, excluded) for examples, rules in zip(data, tasks, strict=True)
    ]
    selections = select_shared(usable, tasks, documents, words, min_segments)
    with atomic_files(output.parent) as new:
        for rules, examples, selection in zip(tasks, data, selections, strict=True):
            name = output.name if len(tasks) == 1 else f"{output.name}.{rules.name}"
            _write(new / name, examples, selection)
    for rules, selection in zip(tasks, selections, strict=True):
        print(_table(rules, selection), end="\n" if len(tasks) > 1 else "")
    shared = set.intersection(*({one.document for one in own} for own in usable))
    left = len(usable[0]) if len(tasks) == 1 else len(shared)
    print(f"{len(excluded)} documents excluded, {left} left to choose from")


def _tasks(files: Sequence[Path], names: Sequence[str]) -> list[Task]:
    if len(files) != len(names):
        raise typer.BadParameter(f"a --task for each file: {len(files)} files, {len(names)} tasks")
    tasks = [load_task(name) for name in names]
    if len({rules.name for rules in tasks}) < len(tasks):
        raise typer.BadParameter("a task of its own for each file")
    return tasks


def _write(prefix: Path, examples: Sequence[Example], selection: Selection) -> None:
    chosen = {candidate.document for candidate in selection.chosen}
    for name, inside in (("test", True), ("rest", False)):
        part = [example for example in examples if (example.document in chosen) == inside]
        write_examples(prefix.with_name(f"{prefix.name}.{name}.data"), part)
        write_doc_ids(prefix.with_name(f"{prefix.name}.{name}.doc-ids"), part)


def _table(task: Task, selection: Selection) -> str:
    """A row for each chosen document, and their sum."""
    rows = [
        (
            one.document,
            str(one.segments),
            f"{one.words:,}",
            *(str(one.classes.get(name, 0)) for name in task.classes),
        )
        for one in selection.chosen
    ]
    segments = sum(one.segments for one in selection.chosen)
    totals = (str(selection.classes[name]) for name in task.classes)
    rows.append(("total", str(segments), f"{selection.words:,}", *totals))
    return show_table(("document", "segments", "source words", *task.classes), rows)


if __name__ == "__main__":
    run(app)
