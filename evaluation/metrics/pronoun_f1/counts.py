"""Pronouns of reference and candidate, counted line by line without word links.

A pronoun of the reference is matched by an equal one on the same line of the candidate, each at
most once. For the total and for single forms, equal is the form; for person, gender, number and
kind, that they agree in it: *le* for *la* matches in person and number. A form with several
readings (German *sie*) counts for what all of them share. Words that are also articles, verbs or
conjunctions (*la*, *sein*, *that*) are left out unless they are asked for: without a parse nobody
knows which they are.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from crosspro.evaluation.core.statistics import Ints
from crosspro.evaluation.inputs.pronoun_forms import GENDERS, PronounReading, readings_of
from crosspro.evaluation.inputs.translation_words import target_words

TOTAL = ("", "total")
PERSONS = {"1": "first", "2": "second", "3": "third"}
NUMBERS = {"sg": "singular", "pl": "plural"}
BREAKDOWNS = ("kind", "person", "number", "gender", "pronoun")

Group = tuple[str, str]
"""A breakdown and one of its groups."""


@dataclass(frozen=True)
class GroupCounts:
    """Counts of one group on the lines that have any: matched, in the candidate, in the reference.

    `lines` are their places in the text.
    """

    lines: Ints
    counts: Ints


@lru_cache(maxsize=16)
def pronoun_groups(language: str, ambiguous: bool = False) -> Mapping[str, tuple[Group, ...]]:
    """The pronouns that are counted in a language, with the groups that each belongs to."""
    found = {}
    for form, readings in readings_of(language).items():
        if ambiguous or not any(reading.also for reading in readings):
            found[form] = tuple(_groups(form, readings))
    return found


def _groups(form: str, readings: Sequence[PronounReading]) -> list[Group]:
    values = {
        "kind": {one.kind for one in readings},
        "person": {PERSONS.get(one.person, "") for one in readings},
        "number": {NUMBERS.get(one.number, "") for one in readings},
        "gender": {GENDERS.get(one.gender, "") for one in readings},
    }
    shared = [(name, next(iter(those))) for name, those in values.items() if len(those) == 1]
    return [(name, value) for name, value in shared if value] + [("pronoun", form)]


def pronouns_of(lines: Sequence[str], language: str, ambiguous: bool = False) -> list[Counter[str]]:
    """The pronouns of each line."""
    known = pronoun_groups(language, ambiguous)
    words_of = target_words(language)
    return [Counter(word for word in words_of(line) if word in known) for line in lines]


def count_groups(
    reference: Sequence[Counter[str]],
    candidate: Sequence[Counter[str]],
    language: str,
    ambiguous: bool = False,
) -> dict[Group, GroupCounts]:
    """The counts of all groups that have a pronoun in either text, the total first."""
    known = pronoun_groups(language, ambiguous)
    rows: dict[Group, list[tuple[int, int, int, int]]] = defaultdict(list)
    rows[TOTAL] = []
    for line, (wanted, made) in enumerate(zip(reference, candidate, strict=True)):
        if not wanted and not made:
            continue
        matched = sum((wanted & made).values())
        rows[TOTAL].append((line, matched, made.total(), wanted.total()))
        sides: dict[Group, list[int]] = {}
        for side, words in enumerate((made, wanted)):
            for form, number in words.items():
                for group in known[form]:
                    sides.setdefault(group, [0, 0])[side] += number
        for group, (there, asked) in sides.items():
            rows[group].append((line, min(there, asked), there, asked))
    return {group: _counts(rows[group]) for group in sorted(rows, key=place_in_report)}


def _counts(rows: Sequence[tuple[int, int, int, int]]) -> GroupCounts:
    table = np.array(rows, dtype=np.int64).reshape(-1, 4)
    return GroupCounts(table[:, 0], table[:, 1:])


def place_in_report(group: Group) -> tuple[int, int, str]:
    """What groups are sorted by: the total, then one breakdown after the other."""
    breakdown, name = group
    if not breakdown:
        return (-1, 0, "")
    order = [*PERSONS.values(), *NUMBERS.values(), *GENDERS.values()]
    return (BREAKDOWNS.index(breakdown), order.index(name) if name in order else 0, name)
