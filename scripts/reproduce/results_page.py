"""Write RESULTS.md from the rows of `results/` and the published figures.

python -m crosspro.scripts.reproduce.results_page
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from pathlib import Path

from crosspro.conf import CONF_DIR
from crosspro.data_prep.core.files import write_text
from crosspro.evaluation.correlation.orders import holm, order_agreement
from crosspro.evaluation.evaluation import Score
from crosspro.evaluation.published.results import PublishedResult, published_results
from crosspro.evaluation.report.tables import markdown_table
from crosspro.scripts.reproduce.results import (
    FOLDER,
    SCORES,
    GoldLabels,
    Interval,
    LabelledSet,
    Row,
    difference,
    labelled_sets,
    measure,
    pooled,
    read_gold,
    read_rows,
    recall_columns,
    recall_score,
    row_file,
)
from crosspro.scripts.reproduce.submissions import planned_submissions

PAGE = Path("RESULTS.md")
TASKS = {
    "en-fr": "English to French, lemmatised",
    "en-fr-2015": "English to French, inflected (2015)",
    "fr-en": "French to English",
    "en-de": "English to German",
    "de-en": "German to English",
    "es-en": "Spanish to English",
}
FULL_SYSTEM = "ablations/en-fr/all_features"
NOT_MEASURED = "not measured"
NOT_REACHED = "not reached in the time there was"
SHORT_NOTES = {
    r"(\d+) epochs, ended by .*": r"\1 epochs",
    r"NONE penalty (\S+), .*": r"penalty \1",
    r".* after 600 steps .*": "weak parser",
    r".*, without heads": "no heads",
    r"(French|Spanish) parsed by .*": "spaCy's parser",
}
"""What differs from a submission, in few words."""
INTRODUCTION = """# Results

Made by `python -m crosspro.scripts.reproduce.results_page` from `results/`, where each row has its
scores, predictions, commands, digests, seeds and commit. What follows from them:
[docs/results.md](docs/results.md).

Systems of the papers were trained **once** (seed 1), networks for **at most two minutes**, on TED
talks, news and **half of Europarl** (es-en: an eighth). The tests are TED talks and DiscoMT 2015,
because the official ones cannot be had: published figures (†) stand beside ours and are not
compared with them, only their order is. Cells are macro recall with its 95% interval, resampled by
document, then accuracy. `CORPORA` and `WORK` in commands are the folders of corpora and of all
that is made.

*Differs* says what else is not as published. Pre-trained networks, ensembles and bundled models
were trained before, without these limits, and so were `results/references`, the systems of the
papers that they are compared with. Their tests differ in a few gaps from those of today. A paired
test uses only test sets of which both systems have the same gold labels, and the system of the
papers that is best on most of these; the bundled model on en-fr-2015 therefore meets a system of
two minutes. *Prior tuned*: classes are weighted by a power of their frequency that dev chose.
"""


@dataclass(frozen=True)
class Comparison:
    """A system of ours and the best of the papers, on the gaps of which both have the same gold."""

    ours: Row
    papers: Row
    ours_labelled: LabelledSet
    papers_labelled: LabelledSet

    @property
    def gaps(self) -> int:
        return len(self.ours_labelled.gold)


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
        return sorted(name for name in row.predictions if not self.gold.test_sets[name].apart)

    def labelled(self, row: Row, tests: Sequence[str]) -> LabelledSet:
        """Test sets of a row together."""
        sets = labelled_sets(self.gold, {name: row.predictions[name] for name in tests})
        return pooled([sets[name] for name in tests])

    def comparison(self, ours: Row, papers: Sequence[Row]) -> Comparison | None:
        """Compare with the best of the rows that share most gaps."""
        shared = {row.name: sorted({*self.tests(ours)} & {*self.tests(row)}) for row in papers}
        rows = {row.name: row for row in papers}
        sizes = {
            name: sum(len(self.gold.test_sets[test].labels) for test in tests)
            for name, tests in shared.items()
        }
        most = max(sizes.values(), default=0)
        if not most:
            return None
        candidates = {
            name: self.labelled(rows[name], shared[name])
            for name, size in sizes.items()
            if size == most
        }
        best = max(candidates, key=lambda name: self.macro_recall(candidates[name]))
        labelled = self.labelled(ours, shared[best])
        return Comparison(ours, rows[best], labelled, candidates[best])

    def macro_recall(self, labelled: LabelledSet) -> float:
        return measure(labelled, self.classes, None)["macro_recall"].value


def best_first(rows: Iterable[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: (-row.headline["macro_recall"].value, row.name))


# Cells --------------------------------------------------------------------------------------------


def _interval(score: Interval) -> str:
    return f"{score.value:.1f} [{score.low:.1f}, {score.high:.1f}]"


def _scores(scores: Mapping[str, Interval]) -> str:
    return f"{_interval(scores['macro_recall'])} / {scores['accuracy'].value:.1f}"


def _link(row: Row) -> str:
    return f"[{row.title}]({row_file(row.name).as_posix()})"


def _published(result: PublishedResult) -> str:
    return f"{result.macro_recall:.1f} / {result.accuracy:.1f}"


def _p_value(p: float) -> str:
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def _coefficient(score: Score) -> str:
    return f"{score.value:.2f} [{score.low:.2f}, {score.high:.2f}]"


def _differs(row: Row) -> str:
    """What differs from the submission, besides the data."""
    words = []
    for pattern, short in SHORT_NOTES.items():
        matches = (re.fullmatch(pattern, note) for note in row.notes)
        words += [match.expand(short) for match in matches if match]
    if features := sum(note.startswith("without ") for note in row.notes):
        words.append(f"{features} feature{'s' * (features > 1)} fewer")
    return ", ".join(words)


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
    text = markdown_table((year, "published†", "here", "rank†", "rank here", "differs"), body)
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
    labelled = [table.labelled(row, table.tests(row)) for _, row in primaries]
    agreement = order_agreement(
        published,
        [recall_columns(system, table.classes) for system in labelled],
        labelled[0].units,
        recall_score,
        SCORES,
    )
    return (
        f"\nOrder of the {agreement.systems} primaries: "
        f"Spearman {_coefficient(agreement.spearman)}, Kendall {_coefficient(agreement.kendall)}.\n"
    )


def _name(result: PublishedResult) -> str:
    return f"{result.year}/{result.pair}/{result.submission}"


def table_2015(table: TaskRows) -> str:
    """The one published file of 2015, and all systems of the pair, best first."""
    body = [(row.submission, _published(row), "a file", "") for row in published_of(table.task)]
    systems = [row for row in table.papers if row.year == 2015]
    body += [(_link(row), "", _scores(row.headline), _differs(row)) for row in systems]
    text = markdown_table(("2015", "published", "here", "differs"), body)
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
    compared = {row.name: table.comparison(row, papers) for row in ours}
    tests = {
        name: difference(
            (pair.ours.name, pair.papers.name),
            (pair.ours_labelled, pair.papers_labelled),
            table.classes,
        )
        for name, pair in compared.items()
        if pair
    }
    corrected = holm([test.p_randomisation for test in tests.values()])
    p_values = dict(zip(tests, corrected, strict=True))
    body = []
    for row in ours:
        cells = [_link(row), _scores(row.headline)]
        if pair := compared[row.name]:
            test = tests[row.name]
            recall = table.macro_recall(pair.papers_labelled)
            cells += [
                f"{_link(pair.papers)} {recall:.1f}",
                f"{pair.gaps:,}",
                f"{test.difference:+.1f} [{test.low:+.1f}, {test.high:+.1f}]",
                _p_value(p_values[row.name]),
            ]
        body.append([*cells, *[""] * (6 - len(cells))])
    heading = (titles[0], "scores", titles[1], "gaps of both", "difference", "p (Holm)")
    return markdown_table(heading, body)


def short_table(tables: Mapping[str, TaskRows]) -> str:
    """The best of each task in four columns, also for README.md."""
    body = []
    for task in TASKS:
        table = tables[task]
        pair = table.comparison(table.ours[0], table.papers) if table.ours else None
        if pair:
            sets = (pair.ours, pair.ours_labelled), (pair.papers, pair.papers_labelled)
            cells = [_best(row, labelled, table) for row, labelled in sets]
        else:
            best = next(row for row in table.papers if row.year)
            cells = [NOT_MEASURED, _best(best, table.labelled(best, table.tests(best)), table)]
        result = max(published_of(task), key=lambda result: result.macro_recall)
        released = ", the one file at hand" if result.kind == "released" else ""
        body.append((task, *cells, f"{_published(result)} {result.submission}{released}"))
    heading = ("task", "best of ours", "best of the papers, trained here", "best published†")
    return markdown_table(heading, body)


def _best(row: Row, labelled: LabelledSet, table: TaskRows) -> str:
    scores = measure(labelled, table.classes)
    return f"{_interval(scores['macro_recall'])} {_link(row)}"


def other_sets(tables: Iterable[TaskRows]) -> str:
    """Rows on sets of other domains alone: pronouns whose gender the context decides."""
    body = [
        (_link(row), name, f"{row.test_sets[name].gaps:,}", _scores(row.scores[name]))
        for table in tables
        for row in table.rows
        if not table.tests(row)
        for name in row.test_sets
    ]
    return markdown_table(("system", "test set", "gaps", "scores"), body, 2)


# Not measured -------------------------------------------------------------------------------------


def not_measured(rows: Sequence[Row]) -> Iterator[tuple[str, str]]:
    """Rows that have no record, and experiments that no row was made with, each with a reason."""
    names = {row.name for row in rows}
    planned = planned_submissions()
    for row in planned:
        if row.name not in names:
            yield row.name, NOT_REACHED
    for result in published_results():
        if result.kind == "released":
            yield _name(result), "a file of predictions without a system"
    used = {setting for row in (*rows, *planned) for setting in _settings(row)}
    for path in sorted((CONF_DIR / "experiment").glob("*.yaml")):
        if f"experiment={path.stem}" not in used:
            yield f"experiment={path.stem}", "no published row"


def _settings(row: object) -> Sequence[str]:
    return row.configuration if isinstance(row, Row) else getattr(row, "settings", ())


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
    parts = [INTRODUCTION, "## The six tasks\n", short_table(tables)]
    for task, title in TASKS.items():
        table = tables[task]
        parts.append(f"## {title}\n")
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
    ablated = best_first(row for row in english_french.rows if row.group == "ablations/en-fr")
    full = next(row for row in ablated if row.name == FULL_SYSTEM)
    ablated.remove(full)
    parts.append("## UU-Stymne without a group of features, learnt from TED talks\n")
    parts.append(comparison_table(english_french, ablated, [full], ("without", "with all")))
    missing = list(not_measured([row for table in tables.values() for row in table.rows]))
    parts += ["## Not measured\n", markdown_table(("row or experiment", "why"), missing, 2)]
    return "\n".join(parts)


def write_page(folder: Path = FOLDER) -> None:
    """Write RESULTS.md."""
    write_text(PAGE, results_page(task_rows(folder)))


if __name__ == "__main__":
    write_page()
