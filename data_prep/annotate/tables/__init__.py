"""Tables of tags, kept as tab-separated text so that they can be read and corrected by anybody."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from pathlib import Path

from crosspro.data_prep.core.files.table_file import table_rows

_FOLDER = Path(__file__).resolve().parent


def read_table(name: str, columns: int) -> Iterator[tuple[str, ...]]:
    """The rows of `NAME.tsv`."""
    return table_rows(_FOLDER / f"{name}.tsv", columns)


@cache
def tables_digest() -> str:
    """Changes with the tables: annotation kept from before a correction is not used after it."""
    digest = blake2b(digest_size=10)
    for path in sorted(_FOLDER.glob("*.tsv")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()
