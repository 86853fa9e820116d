"""Which target word is the translation of a pronoun, as word links and their repair say.

Links of pronouns are often missing, above all those of object clitics that change place (`I love
it`, `je l' aime`). A pronoun without a link to a pronoun is looked for as in 000 §2.3: between the
translations of its neighbours, one word more on either side, the pronoun nearest to the centre.
Here it must have no link of its own, and a form that may be an article must stand before the
translation of the word before the source pronoun, its verb: a repair has to be right, not frequent.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from crosspro.data_prep.core.example import Link
from crosspro.evaluation.protest.language import Slot, TargetWords

WIDEST = 8
"""Neighbours whose translations are further apart than this say nothing."""


Neighbours = tuple[Collection[int], Collection[int]]
"""The source positions of the word before and the word after a pronoun."""


def project(positions: Iterable[int], links: Iterable[Link]) -> tuple[int, ...]:
    """The target positions that are linked to some source positions, in order."""
    wanted = set(positions)
    return tuple(sorted({target for source, target in links if source in wanted}))


def pronoun_words(
    at: Collection[int],
    links: Sequence[Link],
    words: Sequence[str],
    lists: TargetWords,
    slot: Slot,
    neighbours: Neighbours | None,
) -> tuple[int, ...]:
    """The target positions of a source pronoun: those linked, or a repaired one if none is right.

    Linked words stay what they are if there is no better one: they are what people will judge.
    Without neighbours nothing is repaired.
    """
    linked = project(at, links)
    if neighbours is None or any(pronoun_in(words[place], lists, slot) for place in linked):
        return linked
    found = _repaired(neighbours, links, words, lists, slot)
    return linked if found is None else (found,)


def pronoun_in(word: str, lists: TargetWords, slot: Slot) -> str | None:
    """The first pronoun in a word that can fill a slot."""
    for form in lists.pronouns_in(word):
        pronoun = lists.pronoun(form)
        if pronoun is not None and slot.takes(pronoun):
            return form
    return None


def _repaired(
    neighbours: Neighbours,
    links: Sequence[Link],
    words: Sequence[str],
    lists: TargetWords,
    slot: Slot,
) -> int | None:
    before, after = (project(positions, links) for positions in neighbours)
    markers = (*before, *after)
    if not markers or max(markers) - min(markers) > WIDEST:
        return None
    low, high = max(0, min(markers) - 1), min(len(words) - 1, max(markers) + 1)
    taken = {target for _, target in links}
    centre = (low + high) / 2
    candidates = []
    for place in range(low, high + 1):
        form = pronoun_in(words[place], lists, slot)
        if form is None or place in taken:
            continue
        article = slot.role != "subject" and form in lists.dropped
        if article and place + 1 not in before:
            continue
        candidates.append(place)
    return min(candidates, key=lambda place: (abs(place - centre), place), default=None)
