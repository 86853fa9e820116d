"""Paired differences as every report shows them: one table, one note, one JSON record."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from crosspro.evaluation.core.score import Scale
from crosspro.evaluation.core.significance import Difference
from crosspro.evaluation.output.tables import Row

NOT_CORRECTED = "p values are two-sided and not corrected for the number of comparisons."


def differences_table(
    differences: Sequence[Difference],
    scale: Scale,
    title: Callable[[str], str] = str,
) -> tuple[Row, list[Row], int]:
    """The heading, the rows, and how many columns are flush left.

    The metric has a column if there are several; `title` is how it is written.
    """
    several = len({one.metric for one in differences}) > 1
    rows: list[Row] = []
    for one in differences:
        change, low, high = (
            scale.number(value, "+") for value in (one.difference, one.low, one.high)
        )
        rows.append(
            (
                f"{one.first} - {one.second}",
                *([title(one.metric)] if several else []),
                f"{change} [{low}, {high}]",
                f"{one.p_randomisation:.4f}",
                f"{one.p_bootstrap:.4f}",
            )
        )
    between = ["metric"] if several else []
    heading = ("pair", *between, "difference", "p (randomisation)", "p (bootstrap)")
    return heading, rows, 1 + len(between)


def difference_record(one: Difference, metric: str | None = None) -> dict[str, Any]:
    """A difference for JSON; `metric` is the key of its metric, None if there is but one."""
    record = one._asdict()
    name = record.pop("metric")
    return record if metric is None else {metric: name, **record}
