"""Tables of the package, kept as tab-separated text that anybody can read and correct."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path


def table_rows(path: Path, columns: int) -> Iterator[tuple[str, ...]]:
    """The rows of a table; lines that start with `# ` are comments."""
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            if line.startswith("# ") or not line.strip():
                continue
            cells = tuple(line.rstrip("\n").split("\t"))
            if len(cells) != columns:
                raise ValueError(f"{path.name}:{number}: {len(cells)} columns, not {columns}")
            yield cells
