"""The lines of text files; every line that is not UTF-8 is a problem."""

from __future__ import annotations

from pathlib import Path

from crosspro.data_prep.core.errors import InputError, Problem
from crosspro.data_prep.core.files import bad_byte, read_lines


def lines_of(path: Path, problems: list[Problem]) -> list[str] | None:
    """The lines of a UTF-8 file; every line that is not UTF-8 is a problem."""
    before = len(problems)
    lines = []
    try:
        for number, raw in enumerate(read_lines(path), start=1):
            try:
                lines.append(raw.decode("utf-8").removesuffix("\n"))
            except UnicodeDecodeError as error:
                problems.append(Problem(str(path), number, "encoding", "UTF-8", bad_byte(error)))
    except InputError as error:
        problems += error.problems
    return None if len(problems) > before else lines


def unequal_lines(path: str | Path, found: int, expected: int, other: str | Path) -> list[Problem]:
    """The problem of a file that should have as many lines as another, at the first odd line."""
    if found == expected:
        return []
    first = min(found, expected) + 1
    return [Problem(str(path), first, "lines", f"{expected} lines as in {other}", str(found))]
