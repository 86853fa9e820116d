"""Tables of system scores: a row for each MT system, a column for each metric or human score."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.core.errors import InputError, Problem, choices, input_error, quoted
from crosspro.evaluation.core.williams import FEWEST as FEWEST_WILLIAMS
from crosspro.evaluation.inputs.table_rows import read_rows

FEWEST = 3
"""Over two systems every correlation is 1 or -1."""


@dataclass(frozen=True)
class ScoreTable:
    """Scores of systems: `columns[metric][system]`; `digest` identifies the numbers.

    `other_human` is a second human evaluation, not a number where it has no score of a system.
    """

    name: str
    systems: tuple[str, ...]
    human: str
    columns: Mapping[str, NDArray[np.float64]]
    other_human: str | None = None

    @property
    def metrics(self) -> tuple[str, ...]:
        """The columns that are not the human scores."""
        return tuple(n for n in self.columns if n not in (self.human, self.other_human))

    @property
    def digest(self) -> str:
        """A short name for the content."""
        content = repr((self.systems, [(k, v.tolist()) for k, v in self.columns.items()]))
        return hashlib.sha256(content.encode()).hexdigest()[:8]


def read_score_table(
    path: Path,
    human: str,
    metrics: Sequence[str] = (),
    system: str | None = None,
    without: Collection[str] = (),
    negate: Collection[str] = (),
    other_human: str | None = None,
) -> ScoreTable:
    """Read a CSV or TSV file; raises `InputError` with every fault of the columns that are used.

    The first column names the systems unless `system` does; all others are metrics unless `metrics`
    says which. Systems in `without` are left out. Columns in `negate`, where lower is better,
    change their sign. Cells of `other_human` may be empty: it may be about fewer systems.
    """
    rows = read_rows(path)
    heading_line, heading = next(rows, (0, []))
    if len(heading) < 2:
        raise input_error(path, "heading", "names of at least two columns", quoted(str(heading)))
    system = heading[0] if system is None else system
    numbers = [name for name in heading if name != system]
    humans = [human] if other_human is None else [human, other_human]
    metrics = metrics or [name for name in numbers if name not in humans]
    _check_names(path, heading_line, heading, system, humans, metrics, negate)
    names = [*humans, *dict.fromkeys(metrics)]
    reader = _Cells(path, heading, system, names, set(without), other_human)
    for number, row in rows:
        reader.read(number, row)
    columns = reader.finish()
    for name in negate:
        columns[name] = -columns[name]
    return ScoreTable(path.name, tuple(reader.lines), human, columns, other_human)


def _check_names(
    path: Path,
    line: int,
    heading: Sequence[str],
    system: str,
    humans: Sequence[str],
    metrics: Sequence[str],
    negate: Collection[str],
) -> None:
    problems = [
        Problem(str(path), line, "heading", "different names", f"{quoted(name)} twice")
        for name in dict.fromkeys(heading)
        if heading.count(name) > 1
    ]
    known = [name for name in heading if name != system]
    if system not in heading:
        problems.append(Problem(str(path), line, "system column", choices(heading), quoted(system)))
    if len(set(humans)) < len(humans):
        expected = "two columns of human scores"
        problems.append(Problem(str(path), line, "human column", expected, quoted(humans[0])))
    for field, names in (("human column", humans), ("metric", metrics), ("negate", negate)):
        allowed = [*humans, *metrics] if field == "negate" else known
        if field == "metric":
            allowed = [name for name in known if name not in humans]
        problems += [
            Problem(str(path), line, field, choices(allowed) if allowed else "a column", quoted(n))
            for n in names
            if n not in allowed
        ]
    if not metrics and not problems:
        problems.append(Problem(str(path), line, "heading", "a metric beside the human", "none"))
    if problems:
        raise InputError(problems)


class _Cells:
    """Collects the numbers of some columns and everything that is wrong with them."""

    def __init__(
        self,
        path: Path,
        heading: list[str],
        system: str,
        names: list[str],
        without: set[str],
        may_be_empty: str | None,
    ) -> None:
        self.path = str(path)
        self.may_be_empty = may_be_empty
        self.width = len(heading)
        self.system = heading.index(system)
        self.places = {name: place for place, name in enumerate(heading) if name in names}
        self.values: dict[str, list[float]] = {name: [] for name in names}
        self.without = without
        self.left_out: set[str] = set()
        self.lines: dict[str, int] = {}
        self.problems: list[Problem] = []

    def problem(self, line: int | None, field: str, expected: str, found: str) -> None:
        self.problems.append(Problem(self.path, line, field, expected, found))

    def read(self, line: int, row: list[str]) -> None:
        if len(row) != self.width:
            self.problem(line, "cells", f"{self.width} as in the heading", str(len(row)))
            return
        name = row[self.system]
        if name in self.without:
            self.left_out.add(name)
            return
        if not name:
            self.problem(line, "system", "a name", "nothing")
        elif name in self.lines:
            found = f"{quoted(name)}, as in line {self.lines[name]}"
            self.problem(line, "system", "a name of its own", found)
        self.lines.setdefault(name, line)
        for column, place in self.places.items():
            self.values[column].append(self.number(line, column, row[place]))

    def number(self, line: int, column: str, cell: str) -> float:
        if not cell and column == self.may_be_empty:
            return math.nan
        try:
            value = float(cell)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            self.problem(line, column, "a number", quoted(cell) if cell else "nothing")
            return 0.0
        return value

    def finish(self) -> dict[str, NDArray[np.float64]]:
        for name in sorted(self.without - self.left_out):
            known = choices(self.lines) if self.lines else "a system"
            self.problem(None, "systems left out", known, quoted(name))
        columns = {name: np.array(values) for name, values in self.values.items()}
        if not self.problems:
            if len(self.lines) < FEWEST:
                self.problem(None, "systems", f"at least {FEWEST}", str(len(self.lines)))
            if len(self.lines) >= FEWEST:
                self.check_values(columns, "all systems")
            if self.may_be_empty is not None and not self.problems:
                self.check_common(columns, ~np.isnan(columns[self.may_be_empty]))
        if self.problems:
            raise InputError(self.problems)
        return columns

    def check_values(self, columns: Mapping[str, NDArray[np.float64]], where: str) -> None:
        for name, values in columns.items():
            if np.ptp(values) == 0:
                expected = "at least two different values"
                self.problem(None, name, expected, f"{values[0]:g} for {where}")

    def check_common(
        self, columns: Mapping[str, NDArray[np.float64]], common: NDArray[np.bool_]
    ) -> None:
        number = int(common.sum())
        if number < FEWEST_WILLIAMS:
            expected = f"scores of at least {FEWEST_WILLIAMS} systems"
            self.problem(None, str(self.may_be_empty), expected, str(number))
        else:
            kept = {name: values[common] for name, values in columns.items()}
            self.check_values(kept, "all systems that both have")
