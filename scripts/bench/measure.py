"""Time and memory: of commands in turns, with all their processes, and of functions.

CPU seconds are those of a whole command, start-up included; packages have their bytecode, whatever
the environment says. Memory is the largest sum of proportional shares (PSS) over a process and its
children, looked up often in the beginning and ten times a second later.
"""

from __future__ import annotations

import multiprocessing
import os
import resource
import select
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import numpy as np

from crosspro.evaluation.leaderboard.speed import Measured

Figures = Mapping[str, float]
Result = TypeVar("Result")
_LOOK, _LOOKS = 0.1, 5
"""Seconds between two looks at memory, and how many say something."""

CROSSPRO = (sys.executable, "-m", "crosspro.scripts.main")
"""How a command of ours is started."""


@dataclass(frozen=True)
class Command:
    """A command, the file that it reads as its standard input, and what is removed before a run.

    `figures` finds more numbers in what it has told (standard error), or in its files.
    """

    words: Sequence[object]
    text: Path | None = None
    fresh: Path | None = None
    figures: Callable[[str], Figures] = field(default=lambda _: {})


Found = tuple[Measured, Figures]


def in_turns(commands: Sequence[Command], times: int) -> list[Found]:
    """Each of some commands, which are run in turns: medians of so many rounds."""
    rounds = [[_run(one) for one in commands] for _ in range(times)]
    return [medians(own) for own in zip(*rounds, strict=True)]


def medians(found: Sequence[Found]) -> Found:
    """The middle of each figure, of those that have it."""

    def middle(values: Iterable[float | None]) -> float | None:
        known = [one for one in values if one is not None]
        return statistics.median(known) if known else None

    measured = [one for one, _ in found]
    wall = statistics.median(one.wall for one in measured)
    cpu, memory = middle(one.cpu for one in measured), middle(one.memory for one in measured)
    names = dict.fromkeys(name for _, figures in found for name in figures)
    figures = {name: middle(own.get(name) for _, own in found) for name in names}
    return Measured(wall, cpu, memory), {k: v for k, v in figures.items() if v is not None}


def exponent(sizes: Sequence[float], seconds: Sequence[float | None]) -> float | None:
    """How seconds grow with sizes, by least squares of their logarithms: 1 is linear."""
    known = [one for one in seconds if one]
    if len(sizes) < 2 or len(known) < len(sizes):
        return None
    return float(np.polyfit(np.log(sizes), np.log(known), 1)[0])


def _run(command: Command) -> Found:
    if command.fresh is not None and command.fresh.exists():
        shutil.rmtree(command.fresh)
    words = [*map(str, command.words)]
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    before, start, peaks = _cpu(resource.RUSAGE_CHILDREN), time.perf_counter(), list[int]()
    with (
        tempfile.TemporaryFile() as told,
        (command.text or Path(os.devnull)).open("rb") as stream,
        subprocess.Popen(
            words, stdin=stream, stdout=subprocess.DEVNULL, stderr=told, env=environment
        ) as process,
    ):
        ended = os.pidfd_open(process.pid)
        wall = 0.0
        while not select.select([ended], (), (), min(_LOOK, 0.002 + wall / 20))[0]:
            peaks.append(sum(map(_memory, _tree(process.pid))))
            wall = time.perf_counter() - start
        wall = time.perf_counter() - start
        os.close(ended)
        process.wait()
        cpu = _cpu(resource.RUSAGE_CHILDREN) - before
        told.seek(0)
        text = told.read().decode("utf-8", "replace")
    if process.returncode:
        raise SystemExit(f"{' '.join(words)}: exit status {process.returncode}\n{text}")
    memory = max(peaks) / 2**20 if len(peaks) >= _LOOKS else None
    return Measured(wall, cpu, memory), command.figures(text)


def _cpu(whose: int) -> float:
    used = resource.getrusage(whose)
    return used.ru_utime + used.ru_stime


def _memory(process: int) -> int:
    with suppress(OSError):  # it has just ended
        for line in Path(f"/proc/{process}/smaps_rollup").read_text("ascii").splitlines():
            name, _, rest = line.partition(":")
            if name == "Pss":
                return 1024 * int(rest.split()[0])
    return 0


def _tree(process: int) -> Iterator[int]:
    """A process and all that it has started."""
    yield process
    with suppress(OSError):
        for task in Path(f"/proc/{process}/task").iterdir():
            for child in (task / "children").read_text("ascii").split():
                yield from _tree(int(child))


def timed(work: Callable[[], Result]) -> tuple[Result, Measured]:
    """What a function returns, its seconds, and its CPU seconds with those of its processes."""
    wall, cpu = time.perf_counter(), _own_cpu()
    found = work()
    return found, Measured(time.perf_counter() - wall, _own_cpu() - cpu)


def _own_cpu() -> float:
    return _cpu(resource.RUSAGE_SELF) + _cpu(resource.RUSAGE_CHILDREN)


def own_memory() -> float:
    """The most memory that this process has had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def apart(work: Callable[..., Result], *arguments: object) -> Result:
    """What a function returns in a new process, so that its memory is its own."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(work, *arguments).result()
