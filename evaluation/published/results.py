"""Published results of the shared tasks, from the papers' tables.

Sources: WMT 2016 (paper 003, Tables 6-9) and DiscoMT 2017 (paper 004, Tables 5-12). The papers here
have no table of DiscoMT 2015; of that year there is the one submission that the official files
contain, as they score it. The CSV files are in `evaluation/published/figures/`.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path

from crosspro.data_prep.core.errors import choices, input_error, quoted
from crosspro.evaluation.output.tables import PLAIN, Style, csv_text

_FOLDER = Path(__file__).resolve().parent / "figures"
_NUMBER = re.compile(r"(-?\d+(\.\d+)?)?")
_RECALL_YEARS = (2015, 2017)
"""Years for which the recall of each class is known."""

SOURCES = {
    2015: "official files of DiscoMT 2015 and the one submission released with them; results of "
    "the other participants are in Hardmeier et al. 2015 only",
    2016: "Guillou et al. 2016, Findings of the 2016 WMT Shared Task on Cross-lingual Pronoun "
    "Prediction, Tables 6-9",
    2017: "Loáiciga et al. 2017, Findings of the 2017 DiscoMT Shared Task on Cross-lingual Pronoun "
    "Prediction, Tables 5-12",
}


@dataclass(frozen=True)
class PublishedResult:
    """A row of a result table; recalls of single classes are known for 2015 and 2017.

    `kind` is primary, contrastive, baseline, or released: from the official files, without a rank.
    `corrected_macro_recall` is what the paper reports of a submission after a fault of it was
    mended; the score that was ranked stays what it is.
    """

    year: int
    pair: str
    submission: str
    kind: str
    rank: int | None
    macro_recall: float
    accuracy: float
    accuracy_rank: int | None = None
    none_penalty: float | None = None
    macro_f1: float | None = None
    coarse_macro_f1: float | None = None
    coarse_accuracy: float | None = None
    corrected_macro_recall: float | None = None
    class_recall: dict[str, float] = field(default_factory=dict)

    @property
    def scores(self) -> dict[str, float]:
        """The scores that are known, by the names of metrics."""
        found = {
            "macro_recall": self.macro_recall,
            "accuracy": self.accuracy,
            "macro_f1": self.macro_f1,
            "coarse_macro_f1": self.coarse_macro_f1,
            "coarse_accuracy": self.coarse_accuracy,
        }
        return {name: value for name, value in found.items() if value is not None}


def published_results(year: int | None = None, pair: str | None = None) -> list[PublishedResult]:
    """The published results of a year and a language pair, or of all, in the papers' order."""
    return [row for row in _all_results() if year in (None, row.year) and pair in (None, row.pair)]


def published_instances(year: int, pair: str) -> dict[str, int]:
    """Gold instances of each class of a test set, where they are known (2015 and 2017)."""
    if year not in _RECALL_YEARS:
        return {}
    return {
        row["class"]: int(row["instances"])
        for row in read_figures(f"class_recall_{year}")
        if row["pair"] == pair
    }


@cache
def _all_results() -> tuple[PublishedResult, ...]:
    recalls: dict[tuple[str, str, str], dict[str, float]] = {}
    for year in _RECALL_YEARS:
        for row in read_figures(f"class_recall_{year}"):
            by_class = recalls.setdefault((str(year), row["pair"], row["submission"]), {})
            by_class[row["class"]] = float(row["recall"])
    return tuple(
        PublishedResult(
            year=int(row["year"]),
            pair=row["pair"],
            submission=row["submission"],
            kind=row["kind"],
            rank=_rank(row["rank"]),
            macro_recall=float(row["macro_recall"]),
            accuracy=float(row["accuracy"]),
            accuracy_rank=_rank(row["accuracy_rank"]),
            none_penalty=_number(row["none_penalty"]),
            macro_f1=_number(row["macro_f1"]),
            coarse_macro_f1=_number(row["coarse_macro_f1"]),
            coarse_accuracy=_number(row["coarse_accuracy"]),
            corrected_macro_recall=_number(row["corrected_macro_recall"]),
            class_recall=recalls.get((row["year"], row["pair"], row["submission"]), {}),
        )
        for row in read_figures("results")
    )


def _rank(text: str) -> int | None:
    return int(text) if text else None


def _number(text: str) -> float | None:
    return float(text) if text else None


def figures_file(name: str) -> Path:
    """One of the tables in `evaluation/published/figures/`."""
    return _FOLDER / f"{name}.csv"


def read_figures(name: str) -> list[dict[str, str]]:
    """The rows of one of these tables."""
    with figures_file(name).open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def figure_names() -> list[str]:
    """The names of all these tables."""
    return sorted(path.stem for path in _FOLDER.glob("*.csv"))


def figures(name: str) -> list[dict[str, str]]:
    """The rows of a table that a user asks for."""
    if name not in figure_names():
        raise input_error("published", "TABLE", choices(["list", *figure_names()]), quoted(name))
    return read_figures(name)


def table_list() -> list[dict[str, str]]:
    """The names of all tables with their columns."""
    return [{"table": name, "columns": ", ".join(read_figures(name)[0])} for name in figure_names()]


def figures_text(rows: Sequence[Mapping[str, str]], style: Style = PLAIN) -> str:
    """A table as it is stored, flush left up to the first column of numbers."""
    heading = tuple(rows[0])
    numbers = [all(_NUMBER.fullmatch(row[name]) for row in rows) for name in heading]
    left = numbers.index(True) if any(numbers) else len(heading)
    return style.table(heading, [tuple(row.values()) for row in rows], left) + "\n"


def figures_json(rows: Sequence[Mapping[str, str]]) -> str:
    """The same for other programs; figures are the text that is printed."""
    return json.dumps(rows, indent=2, ensure_ascii=False) + "\n"


def figures_csv(rows: Sequence[Mapping[str, str]]) -> str:
    """The rows as they are stored."""
    return csv_text([list(rows[0]), *(list(row.values()) for row in rows)])


@dataclass(frozen=True)
class PublishedTestSet:
    """The size of a test set and the macro recall of constant or uniform guessing."""

    segments: int
    instances: int
    instances_basis: str
    random_macro_recall: float


def published_test_set(year: int, pair: str) -> PublishedTestSet:
    """What is known of the official test set of a year and a language pair."""
    segments = _row("test_sets", year, pair)
    instances = _row("test_instances_inferred", year, pair)
    random = _row("random_baselines", year, pair)
    return PublishedTestSet(
        int(segments["segments"]),
        int(instances["instances"]),
        instances["basis"],
        float(random["macro_recall"]),
    )


def _row(name: str, year: int, pair: str) -> dict[str, str]:
    return next(
        row for row in read_figures(name) if (row["year"], row["pair"]) == (str(year), pair)
    )


# The report --------------------------------------------------------------------------------------

_OPTIONAL = ("macro_f1", "coarse_macro_f1", "coarse_accuracy", "corrected_macro_recall")
"""Scores that only some years or submissions have."""


def published_tables(rows: Sequence[PublishedResult], style: Style = PLAIN) -> str:
    """A table for each year and language pair, with recalls of classes where they are known."""
    table = style.table
    mark = "## " if style.markdown else ""
    parts = []
    for year, pair in dict.fromkeys((row.year, row.pair) for row in rows):
        group = [row for row in rows if (row.year, row.pair) == (year, pair)]
        size = published_test_set(year, pair)
        shown = [name for name in _OPTIONAL if any(getattr(row, name) is not None for row in group)]
        titles = [name.replace("_", " ").replace(" f1", " F1") for name in shown]
        penalised = any(row.none_penalty is not None for row in group)
        heading = ("rank", "submission", "macro recall", "accuracy", *titles)
        heading += ("NONE penalty",) if penalised else ()
        parts += [
            f"{mark}{year} {pair}: {size.instances} gaps ({size.instances_basis}) in "
            f"{size.segments:,} segments; random or majority {size.random_macro_recall:.2f}",
            table(heading, [_result_row(row, shown)[: len(heading)] for row in group], 2),
        ]
        instances = published_instances(year, pair)
        if instances:
            recalls = [
                (name, str(number), *(f"{row.class_recall[name]:.2f}" for row in group))
                for name, number in instances.items()
            ]
            names = (row.submission for row in group)
            parts.append(table(("class", "instances", *names), recalls, 1))
    parts += [f"Source: {SOURCES[year]}." for year in sorted({row.year for row in rows})]
    return "\n".join(parts) + "\n"


def _result_row(row: PublishedResult, optional: Sequence[str]) -> tuple[str, ...]:
    place = f" ({row.accuracy_rank})" if row.accuracy_rank else ""
    return (
        str(row.rank or ""),
        row.submission,
        f"{row.macro_recall:.2f}",
        f"{row.accuracy:.2f}{place:5}".rstrip(),
        *("" if (score := getattr(row, name)) is None else f"{score:.2f}" for name in optional),
        "" if row.none_penalty is None else f"{row.none_penalty:g}",
    )


def published_json(rows: Sequence[PublishedResult]) -> str:
    """Everything, for other programs."""
    return json.dumps([asdict(row) for row in rows], indent=2, ensure_ascii=False) + "\n"


def published_csv(rows: Sequence[PublishedResult]) -> str:
    """One line per result, without the recalls of classes."""
    records = [asdict(row) for row in rows]
    names = [name for name in records[0] if name != "class_recall"]
    return csv_text([names, *([record[name] for name in names] for record in records)])
