"""Progress of long commands on standard error: a bar on a terminal, a few lines in a log."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

PATIENCE = 30.0
"""Seconds between the lines of a step in a log."""


def _progress_bar(console: Console) -> Progress:
    """A bar that vanishes when it ends; only terminals show it."""
    columns = BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    hidden = not console.is_terminal
    text = TextColumn("{task.description}")
    return Progress(text, *columns, console=console, transient=True, disable=hidden)


@contextmanager
def counting_bar(units: str, total: int) -> Iterator[Callable[[int], None]]:
    """A bar whose function takes the number of units that are newly done."""
    with _progress_bar(Console(stderr=True)) as bar:
        task = bar.add_task(units, total=total)
        yield lambda number: bar.advance(task, number)


class StepDisplay:
    """Shows steps as they report; in a log each has a line when it begins, and now and then."""

    def __init__(self, console: Console | None = None) -> None:
        self.console = console or Console(stderr=True)
        self._bar = _progress_bar(self.console)
        self._task = self._bar.add_task("", total=None)
        self._name = self._title = ""
        self._printed = 0.0

    def __enter__(self) -> StepDisplay:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def report(self, step: str, detail: str, done: int, total: int) -> None:
        """Show the progress of a step; without a detail its last one stays."""
        title = f"{step}: {detail}" if detail else step
        if step == self._name and not detail:
            title = self._title
        begins, now = title != self._title, time.monotonic()
        if begins or now - self._printed >= PATIENCE:
            self._printed = now
            share = f": {done:,} of {total:,}" if total and not begins else ""
            if not self.console.is_terminal:
                print(f"{title}{share}", file=self.console.file, flush=True)
        self._name, self._title = step, title
        self._bar.update(self._task, description=title, completed=done, total=total or None)
