"""Gaps where somebody wants them: the source word of a marked place, the place of a source word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.example import Link
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.gaps.extract import (
    GapRules,
    Placement,
    insert_unaligned,
    linked_targets,
    place_gaps,
)
from crosspro.data_prep.pipeline.pairs.typed_text import GapMark, TypedPair

MARKED = "marked"
"""The decision of a gap that the user placed."""
_UNLINKED, _ARTICLE = 0.25, 1000.0
"""The cost, beside its distance, of a source word for a gap: a pronoun without a link, and an
article or the like that translates something else."""


def all_marks(pair: TypedPair, marks: Sequence[GapMark]) -> tuple[GapMark, ...]:
    """The gaps that were asked for, and those written into the text that are not among them."""
    places = {mark.target for mark in marks}
    return (*marks, *(mark for mark in pair.written if mark.target not in places))


def place_marked(
    pair: TypedPair,
    links: Sequence[Link],
    marks: Sequence[GapMark],
    pronouns: Sequence[int],
    votes: Mapping[Link, float],
    task: Task,
    rules: GapRules,
) -> list[Placement]:
    """A placement for each mark, in order of the source.

    `pronouns` are the source tokens that a marked place may translate: it is the translation of the
    source word with the highest vote, of the pronoun that is linked to it, or of the nearest. A
    marked source token becomes a gap where the rules of the task would put it, between words if
    nothing translates it.
    """
    _check_marks(pair, marks)
    rules = replace(rules, insert_unaligned=True, insert_shared=True, skip_inversions=False)
    taken = {mark.source for mark in marks if mark.source is not None}
    places = [mark.target or 0 for mark in marks if mark.source is None]
    costs = [
        (-vote, 0.0, place, source)
        for (source, place), vote in votes.items()
        if place in places and source not in taken
    ]
    linked = linked_targets(links)
    for pronoun in pronouns:
        if pronoun not in taken:
            costs += _costs(pair, linked, places, pronoun, task)
    source_of: dict[int, int] = {}
    for _, _, place, source in sorted(costs):
        if place not in source_of and source not in source_of.values():
            source_of[place] = source
    if left := [place for place in places if place not in source_of]:
        words = ", ".join(task.source_pronouns) or "a verb without a subject"
        number = sorted(places).index(left[0]) + 1
        expected = f"a word of the source that it translates ({words})"
        found = "as many gaps as such words before it" if pronouns else "none"
        raise input_error(pair.name, f"gap {number}", expected, found)
    placed = {source: Placement(source, MARKED, place) for place, source in source_of.items()}
    sources = []
    for mark in marks:
        if mark.source is not None and mark.target is not None:
            placed[mark.source] = Placement(mark.source, MARKED, mark.target)
        elif mark.source is not None:
            sources.append(mark.source)
    used = {placement.position for placement in placed.values()}
    rest = [link for link in links if link[1] not in used]
    for placement in place_gaps(len(pair.source), pair.target, rest, sorted(sources), task, rules):
        placed[placement.source_index] = placement
    return [placed[source] for source in sorted(placed)]


def _costs(
    pair: TypedPair,
    linked: dict[int, list[int]],
    places: Sequence[int],
    pronoun: int,
    task: Task,
) -> list[tuple[float, float, int, int]]:
    """The cost of a pronoun for each place: the distance from where it is linked to, or would be
    inserted; then that from the diagonal."""
    sizes = len(pair.source), len(pair.target)
    is_linked = pronoun in linked
    is_article = is_linked and pair.source[pronoun].lower() in task.linked
    inserted = insert_unaligned(pronoun, *sizes, linked).position or 0
    costs = []
    for place in places:
        distance = min(abs(place - target) for target in linked.get(pronoun, [inserted]))
        cost = distance + (0 if is_linked else _UNLINKED)
        cost += _ARTICLE if distance and is_article else 0
        diagonal = abs(pronoun / sizes[0] - place / sizes[1])
        costs.append((cost, diagonal, place, pronoun))
    return costs


def with_marked_links(links: Sequence[Link], placements: Sequence[Placement]) -> tuple[Link, ...]:
    """The links, with one from the source word of each marked gap to its place."""
    marked = {
        (placement.source_index, placement.position)
        for placement in placements
        if placement.decision == MARKED and placement.position is not None
    }
    return tuple(sorted({*links, *marked})) if marked - set(links) else tuple(links)


def _check_marks(pair: TypedPair, marks: Sequence[GapMark]) -> None:
    sources = [mark.source for mark in marks if mark.source is not None]
    for source in sources:
        if source >= len(pair.source):
            expected = f"a source token from 0 to {len(pair.source) - 1}"
            raise input_error(pair.name, "gaps", expected, str(source))
    if len({*sources}) < len(sources):
        expected = "each source token in one gap"
        raise input_error(pair.name, "gaps", expected, " ".join(map(str, sources)))
