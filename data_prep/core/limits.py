"""How much input may ask for: a small file can stand for more than fits into memory.

What is beyond a limit is refused. All of them are multiplied by one factor, which is usually 1:
`--limit 10` of every command, `limit=10` of train.py, `with crosspro.limits(10):` in Python.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

from crosspro.data_prep.core.errors import input_error

Piece = TypeVar("Piece")
Result = TypeVar("Result")

MOST_FACTOR = 10**9
_factors: dict[object, float] = {}
"""Of the blocks that are open, the last of which holds; those of several threads may end in any
order."""


def limit_factor() -> float:
    """What all limits are multiplied by now."""
    return next(reversed(_factors.values()), 1)


def how_to_allow_more() -> str:
    """What a message says to users whose input is meant."""
    twice = f"{2 * limit_factor():g}"
    return f"--limit {twice} allows twice as much, limit={twice} in a training"


@dataclass(frozen=True)
class Limit:
    """So much is read, times the factor."""

    usual: int

    def most(self) -> int:
        """The number that holds now."""
        return max(1, round(self.usual * limit_factor()))

    def expected(self, what: str) -> str:
        """What a message expects, and how more is allowed."""
        return f"at most {self.most():,} {what} ({how_to_allow_more()})"


LINE_BYTES = Limit(1 << 26)
"""A line of so many bytes, or a segment of XML of so many characters, is 10 million words: no text
has one."""
FILE_BYTES = Limit(1 << 30)
"""Of a compressed file that is read as a whole or an archive of a system, once unpacked; of what
comes through a pipe; of a file of a tar archive, and of all that are held in memory."""
PACKED_TIMES = Limit(100)
"""What is compressed may be so many times as large once it is unpacked, where that is more than the
limit in bytes. Text and counts shrink to a tenth; what shrinks to less than a hundredth (document
ids do) is seldom that large."""
ARRAY_BYTES = Limit(1 << 28)
"""Of the arrays of a compressed file (a prior, say)."""
YAML_ITEMS = Limit(200_000)
"""In a YAML file, with its aliases written out: a few of them can stand for billions."""
ALIGNED_WORDS = Limit(2000)
"""Of a line that is to be aligned: time and memory grow with the square of it."""
ASSIGNMENTS = Limit(5_000_000)
"""Places in the work of all annotators of a campaign: a shared question has one for each judge."""


@contextmanager
def changed_limits(factor: object) -> Iterator[None]:
    """All limits times a factor, within a block."""
    if type(factor) is bool or not isinstance(factor, int | float) or not 0 < factor <= MOST_FACTOR:
        huge = isinstance(factor, int) and abs(factor) > MOST_FACTOR  # perhaps too long to write
        found = "another" if huge else repr(factor)
        raise input_error("settings", "limit", f"a number above 0 up to {MOST_FACTOR:,}", found)
    block = object()
    _factors[block] = factor
    try:
        yield
    finally:
        del _factors[block]


def within_limits(function: Callable[[Piece], Result], factor: float, piece: Piece) -> Result:
    """Call a function in another process with the limits of this one."""
    with changed_limits(factor):
        return function(piece)
