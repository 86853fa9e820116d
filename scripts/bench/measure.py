"""Time and memory: of a command with all its processes, and of a function.

CPU seconds are those of a whole command, start-up included; unlike wall-clock time they say
something on a busy machine, too. Bytecode is kept between runs, as where packages are installed,
whatever the environment says, and the run that makes it does not count. Memory is the largest sum
of proportional shares (PSS) over the process and its children, looked up ten times a second.
"""

from __future__ import annotations

import multiprocessing
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

Row = dict[str, str]
"""What is measured, by name, with its unit; one whose name is empty is a title."""

Result = TypeVar("Result")
_LOOK = 0.1

CROSSPRO = [sys.executable, "-m", "crosspro.scripts.main"]
"""How a command of ours is started."""


@dataclass(frozen=True)
class Measurement:
    """The best and the median time in seconds, the least CPU seconds, and the peak memory in MB."""

    best: float
    median: float
    cpu: float
    peak_mb: float
    told: str = ""
    """What the last run wrote to standard error."""

    def row(self, title: str, units: int = 0, unit: str = "") -> Row:
        """The same as it is printed, perhaps with the speed in units a CPU second."""
        row = {
            "": f"{title}:",
            "best": f"{self.best:.2f} s",
            "median": f"{self.median:.2f} s",
            "CPU": f"{self.cpu:.2f} s",
            "memory": f"{self.peak_mb:,.0f} MB",
        }
        return row | ({f"{unit}/CPU s": f"{units / self.cpu:,.0f}"} if units else {})


def measure(command: Sequence[object], times: int = 3) -> Measurement:
    """Run a command and discard its output; it must succeed."""
    words = [str(word) for word in command]
    found: list[tuple[float, float, float, str]] = []
    with _kept_bytecode() as environment:
        if times > 1:
            _run(words, environment)
        found = [_run(words, environment) for _ in range(times)]
    walls, cpu, peaks, told = zip(*found, strict=True)
    return Measurement(min(walls), sorted(walls)[times // 2], min(cpu), max(peaks), told[-1])


@dataclass(frozen=True)
class Command:
    """A command, and the file that it reads as its standard input."""

    words: Sequence[object]
    text: Path | None = None


def in_turns(commands: Sequence[Command], times: int, warm_up: bool = True) -> list[Measurement]:
    """Each of some commands, which are run in turns; CPU seconds and memory are medians."""
    with _kept_bytecode() as environment:
        rounds = [
            [_run([*map(str, one.words)], environment, one.text) for one in commands]
            for _ in range(times + warm_up)
        ]
    found = []
    for own in zip(*rounds[warm_up:], strict=True):
        walls, cpu, peaks, told = zip(*own, strict=True)
        middle = statistics.median(walls), statistics.median(cpu), statistics.median(peaks)
        found.append(Measurement(min(walls), *middle, told[-1]))
    return found


@contextmanager
def _kept_bytecode() -> Iterator[dict[str, str]]:
    with tempfile.TemporaryDirectory() as bytecode:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": bytecode}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        yield environment


def _run(
    command: list[str], environment: dict[str, str], given: Path | None = None
) -> tuple[float, float, float, str]:
    """Seconds, CPU seconds, and peak memory in MB of a command, and its messages."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    peak = 0
    with tempfile.TemporaryFile() as told, (given or Path(os.devnull)).open("rb") as stream:
        process = subprocess.Popen(
            command, stdin=stream, stdout=subprocess.DEVNULL, stderr=told, env=environment
        )
        while process.poll() is None:
            peak = max(peak, sum(map(_memory, _tree(process.pid))))
            with suppress(subprocess.TimeoutExpired):
                process.wait(_LOOK)
        wall = time.perf_counter() - start
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        told.seek(0)
        text = told.read().decode("utf-8", "replace")
    if process.returncode:
        raise SystemExit(f"{' '.join(command)}: exit status {process.returncode}\n{text}")
    cpu = sum(after[:2]) - sum(before[:2])
    return wall, cpu, peak / 2**20, text


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


def processor_seconds() -> float:
    """CPU seconds of this process and of those that it has waited for."""
    used = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


def timed(work: Callable[[], Result]) -> tuple[Result, float, float]:
    """What a function returns, its seconds, and its CPU seconds."""
    wall, cpu = time.perf_counter(), processor_seconds()
    found = work()
    return found, time.perf_counter() - wall, processor_seconds() - cpu


def best(work: Callable[[], object], times: int = 5) -> float:
    """The least CPU seconds of a function."""
    return min(timed(work)[2] for _ in range(times))


def own_memory() -> str:
    """The most memory that this process has had."""
    return f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB"


def apart(work: Callable[..., Result], *arguments: object) -> Result:
    """What a function returns in a new process, so that its memory is its own."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(work, *arguments).result()
