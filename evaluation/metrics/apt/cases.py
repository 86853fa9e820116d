"""The six cases of APT (000 §2.4): what a candidate's pronoun is beside the reference's.

What an anchor became in a translation is a *side*, of the reference or of a candidate; two sides
make an occurrence, which has a case.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from crosspro.data_prep.core.task import NONE, OTHER
from crosspro.evaluation.inputs.anchors import Anchor, target_pronoun
from crosspro.evaluation.inputs.linked_text import Text, Translation
from crosspro.evaluation.inputs.pronoun_lists import PronounLists
from crosspro.evaluation.metrics.apt.repair import (
    LinkedSentence,
    Repair,
    paper_repair,
    released_repair,
)
from crosspro.evaluation.metrics.apt.settings import Heuristics, Others

UNLISTED = "UNLISTED"
"""The label of a word that the released tool adds without finding it in its list."""

_REPAIRS = {"paper": paper_repair, "released": released_repair}


@dataclass(frozen=True, slots=True)
class Side:
    """What an anchor became: positions and words of the translation, and their labels.

    Labels are those of the lists, identical pronouns under one name, or OTHER; there are none where
    nothing is linked. `repair` says whether the words are those of the links or of the repair.
    """

    positions: tuple[int, ...]
    words: tuple[str, ...]
    labels: tuple[str, ...]
    repair: Repair = Repair.KEPT

    @property
    def repaired(self) -> bool:
        """Whether the word was found in the neighbourhood and not through a link."""
        return self.repair is Repair.MOVED


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
    for our in ours:
        for other in theirs:
            pair = frozenset((our, other))
            if pair in pairs:
                return 2, (our, other), pairs[pair]
    return 3, cell, None


def translation_sides(
    anchors: Sequence[Anchor],
    source: Text,
    translation: Translation,
    lists: PronounLists,
    heuristics: Heuristics | None,
) -> list[Side]:
    """What each anchor became in a translation, after the repair of its links if there is one."""
    sides: list[Side] = []
    line = -1
    for anchor in anchors:
        if anchor.sentence != line:
            line = anchor.sentence
            links = translation.links.sentence(line)
            sentence = LinkedSentence(source.words(line), translation.text.words(line), links)
        if heuristics is None:
            positions, repair = links.targets(anchor.position), Repair.KEPT
        else:
            positions, repair = _REPAIRS[heuristics](anchor, sentence, lists)
        words = tuple(sentence.target[position] for position in positions)
        if heuristics == "released" and repair is Repair.MOVED:
            labels: tuple[str, ...] = (lists.labels.get(words[-1], UNLISTED),)
        else:
            labels = _labels(words, lists)
        sides.append(Side(positions, words, labels, repair))
    return sides


def _labels(words: Sequence[str], lists: PronounLists) -> tuple[str, ...]:
    """The labels of linked words: pronouns only, OTHER if there is none among them."""
    lowered = [word.lower() for word in words]
    if not lists.target_pronouns:
        return tuple(dict.fromkeys(map(lists.label, lowered)))
    pronouns = (target_pronoun(word, lists) for word in lowered)
    labels = dict.fromkeys(lists.label(pronoun) for pronoun in pronouns if pronoun is not None)
    return tuple(labels) if labels or not words else (OTHER,)
