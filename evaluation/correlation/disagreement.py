"""APT's cases against what people say of the same pronouns, as metrics of APT.

`Disagreement` (001 §6, Tables 3 and 4): case 1 (identical) or 2 (equivalent) says that the pronoun
is right, case 3 (different) that it is wrong; cases 4 to 6 and examples that the annotators could
not judge are left out. A disagreement is an example where the two differ.

`CaseVerdicts` (000 §4.3, Table 5): all six cases; a pronoun is correct, incorrect, or in a
translation too bad to be judged; what nobody has judged is left out.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from crosspro.evaluation.core.evaluation import Evaluation
from crosspro.evaluation.core.metric import TOTAL, Metric, Part, Scored
from crosspro.evaluation.core.score import UNIT, Scale, Score
from crosspro.evaluation.core.statistics import Floats, ResampledUnits, quotient
from crosspro.evaluation.core.tables import Cell, Table
from crosspro.evaluation.correlation.judged import COMPARED, KINDS, UNKNOWN_KIND, JudgedPronoun
from crosspro.evaluation.inputs.case_records import CASE_NAMES, CASES
from crosspro.evaluation.published.results import read_figures

Counts = NDArray[np.int64]
Kinds = Mapping[str, Mapping[str, int]]
"""Disagreements of each kind by category, the total as the last; empty if no kind is known."""

_MOST_PAIRS = 20
"""Pairs of pronouns that a table shows; JSON has all."""


class Judgements(NamedTuple):
    """Judged pronouns, and what their `unit` is called; kinds of disagreement where printed."""

    pronouns: Sequence[JudgedPronoun]
    unit: str = "example"
    printed_kinds: Kinds | None = None


Judged = Scored[Judgements, JudgedPronoun]


class _CasesAndPeople(Metric[Mapping[str, Any], Judgements, JudgedPronoun]):
    """What both metrics share: APT is the only system, and pronouns that count are items.

    Statistics are a cell for each case and verdict, whether the pronoun is one of those whose share
    is the headline, and 1. Only the headline has intervals.
    """

    scale = Scale(digits=1)
    cells: ClassVar[int]

    def __init__(self) -> None:
        super().__init__({})

    @abstractmethod
    def cell(self, one: JudgedPronoun) -> int | None:
        """Where a pronoun is counted; None if it is left out."""

    @abstractmethod
    def hit(self, one: JudgedPronoun) -> bool:
        """Whether it is one of those whose share is the headline."""

    @abstractmethod
    def group(self, one: JudgedPronoun) -> str:
        """The group that a pronoun is in."""

    @abstractmethod
    def groups(self, scored: Judged) -> Iterable[str]:
        """All groups in their order."""

    @abstractmethod
    def other_scores(self, sums: Floats) -> Mapping[str, Floats]:
        """Measures of the sums of cells."""

    def items(self, data: Judgements) -> Judged:
        """The pronouns that count."""
        counted = [pronoun for pronoun in data.pronouns if self.cell(pronoun) is not None]
        places: dict[object, int] = {}
        units = [places.setdefault(one.unit or n, len(places)) for n, one in enumerate(counted)]
        resampled = ResampledUnits(data.unit, np.array(units, dtype=np.int64), len(places))
        facts = {"left_out": len(data.pronouns) - len(counted)}
        return Scored(data, ("APT",), (counted,), resampled, facts)

    def statistics(self, scored: Judged, system: int) -> Floats:
        """Cells, hits and ones."""
        items = scored.items[system]
        cells = np.array([self.cell(item) for item in items], dtype=np.int64)
        others = np.array([(self.hit(one), 1) for one in items]).reshape(-1, 2)
        return np.concatenate((np.eye(self.cells)[cells], others), axis=1)

    def score(self, sums: Floats) -> Mapping[str, Floats]:
        """Hits in per cent of everything."""
        return {self.headline: quotient(100 * sums[:, -2], sums[:, -1])}

    def parts(self, scored: Judged, system: int) -> Iterator[Part]:
        """Each group and the total."""
        of_item = np.array([self.group(item) for item in scored.items[system]])
        divided = [(self.grouped, name, of_item == name) for name in self.groups(scored)]
        for breakdown, name, chosen in (*divided, ("", TOTAL, np.ones(scored.size, dtype=bool))):
            yield Part(breakdown, name, chosen, range(self.cells, self.cells + 2))
            cells = range(self.cells)
            yield Part(breakdown, name, chosen, cells, self.other_scores, resampled=False)


class Disagreement(_CasesAndPeople):
    """Where APT and people disagree, category by category."""

    name = "disagreement"
    title = "APT and people"
    measures: Mapping[str, str] = {"disagreement": "disagreement %"}
    headline = "disagreement"
    grouped = "category"
    shown_counts: ClassVar[Mapping[str, str]] = {
        **{f"case_{case}": f"case {case}" for case in COMPARED},
        "correct": "correct",
        "incorrect": "incorrect",
        "disagreements": "disagree",
        "examples": "examples",
    }
    cells = 6

    def cell(self, one: JudgedPronoun) -> int | None:
        """Correct and incorrect ones of each case that is compared."""
        if one.case not in COMPARED or one.correct is None:
            return None
        return 2 * one.case - 1 - one.correct

    def hit(self, one: JudgedPronoun) -> bool:
        """Identical or equivalent but rejected, or different but accepted."""
        return one.disagrees

    def group(self, one: JudgedPronoun) -> str:
        """Its category."""
        return one.category

    def groups(self, scored: Judged) -> Iterable[str]:
        """Categories in order of appearance."""
        return dict.fromkeys(item.category for item in scored.items[0])

    def other_scores(self, sums: Floats) -> Mapping[str, Floats]:
        """Case 1 or 2 as a detector of the pronouns that people accept."""
        found = sums[:, [0, 2]].sum(axis=1)
        return {
            "precision": quotient(found, sums[:, :4].sum(axis=1)),
            "recall": quotient(found, sums[:, [0, 2, 4]].sum(axis=1)),
        }

    def parts(self, scored: Judged, system: int) -> Iterator[Part]:
        """With the kinds of disagreement among the counts, where they are known."""
        kinds, rows = _kinds(scored), self.statistics(scored, system)
        for part in super().parts(scored, system):
            own = kinds.get(part.group, {}).items()
            named = {KINDS.get(kind, "unknown").replace(" ", "_"): count for kind, count in own}
            yield part._replace(counts={**self.counts(rows[part.chosen].sum(axis=0)), **named})

    def counts(self, sums: Floats) -> Mapping[str, int]:
        """Examples of each case and verdict."""
        verdicts = sums[:6].reshape(3, 2)
        numbers = (*verdicts.sum(axis=1), *verdicts.sum(axis=0), *sums[6:])
        return dict(zip(self.shown_counts, map(int, numbers), strict=True))

    def described(self, scored: Judged, part: Part, measure: str, system: int) -> list[str]:
        """Which cases are compared, and how many examples."""
        return ["disagreement", "cases:1+2/3", f"examples:{scored.size}"]

    def heading(self, scored: Judged) -> str:
        """How many examples."""
        return f"Cases 1 to 3 of APT against people: {scored.size:,} examples"

    def of_system(self, scored: Judged, system: int) -> Mapping[str, Any]:
        """Disagreements by the pronouns of output and reference."""
        return {"pairs": [asdict(pair) for pair in count_pairs(scored.items[system])]}

    def tables(self, evaluation: Evaluation) -> list[Table]:
        """How reliable each case is; Table 4 of 001; and the pairs of 001 §6, where known."""
        scored, scores = evaluation.scored, evaluation.systems[0].scores
        verdicts = self.statistics(scored, 0).sum(axis=0)[:6].reshape(3, 2)
        wrong = verdicts[[0, 1, 2], [1, 1, 0]]
        shares = quotient(100 * wrong, verdicts.sum(axis=1))
        rows: list[list[Cell]] = [
            [f"case {case}", *(f"{number:.0f}" for number in own), Score("", share, "")]
            for case, own, share in zip(COMPARED, verdicts, shares.tolist(), strict=True)
        ]
        precision, recall = (scores[name].shown(UNIT) for name in ("precision", "recall"))
        note = (
            f"Case 1 or 2 as a detector of correct pronouns: precision {precision}, recall {recall}"
        )
        heading = ("total", "correct", "incorrect", "disagree %")
        return [
            Table(heading, rows, notes=(note,)),
            *_kinds_table(_kinds(scored)),
            *_pairs_table(count_pairs(scored.items[0])),
        ]


class CaseVerdicts(_CasesAndPeople):
    """What people say of the pronouns of each case."""

    name = "case-verdicts"
    title = "APT's cases and people"
    measures: Mapping[str, str] = {
        "correct_share": "correct %",
        "incorrect_share": "incorrect %",
        "bad_share": "bad translation %",
    }
    headline = "correct_share"
    grouped = "case"
    shown_counts: ClassVar[Mapping[str, str]] = {"examples": "total"}
    cells = 3

    def cell(self, one: JudgedPronoun) -> int | None:
        """Correct, incorrect, bad."""
        if one.bad:
            return 2
        return None if one.correct is None else 1 - one.correct

    def hit(self, one: JudgedPronoun) -> bool:
        """Whether people accept it."""
        return self.cell(one) == 0

    def group(self, one: JudgedPronoun) -> str:
        """Its case."""
        return f"{one.case} {CASE_NAMES[one.case - 1]}"

    def groups(self, scored: Judged) -> Iterable[str]:
        """All six cases."""
        return [f"{case} {name}" for case, name in zip(CASES, CASE_NAMES, strict=True)]

    def other_scores(self, sums: Floats) -> Mapping[str, Floats]:
        """The other verdicts in per cent."""
        whole = sums.sum(axis=1)
        shares = (quotient(100 * sums[:, place], whole) for place in (1, 2))
        return dict(zip(("incorrect_share", "bad_share"), shares, strict=True))

    def counts(self, sums: Floats) -> Mapping[str, int]:
        """Pronouns of each verdict."""
        correct, incorrect, bad, _, examples = map(int, sums)
        return {"correct": correct, "incorrect": incorrect, "bad": bad, "examples": examples}

    def described(self, scored: Judged, part: Part, measure: str, system: int) -> list[str]:
        """How many judged pronouns there are."""
        return ["case-verdicts", f"examples:{scored.size}"]

    def heading(self, scored: Judged) -> str:
        """How many judged pronouns there are."""
        return f"APT's cases against people: {scored.size:,} judged pronouns"

    def notes(self, scored: Judged) -> tuple[str, ...]:
        """How many are left out."""
        unjudged = scored.facts["left_out"]
        return (f"{unjudged:,} pronouns that nobody has judged are left out.",) if unjudged else ()


# Kinds of disagreement and pairs of pronouns ------------------------------------------------------


def _kinds(scored: Judged) -> Kinds:
    if scored.data.printed_kinds is not None:
        return scored.data.printed_kinds
    return count_kinds(scored.items[0])


def count_kinds(judgements: Iterable[JudgedPronoun]) -> dict[str, dict[str, int]]:
    """How many disagreements of each category are of each kind (001 Table 4)."""
    by_category: dict[str, Counter[str]] = {}
    for judgement in judgements:
        by_category.setdefault(judgement.category, Counter())[judgement.kind] += judgement.disagrees
    return kinds_with_total(by_category)


def kinds_with_total(counts: Mapping[str, Mapping[str, int]]) -> dict[str, dict[str, int]]:
    """Counts of all kinds by category and their total as the last; nothing if there are none."""
    total: Counter[str] = Counter()
    for own in counts.values():
        total.update(own)
    if not any(total[kind] for kind in KINDS):
        return {}
    shown = (*KINDS, *([UNKNOWN_KIND] if total[UNKNOWN_KIND] else []))
    return {
        category: {kind: own.get(kind, 0) for kind in shown}
        for category, own in [*counts.items(), (TOTAL, total)]
    }


def _kinds_table(kinds: Kinds) -> Iterator[Table]:
    if kinds:
        shown = list(next(iter(kinds.values())))
        rows = [
            (category, *(str(own[kind]) if own[kind] else "–" for kind in shown))
            for category, own in kinds.items()
        ]
        heading = ("kinds of disagreement", *(kind or "unknown" for kind in shown))
        key = ", ".join(f"{kind} {name}" for kind, name in KINDS.items())
        yield Table(heading, rows, notes=(f"{key}.",))


@dataclass(frozen=True, slots=True)
class DisagreedPair:
    """A pronoun of the output for one of the reference, and where people contradict its case.

    001 §6 counts such: *il* for *cela* (case 3) that people accept, *il* for *il* (case 1) that
    they reject.
    """

    case: int
    output: str
    reference: str
    categories: Mapping[str, int]


def count_pairs(judgements: Iterable[JudgedPronoun]) -> tuple[DisagreedPair, ...]:
    """Disagreements by case and pronouns, the most frequent first; none without pronouns."""
    found: dict[tuple[int, str, str], Counter[str]] = {}
    for one in judgements:
        if one.disagrees and one.reference and one.output:
            key = (one.case, one.output.lower(), one.reference.lower())
            found.setdefault(key, Counter())[one.category] += 1
    pairs = (
        DisagreedPair(*key, dict(sorted(own.items(), key=lambda item: -item[1])))
        for key, own in found.items()
    )
    return tuple(sorted(pairs, key=lambda one: -sum(one.categories.values())))


def _pairs_table(pairs: Sequence[DisagreedPair]) -> Iterator[Table]:
    called = {1: "1 same, rejected", 2: "2 equivalent, rejected", 3: "3 different, accepted"}
    rows = [
        (
            called[pair.case],
            pair.output,
            pair.reference,
            ", ".join(f"{name} {number}" for name, number in pair.categories.items()),
            str(sum(pair.categories.values())),
        )
        for pair in pairs[:_MOST_PAIRS]
    ]
    if rows:
        more = len(pairs) - len(rows)
        notes = (f"… and {more:,} more (--layout json has all).",) if more else ()
        heading = ("case and verdict", "output", "reference", "by category", "examples")
        yield Table(heading, rows, left=4, notes=notes)


# Published figures (001 Tables 3 and 4) -----------------------------------------------------------


def verdicts_from_margins(
    cases: tuple[int, int, int], correct: int, disagreements: int, wrong_equivalents: int
) -> Counts:
    """The full table of a category from what 001 prints of it in Tables 3 and 4.

    With a identical but rejected, e equivalent but rejected and c different but accepted:
    a + e + c is the number of disagreements, and (case 1 - a) + (case 2 - e) + c are correct.
    Table 4 gives e, so a and c follow.
    """
    identical, equivalent, different = cases
    twice = disagreements + correct - identical - equivalent
    accepted = twice // 2
    rejected = disagreements - wrong_equivalents - accepted
    table = np.array(
        [
            [identical - rejected, rejected],
            [equivalent - wrong_equivalents, wrong_equivalents],
            [accepted, different - accepted],
        ],
        dtype=np.int64,
    )
    if twice % 2 or (table < 0).any():
        raise ValueError("no table of whole numbers has these margins")
    return table


def derived_verdicts() -> dict[str, Counts]:
    """Cases by verdicts of each category, which 001 Tables 3 and 4 determine together."""
    wrong = {
        row["category"]: row["incorrect_equivalence"] for row in read_figures("apt_disagreements")
    }
    return {
        row["category"]: verdicts_from_margins(
            (int(row["apt_case1"]), int(row["apt_case2"]), int(row["apt_case3"])),
            int(row["human_correct"]),
            int(row["disagreements"]),
            int(wrong.get(row["category"], 0)),
        )
        for row in read_figures("apt_protest_categories")
        if row["category"] != "total"
    }


def printed_kinds() -> dict[str, dict[str, int]]:
    """001 Table 4: disagreements of each kind by category, and their total.

    The kinds of single examples cannot be told from it: in the row of inter-sentential subjects V
    and I are more than the different pronouns that people accept.
    """
    columns = {kind: name.replace(" ", "_") for kind, name in KINDS.items()}
    return kinds_with_total(
        {
            row["category"]: {kind: int(row[column]) for kind, column in columns.items()}
            for row in read_figures("apt_disagreements")
        }
    )


def published_judgements() -> list[JudgedPronoun]:
    """The 2,227 examples of 001 Table 3 as far as they can be told apart."""
    return [
        JudgedPronoun(category, case, correct)
        for category, table in derived_verdicts().items()
        for case, cells in zip(COMPARED, table.tolist(), strict=True)
        for correct, number in zip((True, False), cells, strict=True)
        for _ in range(number)
    ]
