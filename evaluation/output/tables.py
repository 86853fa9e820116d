"""Tables of text: aligned columns for the terminal, pipes for Markdown, CSV for programs."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Iterable, Sequence
from math import isnan

from crosspro.data_prep.core.errors import printable
from crosspro.evaluation.output.fit import GAP, fitted

Row = Sequence[str]


def text_table(heading: Row, rows: Sequence[Row], left: int = 1, width: int | None = None) -> str:
    """Aligned columns under a rule; the first `left` columns are flush left, the others right.

    A table that is wider than `width` is wrapped, and cut into several if it must.
    """
    heading, rows = _shown(heading), [_shown(row) for row in rows]
    widths = [max(map(_width, column)) for column in zip(heading, *rows, strict=True)]
    if width is not None and sum(widths) + GAP * (len(widths) - 1) > width:
        return "\n".join(
            _wrapped_table(part, lines, left)
            for part, lines in fitted(heading, rows, left, width, _width)
        )
    lines = [_line(heading, widths, left), "  ".join("─" * width for width in widths)]
    lines += [_line(row, widths, left) for row in rows]
    return "\n".join(lines) + "\n"


def _wrapped_table(widths: Sequence[int], rows: Sequence[Sequence[Row]], left: int) -> str:
    heading, *others = ([_line(line, widths, left) for line in row] for row in rows)
    rule = "  ".join("─" * width for width in widths)
    return "\n".join([*heading, rule, *(line for row in others for line in row)]) + "\n"


def markdown_table(heading: Row, rows: Sequence[Row], left: int = 1) -> str:
    """A Markdown table with the same alignment."""
    rule = ["---" if column < left else "---:" for column in range(len(heading))]
    lines = [[cell.replace("|", "\\|") for cell in _shown(row)] for row in (heading, *rows)]
    lines.insert(1, rule)
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    """Rows with commas, quoted where they must be."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def csv_number(value: float | None) -> str:
    """A number as CSV files have it, or nothing if there is none."""
    return "" if value is None or isnan(value) else f"{value:.6g}"


def _shown(row: Row) -> Row:
    """Cells without what would steer a terminal: names and ids come from files."""
    return [printable(cell) for cell in row]


def _line(cells: Row, widths: Sequence[int], left: int) -> str:
    padded = []
    for column, (cell, width) in enumerate(zip(cells, widths, strict=True)):
        space = " " * (width - _width(cell))
        padded.append(cell + space if column < left else space + cell)
    return "  ".join(padded).rstrip()


def _width(text: str) -> int:
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    combining = sum(unicodedata.combining(character) > 0 for character in text)
    return len(text) + wide - combining
