"""A table that is wider than its terminal: texts are wrapped, figures never cut.

First headings go over several lines, then the texts of the columns that are flush left. Where that
is not enough, the table is cut into several, one under the other, which repeat the first columns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

Cells = Sequence[str]
Width = Callable[[str], int]

GAP = 2
"""Spaces between two columns."""
_NARROWEST = 12
"""Texts are not wrapped to fewer columns than this."""


def fitted(
    heading: Cells, rows: Sequence[Cells], left: int, limit: int, width: Width
) -> list[tuple[list[int], list[list[Cells]]]]:
    """Tables that are no wider than `limit`, if figures allow it: widths, and rows of lines.

    The first of the rows is the heading. Each is a list of lines, of which most have one.
    """
    columns = list(zip(heading, *rows, strict=True))
    figures = [max((width(cell) for cell in column[1:]), default=0) for column in columns]
    whole = [max(map(width, column)) for column in columns]
    right = [
        min(whole[n], max(figures[n], _word_width(heading[n], width)))
        for n in range(left, len(columns))
    ]
    texts = _narrowed(whole[:left], limit - sum(right) - GAP * len(right))
    found = []
    for part in _blocks(right, limit - sum(texts) - GAP * (left - 1)):
        chosen = [*range(left), *(left + n for n in part)]
        widths = [*texts, *(right[n] for n in part)]
        cells = [[row[n] for n in chosen] for row in (heading, *rows)]
        found.append((widths, [_lines(row, widths, width) for row in cells]))
    return found


def _word_width(text: str, width: Width) -> int:
    """The narrowest that a heading becomes: its longest word, or what a wrapped text has."""
    return min(max(map(width, text.split()), default=0), _NARROWEST)


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


def _lines(row: Cells, widths: Sequence[int], width: Width) -> list[Cells]:
    """A row as lines: cells that are too wide go on in the next."""
    cells = [_wrapped(cell, limit, width) for cell, limit in zip(row, widths, strict=True)]
    height = max(map(len, cells))
    return [[cell[line] if line < len(cell) else "" for cell in cells] for line in range(height)]


def _wrapped(text: str, limit: int, width: Width) -> list[str]:
    """Lines of at most `limit`, at spaces where there are any."""
    if width(text) <= limit:
        return [text]
    lines = [""]
    for word in text.split(" "):
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if width(joined) <= limit:
            lines[-1] = joined
            continue
        if lines[-1]:
            lines.append("")
        for character in word:
            if lines[-1] and width(lines[-1] + character) > limit:
                lines.append("")
            lines[-1] += character
    return lines
