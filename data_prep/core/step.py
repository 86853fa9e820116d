"""How far a long command is: what its steps report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """How far a step is: its name, what it does now, and how much of it is done."""

    name: str
    detail: str = ""
    done: int = 0
    total: int = 0


Report = Callable[[Step], None]
"""A step begins with its first report, and ends where another begins."""
