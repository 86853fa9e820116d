"""Two directions of links made one: intersection, union, and what lies between (Koehn et al. 2005).

`forward` are the links of a model that explains each target word by a source word, `backward` those
of one that explains each source word by a target word; both are written (source, target). The order
in which the grow-diag family tries links is that of the program symal of Moses, target position
first. Links are compared with gold links as in 003 Table 4.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from heapq import heappop, heappush
from typing import Literal

from crosspro.data_prep.core.example import Link

GROW_DIAG_FINAL_AND = "grow-diag-final-and"
_NEIGHBOURS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))
"""As (target, source)."""

Links = Collection[Link]


def grow_diag(
    forward: Links, backward: Links, final: Literal["none", "or", "and"] = "none"
) -> set[Link]:
    """The intersection, and those neighbours from the union that link a word without a link.

    Then, with `final` "or", links of which at least one word has none, with "and" those of which
    neither word has one; first those of the forward direction.
    """
    directions = [{(target, source) for source, target in links} for links in (forward, backward)]
    grown = directions[0] & directions[1]
    candidates = directions[0] ^ directions[1]
    targets, sources = {target for target, _ in grown}, {source for _, source in grown}

    def add(link: Link, free_words: int) -> bool:
        """Take a candidate if so many of its words are free; if not, they never will be again."""
        candidates.discard(link)
        if (link[0] not in targets) + (link[1] not in sources) < free_words:
            return False
        grown.add(link)
        targets.add(link[0])
        sources.add(link[1])
        return True

    added = True
    while added:
        added = False
        beside = {(t - down, s - right) for t, s in candidates for down, right in _NEIGHBOURS}
        waiting = sorted(beside & grown)
        while waiting:
            target, source = heappop(waiting)
            for down, right in _NEIGHBOURS:
                link = target + down, source + right
                if link in candidates and add(link, free_words=1):
                    added = True
                    if link > (target, source):  # one that lies ahead is tried in this round
                        heappush(waiting, link)
    if final != "none":
        for direction in directions:
            for link in sorted(candidates & direction):
                add(link, free_words=1 if final == "or" else 2)
    return {(source, target) for target, source in grown}


SYMMETRISATIONS: dict[str, Callable[[Links, Links], set[Link]]] = {
    GROW_DIAG_FINAL_AND: partial(grow_diag, final="and"),
    "grow-diag": grow_diag,
    "grow-diag-final": partial(grow_diag, final="or"),
    "union": lambda forward, backward: {*forward, *backward},
    "intersection": lambda forward, backward: set(forward).intersection(backward),
}
"""In the order of 003 Table 4."""


@dataclass(frozen=True)
class LinkScore:
    """Precision, recall and F1 from counts of correct, proposed and gold links."""

    correct: int
    proposed: int
    gold: int

    @property
    def precision(self) -> float:
        return self.correct / self.proposed if self.proposed else 0.0

    @property
    def recall(self) -> float:
        return self.correct / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        total = self.proposed + self.gold
        return 2 * self.correct / total if total else 0.0


def score_links(
    proposed: Iterable[Links],
    gold: Iterable[Links],
    source: Sequence[Sequence[str]] | None = None,
    pronouns: Collection[str] = (),
) -> LinkScore:
    """All links; or, with a source text, only those of some source words (lower-cased)."""
    counts = [0, 0, 0]
    for line, sides in enumerate(zip(proposed, gold, strict=True)):
        links, true = map(set, sides)
        if source is not None:
            places = {at for at, word in enumerate(source[line]) if word.lower() in pronouns}
            links, true = ({link for link in side if link[0] in places} for side in (links, true))
        for at, chosen in enumerate((links & true, links, true)):
            counts[at] += len(chosen)
    return LinkScore(*counts)
