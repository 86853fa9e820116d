"""How `crosspro prepare` grows with the text: seconds of each step and peak memory by size.

Run: python -m crosspro.scripts.bench.prepare_scale --source TEXT.en --target TEXT.fr --task en-fr
     [--doc-ids FILE] [--sizes 20000 100000] [--jobs 2] [--engine ray]

Each size is a run of its own over so many lines from the beginning (a shorter text begins anew),
with an empty cache. CPU seconds count processes that have ended, so not those of Ray. The last
column is the growth from the first size to the last, in CPU seconds, over that of the text: 1 is
linear.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain, islice, repeat
from pathlib import Path

from crosspro.data_prep.core.files import read_lines
from crosspro.evaluation.output.tables import text_table

_ROW = re.compile(r"(.+?) {2,}([\d,.]+) +([\d,.]+) +\d+%")
"""A line of the table at the end of `crosspro prepare`: step, seconds, CPU seconds."""


@dataclass(frozen=True)
class ScaleRun:
    """One size: CPU seconds by step (`all` is the sum), seconds on the clock, and peak memory."""

    size: int
    cpu: dict[str, float]
    wall: float
    peak_mb: float


def main() -> None:
    """Print a row for each step, and one for each size."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--target", type=Path, required=True)
    parser.add_argument("--doc-ids", type=Path)
    parser.add_argument("--task", default="en-fr")
    parser.add_argument("--sizes", type=int, nargs="+", default=[20_000, 100_000])
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--engine", default="local")
    options = parser.parse_args()
    files = {"source": options.source, "target": options.target, "doc-ids": options.doc_ids}
    given = {name: path for name, path in files.items() if path is not None}
    how = ["--task", options.task, "--jobs", str(options.jobs), "--engine", options.engine]
    runs = [prepare_run(given, how, size) for size in options.sizes]
    print(f"{options.task}, {options.jobs} jobs, {options.engine}; CPU seconds\n")
    print(text_table(*steps_table(runs)))
    heading = ("pairs", "seconds", "pairs/s", "CPU s", "pairs/CPU s", "peak memory")
    print(text_table(heading, [_sizes_row(run) for run in runs]), end="")


def prepare_run(files: dict[str, Path], how: list[str], size: int) -> ScaleRun:
    """Run the command on so many lines and read what it says of its steps."""
    with tempfile.TemporaryDirectory() as name:
        command = [sys.executable, "-m", "crosspro.scripts.main", "prepare", *how]
        for option, path in files.items():
            text = Path(name, option)
            with text.open("wb") as handle:
                handle.writelines(islice(_endless(path), size))
            command += [f"--{option}", str(text)]
        start = time.perf_counter()
        with Path(name, "told").open("w+b") as told:
            process = subprocess.Popen(
                [*command, "-o", str(Path(name, "out"))], stdout=subprocess.DEVNULL, stderr=told
            )
            _, status, usage = os.wait4(process.pid, 0)
            wall = time.perf_counter() - start
            told.seek(0)
            text_told = told.read().decode("utf-8", "replace")
    if status:
        raise SystemExit(text_told)
    rows = filter(None, map(_ROW.fullmatch, text_told.splitlines()))
    cpu = {row[1]: float(row[3].replace(",", "")) for row in rows}
    return ScaleRun(size, cpu, wall, usage.ru_maxrss / 1024)


def steps_table(runs: list[ScaleRun]) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Heading and rows: the CPU seconds of each step by size, and how they grow."""
    first, last = runs[0], runs[-1]
    growth = last.size / first.size
    rows = [
        (
            step,
            *(f"{run.cpu.get(step, 0):,.1f}" for run in runs),
            f"{last.cpu.get(step, 0) / max(first.cpu[step], 0.05) / growth:.2f}",
        )
        for step in first.cpu
    ]
    return ("step", *(f"{run.size:,}" for run in runs), "growth"), rows


def _sizes_row(run: ScaleRun) -> tuple[str, ...]:
    cpu = run.cpu["all"]
    return (
        f"{run.size:,}",
        f"{run.wall:,.0f}",
        f"{run.size / run.wall:,.0f}",
        f"{cpu:,.0f}",
        f"{run.size / max(cpu, 0.05):,.0f}",
        f"{run.peak_mb:,.0f} MB",
    )


def _endless(path: Path) -> Iterable[bytes]:
    return chain.from_iterable(read_lines(one) for one in repeat(path))


if __name__ == "__main__":
    main()
