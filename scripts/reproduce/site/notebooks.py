"""Notebooks as pages: their text, their code, and what it printed when they were last executed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
NOTEBOOKS = ROOT / "docs" / "notebooks"


def notebook_pages() -> dict[str, str]:
    """A page for each notebook, by its place on the site."""
    return {
        f"notebooks/{path.stem}.md": notebook_page(json.loads(path.read_text("utf-8")), path.name)
        for path in sorted(NOTEBOOKS.glob("*.ipynb"))
    }


def notebook_page(notebook: dict[str, Any], name: str) -> str:
    """The cells of a notebook as Markdown, and where to get it."""
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        parts += [shown for output in cell["outputs"] if (shown := _output(output))]
    parts.append(f"This page is the notebook [{name}]({name}).")
    return "\n\n".join(parts) + "\n"


def _output(output: dict[str, Any]) -> str:
    """What a cell printed; pages of HTML stay in the notebook."""
    text = output.get("text") or output.get("data", {}).get("text/plain", "")
    printed = "".join(text).rstrip()
    return f"```text\n{printed}\n```" if printed else ""
