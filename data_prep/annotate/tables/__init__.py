"""Tables of tags, kept as tab-separated text so that they can be read and corrected by anybody."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from pathlib import Path

_FOLDER = Path(__file__).resolve().parent


def read_table(name: str, columns: int, folder: Path = _FOLDER) -> Iterator[tuple[str, ...]]:
    """The rows of `NAME.tsv`; lines that start with `# ` are comments."""
    with (folder / f"{name}.tsv").open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            if line.startswith("# ") or not line.strip():
                continue
            cells = tuple(line.rstrip("\n").split("\t"))
            if len(cells) != columns:
                raise ValueError(f"{name}.tsv:{number}: {len(cells)} columns instead of {columns}")
            yield cells


@cache
def tables_digest() -> str:
    """Changes with the tables: annotation kept from before a correction is not used after it."""
    digest = blake2b(digest_size=10)
    for path in sorted(_FOLDER.glob("*.tsv")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()
