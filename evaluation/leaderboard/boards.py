"""Boards: which record is best at what, by how much, and what was not measured.

Everything here comes from records and their evidence. Systems that fill gaps have a table for each
task, ranked by macro recall on the test sets that most records of the task have; a row is compared
with the best system of the papers that was trained here, and p values are corrected for the rows of
the table (Holm 1979).

MT systems and metrics have a table for each test. Every row is compared with every other one, and
has the range of ranks that these tests leave. MT systems are ranked by pronoun F1 whatever the
language: it counts every pronoun of an output. APT follows the pronouns of the source, and says
little where a language drops subjects, as Spanish does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan
from pathlib import Path

import numpy as np

from crosspro.data_prep.core.errors import InputError, Problem
from crosspro.data_prep.core.task import Task, load_task, task_names
from crosspro.evaluation.core.score import Score
from crosspro.evaluation.core.statistics import Resampling, holm
from crosspro.evaluation.leaderboard.evidence import (
    FREQUENT_RECALL,
    GoldLabels,
    LabelledSet,
    evidence_of,
    gold_file,
    mean_macro_recall,
    read_gold_labels,
    table_differences,
)
from crosspro.evaluation.leaderboard.metric_values import (
    compared_values,
    marks_file,
    read_marks,
    read_values,
)
from crosspro.evaluation.leaderboard.ranking import PairwiseTests, RankRange
from crosspro.evaluation.leaderboard.record import (
    FOLDER,
    POOLED,
    Board,
    Provenance,
    Record,
    evidence_file,
    record_file,
)
from crosspro.evaluation.leaderboard.system_sums import (
    LOWER_IS_BETTER,
    compared_sums,
    read_sums,
)

MAIN_TASKS = ("en-fr", "en-fr-2015", "fr-en", "en-de", "de-en", "es-en")
"""The tasks of the overview, which are those of the papers."""
SHIPPED = "-text"
"""How tasks end that the models of the box are made for."""
RANKED_BY = "macro_recall"
"""The official score from 2016 on."""
SHOWN = (RANKED_BY, "accuracy", "macro_f1", FREQUENT_RECALL)
"""The measures of a task's table in their order."""
TITLES = {
    "macro_recall": "macro recall",
    "accuracy": "accuracy",
    "macro_f1": "macro F1",
    FREQUENT_RECALL: "of frequent classes",
    "apt": "APT",
    "pronoun_f1": "pronoun F1",
    "in_doubt": "in doubt (of 100)",
    "chrf": "chrF",
    "auc": "AUC",
    "auc_within": "AUC within a paragraph",
    "auc_severe": "AUC, major",
}
SET_TITLES = {POOLED: "all sets", "it_they_them": "it, they, them"}
HEADLINES = {Board.TRANSLATIONS: "pronoun_f1", Board.METRICS: "auc"}
"""What rows of a test are ranked by, where it was measured; else the first measure."""
_PUBLIC_TESTS = (2015,)
"""The years whose test set, with its gold labels, is public: ours have it, too."""
_PUBLIC_SET = "DiscoMT2015"
PLAN = Resampling(5_000)
"""How the differences of tables are tested."""


@dataclass(frozen=True)
class RowDifference:
    """A row less the reference of its table, or the best: 95% interval, and how likely chance.

    `p` is that of approximate randomisation, `corrected` the same for all rows of a table.
    """

    value: float
    low: float
    high: float
    p: float
    corrected: float


@dataclass(frozen=True)
class BoardRow:
    """A record in a table.

    `ranked` says whether it was measured on the test sets of the table. `difference` is None of the
    reference itself, of published figures and where there is no evidence. Rows of tests have a
    `rank` where there is evidence.
    """

    record: Record
    ranked: bool
    difference: RowDifference | None = None
    rank: RankRange | None = None

    @property
    def elsewhere(self) -> bool:
        """Whether it is a figure on an official test set that is not public."""
        record = self.record
        return record.origin == Provenance.PUBLISHED and record.year not in _PUBLIC_TESTS

    def score(self, test: str, measure: str = RANKED_BY) -> Score | None:
        """A score on a test set, if it has one that is defined."""
        found = self.record.scores.get(test, {}).get(measure)
        return None if found is None or isnan(found.value) else found


@dataclass(frozen=True)
class TaskTable:
    """The systems of a task by macro recall, best first; published figures come last.

    `tests` are the test sets, `ranking` those that rank, `headline` all of these pooled or the only
    one,
    `reference` the name of the record that rows are compared with, empty if there is none.
    `evidence` has the labels of rows that have any, by the names of records.
    """

    task: str
    headline: str
    tests: tuple[str, ...]
    ranking: tuple[str, ...]
    rows: tuple[BoardRow, ...]
    reference: str
    gold: Mapping[str, GoldLabels]
    evidence: Mapping[str, Sequence[LabelledSet]]

    @property
    def measured(self) -> tuple[BoardRow, ...]:
        """The rows that were measured here."""
        return tuple(row for row in self.rows if row.record.origin != Provenance.PUBLISHED)

    @property
    def published(self) -> tuple[BoardRow, ...]:
        """The figures of papers."""
        return tuple(row for row in self.rows if row.record.origin == Provenance.PUBLISHED)

    def row(self, name: str) -> BoardRow:
        """The row of a record."""
        return next(row for row in self.rows if row.record.name == name)

    def tested(self, name: str) -> LabelledSet | None:
        """The labels of a record on the test sets of the table, if it has any."""
        sets = self.evidence.get(name, ())
        return next((one for one in sets if one.name == self.headline), None)

    def best(self, ensemble: bool, origin: Provenance | None = None) -> BoardRow | None:
        """The first ranked row of single systems or of ensembles, of one origin or of any.

        Records that lie elsewhere than those of the task (ablations) are not among them.
        """
        return next(
            (
                row
                for row in self.measured
                if row.ranked
                and row.record.name.startswith(f"{self.task}/")
                and row.record.ensemble == ensemble
                and origin in (None, row.record.origin)
            ),
            None,
        )

    @property
    def items(self) -> int | None:
        """The gaps of the test sets that rank, if any row was measured on them."""
        ranked = next((row.record for row in self.measured if row.ranked), None)
        return (
            None
            if ranked is None
            else sum(one.items for name, one in ranked.sets.items() if name in self.ranking)
        )


@dataclass(frozen=True)
class OverviewRow:
    """A task in one row: its best systems, and the best of the papers.

    `difference` is that of our best to the best of the papers trained here, of ensembles where both
    have one, else of single systems, as `kind` says: a prior that is tuned on dev, or several
    seeds, are never on one side alone. It is corrected for the rows of the overview.
    """

    task: str
    single: BoardRow | None = None
    ensemble: BoardRow | None = None
    papers: BoardRow | None = None
    published: BoardRow | None = None
    difference: RowDifference | None = None
    there: Score | None = None
    """The best single system's score on the test set of the published figure, if that is ours."""

    kind: str = ""


@dataclass(frozen=True)
class TestTable:
    """MT systems or metrics on one test: a row for each record, best first by the first measure.

    `columns` are pairs of a test set and a measure. `tests` compare all rows that have evidence for
    the same documents, None where fewer than two do; differences are to the best of these.
    """

    test: str
    columns: tuple[tuple[str, str], ...]
    rows: tuple[BoardRow, ...]
    tests: PairwiseTests | None = None

    @property
    def best(self) -> str:
        """The name of the record that rows are compared with, empty if there is none."""
        return "" if self.tests is None else self.tests.names[0]

    @property
    def twins(self) -> tuple[tuple[Record, ...], ...]:
        """Records whose evidence is the same, which the digests tell."""
        groups: dict[tuple[tuple[str, str], ...], list[Record]] = {}
        for row in self.rows:
            if row.record.digests:
                key = tuple(sorted(row.record.digests.items()))
                groups.setdefault(key, []).append(row.record)
        return tuple(tuple(own) for own in groups.values() if len(own) > 1)


@dataclass(frozen=True)
class Leaderboard:
    """All boards."""

    overview: tuple[OverviewRow, ...]
    shipped: tuple[OverviewRow, ...]
    """The models of the box, each as the single system of the task that it is made for."""

    tasks: tuple[TaskTable, ...]
    translations: tuple[TestTable, ...]
    metrics: tuple[TestTable, ...]
    not_measured: Mapping[str, tuple[str, ...]]
    """The main tasks that single systems of others of these tasks lack, by system."""

    def table(self, task: str) -> TaskTable | None:
        """The table of a task, if it has one."""
        return next((one for one in self.tasks if one.task == task), None)

    @property
    def records(self) -> tuple[Record, ...]:
        """All records in the order of the boards."""
        tables: list[TaskTable | TestTable] = [*self.tasks, *self.translations, *self.metrics]
        return tuple(row.record for table in tables for row in table.rows)


def make_boards(records: Iterable[Record], results: Path = FOLDER) -> Leaderboard:
    """All boards of some records, whose evidence lies in a folder."""
    by_board: dict[Board, dict[str, list[Record]]] = {board: {} for board in Board}
    for one in records:
        by_board[one.board].setdefault(one.task, []).append(one)
    of_task = by_board[Board.PREDICTION]
    order = [*MAIN_TASKS, *sorted(of_task.keys() - set(MAIN_TASKS))]
    tasks = tuple(_task_table(task, of_task[task], results) for task in order if task in of_task)
    known = {table.task: table for table in tasks}
    overview = corrected_rows(
        overview_row(known[task]) if task in known else OverviewRow(task) for task in MAIN_TASKS
    )
    translations, metrics = (
        tuple(
            _test_table(test, HEADLINES[board], own, results)
            for test, own in sorted(by_board[board].items())
        )
        for board in (Board.TRANSLATIONS, Board.METRICS)
    )
    shipped = corrected_rows(_shipped_row(table) for table in tasks if table.task.endswith(SHIPPED))
    return Leaderboard(overview, shipped, tasks, translations, metrics, _not_measured(of_task))


def _not_measured(of_task: Mapping[str, Sequence[Record]]) -> dict[str, tuple[str, ...]]:
    """The main tasks that systems lack which were measured on another of them."""
    done: dict[str, set[str]] = {}
    for task in MAIN_TASKS:
        for one in of_task.get(task, ()):
            if one.origin != Provenance.PUBLISHED and not one.ensemble:
                done.setdefault(one.system, set()).add(task)
    lacking = {
        system: tuple(task for task in MAIN_TASKS if task not in tasks)
        for system, tasks in sorted(done.items())
    }
    return {system: tasks for system, tasks in lacking.items() if tasks}


# Tables of tasks ----------------------------------------------------------------------------------


def _task_table(name: str, records: Sequence[Record], results: Path) -> TaskTable:
    measured = [one for one in records if one.origin != Provenance.PUBLISHED]
    gold = read_gold_labels(name, results) if gold_file(name, results).is_file() else {}
    apart = frozenset(test for test, one in gold.items() if one.apart)
    sets = _usual_sets(measured, apart)
    headline = POOLED if len(sets) > 1 else next(iter(sets), "")
    rows = [BoardRow(one, bool(sets) and _sets_of(one, apart) == sets) for one in measured]
    rows.sort(key=lambda row: (not row.ranked, *_worst_last(row, headline)))
    last = [BoardRow(one, False) for one in records if one.origin == Provenance.PUBLISHED]
    last.sort(key=lambda row: _worst_last(row, row.record.headline_set))
    further = {test: None for one in measured for test in one.sets if test not in sets}
    tests = (*sets, *further)
    table = TaskTable(name, headline, tests, tuple(sets), (*rows, *last), "", gold, {})
    reference = table.best(False, Provenance.PAPERS)
    task = load_task(name) if name in task_names() else None
    if task is None or not gold:
        return replace(table, reference="" if reference is None else reference.record.name)
    evidence = {
        row.record.name: evidence_of(row.record, task, results, gold)
        for row in rows
        if evidence_file(row.record.name, results).is_file()
    }
    _check(measured, evidence, gold, results)
    table = replace(table, evidence=evidence)
    if reference is None:
        return table
    compared = _compared(table, reference.record.name, task)
    return replace(table, rows=compared, reference=reference.record.name)


def _check(
    records: Sequence[Record],
    evidence: Mapping[str, Sequence[LabelledSet]],
    gold: Mapping[str, GoldLabels],
    results: Path,
) -> None:
    """Refuse records whose evidence is missing or says something else than they do.

    `crosspro results verify` computes everything again; here it is what ranks.
    """
    problems = []
    for record in records:
        path = str(record_file(record.name, results))
        if record.name not in evidence:
            problems.append(Problem(path, None, "evidence", "labels beside it", "none"))
            continue
        for name, one in record.sets.items():
            if name in gold and gold[name].digest != one.digest:
                told = f"the gold of {name} ({gold[name].digest[:8]})"
                problems.append(Problem(path, None, f"sets.{name}", told, one.digest[:8]))
        for tested in evidence[record.name]:
            said = record.scores.get(tested.name, {}).get(RANKED_BY)
            again = mean_macro_recall(tested)
            if said is None or abs(said.value - again) > 1e-5:
                found = "none" if said is None else f"{said.value:.6g}"
                field = f"scores.{tested.name}.{RANKED_BY}"
                problems.append(Problem(path, None, field, f"{again:.6g} as labels say", found))
    if problems:
        raise InputError(problems, "crosspro results verify computes all of a record again")


def _usual_sets(records: Sequence[Record], apart: Collection[str]) -> dict[str, str]:
    """The test sets, with their digests, that most records were measured on; of equals the most."""
    counts = Counter(tuple(sorted(_sets_of(one, apart).items())) for one in records)
    ordered = sorted(((count, len(sets), sets) for sets, count in counts.items()), reverse=True)
    return dict(ordered[0][2]) if ordered else {}


def _sets_of(record: Record, apart: Collection[str]) -> dict[str, str]:
    """The digests of the test sets that rank a record, which are those that are not apart."""
    return {name: one.digest for name, one in record.sets.items() if name not in apart}


def _worst_last(row: BoardRow, test: str) -> tuple[float, str]:
    score = row.score(test)
    return (float("inf") if score is None else -score.value, row.record.name)


def _compared(table: TaskTable, reference: str, task: Task) -> tuple[BoardRow, ...]:
    """The rows with their differences to one of them, on the test sets that rank."""
    first = table.tested(reference)
    ranked = (row.record.name for row in table.rows if row.ranked)
    others = {name: one for name in ranked if name != reference and (one := table.tested(name))}
    if first is None:
        return table.rows
    found = _differences(list(others.values()), first, task)
    corrected = holm([one.p for one in found])
    by_name = {
        name: replace(one, corrected=p)
        for name, one, p in zip(others, found, corrected, strict=True)
    }
    return tuple(replace(row, difference=by_name.get(row.record.name)) for row in table.rows)


def _differences(
    tested: Sequence[LabelledSet], reference: LabelledSet, task: Task
) -> list[RowDifference]:
    """The macro recall of each less that of the reference; p values are not corrected."""
    found = table_differences(tested, reference, task, PLAN)
    macro = (next(one for one in own if one.metric == RANKED_BY) for own in found)
    return [
        RowDifference(one.difference, one.low, one.high, one.p_randomisation, one.p_randomisation)
        for one in macro
    ]


def overview_row(table: TaskTable) -> OverviewRow:
    """The best of a task, with the difference that ours make; it is not corrected."""
    row = _best_row(table)
    for kind, ensemble in (("ensembles", True), ("single", False)):
        own, other = (table.best(ensemble, one) for one in (Provenance.OWN, Provenance.PAPERS))
        if own is not None and other is not None:
            first, second = (table.tested(one.record.name) for one in (own, other))
            if first is None or second is None:
                return replace(row, kind=kind)
            difference = _differences([first], second, load_task(table.task))[0]
            return replace(row, difference=difference, kind=kind)
    return row


def _best_row(table: TaskTable) -> OverviewRow:
    single, published = table.best(False), next(iter(table.published), None)
    public = published is not None and not published.elsewhere
    return OverviewRow(
        table.task,
        single,
        table.best(True),
        table.best(False, Provenance.PAPERS),
        published,
        there=single.score(_PUBLIC_SET) if single is not None and public else None,
    )


def _shipped_row(table: TaskTable) -> OverviewRow:
    name = f"{table.task}/shipped"
    own = next((row for row in table.rows if row.record.name == name), None)
    difference = None if own is None else own.difference
    return replace(_best_row(table), single=own, difference=difference)


def corrected_rows(rows: Iterable[OverviewRow]) -> tuple[OverviewRow, ...]:
    """The rows with p values that are corrected for their number."""
    found = list(rows)
    tested = {place: one.difference for place, one in enumerate(found) if one.difference}
    corrected = holm([one.p for one in tested.values()])
    for (place, one), p in zip(tested.items(), corrected, strict=True):
        found[place] = replace(found[place], difference=replace(one, corrected=p))
    return tuple(found)


# Tables of tests ----------------------------------------------------------------------------------


def _test_table(test: str, headline: str, records: Sequence[Record], results: Path) -> TestTable:
    columns = dict.fromkeys(
        (name, measure) for one in records for name, own in one.scores.items() for measure in own
    )
    first = next((one for one in columns if one[1] == headline), next(iter(columns), None))
    rows = [BoardRow(one, True) for one in records]
    if first is None:
        return TestTable(test, (), tuple(rows))
    rows.sort(key=lambda row: _by_column(row, first))
    ordered = (first, *(one for one in columns if one != first))
    tests = _row_tests(test, first, rows, results)
    if tests is None:
        return TestTable(test, ordered, tuple(rows))
    ranks = dict(zip(tests.names, tests.ranks(first[1] in LOWER_IS_BETTER), strict=True))
    corrected = tests.corrected()
    numbers = np.stack([tests.value, tests.low, tests.high, tests.p, corrected], axis=-1)
    differences = {
        name: RowDifference(*numbers[place, 0].tolist())
        for place, name in enumerate(tests.names)
        if place
    }
    tested = (
        replace(row, difference=differences.get(name), rank=ranks.get(name))
        for row in rows
        for name in (row.record.name,)
    )
    return TestTable(test, ordered, tuple(tested), tests)


def _by_column(row: BoardRow, column: tuple[str, str]) -> tuple[float, str]:
    score = row.score(*column)
    if score is None:
        return (float("inf"), row.record.name)
    return (score.value if column[1] in LOWER_IS_BETTER else -score.value, row.record.name)


def _row_tests(
    test: str, column: tuple[str, str], rows: Sequence[BoardRow], results: Path
) -> PairwiseTests | None:
    """Compare the rows that have evidence for the documents of the first of them."""
    name, measure = column
    found = [
        row.record
        for row in rows
        if row.score(*column) and evidence_file(row.record.name, results).is_file()
    ]
    same = [one.name for one in found if one.sets.get(name) == found[0].sets.get(name)]
    if measure == "auc":
        if not marks_file(test, results).is_file():
            return None
        marks = read_marks(test, results)
        values = {one: read_values(one, marks, results)[name] for one in same}
        return compared_values(values, marks[name], PLAN) if len(values) > 1 else None
    read = {one: read_sums(one, results).sums.get(measure) for one in same}
    sums = {one: own for one, own in read.items() if own is not None}
    shapes = [own.shape for own in sums.values()]
    sums = {one: own for one, own in sums.items() if own.shape == shapes[0]}
    return compared_sums(sums, measure, PLAN) if len(sums) > 1 else None
