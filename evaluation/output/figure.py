"""Figures as SVG text: panels with axes, set side by side in a file or one by one in a page.

Colours are attributes of the elements, which any program shows; the style sheet of a page overrides
them, so that a figure there is light or dark as the page is.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

from crosspro.data_prep.core.errors import printable

INK, SOFT, LINE = "#1d2330", "#667085", "#d9dee7"
ACCENT, WARM = "#0b6bcb", "#c0392b"
"""The colours of a light page, by what they are for."""

_GAP, _TITLE, _NOTE = 16, 36, 18
_EMPTY = 330
"""How wide a figure without a panel is."""
_NOTE_WIDTH = 5.6
"""About so wide is a letter of a note."""


@dataclass(frozen=True)
class FigurePanel:
    """A picture of its own: its size, its elements, and what it shows, for those who cannot see."""

    width: int
    height: int
    body: str
    about: str


def figure_file(
    title: str, panels: Sequence[FigurePanel], notes: Sequence[str] = (), columns: int = 3
) -> str:
    """An SVG file with all panels in rows, under a title and above some notes."""
    columns = max(1, min(columns, len(panels)))
    cell_width = max((panel.width for panel in panels), default=_EMPTY)
    cell_height = max((panel.height for panel in panels), default=0)
    rows = -(-len(panels) // columns)
    width = columns * (cell_width + _GAP) - _GAP
    lines = [line for note in notes for line in _wrapped(note, int(width / _NOTE_WIDTH))]
    under = _TITLE + rows * (cell_height + _GAP)
    height = under + _NOTE * len(lines) + _GAP
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" font-family="system-ui, sans-serif">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        label(12, 22, title, size=15, weight=600),
    ]
    for number, panel in enumerate(panels):
        x = number % columns * (cell_width + _GAP)
        y = _TITLE + number // columns * (cell_height + _GAP)
        parts.append(f'<g transform="translate({x} {y})">{panel.body}</g>')
    for number, line in enumerate(lines):
        parts.append(label(12, under + _NOTE * (number + 1) - 6, line, kind="soft"))
    return "\n".join(parts) + "\n</svg>\n"


def figure_html(panels: Sequence[FigurePanel]) -> str:
    """The panels for a page, which wraps them to its width."""
    drawn = (
        f'<svg class="plot" viewBox="0 0 {panel.width} {panel.height}" width="{panel.width}" '
        f'role="img" aria-label="{xml_text(panel.about)}">{panel.body}</svg>'
        for panel in panels
    )
    return f'<div class="figures">{"".join(drawn)}</div>'


def label(
    x: float,
    y: float,
    text: str,
    anchor: str = "start",
    kind: str = "ink",
    size: float = 11,
    weight: int = 400,
) -> str:
    """A piece of text; its kind is ink, or soft where it only explains."""
    fill = SOFT if kind == "soft" else INK
    bold = f' font-weight="{weight}"' if weight != 400 else ""
    return (
        f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size:g}" '
        f'fill="{fill}"{bold}>{xml_text(text)}</text>'
    )


def grid_line(x1: float, y1: float, x2: float, y2: float) -> str:
    """A line behind what is shown."""
    return (
        f'<line class="grid" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
        f'stroke="{LINE}"/>'
    )


def xml_text(text: str) -> str:
    """Text of an element or an attribute; names come from files and may hold anything."""
    return html.escape(printable(text))


def shortened(text: str, length: int) -> str:
    """A name that has to fit: its beginning and an ellipsis if it is too long."""
    return text if len(text) <= length else f"{text[: length - 1]}…"


def _wrapped(text: str, length: int) -> list[str]:
    """Lines of a note, broken at spaces and between the parts of a signature."""
    lines = [""]
    for piece in re.split(r"(?<=[ |])", text):
        if lines[-1] and len(lines[-1]) + len(piece.rstrip()) > length:
            lines.append("")
        lines[-1] += piece
    return [line.rstrip() for line in lines]
