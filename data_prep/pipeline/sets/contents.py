"""What a data set holds, in numbers and digests, so that a run can say what it was made from."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.files.digest import sha256_of
from crosspro.data_prep.formats.shared_task import format_example


@dataclass(frozen=True)
class Contents:
    """A file of a split (train, dev, test), or a set of examples that comes from no file.

    `digest` is the SHA-256 of the file as it lies there (`sha256sum FILE`), else of the examples;
    `beside` has the digests of the files that were read with it, by their names.
    """

    split: str
    name: str
    lines: int
    gaps: int
    digest: str
    beside: Mapping[str, str] = field(default_factory=dict)


def file_contents(
    split: str, path: Path, examples: Sequence[Example], beside: Iterable[Path] = ()
) -> Contents:
    """What a file holds that these examples were read from."""
    others = {other.name: sha256_of(other) for other in beside}
    return Contents(split, path.name, len(examples), _gaps(examples), sha256_of(path), others)


def example_contents(split: str, name: str, examples: Sequence[Example]) -> Contents:
    """What a set of examples holds: its lines, as they would be written, and its documents."""
    digest = hashlib.sha256()
    for example in examples:
        digest.update(f"{example.document or ''}\t{format_example(example)}\n".encode())
    return Contents(split, name, len(examples), _gaps(examples), digest.hexdigest())


def _gaps(examples: Sequence[Example]) -> int:
    return sum(len(example.gaps) for example in examples)
