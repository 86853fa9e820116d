"""Rows of tables that people make: CSV with commas, semicolons or tabs."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.files import read_text_lines


def read_rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The rows of a CSV or TSV file that are not blank, with their line numbers."""
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
