"""The six cases of APT (000 §2.4): what a candidate's pronoun is beside the reference's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from crosspro.data_prep.core.task import NONE, OTHER
from crosspro.evaluation.inputs.anchors import Anchor
from crosspro.evaluation.inputs.pronoun_lists import PronounLists
from crosspro.evaluation.metrics.apt.sides import Side

Others = Literal["different", "equal", "missing"]
"""Two words that are no pronouns of the list: different, equal, or not found (cases 4 to 6)."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One pronoun with its reference, its candidate and its case.

    `cell` is its place in the matrix: a label of the reference and one of the candidate, those that
    meet where they do. `probability` is that of the equivalent pair in case 2, where it is known.
    """

    anchor: Anchor
    reference: Side
    candidate: Side
    case: int
    cell: tuple[str, str]
    probability: float | None = None


def judge(
    anchors: Sequence[Anchor],
    references: Iterable[Side],
    candidates: Iterable[Side],
    lists: PronounLists,
    others: Others = "different",
) -> list[Occurrence]:
    """The case of each anchor."""
    found = []
    pairs = lists.probabilities
    for anchor, reference, candidate in zip(anchors, references, candidates, strict=True):
        case, cell, probability = _case(reference, candidate, pairs, others)
        found.append(Occurrence(anchor, reference, candidate, case, cell, probability))
    return found


def _case(
    reference: Side,
    candidate: Side,
    pairs: dict[frozenset[str], float | None],
    others: Others,
) -> tuple[int, tuple[str, str], float | None]:
    ours, theirs = reference.labels, candidate.labels
    if others == "missing":
        ours, theirs = (() if side == (OTHER,) else side for side in (ours, theirs))
    cell = (ours or (NONE,))[0], (theirs or (NONE,))[0]
    if not ours:
        return (5 if theirs else 6), cell, None
    if not theirs:
        return 4, cell, None
    for label in ours:
        if label in theirs and (label != OTHER or others == "equal"):
            return 1, (label, label), None
    for one in ours:
        for other in theirs:
            pair = frozenset((one, other))
            if pair in pairs:
                return 2, (one, other), pairs[pair]
    return 3, cell, None
