"""Results for people who write Python: printed as the commands print them, as tables, as a page.

A `Result` is an `Evaluation` that knows how it looks. Whatever else a public function gives back
(a proofread translation, a report on a folder) shares `Displayed` with it.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from importlib import import_module
from importlib.util import find_spec
from math import isnan
from pathlib import Path
from typing import Any, Self

from crosspro.data_prep.core.errors import CrossproError, choices, input_error, quoted
from crosspro.data_prep.core.files import write_text
from crosspro.evaluation.core.evaluation import Evaluation, compared
from crosspro.evaluation.core.metric import Metric
from crosspro.evaluation.core.score import Score
from crosspro.evaluation.core.statistics import Difference, Resampling
from crosspro.evaluation.output import MOST_EXAMPLES
from crosspro.evaluation.output.records import detail_rows, group_rows, plain, record
from crosspro.evaluation.output.tables import Row, text_table
from crosspro.evaluation.output.text import (
    NOT_CORRECTED,
    cell_text,
    differences_table,
    report_tables,
    text_report,
)

LIBRARIES = ("pandas", "polars")
_CELL = "text-align:{};padding:2px 10px;white-space:nowrap"


class Displayed:
    """What a result has in common with every other: a page, and what a notebook shows of it."""

    def html(self) -> str:
        """A page, complete in itself: that of `--html`, or else what a notebook shows."""
        return f"<!DOCTYPE html>\n<meta charset=utf-8>\n{self._repr_html_()}\n"

    def write_html(self, path: str | Path) -> None:
        """Write the page to a file, which appears complete or not at all."""
        write_text(Path(path), self.html())

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


@dataclass(frozen=True, repr=False)
class PairedTest(Displayed):
    """Two systems of a result, the second subtracted from the first, under each measure.

    It prints as the table of differences. `difference`, its 95% interval (`low`, `high`) and `p`
    (two-sided, by approximate randomisation) are those of `measure`; `differences` has all.
    """

    first: str
    second: str
    measure: str
    differences: tuple[Difference, ...]
    metric: Metric[Any, Any, Any]
    signature: str

    @property
    def _own(self) -> Difference:
        return next(one for one in self.differences if one.metric == self.measure)

    @property
    def difference(self) -> float:
        """The score of the first system less that of the second."""
        return self._own.difference

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        return self._own.low

    @property
    def high(self) -> float:
        """The upper end of the interval."""
        return self._own.high

    @property
    def p(self) -> float:
        """The p value of approximate randomisation; that of the bootstrap is in `differences`."""
        return self._own.p_randomisation

    def __str__(self) -> str:
        heading, rows, left = self._table()
        return f"{text_table(heading, rows, left)}{NOT_CORRECTED}"

    __repr__ = __str__

    def _table(self) -> tuple[Row, list[Row], int]:
        measures = self.metric.measures
        return differences_table(
            self.differences, self.metric.scale, lambda measure: measures.get(measure, measure)
        )

    def to_dict(self) -> dict[str, Any]:
        """The same for programs."""
        content = {
            **{name: getattr(self, name) for name in ("first", "second", "measure", "signature")},
            "differences": [one._asdict() for one in self.differences],
        }
        return dict(plain(content))

    def to_dataframe(self, library: str | None = None) -> Any:
        """A row for each measure."""
        rows = [list(one) for one in self.differences]
        return data_frame(list(Difference._fields), rows, library)

    def html(self) -> str:
        """The table."""
        return html_table(*self._table(), (NOT_CORRECTED, self.signature))

    def _repr_html_(self) -> str:
        return self.html()


@dataclass(frozen=True, repr=False)
class Result(Displayed, Evaluation):
    """The scores of some systems, which print as the table of the command.

    `result.scores["A"]["apt"].value` is a score, `.low` and `.high` are its 95% interval.
    """

    @classmethod
    def of(cls, evaluation: Evaluation) -> Self:
        """An evaluation as a result."""
        return cls(*(getattr(evaluation, field.name) for field in fields(Evaluation)))

    def __str__(self) -> str:
        warnings = "".join(f"warning: {text}\n" for text in self.warnings)
        return warnings + text_report(self).rstrip("\n")

    __repr__ = __str__

    @property
    def scores(self) -> Mapping[str, Mapping[str, Score]]:
        """The scores of everything, by system and by measure."""
        return {system.name: system.scores for system in self.systems}

    @property
    def signature(self) -> str:
        """How the first of the scores was computed; `signatures` are those of all."""
        return next(iter(self.signatures), "")

    def to_dict(self) -> dict[str, Any]:
        """What `--layout json` writes: plain lists, mappings, texts and numbers."""
        return dict(plain(record(self)))

    def to_dataframe(self, library: str | None = None, *, details: bool = False) -> Any:
        """A table of pandas or polars: a row for each system and each of its groups.

        With `details` a row for each item, such as a pronoun, where the metric says more of them.
        `library` is pandas or polars; None: what is installed, pandas first.
        """
        heading, rows = (detail_rows if details else group_rows)(self)
        return data_frame(heading, rows, library)

    def html(self, max_examples: int = MOST_EXAMPLES) -> str:
        """The page of `--html`, complete in itself, with at most so many examples."""
        from crosspro.evaluation.output.page import evaluation_page

        return evaluation_page(self, max_examples)

    def _repr_html_(self) -> str:
        before, after = report_tables(self, "text")
        heading = self.metric.heading(self.scored)
        parts = [f"<p><b>{html.escape(heading)}</b></p>"]
        parts += [f"<p>warning: {html.escape(text)}</p>" for text in self.warnings]
        for table in (*before, *after):
            rows = [[cell_text(cell, self.metric.scale) for cell in row] for row in table.rows]
            title = f"<p>{html.escape(table.title)}</p>" if table.title else ""
            parts.append(title + html_table(table.heading, rows, table.left, table.notes))
        return "".join(parts)

    def compare(
        self,
        first: str,
        second: str,
        measure: str | None = None,
        *,
        resamples: int | None = None,
        seed: int | None = None,
    ) -> PairedTest:
        """Is one system better than another? The first less the second, its interval and p.

        Units (documents where they are known) are resampled and exchanged as often as for the
        scores, unless `resamples` or `seed` say otherwise.

        >>> import crosspro
        >>> gold = ["il", "elle", "il", "elle"] * 5
        >>> systems = {"A": gold, "B": ["il"] * 20}
        >>> result = crosspro.evaluate(gold, systems, "en-fr", resamples=200)
        >>> test = result.compare("A", "B")
        >>> test.difference, test.p < 0.05
        (50.0, True)
        """
        for name, given in (("first", first), ("second", second)):
            if given not in self.names:
                raise input_error("arguments", name, choices(self.names), quoted(str(given)))
        usual = self.plan or Resampling()
        plan = Resampling(
            usual.resamples if resamples is None else resamples,
            usual.seed if seed is None else seed,
        )
        if not isinstance(plan.resamples, int) or plan.resamples < 1:
            raise input_error("arguments", "resamples", "a whole number from 1", repr(resamples))
        if not self.scored.size:
            raise CrossproError("compare: nothing was scored, so there is nothing to compare")
        found = compared(self, first, second, plan)
        known = [one.metric for one in found]
        if measure is None:
            headline = self.metric.headline
            measure = headline if headline in known else known[0]
        if measure not in known:
            raise input_error("arguments", "measure", choices(known), quoted(str(measure)))
        told = [f"test:{first}-{second}", f"samples:{plan.resamples}", f"seed:{plan.seed}"]
        signature = "|".join([*told, f"by:{self.scored.units.name}", self.signature])
        return PairedTest(first, second, measure, tuple(found), self.metric, signature)


def data_frame(heading: Sequence[str], rows: Sequence[Sequence[Any]], library: str | None) -> Any:
    """Rows as a table of pandas or polars; numbers that are not defined are missing."""
    if library not in (None, *LIBRARIES):
        raise input_error("arguments", "library", choices(LIBRARIES), quoted(str(library)))
    wanted = LIBRARIES if library is None else (library,)
    name = next((one for one in wanted if find_spec(one) is not None), None)
    if name is None:
        raise CrossproError(
            f"to_dataframe needs {' or '.join(wanted)}, which is not installed: "
            f"pip install {wanted[0]}"
        )
    columns = {title: [_missing(row[place]) for row in rows] for place, title in enumerate(heading)}
    return import_module(name).DataFrame(columns)


def _missing(value: Any) -> Any:
    """None for what is not a number, and texts for lists, which columns of a table have no place
    for."""
    if isinstance(value, list | tuple):
        return " ".join(map(str, value))
    return None if isinstance(value, float) and isnan(value) else value


def html_table(heading: Row, rows: Sequence[Row], left: int = 1, notes: Sequence[str] = ()) -> str:
    """A table with its own looks, for a notebook; the first `left` columns are flush left."""

    def cells(row: Row, tag: str) -> str:
        return "".join(
            f'<{tag} style="{_CELL.format("left" if column < left else "right")}">'
            f"{html.escape(cell)}</{tag}>"
            for column, cell in enumerate(row)
        )

    said = "".join(f"<p><small>{html.escape(note)}</small></p>" for note in notes if note)
    if not heading:
        return said
    body = "".join(f"<tr>{cells(row, 'td')}</tr>" for row in rows)
    head = f"<tr>{cells(heading, 'th')}</tr>"
    return f"<table><thead>{head}</thead><tbody>{body}</tbody></table>{said}"
