"""How a report is written as text: for a terminal or as Markdown, with signatures or without."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from crosspro.evaluation.output.tables import Row, markdown_table, text_table


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
        return [self.title("Signatures"), "".join(f"- {one}\n" for one in signatures)]


PLAIN = Style()
