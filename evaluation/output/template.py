"""Self-contained HTML pages: templates that are filled, tables, shades and embedded data.

A template lies beside the metric whose page it is, or in `html/` here if metrics share it.
`{{name}}` in one stands for a part that the caller gives, `{{name.html}}` for a file of `html/`.
Pages load nothing from elsewhere.
"""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from crosspro.evaluation.output.tables import Row

SHARED = Path(__file__).resolve().parent / "html"
"""The folder of templates and pieces of them that pages have in common."""
_DARKEST = 0.6
"""A shade stays light enough for the number on it to be read."""


def fill_page(template: Path, parts: Mapping[str, str]) -> str:
    """A template with its parts, which are HTML, put in; they are not looked into again."""
    pieces = template.read_text(encoding="utf-8").split("{{")
    filled = [pieces[0]]
    for piece in pieces[1:]:
        name, _, rest = piece.partition("}}")
        if name.endswith(".html"):
            filled.append(fill_page(SHARED / name, parts).rstrip("\n"))
        else:
            filled.append(parts[name])
        filled.append(rest)
    return "".join(filled)


def embedded_json(data: Any) -> str:
    """Data for a script element of a page, as compact as JSON can be.

    No "<" at all: "</script" or "<!--" would end the data, whatever stands around them.
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")


def html_table(heading: Row, rows: Sequence[Row], left: int = 1) -> str:
    """A table of plain text; the first `left` columns are flush left, the others right."""
    return cell_table(heading, [[html.escape(cell) for cell in row] for row in rows], left)


def cell_table(heading: Row, rows: Sequence[Row], left: int = 1) -> str:
    """The same with cells that are HTML already."""

    def cells(row: Row, tag: str) -> str:
        return "".join(
            f"<{tag}{' class=l' if column < left else ''}>{cell}</{tag}>"
            for column, cell in enumerate(row)
        )

    head = cells([html.escape(cell) for cell in heading], "th")
    body = "".join(f"<tr>{cells(row, 'td')}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def shade(share: float) -> str:
    """The background of a cell that holds this share of its row, as CSS."""
    return f"background:rgba(var(--heat),{_DARKEST * share:.3f})"


def warning_list(warnings: Sequence[str]) -> str:
    """Warnings as paragraphs that catch the eye."""
    return "".join(f'<p class="wrong">{html.escape(text)}</p>' for text in warnings)


def signature_list(signatures: Sequence[str]) -> str:
    """Signatures as paragraphs, each once."""
    return "".join(f"<p><code>{html.escape(text)}</code></p>" for text in dict.fromkeys(signatures))
