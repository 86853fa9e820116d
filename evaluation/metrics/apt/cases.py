"""The six cases of APT (000 §2.4): what a candidate's pronoun is beside the reference's.

What an anchor became in a translation is a *side*, of the reference or of a candidate; two sides
make an occurrence, which has a case. Pronoun links are repaired in four steps before (000 §2.3,
Table 1):

1. A source pronoun is suspect if it has no link, links to words that are no pronoun, or to several
   words. If one of several words is a pronoun, that one is taken. Otherwise the links of the source
   words before and after it are the *markers*.
2. The range goes from one word before the first marker to one word after the second.
3. Its likely translations of the source pronoun are the candidates.
4. The candidate nearest to the centre of the range is chosen.

The paper leaves some points open; `RepairRules` names them and their settings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from crosspro.data_prep.core.task import NONE, OTHER
from crosspro.evaluation.inputs.anchors import Anchor, Parts, PronounOf
from crosspro.evaluation.inputs.linked_text import SentenceLinks, Text, Translation
from crosspro.evaluation.inputs.pronoun_lists import PronounLists
from crosspro.evaluation.metrics.apt.settings import Others, RepairRules


class Repair(StrEnum):
    """What became of the links of a pronoun."""

    KEPT = "kept"
    PICKED = "picked"
    """One of several linked words, which is a pronoun."""
    MOVED = "moved"
    """A word between the markers."""


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
        found = dict.fromkeys(
            self.lists.label(pronoun) for pronoun in pronouns if pronoun is not None
        )
        return tuple(found) if found or not words else (OTHER,)


# The repair of links ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Target:
    """What the repair asks about the words of a target sentence, by position.

    `likely` says whether a word may translate the pronoun, `labelled` whether it is one of the
    pronouns that are scored, `ambiguous` whether it may be no pronoun at all, and `taken` whether
    it belongs to another source pronoun.
    """

    length: int
    likely: Callable[[int], bool]
    labelled: Callable[[int], bool]
    ambiguous: Callable[[int], bool]
    taken: Callable[[int], bool]


def find_translation(
    position: int, source_length: int, links: SentenceLinks, target: Target, rules: RepairRules
) -> tuple[tuple[int, ...], Repair]:
    """The target positions of a source pronoun after the repair.

    Among several linked pronouns, those that are scored are preferred.
    """
    linked = links.targets(position)
    pronouns = list(filter(target.labelled, linked)) or list(filter(target.likely, linked))
    if pronouns:
        how = Repair.KEPT if len(linked) == 1 else Repair.PICKED
        return (pronouns[0],), how
    span = _range(position, source_length, links, target.length, rules)
    if span is None:
        return linked, Repair.KEPT
    first, last = span
    candidates = [
        t
        for t in range(first, last + 1)
        if target.likely(t)
        and (not target.ambiguous(t) or _is_pronoun(t, position, links, rules))
        and (rules.shared == "allow" or not target.taken(t))
    ]
    if not candidates:
        return linked, Repair.KEPT
    # Twice the distance from the centre, so that it stays a whole number.
    side = 1 if rules.ties == "left" else -1
    chosen = min(candidates, key=lambda t: (abs(2 * t - first - last), side * t))
    return (chosen,), Repair.MOVED


def _is_pronoun(target: int, position: int, links: SentenceLinks, rules: RepairRules) -> bool:
    """Whether an ambiguous word is taken for a pronoun, by its links and those of the next word."""
    if rules.ambiguous != "verb":
        return rules.ambiguous == "any"
    near = range(position - 1, position + 2)
    following = links.sources(target + 1)
    return all(source in near for source in links.sources(target)) and any(
        source in near for source in following
    )


def _range(
    position: int, source_length: int, links: SentenceLinks, target_length: int, rules: RepairRules
) -> tuple[int, int] | None:
    """Steps 1 and 2: from one word before the first marker to one after the second."""
    left = _marker(links, range(position - 1, -1, -1), rules)
    right = _marker(links, range(position + 1, source_length), rules)
    if not left and not right:
        return None
    if not (left and right):
        if rules.missing_marker == "skip":
            return None
        markers = left or right
        if rules.marker_links == "inner":
            markers = (markers[-1],) if left else (markers[0],)
    else:
        if rules.marker_links == "inner":
            left, right = (left[-1],), (right[0],)
        if rules.crossed == "skip" and left[0] > right[-1]:
            return None
        markers = (*left, *right)
    return max(min(markers) - 1, 0), min(max(markers) + 1, target_length - 1)


def _marker(links: SentenceLinks, neighbours: range, rules: RepairRules) -> tuple[int, ...]:
    """The links of the next source word, or of the next one that has any."""
    reach = len(neighbours) if rules.missing_marker == "further" else 1
    for neighbour in neighbours[:reach]:
        found = links.targets(neighbour)
        if found:
            return found
    return ()
