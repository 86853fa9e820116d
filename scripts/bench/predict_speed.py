"""Speed of prediction in gaps a second on one core, of a run or an archive, and where time goes.

Run: python -m crosspro.scripts.bench.predict_speed MODEL FILE [--times 3] [--profile]
MODEL is a run or an archive of `crosspro models`, FILE five columns with its layers beside it. All
figures are of the CPU time of this process, so that other work on the machine matters less; loading
and reading are done once, and are no part of the gaps a second. With --profile also the operations
of a network.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import torch

from crosspro.data_prep.annotate.layers import layers_beside, read_layered
from crosspro.prediction.neural.reading.tensors import has_bfloat16
from crosspro.prediction.neural.system import NeuralSystem
from crosspro.prediction.system import System, load_system

Result = TypeVar("Result")


def timed(work: Callable[[], Result]) -> tuple[Result, float]:
    """What a function returns, and the CPU seconds that it took."""
    start = time.process_time()
    found = work()
    return found, time.process_time() - start


def shape_of(system: NeuralSystem) -> str:
    """How large a network is, and how its weights were stored."""
    weights = sum(one.numel() for one in system.network.parameters())
    half = "with" if has_bfloat16() else "without"
    stored = f"weights stored as {system.weights}, a processor {half} bfloat16"
    return f"{system.name}: {weights / 1e6:.1f} million weights, {stored}"


def main() -> None:
    """Measure, and print a line for each step."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("file", type=Path)
    parser.add_argument("--times", type=int, default=3, help="the best of so many counts")
    parser.add_argument("--profile", action="store_true")
    given = parser.parse_args()
    torch.set_num_threads(1)
    loaded: tuple[System, float] = timed(lambda: load_system(given.model))
    system, load_seconds = loaded
    layers = layers_beside(given.file)
    examples, read_seconds = timed(lambda: list(read_layered(given.file, system.task, layers)))
    gaps = sum(len(example.gaps) for example in examples)
    print(f"load {load_seconds:.2f} s, read {len(examples):,} lines {read_seconds:.2f} s")
    if isinstance(system, NeuralSystem):
        print(shape_of(system))
        tensors, seconds = timed(lambda: system._tensors(examples))
        extents = system.network.extents(tensors)
        print(f"encode {seconds:.2f} s; {extents.mean():.0f} places a gap, at most {extents.max()}")
    system.predict(examples[: max(1, len(examples) // 20)])  # what is made on first use
    best = min(timed(lambda: system.predict(examples))[1] for _ in range(given.times))
    print(f"predict {gaps:,} gaps: {best:.2f} s, {gaps / best:,.0f} gaps/s")
    if given.profile:
        with torch.profiler.profile() as profiled:
            system.predict(examples)
        print(profiled.key_averages().table(sort_by="self_cpu_time_total", row_limit=20))


if __name__ == "__main__":
    main()
