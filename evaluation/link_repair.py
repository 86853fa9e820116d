"""The repair of the links of source pronouns: as 000 describes it, and as its tool does it.

The paper (000 §2.3, Table 1) repairs in four steps:

1. A source pronoun is suspect if it has no link, links to words that are no pronoun, or to several
   words. If one of several words is a pronoun, that one is taken. Otherwise the links of the source
   words before and after it are the *markers*.
2. The range goes from one word before the first marker to one word after the last.
3. The likely translations of the source pronoun in it are the candidates.
4. The candidate nearest to the centre of the range is chosen.

Where the paper leaves a point open: if only one neighbour has links, the range lies around these;
of two candidates at the same distance the left one is chosen; words that are linked to another
source pronoun, or were chosen for one, are no candidates. A word that may be no pronoun (French
`le`, `la` and `l'` are mostly articles), for which the paper would ask a tagger, is a candidate
only if it has no link but to the pronoun and its neighbours, and stands before a word that is
linked to one of them, which for a pronoun is its verb.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from crosspro.evaluation.links import LinkedSentence
from crosspro.evaluation.pronouns import PronounLists, parts_of


class Repair(StrEnum):
    """What became of the links of a pronoun."""

    KEPT = "kept"
    PICKED = "picked"
    """One of several linked words, which is a pronoun."""
    MOVED = "moved"
    """A word in the neighbourhood of the links."""


@dataclass(frozen=True, slots=True)
class RepairedLinks:
    """The target positions of a source pronoun after a repair."""

    positions: tuple[int, ...]
    repair: Repair = Repair.KEPT


def repair_links(
    sentence: LinkedSentence, position: int, pronoun: str, lists: PronounLists, chosen: set[int]
) -> RepairedLinks:
    """The repair of the paper; `chosen` collects the words taken by repairs of the sentence."""
    target, linked = sentence.target, sentence.targets(position)
    possible = lists.possible(pronoun)

    def is_likely(place: int) -> bool:
        """Whether a word or its last part may translate the pronoun: dit-il, but not lui-même."""
        word = target[place].lower()
        return word in possible or parts_of(word, lists.target_separator)[-1] in possible

    labelled = [place for place in linked if lists.target_pronoun(target[place].lower())]
    pronouns = labelled or [place for place in linked if is_likely(place)]
    if pronouns:
        return RepairedLinks((pronouns[0],), Repair.KEPT if len(linked) == 1 else Repair.PICKED)
    neighbours = range(position - 1, position + 2)
    markers = [
        place for source in (position - 1, position + 1) for place in sentence.targets(source)
    ]
    if not markers:
        return RepairedLinks(linked)
    span = range(max(min(markers) - 1, 0), min(max(markers) + 2, len(target)))
    candidates = [
        place
        for place in span
        if is_likely(place)
        and (
            target[place].lower() not in lists.ambiguous
            or _before_verb(place, sentence, neighbours)
        )
        and place not in chosen
        and not _linked_to_pronoun(place, sentence, lists)
    ]
    if not candidates:
        return RepairedLinks(linked)
    # Twice the distance from the centre, so that it stays a whole number.
    centre = span.start + span.stop - 1
    best = min(candidates, key=lambda place: (abs(2 * place - centre), place))
    chosen.add(best)
    return RepairedLinks((best,), Repair.MOVED)


def _before_verb(place: int, sentence: LinkedSentence, neighbours: range) -> bool:
    """Whether an ambiguous word is a pronoun by its links and those of the next word."""
    return all(source in neighbours for source in sentence.sources(place)) and any(
        source in neighbours for source in sentence.sources(place + 1)
    )


def _linked_to_pronoun(place: int, sentence: LinkedSentence, lists: PronounLists) -> bool:
    words = [sentence.source[source].lower() for source in sentence.sources(place)]
    parts = {part for word in words for part in (word, *parts_of(word, lists.source_separator))}
    return not lists.every_source_pronoun.isdisjoint(parts)


RELEASED_REACH = 2
"""How many words on each side of the links the released tool looks at."""


def released_repair(sentence: LinkedSentence, position: int, lists: PronounLists) -> RepairedLinks:
    """The heuristics of the released tool, which published figures carry.

    It looks at pronouns whose links lead to no pronoun, and adds the listed pronoun nearest to the
    centre of the window that no listed source pronoun is linked to. Case matters to it, and a word
    with hyphens counts by its last part.
    """
    target, linked = sentence.target, sentence.targets(position)
    if not linked or any(lists.target_pronoun(target[place].lower()) for place in linked):
        return RepairedLinks(linked)
    first = max(linked[0] - RELEASED_REACH, 0)
    last = min(linked[-1] + RELEASED_REACH, len(target) - 1)
    candidates = [
        place
        for place in range(first, last + 1)
        if target[place].split("-")[-1] in lists.target_pronouns
        and not any(
            sentence.source[source] in lists.source_pronouns for source in sentence.sources(place)
        )
    ]
    if not candidates:
        return RepairedLinks(linked)

    def distance(place: int) -> int:
        """How far from the centre of the window; its middle word and both neighbours are alike."""
        return max((abs(2 * place - first - last) + 1) // 2, 1)

    nearest = min(candidates, key=lambda place: (distance(place), place))
    return RepairedLinks((*linked, nearest), Repair.MOVED)
