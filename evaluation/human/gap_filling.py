"""What people accept in gaps, as a metric (000 §3).

- Accuracy with *other*: of all gaps, those whose word people accept. *Other* is a word like the
  pronouns. Accuracy without it leaves out gaps in which a system has *other* or people accept
  nothing else.
- Precision of a pronoun: of the gaps in which a system has it, those in which it is accepted.
- Lenient recall: of the gaps in which it is accepted, those in which the system has it, where gaps
  that another accepted word fills do not count: there was no need for this one.
- F is the harmonic mean of the two; precision, recall and F of all pronouns together are of their
  summed counts, without *other*.

000 does not say which gaps accuracy without *other* leaves out, nor how lenient recall is; this is
the reading under which the three measures that it names differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from crosspro.data_prep.core.task import OTHER
from crosspro.evaluation.core.evaluation import Evaluation, evaluate, every_pair
from crosspro.evaluation.core.metric import Metric, Part, Scored
from crosspro.evaluation.core.score import UNIT
from crosspro.evaluation.core.statistics import (
    Floats,
    Measure,
    ResampledUnits,
    Resampling,
    choose_units,
    harmonic_mean,
    quotient,
)
from crosspro.evaluation.core.tables import Cell, Table
from crosspro.evaluation.human.gap_sheets import FilledGap, FilledSheets
from crosspro.evaluation.inputs.pronoun_lists import PronounLists
from crosspro.evaluation.output.text import score_notes

_COLUMNS = range(8)
_ALL, _RIGHT, _KEPT, _KEPT_RIGHT, _SAID, _HIT, _MISSED, _BAD_GAPS = _COLUMNS


def _share(above: int, *below: int) -> Measure:
    def value(sums: Floats) -> Floats:
        return quotient(sums[:, above], sums[:, list(below)].sum(axis=1))

    return value


_PRECISION, _RECALL = _share(_HIT, _SAID), _share(_HIT, _HIT, _MISSED)


def _f(sums: Floats) -> Floats:
    precision, recall = _PRECISION(sums), _RECALL(sums)
    unknown = np.isnan(precision) | np.isnan(recall)
    return np.where(unknown, np.nan, harmonic_mean(precision, recall))


MEASURES: Mapping[str, Measure] = {
    "accuracy": _share(_RIGHT, _ALL),
    "accuracy_without_other": _share(_KEPT_RIGHT, _KEPT),
    "precision": _PRECISION,
    "lenient_recall": _RECALL,
    "f": _f,
}
"""Functions of summed counts; not a number where nothing was to be counted."""
_OF_PRONOUNS = ("precision", "lenient_recall", "f")


@dataclass(frozen=True)
class GapSettings:
    """The pronouns that a gap may hide: the name of the lists and a digest of their content."""

    pronouns: str


class GapFilling(Metric[GapSettings, FilledSheets, FilledGap]):
    """What people accept in gaps, as a metric; the gaps of all systems are items of each."""

    name = "gap-filling"
    title = "Gaps that people filled in"
    measures: Mapping[str, str] = {
        "accuracy": "accuracy with other",
        "accuracy_without_other": "without other",
        "precision": "precision",
        "lenient_recall": "lenient recall",
        "f": "F",
    }
    headline = "accuracy"
    scale = UNIT
    system = "system"
    groups_in_csv = False

    def __init__(self, lists: PronounLists) -> None:
        super().__init__(GapSettings(f"{lists.name}-{lists.digest}"))
        self.labels = (*dict.fromkeys(lists.label(word) for word in lists.target_pronouns), OTHER)

    def items(self, data: FilledSheets) -> Scored[FilledSheets, FilledGap]:
        """All gaps in the order of the text; systems in the order of their names."""
        gaps = sorted(data.gaps, key=lambda one: (one.place is None, one.place or (0, 0)))
        names = tuple(sorted({gap.system for gap in gaps}))
        facts = {"empty": data.empty}
        return Scored(data, names, (gaps,) * len(names), _units(gaps), facts)

    def statistics(self, scored: Scored[FilledSheets, FilledGap], system: int) -> Floats:
        """The counts of each gap of a system; those of other systems count nothing."""
        name = scored.systems[system]
        rows = [_row(item) if item.system == name else [0] * 8 for item in scored.items[system]]
        return np.array(rows, dtype=np.float64)

    def score(self, sums: Floats) -> Mapping[str, Floats]:
        """The measures of summed counts."""
        return {name: measure(sums) for name, measure in MEASURES.items()}

    def parts(self, scored: Scored[FilledSheets, FilledGap], system: int) -> Iterator[Part]:
        """Everything, and each pronoun: gaps in which a system has it, those in which it is
        accepted, and those that miss it."""
        yield Part()
        gaps, name = scored.items[system], scored.systems[system]
        for label in self.labels:
            rows = np.zeros((len(gaps), len(_COLUMNS)))
            for row, one in zip(rows, gaps, strict=True):
                if one.system == name:
                    said = one.word == label
                    row[[_SAID, _HIT]] = said, said and one.right
                    row[_MISSED] = label in one.accepted and not one.right
            said, hit, missed = rows[:, [_SAID, _HIT, _MISSED]].sum(axis=0).astype(int).tolist()
            yield Part(
                "pronoun",
                "other" if label == OTHER else label,
                score=lambda sums: {name: MEASURES[name](sums) for name in _OF_PRONOUNS},
                rows=rows,
                resampled=False,
                counts={"said": said, "hit": hit, "missed": missed},
            )

    def counts(self, sums: Floats) -> Mapping[str, int]:
        """Gaps, and those whose translation is too bad."""
        return {"gaps": int(sums[_ALL]), "bad": int(sums[_BAD_GAPS])}

    def described(
        self,
        scored: Scored[FilledSheets, FilledGap],
        part: Part,
        measure: str,
        system: int,
    ) -> list[str]:
        """The lists, and how many gaps a system has."""
        gaps = len(self._own(scored, system))
        return ["metric:gap-filling", f"pronouns:{self.settings.pronouns}", f"gaps:{gaps}"]

    def notes(self, scored: Scored[FilledSheets, FilledGap]) -> tuple[str, ...]:
        """How many gaps are left out."""
        empty = scored.data.empty
        return (f"{empty:,} gaps that nobody has filled in are left out.",) if empty else ()

    def tables(self, evaluation: Evaluation) -> list[Table]:
        """All systems side by side, then the pronouns of each that occur."""
        rows: list[list[Cell]] = [
            [
                system.name,
                *map(str, system.total.counts.values()),
                *(system.scores[m] for m in MEASURES),
            ]
            for system in evaluation.systems
        ]
        heading = ("system", "gaps", "bad", *self.measures.values())
        found = [Table(heading, rows, notes=score_notes(evaluation), place="scores")]
        counted = ("system's", "accepted", "missed")
        named = [self.measures[name] for name in _OF_PRONOUNS]
        for one in evaluation.systems:
            pronouns: list[list[Cell]] = [
                [group.group, *map(str, group.counts.values()), *group.scores.values()]
                for group in one.groups
                if group.counts.get("said") or group.counts.get("missed")
            ]
            found.append(Table((one.name, *counted, *named), pronouns))
        return found

    def details(
        self, scored: Scored[FilledSheets, FilledGap], system: int
    ) -> Iterator[Mapping[str, Any]]:
        """A record for each gap of a system."""
        for one in self._own(scored, system):
            yield {
                "document": one.document,
                "place": one.place or (),
                "pronoun": one.pronoun,
                "output": one.word,
                "accepted": sorted(one.accepted),
                "human": one.verdict,
            }

    def _own(self, scored: Scored[FilledSheets, FilledGap], system: int) -> list[FilledGap]:
        name = scored.systems[system]
        return [item for item in scored.items[system] if item.system == name]


def evaluate_gaps(sheets: FilledSheets, lists: PronounLists, plan: Resampling | None) -> Evaluation:
    """The measures of each system, in the order of their names.

    Systems are compared where their gaps are those of the same pronouns.
    """
    warnings = []

    def pairs(names: Sequence[str], values: Sequence[float]) -> list[tuple[int, int]]:
        places = [{gap.place for gap in sheets.gaps if gap.system == name} for name in names]
        if any(None in own for own in places):
            return []
        found = every_pair(names, values)
        for one, other in found:
            if places[one] != places[other]:
                pair = f"{names[one]} and {names[other]}"
                warnings.append(f"{pair} have gaps of other pronouns: no comparison")
        return [(one, other) for one, other in found if places[one] == places[other]]

    evaluation = evaluate(GapFilling(lists), sheets, plan, pairs)
    return replace(evaluation, warnings=(*warnings, *evaluation.warnings))


def _row(one: FilledGap) -> list[float]:
    """What a gap adds to the counts that the measures are made of."""
    listed = one.word != OTHER
    kept = listed and one.accepted != {OTHER}
    missed = 0 if one.right else len(one.accepted - {OTHER})
    hit = one.right and listed
    return [1, one.right, kept, kept and one.right, listed, hit, missed, one.bad]


def _units(gaps: Sequence[FilledGap]) -> ResampledUnits:
    """Documents where all gaps have one, else source pronouns, else gaps."""
    documents = [gap.document for gap in gaps]
    places = [one.place for one in gaps]
    known = [f"{place[0]} {place[1]}" for place in places if place is not None]
    return choose_units(
        document=documents if all(documents) else None,
        pronoun=known if len(known) == len(gaps) else None,
        gap=np.arange(len(gaps)),
    )
