"""Progress of long commands on standard error: a bar on a terminal, a line a step in a log."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


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
    """Shows steps as they report; in a log each has a line when it begins."""

    def __init__(self, console: Console | None = None) -> None:
        self.console = console or Console(stderr=True)
        self._bar = _progress_bar(self.console)
        self._task = self._bar.add_task("", total=None)
        self._step = self._title = ""

    def __enter__(self) -> StepDisplay:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def report(self, step: str, detail: str, done: int, total: int) -> None:
        """Show the progress of a step; without a detail its last one stays."""
        title = f"{step}: {detail}" if detail else step
        if step == self._step and not detail:
            title = self._title
        if title != self._title and not self.console.is_terminal:
            print(title, file=self.console.file, flush=True)
        self._step, self._title = step, title
        self._bar.update(self._task, description=title, completed=done, total=total or None)
