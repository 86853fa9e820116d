"""Tokenised sentences in a temporary file, for texts that need not fit into memory."""

from __future__ import annotations

import tempfile
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import overload

Sentence = tuple[str, ...]
_READ_TOGETHER = 1000


class SentenceFile(Sequence[Sentence]):
    """Tokenised sentences in a temporary file, for texts that need not fit into memory.

    Sentences are appended before any is read. No token may contain a space.
    """

    def __init__(self, folder: Path) -> None:
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - open while this lives
        self._starts = array("q", [0])

    def append(self, words: Iterable[str]) -> None:
        """Add a sentence."""
        self._starts.append(self._starts[-1] + self._file.write(" ".join(words).encode("utf-8")))

    def __len__(self) -> int:
        return len(self._starts) - 1

    def __iter__(self) -> Iterator[Sentence]:
        for start in range(0, len(self), _READ_TOGETHER):
            yield from self[start : start + _READ_TOGETHER]

    @overload
    def __getitem__(self, index: int) -> Sentence: ...
    @overload
    def __getitem__(self, index: slice) -> list[Sentence]: ...
    def __getitem__(self, index: int | slice) -> Sentence | list[Sentence]:
        numbers = range(len(self))[index]
        if isinstance(numbers, int):
            return self._read(numbers, numbers + 1)[0]
        if numbers.step == 1:
            return self._read(numbers.start, numbers.stop)
        return [self[number] for number in numbers]

    def _read(self, start: int, stop: int) -> list[Sentence]:
        if start >= stop:
            return []
        bounds = self._starts[start : stop + 1]
        self._file.seek(bounds[0])
        block = self._file.read(bounds[-1] - bounds[0])
        texts = (
            block[begin - bounds[0] : end - bounds[0]].decode("utf-8")
            for begin, end in pairwise(bounds)
        )
        return [tuple(text.split(" ")) if text else () for text in texts]
