"""Count documents, tokens and classes of data files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from crosspro.data_prep.core.errors import InputError, empty_file
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.formats.shared_task import read_examples
from crosspro.data_prep.pipeline.sets.statistics import DataStatistics, data_statistics
from crosspro.scripts.main import command_app, run
from crosspro.scripts.options import (
    DocIdsBeside,
    Output,
    TaskName,
    layers_of,
    style_of,
    write_output,
)

app = command_app()
Table = Callable[[Sequence[str], Sequence[Sequence[str]]], str]


@app.command()
def stats(
    files: Annotated[
        list[Path], typer.Argument(help="Five-column files, or -; X.doc-ids beside X.data is read.")
    ],
    task: TaskName,
    doc_ids: DocIdsBeside = None,
    by_document: Annotated[
        bool, typer.Option("--by-document", help="A row for each document.")
    ] = False,
    lenient: Annotated[
        bool, typer.Option("--lenient", help="Accept what the official scorer accepts.")
    ] = False,
    output: Output = None,
) -> None:
    """Count documents, tokens and classes of data files.

    The tables are those of the WMT 2016 findings: sizes (Tables 1-3) and classes (Table 5); several
    files stand side by side, as before and after filtering there.
    """
    rules = load_task(task)
    if doc_ids is not None and len(files) > 1:
        raise typer.BadParameter("--doc-ids belongs to one file: several have theirs beside them")
    counted = {
        str(path): data_statistics(
            read_examples(path, rules, layers_of(path, doc_ids).documents, lenient=lenient), rules
        )
        for path in files
    }
    empty = [empty_file(path) for path, one in counted.items() if not one.total.segments]
    if empty:
        raise InputError(empty)
    table = style_of(output).table
    parts = [_sizes(counted, table)]
    if by_document:
        parts += [f"{path}\n\n{_documents(one, table)}" for path, one in counted.items()]
    classes = []
    for name in rules.classes:
        numbers = [one.classes[name] for one in counted.values()]
        totals = [one.total.gaps or 1 for one in counted.values()]
        shares = [
            f"{number:,} ({100 * number / total:.1f}%)"
            for number, total in zip(numbers, totals, strict=True)
        ]
        classes.append((name, *shares))
    parts.append(table(("class", *(Path(path).name for path in counted)), classes))
    write_output("\n".join(parts).encode("utf-8"), output)


def _sizes(counted: dict[str, DataStatistics], table: Table) -> str:
    rows = []
    for path, one in counted.items():
        total = one.total
        documents = sum(1 for row in one.documents if row.document)
        numbers = (documents, total.segments, total.source_tokens, total.target_tokens, total.gaps)
        rows.append((Path(path).name, *(f"{number:,}" for number in numbers)))
    heading = ("file", "documents", "segments", "source tokens", "target tokens", "gaps")
    return table(heading, rows)


def _documents(one: DataStatistics, table: Table) -> str:
    rows = [
        (row.document, *(f"{n:,}" for n in (row.segments, row.source_tokens, row.target_tokens)))
        for row in (*one.documents, one.total)
    ]
    return table(("document", "segments", "source tokens", "target tokens"), rows)


if __name__ == "__main__":
    run(app)
