"""Who judges what: a plan from a seed, the same whenever it is made again.

Every mismatch is asked, and a chosen share of what a metric takes for right (001 judged all). A
chosen share goes to several annotators, so that agreement can be measured; pairs of annotators
take turns. Each annotator gets the questions in an order of their own, in which systems and
categories are mixed, with attention checks in between.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Literal

from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.limits import ASSIGNMENTS
from crosspro.evaluation.human.items import Key, Question

Kind = Literal["tutorial", "item", "check"]


@dataclass(frozen=True, slots=True)
class PlanSettings:
    """Shares between 0 and 1; `judges` is how many annotators share a question that is shared.

    `checks` is how many attention checks come with every hundred questions.
    """

    seed: int = 1
    matches: float = 0.0
    overlap: float = 0.2
    judges: int = 2
    checks: float = 0.0


@dataclass(frozen=True, slots=True)
class Assignment:
    """One place in an annotator's work: a question, or one with a known answer."""

    kind: Kind
    key: Key


def chosen_questions(questions: Iterable[Question], settings: PlanSettings) -> list[Key]:
    """What is asked: all mismatches, and a share of the matches."""
    asked: list[Key] = []
    matches: list[Key] = []
    for question in questions:
        (matches if question.matches else asked).append(question.key)
    generator = _generator(settings.seed, "matches")
    count = round(settings.matches * len(matches))
    return [*asked, *generator.sample(matches, count)]


def make_plan(
    keys: Sequence[Key],
    annotators: Sequence[str],
    settings: PlanSettings,
    checks: Sequence[Key] = (),
) -> dict[str, list[Assignment]]:
    """The work of each annotator: some questions for several, every other one for one of them."""
    generator = _generator(settings.seed, "plan")
    mixed = list(keys)
    generator.shuffle(mixed)
    judges = min(settings.judges, len(annotators))
    shared = round(settings.overlap * len(mixed)) if judges > 1 else 0
    count = len(mixed) + shared * (judges - 1)
    if count > ASSIGNMENTS.most():
        found = f"{count:,}: {shared:,} of {len(mixed):,} questions go to {judges} annotators each"
        raise input_error("plan", "assignments", ASSIGNMENTS.expected("assignments"), found)
    work: dict[str, list[Key]] = {name: [] for name in annotators}
    groups = _groups(annotators, judges, shared, generator)
    for key, group in zip(mixed[:shared], groups, strict=True):
        for name in group:
            work[name].append(key)
    for key in mixed[shared:]:
        work[min(annotators, key=lambda name: len(work[name]))].append(key)
    return {name: _ordered(own, name, settings, checks) for name, own in work.items()}


def _groups(
    annotators: Sequence[str], judges: int, shared: int, generator: random.Random
) -> Iterator[tuple[str, ...]]:
    """Annotators who share each of some questions: all groups in turn as long as there are
    questions for all of them, then groups that are dealt like cards, so that loads stay equal."""
    count = comb(len(annotators), judges)
    rounds = shared // count
    if rounds:
        every = list(combinations(annotators, judges))
        generator.shuffle(every)
        yield from every * rounds
    deck: list[str] = []
    for _ in range(shared - rounds * count):
        group, left = deck[:judges], deck[judges:]
        if len(group) < judges:  # the next round begins with those who are not in the group yet
            fresh = [name for name in annotators if name not in group]
            generator.shuffle(fresh)
            missing = judges - len(group)
            left = fresh[missing:] + group
            generator.shuffle(left)
            group += fresh[:missing]
        yield tuple(group)
        deck = left


def _ordered(
    keys: list[Key],
    annotator: str,
    settings: PlanSettings,
    checks: Sequence[Key],
) -> list[Assignment]:
    """An annotator's own order, with attention checks at places that nobody can foresee."""
    generator = _generator(settings.seed, f"order of {annotator}")
    generator.shuffle(keys)
    found = [Assignment("item", key) for key in keys]
    count = min(len(checks), round(settings.checks * len(keys) / 100))
    if settings.checks and keys and checks:
        count = max(1, count)
    for key in generator.sample(list(checks), count):
        found.insert(generator.randrange(len(found) + 1), Assignment("check", key))
    return found


def share_with(
    newcomer: str,
    work: Mapping[str, Sequence[Assignment]],
    done: Mapping[str, set[Key]],
    settings: PlanSettings,
    checks: Sequence[Key] = (),
) -> dict[str, list[Assignment]]:
    """The plan with one more annotator, who takes over an equal part of what is not done yet.

    Questions that several annotators share stay with them.
    """
    counts: dict[Key, int] = {}
    for own in work.values():
        for one in own:
            counts[one.key] = counts.get(one.key, 0) + 1
    found: dict[str, list[Assignment]] = {}
    taken: list[Key] = []
    for name, own in work.items():
        free = [
            one.key
            for one in own
            if one.kind == "item" and counts[one.key] == 1 and one.key not in done.get(name, set())
        ]
        given = set(free[len(free) - len(free) // (len(work) + 1) :])
        taken += [key for key in free if key in given]
        found[name] = [one for one in own if one.key not in given]
    found[newcomer] = _ordered(taken, newcomer, settings, checks)
    return found


def _generator(seed: int, purpose: str) -> random.Random:
    return random.Random(f"{seed} {purpose}")  # noqa: S311 - a plan is no secret
