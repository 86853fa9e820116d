"""Tables of other people: CSV and TSV files as rows of texts by column."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

from crosspro.data_prep.core.errors import choices, input_error, quoted
from crosspro.data_prep.core.files import read_text_lines


def read_rows(
    path: Path, columns: Sequence[str] = (), *, padded: bool = False
) -> list[tuple[int, dict[str, str]]]:
    """The rows of a file by column, with line numbers; these columns must be there.

    With `padded` cells at the end of a row may be missing. A row that begins with `#` is a comment.
    """
    lines = list(read_text_lines(path))
    heading = lines[0] if lines else ""
    delimiter = max(",\t;", key=heading.count)
    reader = csv.DictReader((f"{line}\n" for line in lines), delimiter=delimiter, strict=True)
    if padded:
        reader.restval = ""
    rows = []
    try:
        names = [name.strip() for name in reader.fieldnames or ()]
        for column in columns:
            if column not in names:
                expected = choices(names) if names else "a heading"
                raise input_error(path, "column", expected, quoted(column), 1)
        if len(set(names)) < len(names):
            raise input_error(path, "heading", "different names", ", ".join(names), 1)
        reader.fieldnames = names
        for row in reader:
            if row[names[0]].startswith("#"):
                continue
            if None in row or None in row.values():
                actual = "another number of cells than in the heading"
                raise input_error(path, "cells", str(len(names)), actual, reader.line_num)
            rows.append((reader.line_num, {name: row[name].strip() for name in names}))
    except csv.Error as error:
        raise input_error(path, "row", "CSV", str(error), reader.line_num) from error
    return rows
