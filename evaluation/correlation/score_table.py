"""Tables of MT systems: a row for each, a column for each metric or human score."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.core.errors import InputError, Problem, choices, input_error, quoted
from crosspro.evaluation.inputs.sheets import named_cells, read_rows

Values = NDArray[np.float64]
FEWEST = 3
"""Over two systems every correlation is 1 or -1."""
FEWEST_WILLIAMS = 4
"""With fewer systems Williams's test has no degree of freedom."""


@dataclass(frozen=True)
class ScoreTable:
    """Scores of systems: `columns[metric][system]`; `digest` identifies the numbers.

    `other_human` is a second human evaluation, not a number where it has no score of a system.
    """

    name: str
    systems: tuple[str, ...]
    human: str
    columns: Mapping[str, Values]
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
    """Read a CSV or TSV file.

    The first column names the systems unless `system` does; all others are metrics unless `metrics`
    says which. Systems in `without` are left out. Columns in `negate`, where lower is better,
    change their sign. Cells of `other_human` may be empty: it may be about fewer systems.
    """
    rows = read_rows(path)
    line, heading = next(rows, (1, []))
    if len(heading) < 2 or len(set(heading)) < len(heading):
        expected = "different names of at least two columns"
        raise input_error(path, "heading", expected, ", ".join(heading) or "nothing", line)
    system = heading[0] if system is None else system
    humans = [human] if other_human is None else [human, other_human]
    metrics = metrics or [name for name in heading if name not in (system, *humans)]
    _check_columns(path, line, "system column", [system], heading)
    numbers = [name for name in heading if name != system]
    _check_columns(path, line, "human column", humans, numbers)
    _check_columns(path, line, "metric", metrics, [n for n in numbers if n not in humans])
    _check_columns(path, line, "negate", negate, [*humans, *metrics])
    if len(set(humans)) < len(humans) or not metrics:
        expected = "a metric, and a column for each human evaluation"
        raise input_error(path, "heading", expected, ", ".join(heading), line)
    values: dict[str, list[float]] = {name: [] for name in (*humans, *metrics)}
    systems: dict[str, int] = {}
    problems: list[Problem] = []
    unseen = set(without)
    for number, cells in named_cells(path, heading, rows, problems):
        name = cells[system]
        if name in without:
            unseen.discard(name)
            continue
        if not name or name in systems:
            raise input_error(path, "system", "a name of its own", quoted(name), number)
        systems[name] = number
        for column, own in values.items():
            may_be_empty = column == other_human
            own.append(_number(path, number, column, cells[column], may_be_empty))
    if problems:
        raise InputError(problems)
    for name in unseen:
        raise input_error(path, "systems left out", choices(systems), quoted(name))
    columns = {name: np.array(own) for name, own in values.items()}
    _check_values(path, columns, len(systems), other_human)
    for name in negate:
        columns[name] = -columns[name]
    return ScoreTable(path.name, tuple(systems), human, columns, other_human)


def _check_columns(
    path: Path, line: int, field: str, names: Collection[str], known: Sequence[str]
) -> None:
    for name in names:
        if name not in known:
            raise input_error(path, field, choices(known), quoted(name), line)


def _number(path: Path, line: int, column: str, cell: str, may_be_empty: bool) -> float:
    if not cell and may_be_empty:
        return math.nan
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise input_error(path, column, "a number", quoted(cell) if cell else "nothing", line)
    return value


def _check_values(
    path: Path, columns: Mapping[str, Values], systems: int, other_human: str | None
) -> None:
    """Whether systems are enough, and differ; also those that two human evaluations share."""
    if systems < FEWEST:
        raise input_error(path, "systems", f"at least {FEWEST}", str(systems))
    common = np.ones(systems, dtype=bool)
    if other_human is not None:
        common = ~np.isnan(columns[other_human])
        if common.sum() < FEWEST_WILLIAMS:
            expected = f"scores of at least {FEWEST_WILLIAMS} systems"
            raise input_error(path, other_human, expected, str(common.sum()))
    for name, values in columns.items():
        if np.ptp(values[common]) == 0:
            expected = "at least two different values"
            raise input_error(path, name, expected, f"{values[common][0]:g} for all systems")
