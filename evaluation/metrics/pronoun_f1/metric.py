"""Precision, recall and F1 of pronouns against a reference, with intervals and paired tests.

What MuDA (Fernandes et al. 2023) and BlonDe (Jiang et al. 2022) report of pronouns, from plain
text: no links and no parser. Intervals resample documents where they are known, else lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from crosspro.data_prep.core.errors import choices, input_error, quoted
from crosspro.evaluation.core.metric import Metric, Part, Scored
from crosspro.evaluation.core.statistics import Floats, quotient
from crosspro.evaluation.inputs.plain_text import MTText
from crosspro.evaluation.inputs.pronoun_forms import LANGUAGES
from crosspro.evaluation.metrics.pronoun_f1.counts import (
    TOTAL,
    Group,
    GroupCounts,
    count_groups,
    place_in_report,
    pronouns_of,
)
from crosspro.evaluation.metrics.pronoun_f1.settings import PronounF1Settings

CountedGroup = tuple[Group, GroupCounts]
_NONE = GroupCounts(np.zeros(0, dtype=np.int64), np.zeros((0, 3), dtype=np.int64))


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

    def items(self, data: MTText) -> Scored[MTText, CountedGroup]:
        """The lines, with the counts of each group; the language must have a table of pronouns."""
        language, ambiguous = self.settings.language, self.settings.ambiguous
        if language not in LANGUAGES:
            raise input_error("--language", "language", choices(LANGUAGES), quoted(language))
        wanted = pronouns_of(data.references[0], language, ambiguous)
        counted = [
            count_groups(wanted, pronouns_of(lines, language, ambiguous), language, ambiguous)
            for lines in data.candidates
        ]
        groups = sorted({group for one in counted for group in one}, key=place_in_report)
        warnings = () if any(wanted) else ("the reference has no pronoun",)
        found = tuple([(group, one.get(group, _NONE)) for group in groups] for one in counted)
        facts = {"language": language}
        return Scored(data, data.names, found, data.units, facts, warnings)

    def parts(self, scored: Scored[MTText, CountedGroup], system: int) -> Iterable[Part]:
        """Everything, then one breakdown after the other; each group has its own statistics."""
        for group, counts in scored.items[system]:
            rows = None if group == TOTAL else _rows(counts, scored.size)
            yield Part(*group, rows=rows)

    def statistics(self, scored: Scored[MTText, CountedGroup], system: int) -> Floats:
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

    def described(
        self, scored: Scored[MTText, CountedGroup], part: Part, measure: str, system: int
    ) -> list[str]:
        """The measure, the group, the language and which words count."""
        group = (part.breakdown, part.group)
        return [
            f"pronoun_{measure}",
            *([":".join(group).replace(" ", "_")] if group != TOTAL else []),
            f"language:{self.settings.language}",
            f"lines:{scored.size}",
            f"ambiguous:{'yes' if self.settings.ambiguous else 'no'}",
        ]

    def heading(self, scored: Scored[MTText, CountedGroup]) -> str:
        """How much text was scored."""
        return scored.data.size

    def notes(self, scored: Scored[MTText, CountedGroup]) -> tuple[str, ...]:
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
