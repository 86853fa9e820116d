"""A part of a training set by documents, for learning curves.

Which documents are in it depends on their names alone: a larger share has those of a smaller one,
and the same share of two systems is the same text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import blake2b
from itertools import groupby

from crosspro.data_prep.core.example import Example

_LONGEST = 200
"""Longer documents, and lines without one, are taken in pieces of so many lines."""


def part_of(examples: Sequence[Example], share: float) -> list[Example]:
    """About this share of the examples, from 0 to 1, in their order."""
    if share >= 1:
        return list(examples)
    pieces = (piece for piece in _pieces(examples) if _place(*piece) < share)
    return [example for _, _, lines in pieces for example in lines]


def _pieces(examples: Sequence[Example]) -> Iterator[tuple[str, int, list[Example]]]:
    """The name of each document, the number of a piece of it, and its lines.

    A piece of a longer document is a document of its own: what stood before it may be left out.
    """
    for document, lines in groupby(examples, key=lambda example: example.document):
        whole = list(lines)
        for number, start in enumerate(range(0, len(whole), _LONGEST)):
            piece = whole[start : start + _LONGEST]
            if document is not None and len(whole) > _LONGEST:
                piece = [replace(line, document=f"{document}#{number}") for line in piece]
            yield document or "", number, piece


def _place(document: str, number: int, lines: Sequence[Example]) -> float:
    """A number from 0 to 1 that a piece always has."""
    name = f"{document}\n{number}\n{' '.join(lines[0].source)}".encode(
        "utf-8", errors="surrogatepass"
    )
    return int.from_bytes(blake2b(name, digest_size=6).digest(), "big") / 2**48
