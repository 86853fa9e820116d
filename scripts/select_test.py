"""Choose test documents rich in rare classes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crosspro.data_prep.formats.shared_task import read_examples, write_doc_ids, write_examples
from crosspro.data_prep.layers import layers_beside
from crosspro.data_prep.sets.overlap import TextIndex, overlap
from crosspro.data_prep.sets.select_test import candidates, select_documents
from crosspro.data_prep.task import load_task
from crosspro.evaluation.layout.tables import text_table
from crosspro.scripts.main import command_app, run
from crosspro.scripts.options import DocIdsBeside, TaskName, layers_of

app = command_app()


@app.command()
def select_test(
    file: Annotated[Path, typer.Argument(help="Five-column file with documents to choose from.")],
    task: TaskName,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="Prefix: PREFIX.test.data and PREFIX.rest.data."),
    ],
    doc_ids: DocIdsBeside = None,
    exclude: Annotated[
        list[Path] | None, typer.Option(help="Data sets whose documents must not be chosen.")
    ] = None,
    documents: Annotated[int, typer.Option(min=1, help="Documents to choose, at most.")] = 8,
    words: Annotated[int, typer.Option(min=1, help="Source words in all, at most.")] = 25_000,
    min_segments: Annotated[int, typer.Option(min=1, help="Segments of a document.")] = 20,
) -> None:
    """Choose test documents rich in rare classes.

    As for the shared tasks: a few documents of some tens of thousands of words, chosen for rare
    pronouns, disjoint from all given sets by id and by text.
    """
    rules = load_task(task)
    examples = list(read_examples(file, rules, layers_of(file, doc_ids).documents))
    index = TextIndex()
    for other in exclude or []:
        index.add(read_examples(other, rules, layers_beside(other).documents, lenient=True))
    found = overlap(examples, index)
    excluded = {*found.shared_documents, *(document for document, _ in found.rich_documents)}
    usable = candidates(examples, rules, excluded)
    selection = select_documents(usable, rules, documents, words, min_segments)
    chosen = {candidate.document for candidate in selection.chosen}
    for name, inside in (("test", True), ("rest", False)):
        part = [example for example in examples if (example.document in chosen) == inside]
        write_examples(output.with_name(f"{output.name}.{name}.data"), part)
        write_doc_ids(output.with_name(f"{output.name}.{name}.doc-ids"), part)
    rows = [
        (
            c.document,
            str(c.segments),
            f"{c.words:,}",
            *(str(c.classes.get(name, 0)) for name in rules.classes),
        )
        for c in selection.chosen
    ]
    segments = sum(c.segments for c in selection.chosen)
    totals = (str(selection.classes[name]) for name in rules.classes)
    rows.append(("total", str(segments), f"{selection.words:,}", *totals))
    print(text_table(("document", "segments", "source words", *rules.classes), rows), end="")
    print(f"{len(excluded)} documents excluded, {len(usable)} left to choose from")


if __name__ == "__main__":
    run(app)
