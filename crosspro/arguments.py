"""Arguments of the public functions: paths, tasks and languages, checked."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crosspro.data_prep.core.task import Task

AnyPath = str | Path
Paths = Iterable[AnyPath] | AnyPath
"""Several paths, or one."""


def path_or_none(path: AnyPath | None) -> Path | None:
    """The path of a file that may be left out."""
    return None if path is None else Path(path)


def given_task(task: Task | AnyPath) -> Task:
    """A task, or the one of that name or file."""
    from crosspro.data_prep.core.task import Task, load_task

    return task if isinstance(task, Task) else load_task(given_path("task", task))


def given_path(name: str, value: object, expected: str = "a name or a path") -> Path:
    """The path that an argument is; `InputError` if it is none."""
    from crosspro.data_prep.core.errors import input_error, quoted

    if not isinstance(value, AnyPath):
        raise input_error("arguments", name, expected, quoted(repr(value))[1:-1])
    return Path(value)


def check_choice(name: str, value: object, known: Iterable[str]) -> None:
    """Refuse a value that is none of the known ones."""
    from crosspro.data_prep.core.errors import choices, input_error

    if value not in list(known):
        raise input_error("arguments", name, choices(known), repr(value))


def languages_or_none(source: str | None, target: str | None) -> tuple[str, str] | None:
    """Both languages, or None if neither is given; one without the other is refused."""
    from crosspro.data_prep.core.errors import input_error

    if source is None and target is None:
        return None
    if not isinstance(source, str) or not isinstance(target, str):
        missing = "source_language" if not isinstance(source, str) else "target_language"
        found = repr(source if missing == "source_language" else target)
        raise input_error("arguments", missing, "a language such as fr, beside the other", found)
    return source, target
