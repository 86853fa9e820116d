"""Write RESULTS.md from the rows of `results/` and the published figures.

python -m crosspro.scripts.reproduce.results_page
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from crosspro.data_prep.core.files import write_text
from crosspro.evaluation.published.results import PublishedResult, published_results
from crosspro.evaluation.report.tables import markdown_table
from crosspro.scripts.reproduce.results import (
    FOLDER,
    POOLED,
    GoldLabels,
    Interval,
    LabelledSet,
    Row,
    difference,
    labelled_sets,
    read_gold,
    read_rows,
    row_file,
)
from crosspro.scripts.reproduce.shared_tasks import experiment_of

PAGE = Path("RESULTS.md")
TASKS = {
    "en-fr": "English to French, lemmatised",
    "en-fr-2015": "English to French, inflected (2015)",
    "fr-en": "French to English",
    "en-de": "English to German",
    "de-en": "German to English",
    "es-en": "Spanish to English",
}
ABLATIONS = "ablations"
ABLATED = "en-fr/ted.stymne_2016_primary"
TED_ALONE = tuple(f"{task}/ted." for task in TASKS)
NOT_MEASURED = "not measured"
EARLIER_TITLES = {
    "turku_gru_2017": "turku_2017_primary",
    "uppsala_bilstm": "uppsala_2017_primary",
}
"""The experiments of rows that were made before rows had the names of submissions."""
INTRODUCTION = """# Results

Made by `python -m crosspro.scripts.reproduce.results_page` from `results/`, where each row has its
scores, predictions, commands, digests, seeds and commit. What follows from them:
[docs/results.md](docs/results.md).

- Cells are macro-averaged recall, which ranks as in the shared tasks, with its 95% interval,
  resampled by document, then accuracy; means over seeds. Differences are of macro recall.
- Settings were chosen on dev. *Prior tuned*: classes are weighted by a power of their frequency.
- Our tests are TED talks and DiscoMT 2015. The official test sets of 2016 and 2017 are not public:
  published figures (†) stand beside ours and are not compared with them.
- `CORPORA` and `WORK` in commands are the folders of corpora and of everything that is made.
"""


@dataclass(frozen=True)
class TaskTable:
    """The rows of a task that were scored on the same test sets, best first.

    `labelled` has the test sets of each row together, `others` are rows with other test sets.
    """

    task: str
    gold: GoldLabels
    rows: tuple[Row, ...]
    others: tuple[Row, ...]
    labelled: Mapping[str, LabelledSet]

    @property
    def all_rows(self) -> tuple[Row, ...]:
        """The rows on any test sets."""
        return (*self.rows, *self.others)

    @property
    def gaps(self) -> int:
        """Gaps of the test sets that rank."""
        return len(next(iter(self.labelled.values())).gold)

    def best(self, origin: str) -> Row | None:
        """The best row of an origin."""
        return next((row for row in self.rows if row.origin == origin), None)

    def difference(self, row: Row, reference: Row | None) -> str:
        """Macro recall of a row less that of another."""
        if reference is None:
            return NOT_MEASURED
        if row is reference:
            return "reference"
        pair = self.labelled[row.name], self.labelled[reference.name]
        return _interval(difference(*pair, len(self.gold.classes)), "+")


def task_table(task: str, rows: Sequence[Row], gold: GoldLabels) -> TaskTable:
    """The table of rows of a task; the test sets that most rows share rank them."""
    ranking = {
        row.name: frozenset(name for name in row.test_sets if not gold.test_sets[name].apart)
        for row in rows
    }
    usual = Counter(ranking.values()).most_common(1)[0][0]
    ranked = [row for row in rows if ranking[row.name] == usual]
    ranked.sort(key=lambda row: (-row.headline["macro_recall"].value, row.name))
    sets = {row.name: labelled_sets(gold, row.predictions) for row in ranked}
    labelled = {name: by_set.get(POOLED) or by_set[min(usual)] for name, by_set in sets.items()}
    others = tuple(row for row in rows if ranking[row.name] != usual)
    return TaskTable(task, gold, tuple(ranked), others, labelled)


# Cells --------------------------------------------------------------------------------------------


def _interval(score: Interval, sign: str = "") -> str:
    return f"{score.value:{sign}.1f} [{score.low:{sign}.1f}, {score.high:{sign}.1f}]"


def _scores(scores: Mapping[str, Interval]) -> str:
    return f"{_interval(scores['macro_recall'])} / {scores['accuracy'].value:.1f}"


def _link(row: Row) -> str:
    return f"[{row.title}]({row_file(row.name).as_posix()})"


def _published(result: PublishedResult) -> str:
    return f"{result.macro_recall:.1f} / {result.accuracy:.1f}"


def _best(row: Row | None) -> str:
    if row is None:
        return NOT_MEASURED
    return f"{_interval(row.headline['macro_recall'])} {_link(row)}"


# Published submissions ----------------------------------------------------------------------------


def published_of(task: str) -> list[PublishedResult]:
    """The published rows of a task, by year, in the order of the papers."""
    pair = task.removesuffix("-2015")
    return [row for row in published_results(pair=pair) if (row.year == 2015) == (pair != task)]


def made_here(result: PublishedResult, rows: Sequence[Row]) -> Row | None:
    """The row of a published submission: by its name, else by its experiment."""
    name = f"{result.year}/{result.pair}/{result.submission}"
    for row in rows:
        if row.name == name:
            return row
    experiment = experiment_of(result)
    if result.submission == "baseline0" or experiment is None:
        return None
    earlier = [row for row in rows if row.group == row.task and not row.name.startswith(TED_ALONE)]
    titles = {EARLIER_TITLES.get(row.title, row.title): row for row in reversed(earlier)}
    return titles.get("ngram" if experiment == "baseline" else experiment)


def published_tables(table: TaskTable) -> Iterator[str]:
    """A table for each year: the submissions in their order, their figures and ours."""
    results = published_of(table.task)
    for year in sorted({result.year for result in results}):
        body = []
        for result in results:
            if result.year == year:
                row = made_here(result, table.all_rows)
                link = "" if row is None else f"({row_file(row.name).as_posix()})"
                name = f"[{result.submission}]{link}" if link else result.submission
                body.append((name, _published(result), _trained(result, row)))
        yield markdown_table((f"{year}", "published", "trained here"), body, 1)


def _trained(result: PublishedResult, row: Row | None) -> str:
    if row is not None:
        return _scores(row.headline)
    return "a file" if experiment_of(result) is None else NOT_MEASURED


def measured(tables: Mapping[str, TaskTable]) -> str:
    """How many of the published rows have one of ours."""
    made = [
        made_here(result, tables[task].all_rows) is not None
        for task in TASKS
        for result in published_of(task)
        if experiment_of(result)
    ]
    return f"Of {len(made)} published rows {sum(made)} are measured.\n"


# Ours ---------------------------------------------------------------------------------------------


def short_table(tables: Mapping[str, TaskTable]) -> str:
    """The best of each task in four columns, also for README.md."""
    heading = ("task", "best of ours", "best of the papers, trained here", "best published")
    body = []
    for task in TASKS:
        best = max(published_of(task), key=lambda result: result.macro_recall)
        mark = "" if best.year == 2015 else "†"
        figures = f"{best.macro_recall:.1f}{mark} / {best.accuracy:.1f} {best.submission}"
        cells = [_best(tables[task].best(origin)) for origin in ("own", "papers")]
        body.append((task, *cells, figures))
    return markdown_table(heading, body, 1)


def other_rows(table: TaskTable) -> str:
    """Rows of no submission: ours, ensembles, tuned priors; others with their figures alone."""
    made = (made_here(result, table.rows) for result in published_of(table.task))
    published = {row.name for row in made if row is not None}
    rest = [row for row in table.rows if row.name not in published]
    reference = table.best("papers")
    shown = [row for row in rest if row.origin == "own" or row.ensemble or row is reference]
    cells = [(_link(row), _scores(row.headline), table.difference(row, reference)) for row in shown]
    heading = ("ours", "scores", "less the best of the papers")
    text = markdown_table(heading, cells, 1) if cells else ""
    if alone := [row for row in rest if not any(row is other for other in shown)]:
        figures = (f"{_link(row)} {row.headline['macro_recall'].value:.1f}" for row in alone)
        text += "\n" * bool(text) + f"Also trained: {', '.join(figures)}.\n"
    return text


def typed_text(tables: Mapping[str, TaskTable]) -> str:
    """All rows of tasks that the bundled models are made for."""
    body = [
        (task, _link(row), f"{table.gaps:,}", _scores(row.headline),
         table.difference(row, table.best("papers")))
        for task, table in tables.items()
        for row in table.rows
    ]  # fmt: skip
    return markdown_table(("task", "system", "gaps", "scores", "less the papers"), body, 2)


def other_sets(tables: Mapping[str, TaskTable]) -> str:
    """Rows with test sets of their own: pronouns whose gender the context decides."""
    body = [
        (_link(row), name, f"{row.test_sets[name].gaps:,}", _scores(row.scores[name]))
        for table in tables.values()
        for row in table.others
        for name in row.test_sets
    ]
    return markdown_table(("system", "test set", "gaps", "scores"), body, 2)


def ablations(rows: Sequence[Row], table: TaskTable) -> str:
    """UU-Stymne's SVM without one group of features each."""
    full = next(row for row in table.rows if row.name == ABLATED)
    ablated = task_table(table.task, [full, *rows], table.gold)
    ordered = [full, *(row for row in ablated.rows if row is not full)]
    body = [(_link(row), _scores(row.headline), ablated.difference(row, full)) for row in ordered]
    return markdown_table(("system", "scores", "less all features"), body, 1)


def task_tables(folder: Path = FOLDER) -> tuple[dict[str, TaskTable], list[Row]]:
    """The table of each task, and the rows of ablations."""
    rows = read_rows(folder)
    by_task: dict[str, list[Row]] = {}
    for row in rows:
        if row.group != ABLATIONS:
            by_task.setdefault(row.task, []).append(row)
    tables = {task: task_table(task, own, read_gold(task, folder)) for task, own in by_task.items()}
    return tables, [row for row in rows if row.group == ABLATIONS]


def results_page(folder: Path = FOLDER) -> str:
    """The text of RESULTS.md."""
    tables, ablated = task_tables(folder)
    text = {task: table for task, table in tables.items() if task not in TASKS}
    parts = [INTRODUCTION, "## The six tasks\n", short_table(tables), measured(tables)]
    for task, title in TASKS.items():
        parts += [f"## {title}: {tables[task].gaps:,} gaps\n"]
        parts += [*published_tables(tables[task]), other_rows(tables[task])]
    parts += ["## Typed text: the bundled models\n", typed_text(text)]
    parts += ["## Gender that the context decides\n", other_sets(text)]
    parts += ["## Ablations\n", ablations(ablated, tables["en-fr"])]
    notes = {f"{row.title}: {note}\n" for table in tables.values() for row in table.rows
             for note in row.notes}  # fmt: skip
    parts += ["## Notes\n", *sorted(notes)] if notes else []
    return "\n".join(parts)


if __name__ == "__main__":
    write_text(PAGE, results_page())
