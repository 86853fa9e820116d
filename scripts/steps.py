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


@contextmanager
def step_display(console: Console | None = None) -> Iterator[Callable[[str, str, int, int], None]]:
    """A function that shows a step, a detail of it, and its progress.

    In a log each step and each detail has a line when it begins; without a detail the last one of
    the step stays.
    """
    console = console or Console(stderr=True)
    titles: dict[str, str] = {}
    with _progress_bar(console) as bar:
        task = bar.add_task("", total=None)

        def report(step: str, detail: str, done: int, total: int) -> None:
            title = f"{step}: {detail}" if detail else titles.get(step, step)
            if titles.get(step) != title and not console.is_terminal:
                print(title, file=console.file, flush=True)
            titles[step] = title
            bar.update(task, description=title, completed=done, total=total or None)

        yield report
