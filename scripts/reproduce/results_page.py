"""Write RESULTS.md from the rows of `results/` and the published figures.

python -m crosspro.scripts.reproduce.results_page
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cached_property
from itertools import groupby
from pathlib import Path

from crosspro.conf import CONF_DIR
from crosspro.data_prep.core.files import read_text_lines, write_text
from crosspro.evaluation.correlation.systems import holm, order_agreement
from crosspro.evaluation.evaluation import Score
from crosspro.evaluation.published.results import PublishedResult, published_results
from crosspro.evaluation.report.tables import markdown_table
from crosspro.scripts.reproduce.results import (
    FOLDER,
    SCORES,
    GoldLabels,
    LabelledSet,
    Row,
    difference,
    labelled,
    measure,
    read_gold,
    read_rows,
    recall_columns,
    recall_score,
    row_file,
)
from crosspro.scripts.reproduce.submissions import planned_submissions

PAGE, README = Path("RESULTS.md"), Path("README.md")
MINUTES = "trainer.max_minutes"
TASKS = {
    "en-fr": "English to French, lemmatised",
    "en-fr-2015": "English to French, inflected (2015)",
    "fr-en": "French to English",
    "en-de": "English to German",
    "de-en": "German to English",
    "es-en": "Spanish to English",
}
ALL_FEATURES = "all_features"
NOT_MEASURED = "not measured"
REASONS = "not_measured.txt"
"""Why rows have no record, in the folder of the rows: `2016/*/UKYOTO-*: REASON` a line."""
NO_REASON = "not trained yet"
LONGEST_SHORT_NOTE = 30
OFFICIAL_TESTS = ("WMT2016", "DiscoMT2017")
DIFFERS = "[differs](docs/reference/systems.md)"
INTRODUCTION = """# Results

Made by `python -m crosspro.scripts.reproduce.results_page` from `results/`, where each row has its
scores, predictions, commands, digests, seeds and commit. What follows from them:
[docs/results.md](docs/results.md).

Cells are macro recall with its 95% interval, resampled by document, then accuracy, both means over
seeds. *Differs* says what is not as published besides the data, which stands above each table; its
link has the rest. A paired test uses only test sets of which both systems have the same gold
labels, and of all systems of the papers, tuned and ensembled as ours are, the best on most of
these. *Prior tuned*: classes are weighted by a power of their frequency that dev chose. `CORPORA`
and `WORK` in commands are the folders of corpora and of all that is made.
"""
OTHER_TESTS = """
The official test sets cannot be had: published figures (†) stand beside ours and are not compared
with them, only their order is.
"""


@dataclass(frozen=True)
class Comparison:
    """A system of ours and the best of the papers, on the gaps of which both have the same gold."""

    papers: Row
    ours_labelled: LabelledSet
    papers_labelled: LabelledSet


@dataclass(frozen=True)
class TaskRows:
    """The rows of a task and its gold labels."""

    task: str
    gold: GoldLabels
    rows: tuple[Row, ...]

    @property
    def classes(self) -> int:
        return len(self.gold.classes)

    @cached_property
    def ours(self) -> list[Row]:
        """Our rows, best first."""
        return best_first(row for row in self.rows if row.origin == "own" and self.tests(row))

    @cached_property
    def papers(self) -> list[Row]:
        """Systems of the papers, best first."""
        rows = (row for row in self.rows if row.origin == "papers" and self.tests(row))
        return best_first(row for row in rows if not row.name.startswith("ablations/"))

    def tests(self, row: Row) -> list[str]:
        """The test sets that rank."""
        return sorted(self.gold.ranking(row.predictions))

    def labelled(self, row: Row, tests: Sequence[str] = ()) -> LabelledSet:
        """Test sets of a row together, by default all that rank."""
        return labelled(self.gold, row.predictions, tests or self.tests(row))

    def comparison(self, ours: Row, papers: Sequence[Row]) -> Comparison | None:
        """Compare with the best of the rows that share most gaps."""
        shared = [(row, sorted({*self.tests(ours)} & {*self.tests(row)})) for row in papers]
        sizes = [
            sum(len(self.gold.test_sets[name].labels) for name in tests) for _, tests in shared
        ]
        most = max(sizes, default=0)
        if not most:
            return None
        candidates = [
            Comparison(row, self.labelled(ours, tests), self.labelled(row, tests))
            for (row, tests), size in zip(shared, sizes, strict=True)
            if size == most
        ]
        return max(candidates, key=lambda each: self.macro_recall(each.papers_labelled))

    def macro_recall(self, test: LabelledSet) -> float:
        return measure(test, self.classes, None)["macro_recall"].value


def best_first(rows: Iterable[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: (-row.headline["macro_recall"].value, row.name))


# Cells --------------------------------------------------------------------------------------------


def _scores(scores: Mapping[str, Score]) -> str:
    return f"{scores['macro_recall'].shown(1)} / {scores['accuracy'].value:.1f}"


def _link(row: Row) -> str:
    return f"[{row.title}]({row_file(row.name).as_posix()})"


def _published(result: PublishedResult) -> str:
    return f"{result.macro_recall:.1f} / {result.accuracy:.1f}"


def _p_value(p: float) -> str:
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def _differs(row: Row) -> str:
    """What differs from the submission, besides the data, in few words."""
    words = [short for note in row.notes if (short := _short(note))]
    if features := sum(note.startswith("without ") for note in row.notes):
        words.append(f"{features} feature{'s' * (features > 1)} fewer")
    return ", ".join(words)


def _short(note: str) -> str:
    """The short words that a note begins with, if any."""
    short, colon, _ = note.partition(": ")
    return short if colon and len(short) <= LONGEST_SHORT_NOTE else ""


# What rows were made from -------------------------------------------------------------------------


def data_of(rows: Sequence[Row]) -> str:
    """The training data and the tests of rows, and what is said of all of them."""
    tests = {name: test["gaps"] for row in rows for name, test in row.test_sets.items()}
    sizes = [row.training["gaps"] for row in rows if row.training["name"] != "TED"]
    shown = [f"{name} ({gaps:,} gaps)" for name, gaps in sorted(tests.items())]
    text = f"Tested on {_listed(shown)}"
    if sizes:
        least, most = min(sizes), max(sizes)
        text += f", trained on {least:,}" + (f" to {most:,}" if most > least else "") + " gaps"
    remarks = dict.fromkeys(note for row in rows for note in row.notes)
    common = [
        note
        for note in remarks
        if not note.startswith("without ")
        and not _short(note)
        and sum(note in row.notes for row in rows) > len(rows) / 2
    ]
    return "; ".join((text, *common)) + f". {training_time(rows)}\n"


def training_time(rows: Sequence[Row]) -> str:
    """Seeds of rows, and how long networks were trained, as their configuration says."""
    seeds = sorted({len(row.seeds) for row in rows})
    text = f"Seeds: {_listed(list(map(str, seeds)), 'or')}."
    limits = sorted({float(limit) for row in rows for limit in _settings(row, MINUTES)})
    if limits:
        ended = sum(any(MINUTES in note for note in row.notes) for row in rows)
        shown = _listed([f"{limit:g}" for limit in limits], "or")
        text += f" Networks had {shown} minutes at most; rows that needed more: {ended}."
    return text


def _settings(row: Row, key: str) -> list[str]:
    """The values of a setting in the configuration of a row."""
    pairs = (setting.partition("=") for setting in row.configuration)
    return [value for name, _, value in pairs if name == key]


def _listed(words: Sequence[str], last: str = "and") -> str:
    return f" {last} ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


# Published submissions ----------------------------------------------------------------------------


def published_of(task: str) -> list[PublishedResult]:
    """The published rows of a task, by year, in the order of the papers."""
    pair = task.removesuffix("-2015")
    return [row for row in published_results(pair=pair) if (row.year == 2015) == (pair != task)]


def published_table(results: Sequence[PublishedResult], table: TaskRows) -> str:
    """The submissions of a year in their order, and how the orders of primaries agree."""
    rows = {row.name: row for row in table.papers}
    made = [(result, rows.get(_name(result))) for result in results]
    primaries = [(result, row) for result, row in made if row and result.rank]
    tests = Counter(tuple(table.tests(row)) for _, row in primaries)
    usual = [names for names, _ in tests.most_common(1)]
    primaries = [pair for pair in primaries if tuple(table.tests(pair[1])) in usual]
    order = best_first(row for _, row in primaries)
    ranks = {row.name: str(rank) for rank, row in enumerate(order, start=1)}
    body = [
        (
            _link(row) if row else result.submission,
            _published(result),
            _scores(row.headline) if row else NOT_MEASURED,
            str(result.rank or ""),
            ranks.get(_name(result), ""),
            _differs(row) if row else "",
        )
        for result, row in made
    ]
    year = str(results[0].year)
    text = markdown_table((year, "published†", "here", "rank†", "rank here", DIFFERS), body)
    if len(primaries) < 3:
        return text
    text += _agreement(primaries, [result.macro_recall for result, _ in primaries], table)
    if any(result.corrected_macro_recall for result, _ in primaries):
        recalls = [result.corrected_macro_recall or result.macro_recall for result, _ in primaries]
        text += "\nWith scores that the paper corrected:" + _agreement(primaries, recalls, table)
    return text


def _agreement(
    primaries: Sequence[tuple[PublishedResult, Row]], published: Sequence[float], table: TaskRows
) -> str:
    systems = [table.labelled(row) for _, row in primaries]
    agreement = order_agreement(
        published,
        [recall_columns(system, table.classes) for system in systems],
        systems[0].units,
        recall_score,
        SCORES,
    )
    return (
        f"\nOrder of the {agreement.systems} primaries: "
        f"Spearman {agreement.spearman}, Kendall {agreement.kendall}.\n"
    )


def _name(result: PublishedResult) -> str:
    return f"{result.year}/{result.pair}/{result.submission}"


def table_2015(table: TaskRows) -> str:
    """The one published file of 2015, and all systems of the pair, best first."""
    body = [(row.submission, _published(row), "a file", "") for row in published_of(table.task)]
    systems = [row for row in table.papers if row.year == 2015]
    body += [(_link(row), "", _scores(row.headline), _differs(row)) for row in systems]
    text = markdown_table(("2015", "published", "here", DIFFERS), body)
    return (
        f"{text}\nOf 2015 the papers have no table; nobody was above the baseline (Guillou et al. "
        "2016 §8). *baseline0* and *baseline-tuned* are that baseline.\n"
    )


# Ours ---------------------------------------------------------------------------------------------


def comparison_table(
    table: TaskRows,
    ours: Sequence[Row],
    papers: Sequence[Row],
    titles: tuple[str, str] = ("ours", "best of the papers"),
) -> str:
    """Our rows with paired tests against the best of the papers, p corrected by Holm."""
    compared = [(row, pair) for row in ours if (pair := table.comparison(row, papers))]
    tests = {
        row.name: difference(
            (row.name, pair.papers.name), (pair.ours_labelled, pair.papers_labelled), table.classes
        )
        for row, pair in compared
    }
    corrected = dict(
        zip(tests, holm([test.p_randomisation for test in tests.values()]), strict=True)
    )
    cells = {
        row.name: (
            f"{_link(pair.papers)} {table.macro_recall(pair.papers_labelled):.1f}",
            f"{len(pair.ours_labelled.gold):,}",
            "{0.difference:+.1f} [{0.low:+.1f}, {0.high:+.1f}]".format(tests[row.name]),
            _p_value(corrected[row.name]),
        )
        for row, pair in compared
    }
    body = [(_link(row), _scores(row.headline), *cells.get(row.name, [""] * 4)) for row in ours]
    heading = (titles[0], "scores", titles[1], "gaps of both", "difference", "p (Holm)")
    return markdown_table(heading, body)


def short_table(tables: Mapping[str, TaskRows]) -> str:
    """The best of each task in four columns, also for README.md."""
    body = []
    for task in TASKS:
        table = tables[task]
        pair = table.comparison(table.ours[0], table.papers) if table.ours else None
        if pair:
            ours = _best(table.ours[0], pair.ours_labelled, table)
            papers = _best(pair.papers, pair.papers_labelled, table)
        else:
            best = next(row for row in table.papers if row.year)
            ours = NOT_MEASURED
            papers = _best(best, table.labelled(best), table)
        result = max(published_of(task), key=lambda result: result.macro_recall)
        released = ", the one file at hand" if result.kind == "released" else ""
        body.append((task, ours, papers, f"{_published(result)} {result.submission}{released}"))
    heading = ("task", "best of ours", "best of the papers, trained here", "best published†")
    return markdown_table(heading, body)


def _best(row: Row, test: LabelledSet, table: TaskRows) -> str:
    scores = measure(test, table.classes)
    return f"{scores['macro_recall'].shown(1)} {_link(row)}"


def other_sets(tables: Iterable[TaskRows]) -> str:
    """Rows on sets of other domains alone: pronouns whose gender the context decides."""
    body = [
        (_link(row), name, f"{row.test_sets[name]['gaps']:,}", _scores(row.scores[name]))
        for table in tables
        for row in table.rows
        if not table.tests(row)
        for name in row.test_sets
    ]
    return markdown_table(("system", "test set", "gaps", "scores"), body, 2)


# Not measured -------------------------------------------------------------------------------------


def not_measured(rows: Sequence[Row], folder: Path = FOLDER) -> Iterator[tuple[str, str]]:
    """Rows that have no record, and experiments that no row was made with, each with a reason."""
    path = folder / REASONS
    lines = read_text_lines(path) if path.is_file() else ()
    reasons = [line.split(": ", 1) for line in lines if ": " in line]
    names = {row.name for row in rows}
    planned = planned_submissions()
    for row in planned:
        if row.name not in names:
            of_row = (reason for pattern, reason in reasons if fnmatch(row.name, pattern))
            yield row.name, next(of_row, NO_REASON)
    for result in published_results():
        if result.kind == "released":
            yield _name(result), "a file of predictions without a system"
    used = {name for row in rows for name in _settings(row, "experiment")}
    used |= {row.experiment for row in planned}
    for path in sorted((CONF_DIR / "experiment").glob("*.yaml")):
        if path.stem not in used:
            yield f"experiment={path.stem}", "no published row"


# The page -----------------------------------------------------------------------------------------


def task_rows(folder: Path = FOLDER) -> dict[str, TaskRows]:
    """The rows of each task."""
    rows = sorted(read_rows(folder), key=lambda row: row.task)
    return {
        task: TaskRows(task, read_gold(task, folder), tuple(of_task))
        for task, of_task in groupby(rows, key=lambda row: row.task)
    }


def results_page(tables: Mapping[str, TaskRows]) -> str:
    """The text of RESULTS.md."""
    tests = {name for table in tables.values() for row in table.rows for name in row.test_sets}
    introduction = INTRODUCTION if {*OFFICIAL_TESTS} <= tests else INTRODUCTION + OTHER_TESTS
    parts = [introduction, "## The six tasks\n", short_table(tables)]
    for task, title in TASKS.items():
        table = tables[task]
        published = [row for row in table.papers if row.year and row.name[:4].isdigit()]
        parts += [f"## {title}\n", data_of(published)]
        if task.endswith("-2015"):
            parts.append(table_2015(table))
        else:
            years = groupby(published_of(task), key=lambda result: result.year)
            parts += [published_table(list(results), table) for _, results in years]
        if table.ours:
            parts.append(comparison_table(table, table.ours, table.papers))
    texts = [table for task, table in tables.items() if task not in TASKS]
    parts.append("## Typed text: the bundled models\n")
    for table in texts:
        parts += [f"### {table.task}\n", comparison_table(table, table.ours, table.papers)]
    parts += ["## Gender that the context decides\n", other_sets(texts)]
    english_french = tables["en-fr"]
    ablated = best_first(
        row for row in english_french.rows if row.name.startswith("ablations/en-fr/")
    )
    parts.append("## Systems without a group of features, learnt from TED talks\n")
    for full in (row for row in ablated if row.name.endswith(ALL_FEATURES)):
        without = [row for row in ablated if row.system == full.system and row != full]
        headings = ("without", "with all")
        parts.append(comparison_table(english_french, without, [full], headings))
    missing = list(not_measured([row for table in tables.values() for row in table.rows]))
    parts += ["## Not measured\n", markdown_table(("row or experiment", "why"), missing, 2)]
    return "\n".join(parts)


def write_page(folder: Path = FOLDER) -> None:
    """Write RESULTS.md, and the table of the six tasks in README.md."""
    tables = task_rows(folder)
    write_text(PAGE, results_page(tables))
    readme, table = README.read_text("utf-8"), short_table(tables)
    heading = re.escape(table.partition("\n")[0])
    write_text(README, re.sub(rf"^{heading}\n(\|.*\n)*", lambda _: table, readme, flags=re.M))


if __name__ == "__main__":
    write_page()
