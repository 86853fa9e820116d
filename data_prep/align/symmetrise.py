"""Two directions of links made one: intersection, union, and what lies between (Koehn et al. 2005).

`forward` are the links of a model that explains each target word by a source word, `backward` those
of one that explains each source word by a target word; both are written (source, target). The order
in which the grow-diag family tries links is that of the program symal of Moses, target position
first. Links are compared with gold links as in 003 Table 4.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import repeat

from crosspro.data_prep.core.example import Link

_NEIGHBOURS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))
"""As (target, source)."""

Links = Collection[Link]


def intersection(forward: Links, backward: Links) -> set[Link]:
    """Links of both directions."""
    return set(forward).intersection(backward)


def union(forward: Links, backward: Links) -> set[Link]:
    """Links of either direction."""
    return set(forward).union(backward)


def grow_diag(forward: Links, backward: Links) -> set[Link]:
    """The intersection, and those neighbours from the union that link a word without a link."""
    return _Growing(forward, backward).grow().links


def grow_diag_final(forward: Links, backward: Links) -> set[Link]:
    """grow-diag, then links of which at least one word has none."""
    return _Growing(forward, backward).grow().finish(both_free=False).links


def grow_diag_final_and(forward: Links, backward: Links) -> set[Link]:
    """grow-diag, then links of which neither word has one."""
    return _Growing(forward, backward).grow().finish(both_free=True).links


SYMMETRISATIONS: dict[str, Callable[[Links, Links], set[Link]]] = {
    "grow-diag-final-and": grow_diag_final_and,
    "grow-diag": grow_diag,
    "grow-diag-final": grow_diag_final,
    "union": union,
    "intersection": intersection,
}
"""In the order of 003 Table 4."""


class _Growing:
    """Links while they grow from the intersection towards the union.

    A link is held as one number, `target * stride + source`, so that neighbours are differences and
    numbers sort by target first; the stride leaves a free column between rows.
    """

    def __init__(self, forward: Links, backward: Links) -> None:
        self.stride = 2 + max((*forward, *backward), default=(0, 0))[0]
        self.forward, self.backward = self._numbers(forward), self._numbers(backward)
        self.grown = self.forward & self.backward
        self.candidates = self.forward ^ self.backward
        self.sources = {number % self.stride for number in self.grown}
        self.targets = {number // self.stride for number in self.grown}

    @property
    def links(self) -> set[Link]:
        """The links so far."""
        return {(number % self.stride, number // self.stride) for number in self.grown}

    def grow(self) -> _Growing:
        """Add neighbours until none can be added.

        The links beside candidates are tried in order; one that is added further on is tried in
        the same round.
        """
        steps = [down * self.stride + right for down, right in _NEIGHBOURS]
        candidates = self.candidates
        added = True
        while added:
            added = False
            order = sorted({number - step for number in candidates for step in steps} & self.grown)
            place = 0
            while place < len(order):
                here = order[place]
                for step in steps:
                    number = here + step
                    if number in candidates and self._add(number, both_free=False):
                        added = True
                        insort(order, number)
                        place += step < 0
                place += 1
        return self

    def finish(self, both_free: bool) -> _Growing:
        """Add links of words that have none, those of the forward direction first."""
        for direction in (self.forward, self.backward):
            for number in sorted(self.candidates & direction):
                self._add(number, both_free)
        return self

    def _add(self, number: int, both_free: bool) -> bool:
        self.candidates.discard(number)  # its words will not be free again
        source, target = number % self.stride, number // self.stride
        free = (source not in self.sources) + (target not in self.targets)
        if free < 1 + both_free:
            return False
        self.grown.add(number)
        self.sources.add(source)
        self.targets.add(target)
        return True

    def _numbers(self, links: Links) -> set[int]:
        return {target * self.stride + source for source, target in links}


@dataclass(frozen=True)
class LinkScore:
    """Precision, recall and F1 from counts of correct, proposed and gold links."""

    correct: int
    proposed: int
    gold: int

    @property
    def precision(self) -> float:
        """Correct links among those proposed."""
        return self.correct / self.proposed if self.proposed else 0.0

    @property
    def recall(self) -> float:
        """Correct links among those of gold."""
        return self.correct / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        total = self.proposed + self.gold
        return 2 * self.correct / total if total else 0.0


def score_links(
    proposed: Iterable[Links],
    gold: Iterable[Links],
    source: Iterable[Sequence[str]] | None = None,
    pronouns: Collection[str] = (),
) -> LinkScore:
    """All links; or, with a source text, only those of some source words (lower-cased)."""
    correct = ours = theirs = 0
    sentences: Iterable[Sequence[str]] = repeat(()) if source is None else source
    for (links, true), words in zip(zip(proposed, gold, strict=True), sentences, strict=False):
        first, second = set(links), set(true)
        if source is not None:
            places = {place for place, word in enumerate(words) if word.lower() in pronouns}
            first = {link for link in first if link[0] in places}
            second = {link for link in second if link[0] in places}
        correct += len(first & second)
        ours += len(first)
        theirs += len(second)
    return LinkScore(correct, ours, theirs)
