"""The repair of the links of source pronouns, as the paper describes it and as its tool does it.

The paper (000 §2.3, Table 1) repairs in four steps:

1. A source pronoun is suspect if it has no link, links to words that are no pronoun, or to several
   words. If one of several words is a pronoun, that one is taken. Otherwise the links of the source
   words before and after it are the *markers*.
2. The range goes from one word before the first marker to one word after the last.
3. Its likely translations of the source pronoun are the candidates.
4. The candidate nearest to the centre of the range is chosen.

Where the paper leaves a point open: if only one neighbour has links, the range lies around these;
of two candidates at the same distance the left one is chosen; words that are linked to another
source pronoun, or were chosen for one, are no candidates. A word that may be no pronoun (French
`le`, `la` and `l'` are mostly articles), for which the paper would ask a tagger, is a candidate
only if it has no link but to the pronoun and its neighbours, and stands before a word that is
linked to one of them, which for a pronoun is its verb.

The released tool looks for a pronoun within two words of the links, and only where there are any.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from crosspro.evaluation.inputs.anchors import Anchor, parts_by, target_pronoun
from crosspro.evaluation.inputs.linked_text import SentenceLinks
from crosspro.evaluation.inputs.pronoun_lists import PronounLists

_RELEASED_REACH = 2
"""How many words on each side of the links the released tool looks at."""


class Repair(StrEnum):
    """What became of the links of a pronoun."""

    KEPT = "kept"
    PICKED = "picked"
    """One of several linked words, which is a pronoun."""
    MOVED = "moved"
    """A word in the neighbourhood of the links."""


@dataclass(frozen=True)
class LinkedSentence:
    """A source sentence, its translation and their links.

    `chosen` are the target positions that repairs of this sentence have chosen.
    """

    source: Sequence[str]
    target: Sequence[str]
    links: SentenceLinks
    chosen: set[int] = field(default_factory=set)


def paper_repair(
    anchor: Anchor, sentence: LinkedSentence, lists: PronounLists
) -> tuple[tuple[int, ...], Repair]:
    """The target positions of a source pronoun after the repair of the paper."""
    target, linked = sentence.target, sentence.links.targets(anchor.position)

    def is_likely(position: int) -> bool:
        """Whether a word or its last part may translate the pronoun: dit-il, but not lui-même."""
        word = target[position].lower()
        possible = lists.possible(anchor.pronoun)
        return word in possible or parts_by(lists.target_separator)(word)[-1] in possible

    scored = [t for t in linked if target_pronoun(target[t].lower(), lists) is not None]
    pronouns = scored or list(filter(is_likely, linked))
    if pronouns:
        return (pronouns[0],), Repair.KEPT if len(linked) == 1 else Repair.PICKED
    span = _range(anchor.position, sentence)
    candidates = [
        position
        for position in span
        if is_likely(position)
        and (
            target[position].lower() not in lists.ambiguous
            or _is_before_verb(position, anchor, sentence)
        )
        and not _is_taken(position, sentence, lists)
    ]
    if not candidates:
        return linked, Repair.KEPT
    # Twice the distance from the centre, so that it stays a whole number.
    centre = span.start + span.stop - 1
    best = min(candidates, key=lambda position: (abs(2 * position - centre), position))
    sentence.chosen.add(best)
    return (best,), Repair.MOVED


def _range(position: int, sentence: LinkedSentence) -> range:
    """Steps 1 and 2: from one word before the first marker to one after the last."""
    neighbours = (position - 1, position + 1)
    markers = [target for word in neighbours for target in sentence.links.targets(word)]
    if not markers:
        return range(0)
    return range(max(min(markers) - 1, 0), min(max(markers) + 2, len(sentence.target)))


def _is_before_verb(position: int, anchor: Anchor, sentence: LinkedSentence) -> bool:
    """Whether an ambiguous word is a pronoun by its links and those of the next word."""
    near = range(anchor.position - 1, anchor.position + 2)
    following = sentence.links.sources(position + 1)
    return all(source in near for source in sentence.links.sources(position)) and any(
        source in near for source in following
    )


def _is_taken(position: int, sentence: LinkedSentence, lists: PronounLists) -> bool:
    """Whether a target word belongs to another source pronoun, by a link or by a repair."""
    if position in sentence.chosen:
        return True
    pronouns = {*lists.source_pronouns, *lists.other_source_pronouns}
    parts = parts_by(lists.source_separator)
    words = [sentence.source[source].lower() for source in sentence.links.sources(position)]
    return any(not pronouns.isdisjoint((word, *parts(word))) for word in words)


def released_repair(
    anchor: Anchor, sentence: LinkedSentence, lists: PronounLists
) -> tuple[tuple[int, ...], Repair]:
    """The target positions of a source pronoun after the heuristics of the released tool.

    It looks at words that are no pronoun and have a link, and adds the listed pronoun nearest to
    the centre of the window that no listed source pronoun is linked to. Case matters to it, and a
    word with hyphens counts by its last part.
    """
    linked = sentence.links.targets(anchor.position)
    target = sentence.target
    if not linked or any(target_pronoun(target[t].lower(), lists) is not None for t in linked):
        return linked, Repair.KEPT
    first = max(linked[0] - _RELEASED_REACH, 0)
    last = min(linked[-1] + _RELEASED_REACH, len(target) - 1)
    candidates = [
        position
        for position in range(first, last + 1)
        if target[position].split("-")[-1] in lists.target_pronouns
        and not any(
            sentence.source[source] in lists.source_pronouns
            for source in sentence.links.sources(position)
        )
    ]
    if not candidates:
        return linked, Repair.KEPT

    def distance(position: int) -> int:
        """How far from the centre of the window; its middle word and both neighbours are alike."""
        return max((abs(2 * position - first - last) + 1) // 2, 1)

    return (*linked, min(candidates, key=lambda p: (distance(p), p))), Repair.MOVED
