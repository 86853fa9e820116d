"""A score: its value, how certain it is, how it is shown, and how it was computed (signature)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING, NamedTuple

from crosspro.version import __version__

if TYPE_CHECKING:
    from crosspro.evaluation.core.statistics import Resampling

UNDEFINED = "–"
"""What stands in a table for a score that is not defined."""
_UNIT = re.compile(r"\|by:([^|]+)")


class Scale(NamedTuple):
    """How scores are shown: times `factor`, with so many digits, on bars from `bottom` to `top`.

    A share that is stored as 0.0667 is shown as 6.7 on `Scale(digits=1, factor=100)`.
    """

    top: float = 100
    digits: int = 2
    bottom: float = 0
    factor: float = 1

    def number(self, value: float, sign: str = "") -> str:
        """A value, or a difference of values with `+` as its sign."""
        return f"{self.factor * value:{sign}.{self.digits}f}"

    def percent(self, value: float) -> float:
        """Where a value stands on a bar, from 0 to 100."""
        return 100 * (self.factor * value - self.bottom) / (self.top - self.bottom)


PERCENT = Scale()
UNIT = Scale(1, 4)


@dataclass(frozen=True, slots=True)
class Score:
    """A value with how it was computed and how certain it is (a 95% interval)."""

    name: str
    value: float
    signature: str
    low: float | None = None
    high: float | None = None

    def __str__(self) -> str:
        return self.shown()

    @property
    def unit(self) -> str | None:
        """What was resampled for the interval, as the signature says; None if nothing was."""
        found = _UNIT.search(self.signature)
        return found[1] if found and self.low is not None else None

    def shown(self, scale: Scale = PERCENT) -> str:
        """The value and, where it is known, its interval; a dash if it is not defined."""
        if isnan(self.value):
            return UNDEFINED
        if self.low is None or self.high is None:
            return scale.number(self.value)
        number = scale.number
        return f"{number(self.value)} [{number(self.low)}, {number(self.high)}]"


def interval_note(scores: Iterable[Score]) -> str:
    """What the brackets of a table are: `[95% interval by document]`; empty if there are none."""
    units = dict.fromkeys(score.unit for score in scores if score.unit is not None)
    return f"[95% interval by {' and '.join(units)}]" if units else ""


def make_signature(
    parts: Iterable[str], plan: Resampling | None, unit: str, others: Iterable[str] = ()
) -> str:
    """What a metric says about itself, then the resampling if there was any, then the versions.

    `unit` is what was resampled; `others` are the signatures of other programs that took part.
    """
    resampling = []
    if plan is not None:
        resampling = [f"bootstrap:{plan.resamples}", f"by:{unit}", f"seed:{plan.seed}"]
    return "|".join([*parts, *resampling, f"crosspro:{__version__}", *others])
