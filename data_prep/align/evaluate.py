"""Precision, recall and F1 of links against gold links, as in 003 Table 4."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import repeat

from crosspro.data_prep.core.example import Link


@dataclass(frozen=True)
class LinkScore:
    """Counts of links: right ones, those found, and those of gold."""

    right: int
    found: int
    gold: int

    @property
    def precision(self) -> float:
        """Right links among those found."""
        return self.right / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        """Gold links that were found."""
        return self.right / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """Their harmonic mean."""
        total = self.found + self.gold
        return 2 * self.right / total if total else 0.0


def score_links(
    found: Iterable[Collection[Link]],
    gold: Iterable[Collection[Link]],
    source: Collection[Sequence[str]] | None = None,
    pronouns: Collection[str] = (),
) -> LinkScore:
    """All links; or, with a source text, only those of the given source words (lower-cased)."""
    right = ours = theirs = 0
    words: Iterable[Sequence[str]] = repeat(()) if source is None else source
    for (links, true), sentence in zip(zip(found, gold, strict=True), words, strict=False):
        first, second = set(links), set(true)
        if source is not None:
            places = {i for i, word in enumerate(sentence) if word.lower() in pronouns}
            first = {link for link in first if link[0] in places}
            second = {link for link in second if link[0] in places}
        right += len(first & second)
        ours += len(first)
        theirs += len(second)
    return LinkScore(right, ours, theirs)
