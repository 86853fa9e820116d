"""Arguments of the public functions: paths and tasks, checked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crosspro.data_prep.core.task import Task

AnyPath = str | Path


def path_or_none(path: AnyPath | None) -> Path | None:
    """The path of an optional file."""
    return None if path is None else Path(path)


def task_of(task: Task | AnyPath) -> Task:
    """A task, or the one of that name or file."""
    from crosspro.data_prep.core.task import Task, load_task

    return task if isinstance(task, Task) else load_task(path_of("task", task))


def path_of(name: str, value: object) -> Path:
    """The path of an argument that must be a name or a path."""
    from crosspro.data_prep.core.errors import input_error, quoted

    if not isinstance(value, AnyPath):
        raise input_error("arguments", name, "a name or a path", quoted(repr(value))[1:-1])
    return Path(value)
