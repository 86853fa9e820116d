"""The bitext that the pipeline works on: tokenised, in columns, on the disk where it is large."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import tee
from pathlib import Path
from typing import NamedTuple

from crosspro.data_prep.annotate.tokenise import tokenise_lines
from crosspro.data_prep.bitext.segment import Segment
from crosspro.data_prep.core.files.stored import store_names, store_sentences
from crosspro.data_prep.core.task import Task

Sentences = Sequence[Sequence[str]]

_REPORTED = 1000
"""Segments after which progress is told."""


class TokenisedSegment(NamedTuple):
    """A segment pair, and the document that it is from."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    document: str | None


@dataclass(frozen=True)
class TokenisedBitext:
    """Both sides and the documents, which may be lists or lie on the disk."""

    source: Sentences
    target: Sentences
    documents: Sequence[str | None]

    def __len__(self) -> int:
        return len(self.documents)

    def __iter__(self) -> Iterator[TokenisedSegment]:
        for source, target, document in zip(self.source, self.target, self.documents, strict=True):
            yield TokenisedSegment(tuple(source), tuple(target), document)


def tokenised_bitext(
    task: Task,
    texts: Iterable[Segment],
    folder: Path,
    tokenised: bool | None = None,
    progress: Callable[[Segment], None] = lambda segment: None,
) -> TokenisedBitext:
    """The segments of a bitext, tokenised; whether they are already is found out if not said.

    They are read once and kept on the disk, in nameless files in a folder; `progress` is told of a
    segment now and then, for its line.
    """
    # The three never part by more lines than it takes to see whether a text is tokenised.
    first, second, third = tee(texts, 3)
    sides = (
        tokenise_lines((one.source for one in first), task.source_language, tokenised=tokenised),
        tokenise_lines((one.target for one in second), task.target_language, tokenised=tokenised),
    )
    source, target = store_sentences(folder), store_sentences(folder)
    documents = store_names(folder)
    for number, (left, right, segment) in enumerate(zip(*sides, third, strict=True), start=1):
        source.add(left)
        target.add(right)
        documents.add(segment.document)
        if number % _REPORTED == 0:
            progress(segment)
    return TokenisedBitext(source.finish(), target.finish(), documents.finish())
