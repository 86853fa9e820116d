"""Time and peak memory of a command, run a few times: what the benchmarks print.

CPU seconds are those of the whole command, start-up included; unlike wall-clock time they say
something on a busy machine, too. Bytecode is kept between runs, as where packages are installed,
whatever the environment says, and the run that makes it does not count.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Measurement:
    """The best and the median time in seconds, the least CPU seconds, and the peak memory in MB."""

    best: float
    median: float
    cpu: float
    peak_mb: float

    def __str__(self) -> str:
        wall = f"{self.best:.2f} s best, {self.median:.2f} s median"
        return f"{wall}, {self.cpu:.2f} CPU s, {self.peak_mb:.0f} MB"


def measure(command: list[str], times: int = 3) -> Measurement:
    """Run a command and discard its output; it must succeed."""
    seconds, cpu, peaks = [], [], []
    with tempfile.TemporaryDirectory() as bytecode:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": bytecode}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        if times > 1:
            _run(command, environment)
        for _ in range(times):
            start = time.perf_counter()
            usage = _run(command, environment)
            seconds.append(time.perf_counter() - start)
            cpu.append(usage[0])
            peaks.append(usage[1])
    return Measurement(min(seconds), sorted(seconds)[len(seconds) // 2], min(cpu), max(peaks))


def _run(command: list[str], environment: dict[str, str]) -> tuple[float, float]:
    """The CPU seconds and the peak memory in MB of a command."""
    with Path(os.devnull).open("wb") as nowhere:
        process = subprocess.Popen(command, stdout=nowhere, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(command)}: exit status {os.waitstatus_to_exitcode(status)}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
