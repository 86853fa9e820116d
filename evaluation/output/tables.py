"""Tables of text: aligned columns for the terminal, pipes for Markdown, CSV for programs."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Iterable, Sequence
from math import isnan
from typing import NamedTuple

from crosspro.data_prep.core.errors import printable

Row = Sequence[str]


def text_table(heading: Row, rows: Sequence[Row], left: int = 1, width: int | None = None) -> str:
    """Aligned columns under a rule; the first `left` columns are flush left, the others right.

    A table that is wider than `width` is wrapped, and cut into several if it must.
    """
    heading, rows = _shown(heading), [_shown(row) for row in rows]
    widths = [max(map(_width, column)) for column in zip(heading, *rows, strict=True)]
    if width is not None and sum(widths) + GAP * (len(widths) - 1) > width:
        return "\n".join(
            _wrapped_table(part, lines, left) for part, lines in fitted(heading, rows, left, width)
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
    """Row without what would steer a terminal: names and ids come from files."""
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


# Styles -------------------------------------------------------------------------------------------


class Style(NamedTuple):
    """Tables are aligned columns, no wider than `width` if there is one, or Markdown."""

    markdown: bool = False
    width: int | None = None
    signatures: bool = False

    def table(self, heading: Row, rows: Sequence[Row], left: int = 1) -> str:
        """A table whose first `left` columns are flush left."""
        if self.markdown:
            return markdown_table(heading, rows, left)
        return text_table(heading, rows, left, self.width)

    def title(self, text: str) -> str:
        """What stands over a table."""
        return f"## {text}\n" if self.markdown else f"{text}\n"

    @property
    def after(self) -> str:
        """What parts a table from a line under it: Markdown would take it for a row."""
        return "\n" if self.markdown else ""

    def signed(self, signatures: Iterable[str]) -> list[str]:
        """The last part of a report, if it is wanted: how the scores were computed."""
        if not self.signatures:
            return []
        return [self.title("Signatures"), "".join(f"- {signature}\n" for signature in signatures)]


PLAIN = Style()


# A table that is wider than its terminal ----------------------------------------------------------

GAP = 2
"""Spaces between two columns."""
_NARROWEST = 12
"""Texts are not wrapped to fewer columns than this."""


def fitted(
    heading: Row, rows: Sequence[Row], left: int, limit: int
) -> list[tuple[list[int], list[list[Row]]]]:
    """Tables that are no wider than `limit`, if figures allow it: widths, and rows of lines.

    The first of the rows is the heading. Each is a list of lines, of which most have one.
    """
    columns = list(zip(heading, *rows, strict=True))
    figures = [max((_width(cell) for cell in column[1:]), default=0) for column in columns]
    whole = [max(map(_width, column)) for column in columns]
    right = [
        min(whole[n], max(figures[n], _word_width(heading[n]))) for n in range(left, len(columns))
    ]
    texts = _narrowed(whole[:left], limit - sum(right) - GAP * len(right))
    found = []
    for part in _blocks(right, limit - sum(texts) - GAP * (left - 1)):
        chosen = [*range(left), *(left + n for n in part)]
        widths = [*texts, *(right[n] for n in part)]
        cells = [[row[n] for n in chosen] for row in (heading, *rows)]
        found.append((widths, [_lines(row, widths) for row in cells]))
    return found


def _word_width(text: str) -> int:
    """The narrowest that a heading becomes: its longest word, or what a wrapped text has."""
    return min(max(map(_width, text.split()), default=0), _NARROWEST)


def _narrowed(widths: Sequence[int], room: int) -> list[int]:
    """The columns of texts within some room, the widest narrowed first; none too narrow to read."""
    narrow = list(widths)
    while narrow and sum(narrow) + GAP * (len(narrow) - 1) > room:
        widest = max(range(len(narrow)), key=narrow.__getitem__)
        if narrow[widest] <= _NARROWEST:
            break
        narrow[widest] -= 1
    return narrow


def _blocks(widths: Sequence[int], room: int) -> list[list[int]]:
    """Numbers of columns that go side by side, at least one in each block."""
    blocks: list[list[int]] = [[]]
    used = 0
    for number, width in enumerate(widths):
        if blocks[-1] and used + GAP + width > room:
            blocks.append([])
            used = 0
        blocks[-1].append(number)
        used += GAP + width
    return blocks


def _lines(row: Row, widths: Sequence[int]) -> list[Row]:
    """A row as lines: cells that are too wide go on in the next."""
    cells = [_wrapped(cell, limit) for cell, limit in zip(row, widths, strict=True)]
    height = max(map(len, cells))
    return [[cell[line] if line < len(cell) else "" for cell in cells] for line in range(height)]


def _wrapped(text: str, limit: int) -> list[str]:
    """Lines of at most `limit`, at spaces where there are any."""
    if _width(text) <= limit:
        return [text]
    lines = [""]
    for word in text.split(" "):
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if _width(joined) <= limit:
            lines[-1] = joined
            continue
        if lines[-1]:
            lines.append("")
        for character in word:
            if lines[-1] and _width(lines[-1] + character) > limit:
                lines.append("")
            lines[-1] += character
    return lines
