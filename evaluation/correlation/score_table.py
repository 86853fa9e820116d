"""Tables of MT systems: a row for each, a column for each metric or human score."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
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
    problems: list[Problem] = []
    cells = named_cells(path, heading, rows, problems)
    systems, columns = _read_numbers(
        path, cells, system, names, set(without), other_human, problems
    )
    if not problems:
        _check_columns(path, len(systems), columns, other_human, problems)
    if problems:
        raise InputError(problems)
    for name in negate:
        columns[name] = -columns[name]
    return ScoreTable(path.name, systems, human, columns, other_human)


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


def _read_numbers(
    path: Path,
    rows: Iterable[tuple[int, Mapping[str, str]]],
    system: str,
    names: Sequence[str],
    without: set[str],
    may_be_empty: str | None,
    problems: list[Problem],
) -> tuple[tuple[str, ...], dict[str, Values]]:
    """The systems that are not left out, and the columns of these names."""
    values: dict[str, list[float]] = {name: [] for name in names}
    lines: dict[str, int] = {}
    missing = set(without)
    for line, cells in rows:
        name = cells[system]
        if name in without:
            missing.discard(name)
            continue
        if not name:
            problems.append(Problem(str(path), line, "system", "a name", "nothing"))
        elif name in lines:
            found = f"{quoted(name)}, as in line {lines[name]}"
            problems.append(Problem(str(path), line, "system", "a name of its own", found))
        lines.setdefault(name, line)
        for column in (column for column in cells if column in values):
            cell = cells[column]
            value = _number(cell)
            if not math.isfinite(value) and (cell or column != may_be_empty):
                found = quoted(cell) if cell else "nothing"
                problems.append(Problem(str(path), line, column, "a number", found))
            values[column].append(value)
    known = choices(lines) if lines else "a system"
    for name in sorted(missing):
        problems.append(Problem(str(path), None, "systems left out", known, quoted(name)))
    return tuple(lines), {name: np.array(own) for name, own in values.items()}


def _number(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        return math.nan


def _check_columns(
    path: Path,
    systems: int,
    columns: Mapping[str, Values],
    other_human: str | None,
    problems: list[Problem],
) -> None:
    """Whether systems are enough, and differ; also those that two human evaluations share."""

    def check_values(own: Mapping[str, Values], where: str) -> None:
        expected = "at least two different values"
        for name, values in own.items():
            if np.ptp(values) == 0:
                found = f"{values[0]:g} for {where}"
                problems.append(Problem(str(path), None, name, expected, found))

    if systems < FEWEST:
        expected = f"at least {FEWEST}"
        problems.append(Problem(str(path), None, "systems", expected, str(systems)))
        return
    check_values(columns, "all systems")
    if other_human is None or problems:
        return
    common = ~np.isnan(columns[other_human])
    if common.sum() < FEWEST_WILLIAMS:
        expected = f"scores of at least {FEWEST_WILLIAMS} systems"
        problems.append(Problem(str(path), None, other_human, expected, str(common.sum())))
        return
    kept = {name: values[common] for name, values in columns.items()}
    check_values(kept, "all systems that both have")
