"""Precision, recall and F1 of pronouns against a reference, counted without word links.

What MuDA (Fernandes et al. 2023) and BlonDe (Jiang et al. 2022) report of pronouns, from plain
text. A pronoun of the reference is matched by an equal one on the same line of the candidate, each
at most once. For the total and for single forms, equal is the form; for person, gender, number and
kind, that they agree in it: *le* for *la* matches in person and number. A form with several
readings (German *sie*) counts for what all of them share. Words that are also articles, verbs or
conjunctions (*la*, *sein*, *that*) are left out unless they are asked for: without a parse nobody
knows which they are. Intervals resample documents where they are known, else lines.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from crosspro.data_prep.core.errors import choices
from crosspro.evaluation.core.metric import Metric, Part, Scored
from crosspro.evaluation.core.statistics import Floats, Ints, quotient
from crosspro.evaluation.inputs.plain_text import MTText
from crosspro.evaluation.inputs.pronoun_forms import (
    GENDERS,
    LANGUAGES,
    PronounReading,
    check_table,
    readings_of,
    target_words,
)
from crosspro.evaluation.metrics.pronoun_f1.settings import PronounF1Settings

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


def pronoun_groups(language: str, ambiguous: bool = False) -> Mapping[str, tuple[Group, ...]]:
    """The pronouns that are counted in a language, with the groups that each belongs to."""
    found = {}
    for form, readings in readings_of(language).items():
        if ambiguous or not any(reading.also for reading in readings):
            found[form] = tuple(_groups(form, readings))
    return found


def _groups(form: str, readings: Sequence[PronounReading]) -> list[Group]:
    values = {
        "kind": {reading.kind for reading in readings},
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


CountedGroup = tuple[Group, GroupCounts]
_NONE = GroupCounts(np.zeros(0, dtype=np.int64), np.zeros((0, 3), dtype=np.int64))


ScoredText = Scored[MTText, CountedGroup]
"""The lines of some text, with the counts of each group."""


class PronounF1(Metric[PronounF1Settings, MTText, CountedGroup]):
    """Pronouns of each line against those of the reference's line, in total and by group."""

    name = "pronoun_f1"
    settings_class = PronounF1Settings
    title = "F1 of pronouns without links"
    needs = "text"
    called = "pronoun F1"
    measures = {"precision": "precision", "recall": "recall", "f1": "F1"}
    headline = "f1"
    grouped = "pronouns"
    shown_counts = {"reference": "reference", "candidate": "candidate", "matched": "matched"}

    @classmethod
    def lacks(cls, settings: Mapping[str, Any]) -> str:
        """The language must have a table of pronouns."""
        language = settings["language"]
        if language in LANGUAGES:
            return ""
        return f"no table of the pronouns of {language}: {choices(LANGUAGES)}"

    def items(self, data: MTText) -> ScoredText:
        """The lines, with the counts of each group; the language must have a table of pronouns."""
        language, ambiguous = self.settings.language, self.settings.ambiguous
        facts = {"language": check_table(language)}
        wanted = pronouns_of(data.references[0], language, ambiguous)
        counted = [
            count_groups(wanted, pronouns_of(lines, language, ambiguous), language, ambiguous)
            for lines in data.candidates
        ]
        groups = sorted({group for one in counted for group in one}, key=place_in_report)
        none = () if any(wanted) else ("the reference has no pronoun",)
        found = tuple([(group, one.get(group, _NONE)) for group in groups] for one in counted)
        return Scored(data, data.names, found, data.units, facts, none)

    def parts(self, scored: ScoredText, system: int) -> Iterable[Part]:
        """Everything, then one breakdown after the other; each group has its own statistics."""
        for group, counts in scored.items[system]:
            rows = None if group == TOTAL else _rows(counts, scored.size)
            yield Part(*group, rows=rows)

    def statistics(self, scored: ScoredText, system: int) -> Floats:
        """Matched pronouns of each line, those of the candidate and those of the reference."""
        return _rows(dict(scored.items[system])[TOTAL], scored.size)

    def counts(self, sums: Floats) -> Mapping[str, int]:
        """The same over all lines."""
        names = ("matched", "candidate", "reference")
        return {name: int(number) for name, number in zip(names, sums, strict=True)}

    def score(self, sums: Floats) -> Mapping[str, Floats]:
        """Not a number where nothing is there to be scored.

        F1 is known as soon as one text has a pronoun: a kind that is never translated has F1 0.
        """
        matched, candidate, reference = sums.T
        return {
            "precision": 100 * quotient(matched, candidate),
            "recall": 100 * quotient(matched, reference),
            "f1": 100 * quotient(2 * matched, candidate + reference),
        }

    def described(self, scored: ScoredText, part: Part, measure: str, system: int) -> list[str]:
        """The measure, the group, the language and which words count."""
        group = (part.breakdown, part.group)
        return [
            f"pronoun_{measure}",
            *([":".join(group).replace(" ", "_")] if group != TOTAL else []),
            f"language:{scored.facts['language']}",
            f"lines:{scored.size}",
            f"ambiguous:{'yes' if self.settings.ambiguous else 'no'}",
        ]

    def heading(self, scored: ScoredText) -> str:
        """How much text was scored."""
        return scored.data.size

    def notes(self, scored: ScoredText) -> tuple[str, ...]:
        """What counts as equal in the rows of the table."""
        return (
            "In total and by pronoun the same word must be there: he for she is a miss.",
            "By kind, person, number and gender any word that agrees in it will do: he for she "
            "agrees in person and number.",
            "So these rows may be higher than the total, and what they match is not a part of it.",
        )


def _rows(found: GroupCounts, lines: int) -> Floats:
    """The three counts of each line."""
    rows = np.zeros((lines, 3))
    rows[found.lines] = found.counts
    return rows


METRIC = PronounF1
