"""Precision, recall and F1 of pronouns against a reference, counted without word links.

What MuDA (Fernandes et al. 2023) and BlonDe (Jiang et al. 2022) report of pronouns, from plain
text. A pronoun of the reference is matched by an equal one on the same line of the candidate, each
at most once. For the total and for single forms, equal is the form; for person, gender, number and
kind, that they agree in it: *le* for *la* matches in person and number. A form with several
readings (German *sie*) counts for what all of them share. Words that are also articles, verbs or
conjunctions (*la*, *sein*, *that*) are left out: without a parse nobody knows which they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, partial

import numpy as np

from crosspro.data_prep.core.errors import choices, counted, input_error, quoted
from crosspro.evaluation.metric import Display, Group, Items, Metric
from crosspro.evaluation.pronouns import GENDERS, LANGUAGES, readings_of, target_words
from crosspro.evaluation.resampling import Columns, Ints, Scores, Sums, Units, ratio
from crosspro.evaluation.texts import Texts

PERSONS = {"1": "first", "2": "second", "3": "third"}
NUMBERS = {"sg": "singular", "pl": "plural"}
VALUES = {"kind": {}, "person": PERSONS, "number": NUMBERS, "gender": GENDERS}
"""The breakdowns, and the names of their values where they are not their own."""

GroupName = tuple[str, str]
"""A breakdown and one of its groups."""


@cache
def counted_forms(language: str) -> dict[str, list[GroupName]]:
    """The pronouns that are counted, with the groups that each belongs to."""
    forms = {}
    for form, readings in readings_of(language).items():
        if any(reading.also for reading in readings):
            continue
        groups: list[GroupName] = []
        for breakdown, names in VALUES.items():
            values = {getattr(reading, breakdown) for reading in readings}
            value_names = {names.get(value, "") if names else value for value in values}
            if len(value_names) == 1 and "" not in value_names:
                groups.append((breakdown, value_names.pop()))
        forms[form] = [*groups, ("pronoun", form)]
    return forms


class PronounF1(Metric[None, Texts, Ints]):
    """Pronouns of each line against those of the reference's line, in total and by group.

    An item is a line: how often each form is in the reference and in the candidate.
    """

    name = "pronoun-f1"
    display = Display(
        "F1 of pronouns without links",
        headline="f1",
        column="pronoun F1",
        measures={"f1": "F1"},
        counts=("reference", "candidate", "matched"),
        group="pronouns",
        notes=(
            "In total and by pronoun the same word must be there: he for she is a miss. By kind, "
            "person, number and gender any word that agrees in it will do, so these rows may be "
            "higher than the total.",
        ),
    )

    def items(self, data: Texts) -> Items[Texts, Ints]:
        data.require(self.name, "reference")
        language = data.languages[1]
        if language not in LANGUAGES:
            actual = quoted(language) if language else "none"
            raise input_error(self.name, "target-language", choices(LANGUAGES), actual)
        words_of = target_words(language)
        number_of = {form: number for number, form in enumerate(counted_forms(language))}

        def counts(lines: Sequence[str]) -> Ints:
            table = np.zeros((len(lines), len(number_of)), dtype=np.int64)
            for row, line in enumerate(lines):
                for word in words_of(line):
                    if word in number_of:
                        table[row, number_of[word]] += 1
            return table

        reference = counts(data.reference)
        values = [np.stack((reference, counts(text)), axis=1) for text in data.candidates.values()]
        units = Units.choose(document=data.document_of_line, line=range(data.size))
        warnings = data.warnings
        if not reference.any():
            warnings = (*warnings, "the reference has no pronoun")
        facts = {"language": language}
        size = counted(data.size, "line")
        names = tuple(data.candidates)
        return Items(data, names, tuple(values), units, size, facts, warnings)  # type: ignore[arg-type]

    def statistics(self, items: Items[Texts, Ints], candidate: int) -> Columns:
        forms = np.asarray(items.values[candidate])
        return {
            "matched": forms.min(axis=1).sum(axis=1),
            "candidate": forms[:, 1].sum(axis=1),
            "reference": forms[:, 0].sum(axis=1),
        }

    counts = statistics

    def score(self, sums: Sums) -> Scores:
        """F1 is known as soon as one text has a pronoun: a kind that is never translated has 0."""
        matched, candidate, reference = sums["matched"], sums["candidate"], sums["reference"]
        return {
            "precision": 100 * ratio(matched, candidate),
            "recall": 100 * ratio(matched, reference),
            "f1": 100 * ratio(2 * matched, candidate + reference),
        }

    def groups(self, items: Items[Texts, Ints]) -> Iterable[Group]:
        there = np.any([np.any(lines, axis=(0, 1)) for lines in items.values], axis=0)
        members: dict[GroupName, list[int]] = {}
        for number, groups in enumerate(counted_forms(items.facts["language"]).values()):
            for group in groups if there[number] else ():
                members.setdefault(group, []).append(number)
        for name in sorted(members, key=_place_in_table):
            yield Group(*name, statistics=partial(self._group, items, members[name]))

    def _group(self, items: Items[Texts, Ints], forms: list[int], candidate: int) -> Columns:
        """Any form of a group matches any other of it."""
        sums = np.asarray(items.values[candidate])[:, :, forms].sum(axis=2)
        return {"matched": sums.min(axis=1), "candidate": sums[:, 1], "reference": sums[:, 0]}

    def signature(self, items: Items[Texts, Ints]) -> Sequence[str]:
        return [f"language:{items.facts['language']}", f"lines:{items.size}"]


def _place_in_table(group: GroupName) -> tuple[int, int, str]:
    """One breakdown after the other, forms last."""
    breakdown, name = group
    order = [*PERSONS.values(), *NUMBERS.values(), *GENDERS.values()]
    place = [*VALUES, "pronoun"].index(breakdown)
    return place, order.index(name) if name in order else 0, name
