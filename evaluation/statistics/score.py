"""A score: its value, how certain it is, and how it was computed."""

from __future__ import annotations

from dataclasses import dataclass


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

    def shown(self, digits: int = 2) -> str:
        """The value and, where it is known, its interval."""
        if self.low is None or self.high is None:
            return f"{self.value:.{digits}f}"
        return f"{self.value:.{digits}f} [{self.low:.{digits}f}, {self.high:.{digits}f}]"
