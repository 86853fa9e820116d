"""The steps of a long command on standard error: how far each is, how long it will take, and took.

On a terminal a bar shows the step that is under way; elsewhere, such as in a log, there is a line
when a step begins, one now and then, and one when it ends.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from crosspro.data_prep.core.processes import Step
from crosspro.evaluation.output.tables import text_table

PATIENCE = 30.0
"""Seconds between the lines of a step, where there is no terminal."""


@contextmanager
def counting_bar(units: str, total: int) -> Iterator[Callable[[int], None]]:
    """A bar that is told how many units are newly done; none where there is no terminal."""
    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task(units, total=total)
        yield lambda number: bar.advance(task, number)


@dataclass(frozen=True)
class StepTime:
    """What a step took: seconds on the clock, and of all processors."""

    name: str
    wall: float
    cpu: float


class StepDisplay:
    """Shows steps as they report; a step lasts until another begins, or the block ends."""

    def __init__(self, console: Console | None = None) -> None:
        self.console = console or Console(stderr=True)
        self.times: list[StepTime] = []
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
        )
        self._bar = Progress(
            *columns, console=self.console, transient=True, disable=not self.console.is_terminal
        )
        self._task: TaskID | None = None
        self._step: Step | None = None
        self._part = ""
        self._began = self._part_began = self._told = (0.0, 0.0)

    def __enter__(self) -> StepDisplay:
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self._end()
        self._bar.stop()

    def report(self, step: Step) -> None:
        """Show how far a step is; one without a detail goes on with what it was doing."""
        now = _clock()
        new = self._step is None or step.name != self._step.name
        if new:
            self._end()
            self._began = now
            self._task = self._bar.add_task(step.name, total=None)
        if new or (step.detail and step.detail != self._part):
            self._part, self._part_began, self._told = step.detail, now, now
            self._tell(self._title(step.name))
        elif now[0] - self._told[0] >= PATIENCE:
            self._told = now
            far = _progress(step, now[0] - self._part_began[0])
            self._tell(f"{self._title(step.name)}: {far}")
        self._step = step
        if self._task is not None:
            self._bar.update(
                self._task,
                description=self._title(step.name),
                completed=step.done,
                total=step.total or None,
            )

    def table(self) -> str:
        """Where the time went."""
        whole = StepTime(
            "all", sum(one.wall for one in self.times), sum(one.cpu for one in self.times)
        )
        rows = [
            (
                one.name,
                f"{one.wall:,.1f}",
                f"{one.cpu:,.1f}",
                f"{100 * one.wall / max(whole.wall, 1e-9):.0f}%",
            )
            for one in (*self.times, whole)
        ]
        return text_table(("step", "seconds", "CPU seconds", "share"), rows)

    def _title(self, name: str) -> str:
        return f"{name}: {self._part}" if self._part else name

    def _end(self) -> None:
        if self._step is None:
            return
        wall, cpu = (now - then for now, then in zip(_clock(), self._began, strict=True))
        self.times.append(StepTime(self._step.name, wall, cpu))
        if self._task is not None:
            self._bar.remove_task(self._task)
        self._part = ""
        self._tell(f"{self._step.name}: done in {_duration(wall)}")
        self._step = self._task = None

    def _tell(self, text: str) -> None:
        if not self.console.is_terminal:
            print(text, file=self.console.file, flush=True)


def _progress(step: Step, seconds: float) -> str:
    if not step.total:
        return "under way"
    share = step.done / step.total
    left = f", {_duration(seconds / share - seconds)} left" if 0 < share < 1 else ""
    return f"{step.done:,} of {step.total:,} ({100 * share:.0f}%){left}"


def _clock() -> tuple[float, float]:
    """Seconds on the clock, and of all processors: of this process, and of those that have ended
    since and worked for it."""
    used = os.times()
    return time.monotonic(), used.user + used.system + used.children_user + used.children_system


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f} s"
    if seconds < 3600:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
