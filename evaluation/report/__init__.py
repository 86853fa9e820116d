"""Evaluations for people and programs: text, Markdown, HTML pages, JSON, CSV."""

from __future__ import annotations

import html
from abc import ABC, abstractmethod
from pathlib import Path


class Displayed(ABC):
    """A result that prints as a table, and has a page."""

    @abstractmethod
    def html(self) -> str:
        """The page of `--html`."""

    def write_html(self, path: str | Path) -> None:
        """Write the page to a file, which appears complete or not at all."""
        from crosspro.data_prep.core.files import write_text

        write_text(Path(path), self.html())

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"
