"""Tables in CSV: their rows with line numbers, and the columns of those that people fill in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from crosspro.data_prep.core.errors import Problem, input_error
from crosspro.data_prep.core.files import read_text_lines

ITEM_COLUMNS = ("item", "system")
VERDICT_COLUMNS = ("pronoun", "antecedent", "remark", "annotator", "kind")
"""The first and the last columns of a review file; people fill in the last."""
CHECK_COLUMNS = ("line", "position", "pronoun")
CHECKED_COLUMNS = ("subject", "words", "remark")
"""The same of a sheet of source pronouns."""


def check_new_sheet(path: Path) -> None:
    """Raise if a sheet would replace a file: people may have filled it in."""
    if path.exists():
        raise input_error(path, "output", "a new file, as people may have filled it in", "a file")


def tsv_line(cells: Iterable[str]) -> bytes:
    """A row as spreadsheets read and write it: cells with quotation marks are quoted."""
    import csv
    import io

    buffer = io.StringIO()
    csv.writer(buffer, delimiter="\t", lineterminator="\n").writerow(cells)
    return buffer.getvalue().encode("utf-8")


def marked_words(words: Sequence[str], marked: Iterable[int]) -> str:
    """A line with some words in [[double brackets]]."""
    chosen = set(marked)
    return " ".join(f"[[{word}]]" if at in chosen else word for at, word in enumerate(words))


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
