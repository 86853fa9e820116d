"""A score: its value, how certain it is, and how it was computed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from math import isnan

UNDEFINED = "–"
"""What stands in a table for a score that is not defined."""
_UNIT = re.compile(r"\|by:([^|]+)")


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

    def shown(self, digits: int = 2) -> str:
        """The value and, where it is known, its interval; a dash if it is not defined."""
        if isnan(self.value):
            return UNDEFINED
        if self.low is None or self.high is None:
            return f"{self.value:.{digits}f}"
        return f"{self.value:.{digits}f} [{self.low:.{digits}f}, {self.high:.{digits}f}]"


def interval_note(scores: Iterable[Score]) -> str:
    """What the brackets of a table are: `[95% interval by document]`; empty if there are none."""
    units = dict.fromkeys(one.unit for one in scores if one.unit is not None)
    return f"[95% interval by {' and '.join(units)}]" if units else ""
