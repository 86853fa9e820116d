"""The six cases of APT (000 §2.4): what a candidate's pronoun is beside the reference's.

A source pronoun becomes a *side* in the reference and in a candidate; two sides have a case.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from crosspro.data_prep.core.task import NONE, OTHER
from crosspro.evaluation.link_repair import Repair, RepairedLinks, released_repair, repair_links
from crosspro.evaluation.links import LinkedTranslation, LinkedWords
from crosspro.evaluation.pronouns import Anchor, PronounLists

CASES = (1, 2, 3, 4, 5, 6)
CASE_NAMES = ("same", "equivalent", "different", "not in cand.", "not in ref.", "in neither")
"""The cases as the paper's Table 5 calls them."""
UNLISTED = "UNLISTED"
"""The label of a word that the released tool adds without finding it in its list."""

Heuristics = Literal["paper", "released", "off"]
"""How links are repaired: as the paper says, as its tool does it, or not at all."""
Others = Literal["different", "equal", "missing"]
"""Two words that are no pronouns of the list: different, equal, or not there (cases 4 to 6)."""


@dataclass(frozen=True, slots=True)
class Side:
    """What a pronoun became in a translation: positions, words, and labels.

    Labels are those of the lists, identical pronouns under one name, or OTHER; there are none where
    nothing is linked.
    """

    positions: tuple[int, ...]
    words: tuple[str, ...]
    labels: tuple[str, ...]
    repair: Repair = Repair.KEPT


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One pronoun with its reference, its candidate and its case.

    `cell` has a label of the reference and one of the candidate: the matching ones in cases 1 and
    2, otherwise the first of each side.
    `probability` is that of the equivalent pair in case 2, where it is known.
    """

    anchor: Anchor
    reference: Side
    candidate: Side
    case: int
    cell: tuple[str, str]
    probability: float | None = None

    @property
    def places(self) -> tuple[Sequence[int], Sequence[int]]:
        return self.reference.positions, self.candidate.positions

    @property
    def repaired(self) -> tuple[bool, bool]:
        """Whether the positions (reference, candidate) come from a repair instead of a link."""
        return self.reference.repair is Repair.MOVED, self.candidate.repair is Repair.MOVED


def find_sides(
    anchors: Sequence[Anchor],
    words: LinkedWords,
    translation: LinkedTranslation,
    lists: PronounLists,
    heuristics: Heuristics,
) -> list[Side]:
    sides: list[Side] = []
    line, chosen = -1, set[int]()
    for anchor in anchors:
        if anchor.line != line:
            line, chosen = anchor.line, set()
        sentence = words.sentence(translation, line)
        if heuristics == "paper":
            repaired = repair_links(sentence, anchor.position, anchor.pronoun, lists, chosen)
        elif heuristics == "released":
            repaired = released_repair(sentence, anchor.position, lists)
        else:
            repaired = RepairedLinks(sentence.targets(anchor.position))
        linked = tuple(sentence.target[place] for place in repaired.positions)
        if heuristics == "released" and repaired.repair is Repair.MOVED:
            labels: tuple[str, ...] = (lists.labels.get(linked[-1], UNLISTED),)
        else:
            labels = _labels(linked, lists)
        sides.append(Side(repaired.positions, linked, labels, repaired.repair))
    return sides


def _labels(words: Sequence[str], lists: PronounLists) -> tuple[str, ...]:
    """The labels of linked words: pronouns only, OTHER if there is none among them."""
    lowered = [word.lower() for word in words]
    if not lists.target_pronouns:
        return tuple(dict.fromkeys(map(lists.label, lowered)))
    pronouns = (lists.target_pronoun(word) for word in lowered)
    labels = dict.fromkeys(lists.label(pronoun) for pronoun in pronouns if pronoun is not None)
    return tuple(labels) if labels or not words else (OTHER,)


def find_cases(
    anchors: Sequence[Anchor],
    references: Sequence[Side],
    candidates: Sequence[Side],
    lists: PronounLists,
    others: Others = "different",
) -> list[Occurrence]:
    return [
        Occurrence(anchor, reference, candidate, *_case(reference, candidate, lists, others))
        for anchor, reference, candidate in zip(anchors, references, candidates, strict=True)
    ]


def _case(
    reference: Side, candidate: Side, lists: PronounLists, others: Others
) -> tuple[int, tuple[str, str], float | None]:
    first, second = reference.labels, candidate.labels
    if others == "missing":
        first, second = (() if labels == (OTHER,) else labels for labels in (first, second))
    cell = (first or (NONE,))[0], (second or (NONE,))[0]
    if not first:
        return (5 if second else 6), cell, None
    if not second:
        return 4, cell, None
    for label in first:
        if label in second and (label != OTHER or others == "equal"):
            return 1, (label, label), None
    for label in first:
        for other in second:
            pair = frozenset((label, other))
            if pair in lists.probabilities:
                return 2, (label, other), lists.probabilities[pair]
    return 3, cell, None


def case_counts(occurrences: Sequence[Occurrence]) -> list[int]:
    cases = [occurrence.case for occurrence in occurrences]
    return [cases.count(case) for case in CASES]
