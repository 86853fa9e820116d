"""Published results of the shared tasks, and all other figures of the papers, from CSV files.

Sources: WMT 2016 (003, Tables 6-9) and DiscoMT 2017 (004, Tables 5-12). The papers here have no
table of DiscoMT 2015; of that year there is the one submission that the official files contain, as
they score it. `figures/NOTES.md` says where each table comes from.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from crosspro.data_prep.core.errors import choices, input_error, quoted
from crosspro.evaluation.report.tables import Table

_FOLDER = Path(__file__).resolve().parent / "figures"
_SCORES = ("macro_recall", "accuracy", "macro_f1", "coarse_macro_f1", "coarse_accuracy")
_RECALL_YEARS = (2015, 2017)
"""Years for which the recall of each class is known."""


@dataclass(frozen=True)
class PublishedResult:
    """A row of a result table.

    `kind` is primary, contrastive, baseline, or released: from the official files, without a rank.
    `corrected_macro_recall` is what the paper reports after a fault of a submission was mended; the
    score that was ranked stays what it is.
    """

    year: int
    pair: str
    submission: str
    kind: str
    rank: int | None
    accuracy_rank: int | None
    scores: Mapping[str, float]
    """The scores that are known, by the names of measures."""
    corrected_macro_recall: float | None
    class_recall: Mapping[str, float]

    @property
    def macro_recall(self) -> float:
        return self.scores["macro_recall"]

    @property
    def accuracy(self) -> float:
        return self.scores["accuracy"]


def published_results(year: int | None = None, pair: str | None = None) -> list[PublishedResult]:
    return [row for row in _all_results() if year in (None, row.year) and pair in (None, row.pair)]


@cache
def _all_results() -> tuple[PublishedResult, ...]:
    recalls: dict[tuple[str, str, str], dict[str, float]] = {}
    for year in _RECALL_YEARS:
        for row in read_figures(f"class_recall_{year}"):
            by_class = recalls.setdefault((str(year), row["pair"], row["submission"]), {})
            by_class[row["class"]] = float(row["recall"])
    return tuple(
        PublishedResult(
            int(row["year"]),
            row["pair"],
            row["submission"],
            row["kind"],
            int(row["rank"]) if row["rank"] else None,
            int(row["accuracy_rank"]) if row["accuracy_rank"] else None,
            {name: float(row[name]) for name in _SCORES if row[name]},
            float(row["corrected_macro_recall"]) if row["corrected_macro_recall"] else None,
            recalls.get((row["year"], row["pair"], row["submission"]), {}),
        )
        for row in read_figures("results")
    )


def read_figures(name: str) -> list[dict[str, str]]:
    """The rows of a table of `evaluation/published/figures/`."""
    if name not in figure_names():
        raise input_error("published", "table", choices(figure_names()), quoted(name))
    with (_FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def figure_names() -> list[str]:
    return sorted(path.stem for path in _FOLDER.glob("*.csv"))


def figure_rows(
    name: str, year: int | None = None, pair: str | None = None
) -> list[dict[str, str]]:
    """The rows of a table, those of a year or of a language pair where it has such a column."""
    every = read_figures(name)
    chosen = {"year": None if year is None else str(year), "pair": pair}
    rows = [
        row
        for row in every
        if all(value is None or row.get(key, value) == value for key, value in chosen.items())
    ]
    if not rows:
        sets = sorted({" ".join(row[key] for key in chosen if key in row) for row in every})
        actual = " ".join(filter(None, chosen.values()))
        raise input_error("published", name, choices(sets), actual)
    return rows


def figure_table(name: str, rows: Sequence[Mapping[str, str]]) -> Table:
    """Rows as they are stored, without empty columns, flush left up to the last text."""
    columns = [column for column in rows[0] if any(row[column] for row in rows)]
    is_text = [
        any(row[column].lstrip("-").replace(".", "", 1).strip("0123456789") for row in rows)
        for column in columns
    ]
    left = max((place for place, text in enumerate(is_text, start=1) if text), default=1)
    cells = [[row[column] for column in columns] for row in rows]
    return Table([column.replace("_", " ") for column in columns], cells, name, left)
