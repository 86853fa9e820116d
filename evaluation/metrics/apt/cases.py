"""The six cases of APT (000 §2.4): what a candidate's pronoun is beside the reference's.

What an anchor became in a translation is a *side*, of the reference or of a candidate; two sides
make an occurrence, which has a case.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from crosspro.data_prep.core.task import NONE, OTHER
from crosspro.evaluation.inputs.anchors import Anchor, Parts, PronounOf
from crosspro.evaluation.inputs.linked_text import SentenceLinks, Text, Translation
from crosspro.evaluation.inputs.pronoun_lists import PronounLists
from crosspro.evaluation.metrics.apt.repair import Repair, RepairRules, Target, find_translation

Others = Literal["different", "equal", "missing"]
"""Two words that are no pronouns of the list: different, equal, or not found (cases 4 to 6)."""


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
    for one in ours:
        for other in theirs:
            pair = frozenset((one, other))
            if pair in pairs:
                return 2, (one, other), pairs[pair]
    return 3, cell, None


def reference_sides(anchors: Iterable[Anchor], lists: PronounLists) -> list[Side]:
    """The reference side of anchors that are pronouns of the reference: themselves."""
    return [Side((a.position,), (a.word,), (lists.label(a.pronoun),)) for a in anchors]


def translation_sides(
    anchors: Sequence[Anchor],
    source: Text,
    translation: Translation,
    lists: PronounLists,
    rules: RepairRules | None,
) -> list[Side]:
    """What each anchor became in a translation; with rules, after the repair of its links."""
    words = _TargetWords(lists)
    rivals = PronounOf(
        (*lists.source_pronouns, *lists.other_source_pronouns), lists.source_separator
    )
    sides: list[Side] = []
    line = -1
    for anchor in anchors:
        if anchor.sentence != line:
            line = anchor.sentence
            links = translation.links.sentence(line)
            target = translation.text.raw_words(line)
            taken = _Taken(source.lines[line], rivals, links)
        how = Repair.KEPT
        if rules is None:
            positions = tuple(sorted({t for s in anchor.linked for t in links.targets(s)}))
        else:
            asked = words.asked(anchor.pronoun, target, taken)
            length = int(source.lengths[line])
            positions, how = find_translation(anchor.position, length, links, asked, rules)
            if how is Repair.MOVED:
                taken.chosen.update(positions)
        chosen = [target[position] for position in positions]
        written = tuple(word.decode("utf-8") for word in chosen)
        sides.append(Side(positions, written, words.labels(chosen), how))
    return sides


class _LikelyWords(dict[bytes, bool]):
    """Whether a word or its last part is among the possible ones: dit-il, but not lui-même."""

    def __init__(self, possible: frozenset[str], parts: Parts) -> None:
        super().__init__()
        self.possible = possible
        self.parts = parts

    def __missing__(self, word: bytes) -> bool:
        lower = word.decode("utf-8").lower()
        found = lower in self.possible or self.parts(lower)[-1] in self.possible
        self[word] = found
        return found


class _Taken:
    """Target positions that belong to another source pronoun, by a link or by a repair."""

    def __init__(self, source: bytes, rivals: PronounOf, links: SentenceLinks) -> None:
        self.source = source
        self.rivals = rivals
        self.links = links
        self.chosen: set[int] = set()

    def __call__(self, target: int) -> bool:
        if target in self.chosen:
            return True
        words = self.source.split()  # seldom asked for, so not kept
        linked = self.links.sources(target)
        return any(self.rivals[words[position]] is not None for position in linked)


class _TargetWords:
    """What the lists say about the words of a translation."""

    def __init__(self, lists: PronounLists) -> None:
        self.lists = lists
        self.pronouns = PronounOf(lists.target_pronouns, lists.target_separator)
        self.ambiguous = frozenset(lists.ambiguous)
        self.likely: dict[str, _LikelyWords] = {}

    def asked(self, pronoun: str, words: list[bytes], taken: _Taken) -> Target:
        """The answers that the repair of a source pronoun needs."""
        if pronoun not in self.likely:
            possible = self.lists.possible(pronoun)
            self.likely[pronoun] = _LikelyWords(possible, self.pronouns.parts)
        likely = self.likely[pronoun]
        return Target(
            len(words),
            lambda position: likely[words[position]],
            lambda position: self.pronouns[words[position]] is not None,
            lambda position: words[position].decode("utf-8").lower() in self.ambiguous,
            taken,
        )

    def labels(self, words: Sequence[bytes]) -> tuple[str, ...]:
        """The labels of linked words: pronouns only, OTHER if there is none among them."""
        if not self.pronouns.pronouns:
            written = (word.decode("utf-8").lower() for word in words)
            return tuple(dict.fromkeys(map(self.lists.label, written)))
        pronouns = (self.pronouns[word] for word in words)
        found = dict.fromkeys(self.lists.label(one) for one in pronouns if one is not None)
        return tuple(found) if found or not words else (OTHER,)
