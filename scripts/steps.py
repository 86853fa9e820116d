"""Progress of long commands on standard error: a bar on a terminal, a few lines in a log."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from crosspro.data_prep.core.processes import Step

PATIENCE = 30.0
"""Seconds between the lines of a step, where there is no terminal."""


def _progress_bar(console: Console) -> Progress:
    """A bar that vanishes when it ends, and is not shown where there is no terminal."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


@contextmanager
def counting_bar(units: str, total: int) -> Iterator[Callable[[int], None]]:
    """A bar whose function takes the number of units that are newly done."""
    with _progress_bar(Console(stderr=True)) as bar:
        task = bar.add_task(units, total=total)
        yield lambda number: bar.advance(task, number)


class StepDisplay:
    """Shows steps as they report; a step lasts until another begins, or the block ends."""

    def __init__(self, console: Console | None = None) -> None:
        self.console = console or Console(stderr=True)
        self._bar = _progress_bar(self.console)
        self._task = self._bar.add_task("", total=None, visible=False)
        self._name = self._detail = ""
        self._began = self._detail_began = self._printed = 0.0

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
            self._end_step()
        self._bar.stop()

    def report(self, step: Step) -> None:
        """Show how far a step is; without a detail it goes on with its last one."""
        now = time.monotonic()
        new = step.name != self._name
        if new:
            self._end_step()
            self._name, self._detail, self._began = step.name, "", now
        if new or (step.detail and step.detail != self._detail):
            self._detail, self._detail_began, self._printed = step.detail, now, now
            self._print(self._title)
        elif now - self._printed >= PATIENCE:
            self._printed = now
            self._print(f"{self._title}: {_progress(step, now - self._detail_began)}")
        self._bar.update(
            self._task,
            description=self._title,
            completed=step.done,
            total=step.total or None,
            visible=True,
        )

    @property
    def _title(self) -> str:
        return f"{self._name}: {self._detail}" if self._detail else self._name

    def _end_step(self) -> None:
        if self._name:
            self._print(f"{self._name}: done in {_duration(time.monotonic() - self._began)}")

    def _print(self, text: str) -> None:
        if not self.console.is_terminal:
            print(text, file=self.console.file, flush=True)


def _progress(step: Step, seconds: float) -> str:
    if not step.total:
        return "under way"
    share = step.done / step.total
    left = f", {_duration(seconds / share - seconds)} left" if 0 < share < 1 else ""
    return f"{step.done:,} of {step.total:,} ({100 * share:.0f}%){left}"


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 3600 else f"{seconds / 3600:.1f} h"
