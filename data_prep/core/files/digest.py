"""The checksum by which damage to a file is noticed; that of sha256sum, so anyone can compare."""

from __future__ import annotations

import hashlib
from pathlib import Path

from crosspro.data_prep.core.files.guard import is_pipe
from crosspro.data_prep.core.files.textfile import piped_bytes


def sha256_of(path: Path) -> str:
    """The checksum of a file's bytes, as hexadecimal digits."""
    if is_pipe(path):
        return hashlib.sha256(piped_bytes(path)).hexdigest()
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()
