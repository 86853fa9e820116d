"""Tables that people fill in: their columns, which no output ever replaces, and their rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from crosspro.data_prep.core.errors import Problem, input_error
from crosspro.data_prep.core.files import read_text_lines
from crosspro.data_prep.core.guard import protect_sheets

ITEM_COLUMNS = ("token", "system", "digest")
VERDICT_COLUMNS = ("pronoun", "antecedent", "tags", "remark")
"""The first and the last columns of a review file; people fill in the last."""
GAP_COLUMNS = ("example", "source", "translation")
FILLED_COLUMNS = ("accepted", "remark")
"""The same of a sheet of gaps."""
CHECK_COLUMNS = ("line", "position", "pronoun")
CHECKED_COLUMNS = ("subject", "words", "remark")
"""The same of a sheet of source pronouns."""

protect_sheets(ITEM_COLUMNS, VERDICT_COLUMNS)
protect_sheets(GAP_COLUMNS, FILLED_COLUMNS)
protect_sheets(CHECK_COLUMNS, CHECKED_COLUMNS)


Row = tuple[int, list[str]]
"""The number of a line, and its cells."""


def read_rows(path: Path) -> Iterator[Row]:
    """The rows of a file that are not blank, with their line numbers.

    CSV with commas, semicolons or tabs.
    """
    import csv

    lines = [line.rstrip("\r") for line in read_text_lines(path)]
    first = lines[0] if lines else ""
    separator = max("\t;,", key=lambda mark: (first.count(mark), mark == ","))
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=separator)
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                yield reader.line_num, [cell.strip() for cell in row]
    except csv.Error as error:
        raise input_error(path, "row", "CSV", str(error), reader.line_num) from error


def named_cells(
    path: Path, heading: Sequence[str], rows: Iterable[Row], problems: list[Problem]
) -> Iterator[tuple[int, dict[str, str]]]:
    """Rows by the names of their columns; one with another number of cells is a problem."""
    for line, cells in rows:
        if len(cells) == len(heading):
            yield line, dict(zip(heading, cells, strict=True))
        else:
            expected = f"{len(heading)} as in the heading"
            problems.append(Problem(str(path), line, "cells", expected, str(len(cells))))
