"""Choose test documents rich in rare classes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from crosspro.data_prep.annotate.layers import layers_beside
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
    select_documents,
)
from crosspro.scripts.common import App, TaskName, check_outputs, output_prefix, show_table

app = App()


@app.command(epilog="Example: crosspro select-test corpus.data --task en-fr -o test")
def select_test(
    file: Annotated[Path, typer.Argument(help="Five-column file with documents to choose from.")],
    task: TaskName,
    output: Annotated[
        Path,
        output_prefix("--output", "-o", help="Prefix: PREFIX.test.data and PREFIX.rest.data."),
    ],
    exclude: Annotated[
        list[Path] | None,
        typer.Option(help="Data sets, of any task, whose documents must not be chosen."),
    ] = None,
    documents: Annotated[int, typer.Option(min=1, help="Documents to choose, at most.")] = 8,
    words: Annotated[int, typer.Option(min=1, help="Source words in all, at most.")] = 25_000,
    min_segments: Annotated[int, typer.Option(min=1, help="Segments of a document.")] = 20,
) -> None:
    """Choose test documents rich in rare classes.

    As for the shared tasks: a few documents of some tens of thousands of words, chosen for rare
    pronouns, disjoint from all given sets by id and by text. Document ids lie beside a file.
    """
    rules = load_task(task)
    examples = list(read_examples(file, rules, layers_beside(file).documents))
    index = TextIndex()
    for other in exclude or []:
        ids = layers_beside(other).documents
        index.add(read_examples(other, task_of_file(other), ids, lenient=True))
    shared = overlap(examples, index)
    excluded = {*shared.same_id, *shared.same_text}
    usable = candidates(examples, rules, excluded)
    selection = select_documents(usable, rules, documents, words, min_segments)
    chosen = {document.document for document in selection}
    make_folder(output.parent)
    with TemporaryDirectory(dir=output.parent) as scratch:
        folder = Path(scratch)
        for part, inside in (("test", True), ("rest", False)):
            lines = [example for example in examples if (example.document in chosen) == inside]
            write_examples(folder / f"{output.name}.{part}.data", lines)
            write_doc_ids(folder / f"{output.name}.{part}.doc-ids", lines)
        written = sorted(folder.iterdir())
        check_outputs([file, *(exclude or [])], [output.with_name(path.name) for path in written])
        for path in written:
            path.replace(output.with_name(path.name))
    print(_table(rules, selection), end="")
    print(f"{len(excluded)} documents excluded, {len(usable)} left to choose from")


def _table(task: Task, selection: Sequence[CandidateDocument]) -> str:
    """A row for each chosen document."""
    cells = [
        (
            row.document,
            str(row.segments),
            f"{row.words:,}",
            *(str(row.classes.get(name, 0)) for name in task.classes),
        )
        for row in selection
    ]
    return show_table(("document", "segments", "source words", *task.classes), cells)
