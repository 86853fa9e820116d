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
from crosspro.evaluation.metrics.linked_metric import LinkedPronoun, Side
from crosspro.evaluation.pronouns import Anchor, PronounLists

CASES = (1, 2, 3, 4, 5, 6)
CASE_NAMES = ("same", "equivalent", "different", "not in cand.", "not in ref.", "in neither")
"""The cases as the paper's Table 5 calls them."""
UNLISTED = "UNLISTED"
"""The label of a word that the released tool adds without finding it in its list."""

Heuristics = Literal["paper", "released", "off"]
"""How links are repaired: as the paper says, as its tool does it, or not at all."""


@dataclass(frozen=True, slots=True)
class Occurrence(LinkedPronoun):
    """A pronoun with its case.

    `cell` has the matching labels in cases 1 and 2, otherwise the first of each side.
    `probability` is that of the equivalent pair in case 2, where it is known.
    """

    case: int
    probability: float | None = None


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
) -> list[Occurrence]:
    return [
        _occurrence(anchor, reference, candidate, lists)
        for anchor, reference, candidate in zip(anchors, references, candidates, strict=True)
    ]


def _occurrence(
    anchor: Anchor, reference: Side, candidate: Side, lists: PronounLists
) -> Occurrence:
    def with_case(case: int, cell: tuple[str, str], probability: float | None = None) -> Occurrence:
        return Occurrence(anchor, reference, candidate, cell, case, probability)

    first, second = reference.labels, candidate.labels
    cell = (first or (NONE,))[0], (second or (NONE,))[0]
    if not first:
        return with_case(5 if second else 6, cell)
    if not second:
        return with_case(4, cell)
    for label in first:
        if label in second and label != OTHER:  # two words that are no pronouns are different
            return with_case(1, (label, label))
    for label in first:
        for other in second:
            pair = frozenset((label, other))
            if pair in lists.probabilities:
                return with_case(2, (label, other), lists.probabilities[pair])
    return with_case(3, cell)
