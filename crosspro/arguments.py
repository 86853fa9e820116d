"""Arguments of the public functions: several forms are taken, and wrong ones refused."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crosspro.data_prep.core.task import Task
    from crosspro.evaluation.core.statistics import Resampling

AnyPath = str | Path
Paths = Iterable[AnyPath] | AnyPath
"""Several paths, or one."""


def path_or_none(path: AnyPath | None) -> Path | None:
    """The path of a file that may be left out."""
    return None if path is None else Path(path)


def all_paths(paths: Paths) -> list[Path]:
    """Several paths; a single one is a list of one, and not of its characters."""
    return [Path(path) for path in ([paths] if isinstance(paths, AnyPath) else paths)]


def given_task(task: Task | AnyPath) -> Task:
    """A task, or the one of that name or file."""
    from crosspro.data_prep.core.task import load_task

    return load_task(task) if isinstance(task, AnyPath) else task


def check_choice(name: str, value: object, known: Iterable[str]) -> None:
    """Refuse a value that is none of the known ones."""
    from crosspro.data_prep.core.errors import choices, input_error

    if value not in list(known):
        raise input_error("arguments", name, choices(known), repr(value))


def resampling(resamples: int, seed: int) -> Resampling | None:
    """How scores are resampled: not at all with 0 resamples."""
    from crosspro.data_prep.core.errors import InputError, Problem
    from crosspro.evaluation.core.statistics import Resampling

    numbers = {"resamples": resamples, "seed": seed}
    wrong = {name: one for name, one in numbers.items() if type(one) is not int or one < 0}
    if wrong:
        expected = "a whole number from 0"
        raise InputError(
            Problem("arguments", None, name, expected, repr(one)) for name, one in wrong.items()
        )
    return Resampling(resamples, seed) if resamples else None


def check_lines(**lines: Sequence[str] | None) -> None:
    """Refuse what are not lists of single lines, as many in each; None may be left out."""
    from crosspro.data_prep.core.errors import InputError, Problem, quoted

    problems = []
    given = {name: own for name, own in lines.items() if own is not None}
    first, size = next((name, len(own)) for name, own in given.items())
    for name, own in given.items():
        if isinstance(own, str):
            problems.append(Problem("arguments", None, name, "a list of lines", quoted(own)))
            continue
        if len(own) != size:
            expected = f"{size:,} lines as in {first}"
            problems.append(Problem("arguments", None, name, expected, f"{len(own):,}"))
        for number, line in enumerate(own, start=1):
            if not isinstance(line, str) or "\n" in line:
                found = quoted(line) if isinstance(line, str) else repr(line)
                problems.append(Problem("arguments", number, name, "one line of text", found))
    if problems:
        raise InputError(problems)
