"""Types of settings: what the values of a signature must be, beyond their plain type.

A function that a configuration names (`_target_`) is called only if the settings fit its
signature. Plain types are checked as they are; `Annotated[int, Must("an even number", even)]` says
more, and its words stand in the message.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

MOST_SEED = 2**32 - 1
"""Seeds are numbers of 32 bits, which every generator takes."""


@dataclass(frozen=True)
class Must:
    """What a value of the right type must be, in words and as a test."""

    expected: str
    holds: Callable[[Any], bool]


Count = Annotated[int, Must("a whole number from 1", lambda value: value >= 1)]
Seed = Annotated[
    int, Must(f"a whole number from 0 to {MOST_SEED:,}", lambda value: 0 <= value <= MOST_SEED)
]
Share = Annotated[float, Must("a share above 0, at most 1", lambda value: 0 < value <= 1)]
Folder = Annotated[str | Path, Must("a folder", lambda value: Path(value).is_dir())]
NameInFolder = Annotated[
    str,
    Must(
        "a file name or pattern inside data.dir",
        lambda value: bool(value) and not Path(value).is_absolute(),
    ),
]
