"""The measures of DiscoMT 2015's human evaluation, from gaps that people filled in (000 §3).

- Accuracy with *other*: of all gaps, those whose word people accept. *Other* is a word like the
  rest, and a translation that is too bad is not right: the whole sample is evaluated.
- Accuracy without *other*: the same without the gaps in which a system has *other*, or people
  accept nothing else.
- Precision of a pronoun: of the gaps in which a system has it, those in which it is accepted.
- Lenient recall: of the gaps in which it is accepted, those in which the system has it, where gaps
  that another accepted word fills do not count: there was no need for this one.
- F is the harmonic mean of the two; precision, recall and F of all pronouns together are of their
  summed counts, without *other*.

000 does not say which gaps accuracy without *other* leaves out, nor how lenient recall is; this is
the reading under which the three measures that it names differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from crosspro.data_prep.core.task import OTHER
from crosspro.evaluation.core.ratio import harmonic_mean, quotient
from crosspro.evaluation.core.score import Score
from crosspro.evaluation.core.signature import make_signature
from crosspro.evaluation.core.significance import (
    Difference,
    Measure,
    Resampling,
    paired_tests,
    scores_of,
)
from crosspro.evaluation.core.units import (
    Floats,
    ResampledUnits,
    choose_units,
    side_by_side,
    tally,
)
from crosspro.evaluation.human.filled_gaps import FilledGap, FilledSheets
from crosspro.evaluation.inputs.pronoun_lists import PronounLists

_ALL, _RIGHT, _KEPT, _KEPT_RIGHT, _SAID, _HIT, _MISSED = range(7)


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


@dataclass(frozen=True, slots=True)
class FilledPronoun:
    """One pronoun: gaps in which a system has it, those accepted, and those in which it misses."""

    pronoun: str
    said: int
    hit: int
    missed: int

    @property
    def precision(self) -> float | None:
        """Of the gaps in which it stands, those in which it may."""
        return self.hit / self.said if self.said else None

    @property
    def recall(self) -> float | None:
        """Lenient recall."""
        wanted = self.hit + self.missed
        return self.hit / wanted if wanted else None

    @property
    def f(self) -> float | None:
        """The harmonic mean of both, where both are known."""
        precision, recall = self.precision, self.recall
        if precision is None or recall is None:
            return None
        total = precision + recall
        return 2 * precision * recall / total if total else 0.0


@dataclass(frozen=True)
class GapResult:
    """The scores of a system, how many gaps it has, how many are bad, and its pronouns."""

    system: str
    gaps: int
    bad: int
    scores: Mapping[str, Score]
    pronouns: tuple[FilledPronoun, ...]


@dataclass(frozen=True)
class GapEvaluation:
    """Everything that was computed from filled-in gaps."""

    results: tuple[GapResult, ...]
    comparisons: tuple[Difference, ...]
    empty: int
    warnings: tuple[str, ...]


def evaluate_gaps(
    sheets: FilledSheets, lists: PronounLists, plan: Resampling | None
) -> GapEvaluation:
    """The measures of each system, in the order of their names.

    Systems are compared where their gaps are those of the same pronouns.
    """
    gaps = sorted(sheets.gaps, key=lambda one: (one.place is None, one.place or (0, 0)))
    names = sorted({one.system for one in gaps})
    units = _units(gaps)
    labels = (*dict.fromkeys(lists.label(word) for word in lists.target_pronouns), OTHER)
    results: list[GapResult] = []
    sums: dict[str, Floats] = {}
    for name in names:
        own = [one for one in gaps if one.system == name]
        mine = np.array([one.system == name for one in gaps])
        rows = np.array([_row(one) for one in gaps]) * mine[:, None]
        sums[name] = units.sums(rows)
        parts = [
            "metric:gap-filling",
            f"pronouns:{lists.name}-{lists.digest}",
            f"gaps:{len(own)}",
        ]
        signature = make_signature(parts, plan, units.name)
        scores = scores_of(tally(sums[name]), MEASURES, plan, dict.fromkeys(MEASURES, signature))
        counts = tuple(_pronoun(label, own) for label in labels)
        bad = sum(one.bad for one in own)
        results.append(GapResult(name, len(own), bad, scores, counts))
    comparisons: list[Difference] = []
    warnings = []
    places = {name: {one.place for one in gaps if one.system == name} for name in names}
    comparable = all(None not in own for own in places.values())
    if plan is not None and len(names) > 1 and comparable:
        for pair in combinations(names, 2):
            if places[pair[0]] == places[pair[1]]:
                table = side_by_side(*(sums[name] for name in pair))
                comparisons += paired_tests(pair, table, MEASURES, plan)
            else:
                warnings.append(f"{' and '.join(pair)} have gaps of other pronouns: no comparison")
    if plan is not None and units.few_documents:
        warnings.append(f"only {units.count} documents: their bootstrap intervals are too narrow")
    return GapEvaluation(tuple(results), tuple(comparisons), sheets.empty, tuple(warnings))


def _row(one: FilledGap) -> list[float]:
    """What a gap adds to the counts that the measures are made of."""
    listed = one.word != OTHER
    kept = listed and one.accepted != {OTHER}
    missed = 0 if one.right else len(one.accepted - {OTHER})
    hit = one.right and listed
    return [1, one.right, kept, kept and one.right, listed, hit, missed]


def _pronoun(label: str, gaps: Sequence[FilledGap]) -> FilledPronoun:
    said = [one for one in gaps if one.word == label]
    hit = sum(one.right for one in said)
    missed = sum(label in one.accepted and not one.right for one in gaps)
    return FilledPronoun(label, len(said), hit, missed)


def _units(gaps: Sequence[FilledGap]) -> ResampledUnits:
    """Documents where all gaps have one, else source pronouns, else gaps."""
    documents = [one.document for one in gaps]
    places = [one.place for one in gaps]
    known = [f"{place[0]} {place[1]}" for place in places if place is not None]
    return choose_units(
        document=documents if all(documents) else None,
        pronoun=known if len(known) == len(gaps) else None,
        gap=np.arange(len(gaps)),
    )
