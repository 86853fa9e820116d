"""A bar on standard error for what a network does before its first epoch."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tqdm import tqdm

from crosspro.data_prep.core.processes import Report, Step


@contextmanager
def step_bar(shown: bool) -> Iterator[Report]:
    """What steps are reported to; each has a bar. Nothing is written unless they are `shown`."""
    bars: dict[str, tqdm] = {}

    def report(step: Step) -> None:
        if step.name not in bars:
            close()
            bars[step.name] = tqdm(
                total=step.total, desc=step.name, file=sys.stderr, mininterval=0.5
            )
        bar = bars[step.name]
        bar.update(step.done - bar.n)

    def close() -> None:
        for bar in bars.values():
            bar.close()

    try:
        yield report if shown else lambda _: None
    finally:
        close()
