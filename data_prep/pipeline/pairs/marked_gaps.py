"""Gaps where somebody wants them: the source word of a marked place, the place of a source word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from crosspro.data_prep.core.errors import InputError, Problem
from crosspro.data_prep.core.example import Link
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.gaps.extract import Placement, insert_unaligned, place_gaps
from crosspro.data_prep.gaps.rules import GapRules
from crosspro.data_prep.pipeline.pairs.typed_text import GapMark, TypedPair

MARKED = "marked"
"""The decision of a gap that the user placed."""


def place_marked(
    pair: TypedPair,
    links: Sequence[Link],
    marks: Sequence[GapMark],
    pronouns: Sequence[int],
    task: Task,
    rules: GapRules,
) -> list[Placement]:
    """A placement for each mark, in order of the source; all faults are raised together.

    `pronouns` are the source tokens that a marked place may translate: it is the translation of the
    one that is linked nearest to it. A marked source token becomes a gap where the rules of the
    task would put it, between words if nothing translates it.
    """
    rules = replace(rules, insert_unaligned=True, insert_shared=True, skip_inversions=False)
    problems = _outside(pair, marks)
    if problems:
        raise InputError(problems)
    linked: dict[int, list[int]] = {}
    for source, target in links:
        linked.setdefault(source, []).append(target)
    sizes = len(pair.source), len(pair.target)

    def distance(pronoun: int, place: int) -> int:
        expected = linked.get(pronoun)
        if expected is None:
            found = insert_unaligned(pronoun, *sizes, linked, rules).position
            expected = [] if found is None else [found]
        return min((abs(place - one) for one in expected), default=sum(sizes))

    placed: dict[int, Placement] = {}
    taken = {mark.source for mark in marks if mark.source is not None}
    placed |= {
        mark.source: Placement(mark.source, MARKED, mark.target)
        for mark in marks
        if mark.source is not None and mark.target is not None
    }
    for mark in (mark for mark in marks if mark.source is None):
        free = [pronoun for pronoun in pronouns if pronoun not in taken]
        place = mark.target or 0
        if not free:
            problems.append(_no_pronoun(place, pronouns, task, pair.where))
            continue
        chosen = min(free, key=lambda pronoun: distance(pronoun, place))
        taken.add(chosen)
        placed[chosen] = Placement(chosen, MARKED, place)
    if problems:
        raise InputError(problems)
    used = {placement.position for placement in placed.values()}
    rest = [link for link in links if link[1] not in used]
    asked = sorted(mark.source for mark in marks if mark.source is not None and mark.target is None)
    for placement in place_gaps(sizes[0], pair.target, rest, asked, task, rules):
        placed[placement.source_index] = placement
    return [placed[source] for source in sorted(placed)]


def with_marked_links(links: Sequence[Link], placements: Sequence[Placement]) -> tuple[Link, ...]:
    """The links, with one from the source word of each marked gap to its place."""
    wanted = {
        (placement.source_index, placement.position)
        for placement in placements
        if placement.decision == MARKED and placement.position is not None
    }
    return tuple(sorted({*links, *wanted})) if wanted - set(links) else tuple(links)


def _outside(pair: TypedPair, marks: Sequence[GapMark]) -> list[Problem]:
    problems, where = [], pair.where
    for side, size in (("source", len(pair.source)), ("target", len(pair.target))):
        places = [place for mark in marks if (place := getattr(mark, side)) is not None]
        problems += [
            Problem(where, None, "gaps", f"a {side} token from 0 to {size - 1}", str(place))
            for place in places
            if not 0 <= place < size
        ]
        problems += [
            Problem(where, None, "gaps", f"each {side} token in one gap", f"{place} in several")
            for place in sorted({place for place in places if places.count(place) > 1})
        ]
    if any(mark.source is None and mark.target is None for mark in marks):
        problems.append(Problem(where, None, "gaps", "a source or a target token", "neither"))
    return problems


def _no_pronoun(place: int, pronouns: Sequence[int], task: Task, where: str) -> Problem:
    known = ", ".join(task.source_pronouns) or "verbs without a subject"
    found = f"{len(pronouns)}, which other gaps translate" if pronouns else "none"
    expected = f"a source word that it translates ({known}), or one that is named"
    return Problem(where, None, f"gap at target token {place}", expected, found)
