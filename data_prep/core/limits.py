"""How much input may ask for: a small file can stand for more than fits into memory.

What is beyond a limit is refused, and the message names the limit. `--limit NAME=N` of every
command allows more (or less), as do `limits.NAME=N` of train.py and `crosspro.limits(NAME=N)` in
Python; docs/commands.md lists them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

from crosspro.data_prep.core.errors import InputError, Problem, choices

Piece = TypeVar("Piece")
Result = TypeVar("Result")

MOST = 10**18
"""No limit is higher: greater numbers are none that a machine could read to."""

_changed: list[Mapping[str, int]] = []
"""Of each block that is open, the numbers that it has changed."""


@dataclass(frozen=True)
class Limit:
    """So much is read, unless another number is given."""

    name: str
    usual: int

    def most(self) -> int:
        """The number that holds now."""
        return next(
            (block[self.name] for block in reversed(_changed) if self.name in block), self.usual
        )

    def expected(self, what: str) -> str:
        """What a message expects, and how more is allowed."""
        return f"at most {self.most():,} {what} ({self.hint})"

    @property
    def hint(self) -> str:
        """How a user allows more."""
        return f"--limit {self.name}=N allows more, limits.{self.name}=N in a training"


LINE_BYTES = Limit("line_bytes", 1 << 26)
"""A line of so many bytes is 10 million words: no text has one."""
FILE_BYTES = Limit("file_bytes", 1 << 30)
"""Of a compressed file that is read as a whole, or an archive of a system, once it is unpacked; and
of what comes through a pipe."""
PACKED_TIMES = Limit("packed_times", 100)
"""A compressed file may be so many times as large once it is unpacked, or as LINE_BYTES. Text
shrinks to a tenth; what shrinks to less than a hundredth (document ids do) is seldom that large."""
ARRAY_BYTES = Limit("array_bytes", 1 << 28)
"""Of the arrays of a compressed file (a prior, say), however small it is."""
YAML_ITEMS = Limit("yaml_items", 200_000)
"""In a YAML file, with its aliases written out: a few of them can stand for billions."""
XML_CHARACTERS = Limit("xml_characters", 1_000_000)
"""More between two tags are no segment of text."""
SUITE_REFERENCES = Limit("suite_references", 100)
"""Reference translations of a PROTEST suite: each line makes room for them."""
ALIGNED_WORDS = Limit("aligned_words", 2000)
"""Of a line that is to be aligned: time and memory grow with the square of it."""
MEMBER_BYTES = Limit("member_bytes", 1 << 34)
"""Of any file of a tar archive, also of those that are passed over."""
PROJECT_FILE_BYTES = Limit("project_file_bytes", 200_000_000)
"""Of a file of an MMAX project in an archive, which is held in memory."""
PROJECT_BYTES = Limit("project_bytes", 1_000_000_000)
"""Of all files of an MMAX project in an archive."""
JUDGES = Limit("judges", 1000)
"""People who take part in a campaign: every request is compared with the links of all of them."""
ASSIGNMENTS = Limit("assignments", 5_000_000)
"""Places in the work of all annotators of a campaign: a shared question has one for each judge."""

LIMITS = {
    one.name: one
    for one in (
        LINE_BYTES,
        FILE_BYTES,
        PACKED_TIMES,
        ARRAY_BYTES,
        YAML_ITEMS,
        XML_CHARACTERS,
        SUITE_REFERENCES,
        ALIGNED_WORDS,
        MEMBER_BYTES,
        PROJECT_FILE_BYTES,
        PROJECT_BYTES,
        JUDGES,
        ASSIGNMENTS,
    )
}


@contextmanager
def changed_limits(values: Mapping[str, object]) -> Iterator[None]:
    """Other numbers by name, within a block."""
    problems = [
        *(
            Problem("limits", None, name, choices(LIMITS), "an unknown name")
            for name in values
            if name not in LIMITS
        ),
        *(
            Problem("limits", None, name, f"a whole number from 1 to {MOST:,}", _shown(value))
            for name, value in values.items()
            if type(value) is not int or not 1 <= value <= MOST
        ),
    ]
    if problems:
        raise InputError(problems)
    block = {name: value for name, value in values.items() if isinstance(value, int)}
    _changed.append(block)
    try:
        yield
    finally:  # blocks of several threads end in any order
        del _changed[next(n for n, other in enumerate(_changed) if other is block)]


def _shown(value: object) -> str:
    return "a greater one" if type(value) is int and value > MOST else repr(value)


def limits_now() -> dict[str, int]:
    """The numbers that were changed, for other processes."""
    return {name: number for block in _changed for name, number in block.items()}


def within_limits(
    function: Callable[[Piece], Result], limits: Mapping[str, int], piece: Piece
) -> Result:
    """Call a function in another process with the limits of this one."""
    with changed_limits(limits):
        return function(piece)
