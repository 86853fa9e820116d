"""Progress of long commands on standard error: a bar on a terminal, a few lines in a log."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from crosspro.data_prep.core.processes import Step

PATIENCE = 30.0
"""Seconds between the lines of a step in a log."""


def _progress_bar(console: Console) -> Progress:
    """A bar that vanishes when it ends; only terminals show it."""
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
        self._began = self._printed = 0.0

    def __enter__(self) -> StepDisplay:
        self._bar.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self._end_step()
        self._bar.stop()

    def report(self, step: Step) -> None:
        """Show the progress of a step; without a detail its last one stays."""
        now = time.monotonic()
        new = step.name != self._name
        if new:
            self._end_step()
            self._name, self._detail, self._began = step.name, "", now
        detail = step.detail or self._detail
        title = f"{step.name}: {detail}" if detail else step.name
        if new or detail != self._detail:
            self._detail, self._printed = detail, now
            self._print(title)
        elif now - self._printed >= PATIENCE:
            self._printed = now
            self._print(f"{title}: {step.done:,} of {step.total:,}" if step.total else title)
        total = step.total or None
        self._bar.update(
            self._task, description=title, completed=step.done, total=total, visible=True
        )

    def _end_step(self) -> None:
        if self._name:
            self._print(f"{self._name}: done in {time.monotonic() - self._began:.0f} s")

    def _print(self, text: str) -> None:
        if not self.console.is_terminal:
            print(text, file=self.console.file, flush=True)
