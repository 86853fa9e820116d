"""Tables as text: aligned columns for a terminal, Markdown, and CSV for programs.

rich lays out the columns: it knows the widths of Chinese characters and wraps long names. Names
come from files, so their control characters are shown as escapes first.
"""

from __future__ import annotations

import csv
import io
import textwrap
from collections.abc import Iterable, Sequence
from math import isnan
from typing import NamedTuple

from crosspro.data_prep.core.errors import printable

Row = Sequence[str]

_NARROWEST_NAME = 12
_COLUMN_GAP = 2


def text_table(heading: Row, rows: Sequence[Row], left: int = 1, width: int | None = None) -> str:
    """Aligned columns under a rule; the first `left` columns are flush left, the others right.

    Names and headings are wrapped to keep to `width`. Numbers never are, so that a table of many
    columns may be wider.
    """
    from rich.cells import cell_len
    from rich.console import Console
    from rich.rule import Rule
    from rich.table import Table
    from rich.text import Text

    titles, *lines = ([printable(cell) for cell in row] for row in (heading, *rows))
    widest = [max(1, *map(cell_len, column)) for column in zip(titles, *lines, strict=True)]
    needed = total = sum(widest) + _COLUMN_GAP * (len(widest) - 1)
    if width is not None and total > width:
        for column in range(left, len(titles)):
            number = max((cell_len(row[column]) for row in lines), default=0)
            titles[column] = textwrap.fill(titles[column], max(number, 1), break_long_words=False)
            widest[column] = max(number, *map(cell_len, titles[column].split("\n")))
        names = [min(size, _NARROWEST_NAME) for size in widest[:left]]
        needed = max(width, sum(names) + sum(widest[left:]) + _COLUMN_GAP * (len(widest) - 1))
    table = Table.grid(padding=(0, _COLUMN_GAP), pad_edge=False)
    for column in range(len(titles)):
        if column < left:
            table.add_column(justify="left", overflow="fold")
        else:
            table.add_column(justify="right", no_wrap=True)
    table.add_row(*map(Text, titles))
    table.add_row(*(Rule(style="none") for _ in titles))
    for row in lines:
        table.add_row(*map(Text, row))
    console = Console(file=io.StringIO(), width=needed, color_system=None, legacy_windows=False)
    with console.capture() as printed:
        console.print(table)
    return "".join(f"{line.rstrip()}\n" for line in printed.get().splitlines())


def markdown_table(heading: Row, rows: Sequence[Row], left: int = 1) -> str:
    """A Markdown table with the same alignment."""
    rule = ["---" if column < left else "---:" for column in range(len(heading))]
    cells = [[printable(cell).replace("|", "\\|") for cell in row] for row in (heading, *rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in (cells[0], rule, *cells[1:]))


def csv_text(rows: Iterable[Sequence[object]], delimiter: str = ",") -> str:
    """Rows with commas or tabs; cells are quoted where they must be."""
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return text.getvalue()


def csv_number(value: float | None) -> str:
    """A number with six digits; empty if there is none."""
    return "" if value is None or isnan(value) else f"{value:.6g}"


class Style(NamedTuple):
    """How a report is written: as Markdown, or as text within `width`; with signatures or not."""

    markdown: bool = False
    width: int | None = None
    signatures: bool = False

    def table(self, heading: Row, rows: Sequence[Row], left: int = 1) -> str:
        """A table whose first `left` columns are flush left."""
        if self.markdown:
            return markdown_table(heading, rows, left)
        return text_table(heading, rows, left, self.width)

    def title(self, text: str) -> str:
        """The line above a table."""
        return f"## {text}\n" if self.markdown else f"{text}\n"

    @property
    def after(self) -> str:
        """An empty line in Markdown, which would take a note below a table for one of its rows."""
        return "\n" if self.markdown else ""

    def signed(self, signatures: Iterable[str]) -> list[str]:
        """The last part of a report, if the style has signatures."""
        if not self.signatures:
            return []
        return [self.title("Signatures"), "".join(f"- {signature}\n" for signature in signatures)]


PLAIN = Style()
