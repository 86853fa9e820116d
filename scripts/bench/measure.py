"""Wall-clock time and peak memory of a command, run a few times: what the benchmarks print."""

from __future__ import annotations

import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Measurement:
    """The best and the median time in seconds, and the peak memory in MB."""

    best: float
    median: float
    peak_mb: float

    def __str__(self) -> str:
        return f"{self.best:.2f} s best, {self.median:.2f} s median, {self.peak_mb:.0f} MB"


def measure(command: list[str], times: int = 3) -> Measurement:
    """Run a command and discard its output; it must succeed."""
    seconds, peaks = [], []
    for _ in range(times):
        start = time.perf_counter()
        with Path(os.devnull).open("wb") as nowhere:
            process = subprocess.Popen(command, stdout=nowhere)
            _, status, usage = os.wait4(process.pid, 0)
        if status:
            raise SystemExit(
                f"{' '.join(command)}: exit status {os.waitstatus_to_exitcode(status)}"
            )
        seconds.append(time.perf_counter() - start)
        peaks.append(usage.ru_maxrss / 1024)
    return Measurement(min(seconds), sorted(seconds)[len(seconds) // 2], max(peaks))
