"""The checksum by which damage to a file is noticed; that of sha256sum, so anyone can compare."""

from __future__ import annotations

import hashlib
from pathlib import Path


def sha256_of(path: Path) -> str:
    """The checksum of a file's bytes, as hexadecimal digits."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()
