"""Write RESULTS.md from the rows of `results/` and the published figures.

python -m crosspro.scripts.reproduce.results_page
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from crosspro.conf import CONF_DIR
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

PAGE = Path("RESULTS.md")
TASKS = {
    "en-fr": "English to French, lemmatised",
    "en-fr-2015": "English to French, inflected (2015)",
    "fr-en": "French to English",
    "en-de": "English to German",
    "de-en": "German to English",
    "es-en": "Spanish to English",
}
TYPED_TEXT = "-text"
ABLATIONS = "ablations"
ABLATED = "en-fr/ted.stymne_2016_primary"
NOT_MEASURED = "not measured"
WHOSE = {"own": "ours", "papers": "of the papers"}
SUBMISSIONS = {
    "cuni_2016_contrastive": (2016, "CUNI-contrastive"),
    "cuni_2016_primary": (2016, "CUNI-primary"),
    "helsinki_2016": (2016, "UHELSINKI-primary"),
    "idiap_2016_contrastive": (2016, "IDIAP-contrastive"),
    "idiap_2016_primary": (2016, "IDIAP-primary"),
    "limsi_2016_contrastive": (2016, "LIMSI-contrastive"),
    "limsi_2016_primary": (2016, "LIMSI-primary"),
    "stymne_2016_contrastive": (2016, "UU-Stymne-contrastive"),
    "stymne_2016_primary": (2016, "UU-Stymne-primary"),
    "stymne_2017": (2017, "UU-Stymne16-primary"),
    "turku_gru_2017": (2017, "TurkuNLP-primary"),
    "uedin_2016_contrastive": (2016, "UEDIN-contrastive"),
    "uedin_2016_primary": (2016, "UEDIN-primary"),
    "ukyoto_2016": (2016, "UKYOTO-primary"),
    "uppsala_bilstm": (2017, "Uppsala-primary"),
    "uu_cap_2016_primary": (2016, "UU-Cap-primary"),
}
"""The published submission of a system, by the title of its row."""
EXPERIMENTS = {"turku_gru_2017": "turku_2017_primary", "uppsala_bilstm": "uppsala_2017_primary"}
"""The file in conf/experiment of a row whose title is another name."""
_YEAR = re.compile(r"_201[67]\b|_201[67]_")
INTRODUCTION = """# Results

Made by `python -m crosspro.scripts.reproduce.results_page` from `results/`, where every row has its
scores, predictions, commands, digests, seeds and commit. What follows from them is in
[docs/results.md](docs/results.md).

**Protocol.**

- Macro-averaged recall ranks, as in the shared tasks; scores are means over seeds.
- Brackets are 95% intervals, resampled by document; differences are on the same resamples.
- Settings were chosen on dev; *prior tuned* weighs classes by a power of their frequency.
- Tests are TED talks and DiscoMT 2015. The official files of 2016 and 2017 are not public, so
  figures marked † come from another test set: no difference to them is computed.
- Commands are those of commit 83c97d98; `CORPORA` and `WORK` are the folders of corpora and of
  everything that is made.
"""


@dataclass(frozen=True)
class TaskTable:
    """The rows of a task, best first, that were scored on the same test sets.

    `labelled` has the test sets of each row together, `others` are rows with other test sets.
    """

    task: str
    gold: GoldLabels
    rows: tuple[Row, ...]
    others: tuple[Row, ...]
    labelled: Mapping[str, LabelledSet]

    @property
    def gaps(self) -> int:
        """Gaps of the test sets that rank."""
        return len(next(iter(self.labelled.values())).gold.classes)

    def best(self, *, ensemble: bool, origin: str | None = None) -> Row | None:
        """The best single system or ensemble, of one origin or of any."""
        fitting = (row for row in self.rows if row.ensemble == ensemble)
        return next((row for row in fitting if origin in (None, row.origin)), None)

    def difference(self, first: Row, second: Row) -> Interval:
        """Macro recall of the first row less that of the second."""
        pair = self.labelled[first.name], self.labelled[second.name]
        return difference(*pair, len(self.gold.classes))


def task_table(task: str, rows: Sequence[Row], gold: GoldLabels) -> TaskTable:
    """The table of rows of a task; test sets that most rows share rank them."""
    ranking = {
        row.name: frozenset(name for name in row.test_sets if not gold.test_sets[name].apart)
        for row in rows
    }
    usual = Counter(ranking.values()).most_common(1)[0][0]
    ranked = [row for row in rows if ranking[row.name] == usual]
    ranked.sort(key=lambda row: (-row.headline["macro_recall"].value, row.name))
    others = tuple(row for row in rows if ranking[row.name] != usual)
    labelled = {}
    for row in ranked:
        sets = labelled_sets(gold, row.predictions)
        labelled[row.name] = sets.get(POOLED) or sets[next(iter(usual))]
    return TaskTable(task, gold, tuple(ranked), others, labelled)


# Cells --------------------------------------------------------------------------------------------


def shown(score: Interval, sign: str = "") -> str:
    """A score with its interval; a difference has `+` as its sign."""
    return f"{score.value:{sign}.1f} [{score.low:{sign}.1f}, {score.high:{sign}.1f}]"


def _link(row: Row) -> str:
    return f"[{row.title}]({row_file(row.name).as_posix()})"


def _best(row: Row | None) -> str:
    return NOT_MEASURED if row is None else f"{shown(row.headline['macro_recall'])} {_link(row)}"


def _scores(row: Row) -> tuple[str, str]:
    return shown(row.headline["macro_recall"]), shown(row.headline["accuracy"])


def _less(table: TaskTable, row: Row, reference: Row | None) -> str:
    if reference is None:
        return NOT_MEASURED
    if row is reference:
        return "reference"
    return shown(table.difference(row, reference), "+")


def published_of(task: str) -> list[PublishedResult]:
    """The published figures of a task, best first."""
    pair = task.removesuffix("-2015")
    rows = [row for row in published_results(pair=pair) if (row.year == 2015) == (pair != task)]
    return sorted(rows, key=lambda row: -row.macro_recall)


def _published(row: PublishedResult) -> str:
    mark = "" if row.year == 2015 else "†"
    return f"{row.macro_recall:.1f}{mark} / {row.accuracy:.1f}"


def _submission(row: Row, published: Sequence[PublishedResult]) -> str:
    """The published figures of the submission that a system was built after."""
    wanted = SUBMISSIONS.get(row.title)
    return next((_published(one) for one in published if (one.year, one.submission) == wanted), "")


# Tables -------------------------------------------------------------------------------------------


def six_tasks(tables: Mapping[str, TaskTable]) -> str:
    """The best of each task, and what our best is ahead of the best of the papers."""
    heading = ("task", "gaps", "best single system", "best ensemble",
               "best single system of the papers, trained here",
               "best published", "ours less the papers")  # fmt: skip
    body = []
    for task in TASKS:
        table, published = tables[task], published_of(task)[0]
        body.append(
            (
                task,
                f"{table.gaps:,}",
                _best(table.best(ensemble=False)),
                _best(table.best(ensemble=True)),
                _best(table.best(ensemble=False, origin="papers")),
                f"{_published(published)} {published.submission} {published.year}",
                _ahead(table),
            )
        )
    note = ("Macro recall. Ensembles are compared with ensembles where both sides have one, else "
            "single systems with single systems.")  # fmt: skip
    return f"{markdown_table(heading, body, 1)}\n{note}\n"


def short_table(tables: Mapping[str, TaskTable]) -> str:
    """The best of each task in four columns, for README.md."""
    heading = ("task", "best of ours", "best of the papers, trained here", "best published")
    body = []
    for task in TASKS:
        table, published = tables[task], published_of(task)[0]
        cells = [_best(_best_of(table, origin)) for origin in WHOSE]
        body.append((task, *cells, f"{_published(published)} {published.submission}"))
    return markdown_table(heading, body, 1)


def _best_of(table: TaskTable, origin: str) -> Row | None:
    return next((row for row in table.rows if row.origin == origin), None)


def _ahead(table: TaskTable) -> str:
    for kind, ensemble in (("ensembles", True), ("single", False)):
        ours, theirs = (table.best(ensemble=ensemble, origin=origin) for origin in WHOSE)
        if ours is not None and theirs is not None:
            return f"{kind}: {_less(table, ours, theirs)}"
    return NOT_MEASURED


def task_rows(table: TaskTable) -> str:
    """The rows of a task with the published figures of their submissions."""
    heading = ("system", "whose", "training text", "seeds", "macro recall", "accuracy",
               "less the best of the papers", "published")  # fmt: skip
    reference = table.best(ensemble=False, origin="papers")
    published = published_of(table.task)
    body = [
        (
            _link(row),
            WHOSE[row.origin] + (", ensemble" if row.ensemble else ""),
            row.training.name,
            str(len(row.seeds)),
            *_scores(row),
            _less(table, row, reference),
            _submission(row, published),
        )
        for row in table.rows
    ]
    best = published[0]
    body.append(
        (f"{best.submission} {best.year}", "published", "", "", "", "", "", _published(best))
    )
    note = f"{table.gaps:,} gaps; *published* is macro recall / accuracy of the submission."
    return f"{markdown_table(heading, body, 3)}\n{note}\n{_notes(table.rows)}"


def _notes(rows: Iterable[Row]) -> str:
    """The notes of rows, each once."""
    notes = dict.fromkeys((row.title, note) for row in rows for note in row.notes)
    return "".join(f"\n{title}: {note}\n" for title, note in notes)


def typed_text(tables: Mapping[str, TaskTable]) -> str:
    """All rows of tasks that the bundled models are made for."""
    heading = ("task", "system", "whose", "gaps", "seeds", "macro recall", "accuracy",
               "less the best of the papers")  # fmt: skip
    body = []
    for task, table in tables.items():
        reference = table.best(ensemble=False, origin="papers")
        for row in table.rows:
            sizes = f"{table.gaps:,}", str(len(row.seeds))
            less = _less(table, row, reference)
            body.append((task, _link(row), WHOSE[row.origin], *sizes, *_scores(row), less))
    rows = [row for table in tables.values() for row in table.rows]
    return markdown_table(heading, body, 3) + _notes(rows)


def other_sets(tables: Mapping[str, TaskTable]) -> str:
    """Rows with test sets of their own: pronouns whose gender the context decides."""
    heading = ("system", "test set", "gaps", "macro recall", "accuracy")
    body = [
        (_link(row), name, f"{row.test_sets[name].gaps:,}", *map(shown, _both(row, name)))
        for table in tables.values()
        for row in table.others
        for name in row.test_sets
    ]
    return markdown_table(heading, body, 2)


def _both(row: Row, test_set: str) -> tuple[Interval, Interval]:
    return row.scores[test_set]["macro_recall"], row.scores[test_set]["accuracy"]


def ablations(rows: Sequence[Row], table: TaskTable) -> str:
    """UU-Stymne's SVM without one group of features each."""
    full = next(row for row in table.rows if row.name == ABLATED)
    ablated = task_table(table.task, [full, *rows], table.gold)
    heading = ("system", "macro recall", "accuracy", "less all features")
    ordered = [full, *(row for row in ablated.rows if row is not full)]
    body = [(_link(row), *_scores(row), _less(ablated, row, full)) for row in ordered]
    return markdown_table(heading, body, 1)


def not_measured(tables: Mapping[str, TaskTable]) -> Iterator[str]:
    """The single systems of other tasks that a task lacks."""
    measured = {
        task: {row.system for row in tables[task].rows if not row.ensemble} for task in TASKS
    }
    every = set().union(*measured.values())
    for task, systems in measured.items():
        if lacking := sorted(every - systems):
            yield f"- {task}: {', '.join(lacking)}"


def nowhere_measured(tables: Mapping[str, TaskTable]) -> str:
    """The published configurations that no row of any task has."""
    measured = {row.title.partition(",")[0] for task in TASKS for row in tables[task].rows}
    measured |= {EXPERIMENTS[title] for title in measured & EXPERIMENTS.keys()}
    names = (path.stem for path in (CONF_DIR / "experiment").glob("*.yaml"))
    lacking = sorted(name for name in names if _YEAR.search(name) and name not in measured)
    return f"Configurations of the papers without a row in any task: {', '.join(lacking)}.\n"


def task_tables(folder: Path = FOLDER) -> tuple[dict[str, TaskTable], list[Row]]:
    """The table of each task, and the rows of ablations."""
    by_folder: dict[str, list[Row]] = {}
    for row in read_rows(folder):
        by_folder.setdefault(row.name.partition("/")[0], []).append(row)
    ablated = by_folder.pop(ABLATIONS, [])
    tables = {task: task_table(task, rows, read_gold(task, folder))
              for task, rows in by_folder.items()}  # fmt: skip
    return tables, ablated


def results_page(folder: Path = FOLDER) -> str:
    """The text of RESULTS.md."""
    tables, ablated = task_tables(folder)
    text = {task: table for task, table in tables.items() if task.endswith(TYPED_TEXT)}
    parts = [INTRODUCTION, "## The six tasks\n", six_tasks(tables)]
    for task, title in TASKS.items():
        parts += [f"## {title}\n", task_rows(tables[task])]
    parts += ["## Typed text: the bundled models\n", typed_text(text)]
    parts += ["## Gender that the context decides\n", other_sets(text)]
    parts += ["## Ablations\n", ablations(ablated, tables["en-fr"])]
    parts += ["## Not measured\n", "\n".join(not_measured(tables)) + "\n"]
    parts.append(nowhere_measured(tables))
    return "\n".join(parts)


if __name__ == "__main__":
    write_text(PAGE, results_page())
