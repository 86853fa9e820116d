"""Find text that two data sets share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from crosspro.data_prep.annotate.layers import layers_beside
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.formats.shared_task import read_examples
from crosspro.data_prep.pipeline.sets.overlap import TextIndex, overlap
from crosspro.scripts.main import command_app, run
from crosspro.scripts.options import DocIdsBeside, TaskName, layers_of, show_table

app = command_app()


@app.command("overlap")
def overlap_command(
    file: Annotated[Path, typer.Argument(help="The set that must be unseen, such as a test set.")],
    others: Annotated[list[Path], typer.Argument(help="The sets to compare it with.")],
    task: TaskName,
    doc_ids: DocIdsBeside = None,
    longer_than: Annotated[
        int, typer.Option(min=0, help="Shorter segments do not count for documents.")
    ] = 5,
) -> None:
    """Find text that two data sets share.

    Segments are compared by their source words. The exit status is 1 if a document is shared, by
    its id or by more than half of its longer segments.
    """
    rules = load_task(task)
    rows, shared = [], False
    for other in others:
        index = TextIndex()
        index.add(read_examples(other, rules, layers_beside(other).documents, lenient=True))
        examples = read_examples(file, rules, layers_of(file, doc_ids).documents, lenient=True)
        found = overlap(examples, index, longer_than)
        share = 100 * found.shared_segments / max(found.segments, 1)
        alike = [document for document, _ in found.rich_documents]
        shared = shared or bool(found.shared_documents or alike)
        rows.append(
            (
                str(other),
                f"{found.shared_segments:,} ({share:.1f}%)",
                " ".join(found.shared_documents) or "-",
                " ".join(document or "(no id)" for document in alike) or "-",
            )
        )
    heading = ("compared with", "shared segments", "documents by id", "documents by text")
    print(show_table(heading, rows), end="")
    raise typer.Exit(1 if shared else 0)


if __name__ == "__main__":
    run(app)
