"""Trains both directions of the aligner, one after the other, and reads off the links."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from crosspro.data_prep.align.blocks import PairedText
from crosspro.data_prep.align.model import Direction, Known, Parameters, Tally, add
from crosspro.data_prep.align.posteriors import NO_LINK
from crosspro.data_prep.align.text import Ints, Numbers
from crosspro.data_prep.core.example import Link
from crosspro.data_prep.core.processes import processors

_MOST_JOBS = 64
Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and out of how much."""


@dataclass(frozen=True)
class Passes:
    """How often the text is read with each model.

    Segments beyond the limits are only linked: by these models, or if `back_off` is not None by an
    IBM 1 that reads the text as often as that, from the beginning. `longest` is the longest jump.
    """

    ibm1: int
    hmm: int
    use_hmm: bool
    longest: int
    back_off: int | None = None


Pair = tuple[Collection[Link], Collection[Link]]


class DirectedLinks(Sequence[Pair]):
    """The links of both directions, segment by segment, each as (source, target).

    They are made from two arrays when they are asked for: as tuples they would fill the memory.
    """

    def __init__(self, lengths: tuple[Ints, Ints], forward: Numbers, backward: Numbers) -> None:
        self.lengths = lengths
        self.starts = tuple(np.cumsum(side) - side for side in lengths)
        self.forward, self.backward = forward, backward

    def __len__(self) -> int:
        return len(self.lengths[0])

    @overload
    def __getitem__(self, number: int) -> Pair: ...
    @overload
    def __getitem__(self, number: slice) -> list[Pair]: ...
    def __getitem__(self, number: int | slice) -> Pair | list[Pair]:
        if isinstance(number, slice):
            return [self[one] for one in range(len(self))[number]]
        number = range(len(self))[number]
        given = self._given(self.forward, number, 1)
        forward = [(s, t) for t, s in enumerate(given) if s != NO_LINK]
        given = self._given(self.backward, number, 0)
        return forward, [(s, t) for s, t in enumerate(given) if t != NO_LINK]

    def _given(self, best: Numbers, number: int, made: int) -> list[int]:
        start = int(self.starts[made][number])
        given: list[int] = best[start : start + int(self.lengths[made][number])].tolist()
        return given


def train(
    text: PairedText,
    parameters: Parameters,
    passes: Passes,
    known: tuple[Known, Known] | None,
    jobs: int,
    progress: Progress,
) -> tuple[DirectedLinks, tuple[Tally, Tally]]:
    """The links of both directions after all passes, and their counts with those of `known`.

    `known` are counts of an earlier text. The result does not depend on `jobs`.
    """
    links, tallies = [], []
    with threadpool_limits(1):  # the matrices are small: threads would wait for each other
        for backward in (False, True):
            earlier = known[backward] if known else None
            direction = Direction(text, backward, parameters, passes.longest, earlier, jobs)
            report = _watch(progress, "backward" if backward else "forward", text, passes)
            links.append(_trained(direction, passes, report))
            tally = direction.tally
            tallies.append(tally if earlier is None else add(tally, earlier.tally))
    lengths = text.source.lengths, text.target.lengths
    return DirectedLinks(lengths, *links), (tallies[0], tallies[1])


def _trained(direction: Direction, passes: Passes, report: Callable[[], None]) -> Numbers:
    """The given position of each made word after all passes of a direction."""
    for _ in range(passes.ibm1):
        direction.read(False, report)
    outside = direction
    if passes.back_off is not None and len(direction.text.outside):
        outside = direction.copy()
        for _ in range(passes.ibm1, passes.back_off):
            outside.read(False, report)
    for _ in range(passes.hmm):
        direction.read(True, report)
    best = direction.links(passes.use_hmm, report)
    for start, found in outside.links_outside():
        best[start : start + len(found)] = found
    return best


def useful_jobs() -> int:
    """Processes to use if nothing else is said: one for each processor, if they are not many."""
    return min(processors(), _MOST_JOBS)


def _watch(progress: Progress, name: str, text: PairedText, passes: Passes) -> Callable[[], None]:
    again = max(0, passes.back_off - passes.ibm1) if passes.back_off and len(text.outside) else 0
    total = (passes.ibm1 + passes.hmm + 1 + again) * len(text.blocks)
    done = 0

    def report() -> None:
        nonlocal done
        done += 1
        progress(name, done, total)

    progress(name, 0, total)
    return report
