"""Trains both directions of the aligner, each in a process of its own, and reads off the links.

After every pass a direction saves what it has counted, and at the end its links. A run that finds
such a state goes on from there, and ends with the same links.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from crosspro.data_prep.align.blocks import PairedText
from crosspro.data_prep.align.model import Direction, Known, Parameters, Tally, add
from crosspro.data_prep.align.posteriors import NO_LINK
from crosspro.data_prep.align.prior import State
from crosspro.data_prep.align.text import Ints, Numbers
from crosspro.data_prep.core.errors import CrossproError
from crosspro.data_prep.core.example import Link
from crosspro.data_prep.core.processes import forked, processors

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and out of how much."""

_WORTH_A_PROCESS = 100_000
"""Token pairs; a smaller text is aligned before a second process has begun."""


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


DirectionLinks = tuple[Numbers, Tally | None]
"""What one direction found: a given position for each made word, and its counts."""
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
    keep: bool,
    jobs: int,
    progress: Progress,
    state: State,
) -> tuple[DirectionLinks, DirectionLinks]:
    """Both directions after all passes; with `keep`, their counts too.

    `known` are counts of an earlier text. The result does not depend on `jobs`; a second process is
    used where there is enough to do.
    """
    knows = known or (None, None)
    tasks = [_Task(text, one, parameters, passes, knows[one], state) for one in (False, True)]
    if jobs < 2 or text.blocks.cells < _WORTH_A_PROCESS or sys.platform != "linux":
        for task in tasks:
            task.run(_watch(progress, task.name, text, passes))
    else:
        # Not a pool: a fork shares the text without copying, and this process is the other worker.
        expected = ("aligner: expected the links of a second process", "--jobs 1 needs less")
        with forked(lambda: tasks[1].run(lambda: None), *expected) as other:
            tasks[0].run(_watch(progress, "both directions", text, passes))
            other()
    forward, backward = (task.outcome(keep) for task in tasks)
    return forward, backward


def useful_jobs() -> int:
    """Processes to use if nothing else is said: one a direction, if there are processors."""
    return min(2, processors())


@dataclass(frozen=True)
class _Task:
    """The training of one direction."""

    text: PairedText
    backward: bool
    parameters: Parameters
    passes: Passes
    known: Known | None
    state: State

    @property
    def name(self) -> str:
        return "backward" if self.backward else "forward"

    def run(self, report: Callable[[], None]) -> None:
        """Make the links, if they are not there."""
        if self.state.links(self.name) is not None:
            return
        passes = self.passes
        with threadpool_limits(1):  # the matrices are small: threads would wait for each other
            models = [False] * passes.ibm1 + [True] * passes.hmm
            best = self._trained(self.name, models, report).best(passes.use_hmm, report)
            if passes.back_off is not None and len(self.text.outside):
                models = [False] * passes.back_off
                self._trained(f"{self.name}.back_off", models, report).link_outside(best)
        self.state.save_links(self.name, best)

    def outcome(self, keep: bool) -> DirectionLinks:
        """What `run` has made."""
        best = self.state.links(self.name)
        if best is None:
            raise CrossproError(f"aligner: expected {self.name} links in a file, found it damaged")
        return best, self._tally() if keep else None

    def _trained(self, name: str, models: list[bool], report: Callable[[], None]) -> Direction:
        """The direction after all passes, of which some may have been made by an earlier run."""
        direction = Direction(
            self.text, self.backward, self.parameters, self.passes.longest, self.known
        )
        done = self._resume(name, direction)
        for _ in range(done * len(self.text.blocks)):
            report()
        for number, hmm in enumerate(models[done:], start=done + 1):
            self._pass(name, direction, number, hmm, report)
        return direction

    def _resume(self, name: str, direction: Direction) -> int:
        """Learn from the counts of the last pass that an earlier run has finished."""
        saved = self.state.counts(name)
        if saved is None:
            return 0
        direction.learn(saved[1])
        return saved[0]

    def _pass(
        self, name: str, direction: Direction, number: int, hmm: bool, report: Callable[[], None]
    ) -> None:
        tally = direction.read(hmm, report)
        self.state.save_counts(name, number, tally)
        passes = self.passes
        if name == self.name and number == passes.ibm1 and number <= (passes.back_off or 0):
            self.state.save_counts(f"{name}.back_off", number, tally)  # which begins the same way
        direction.learn(tally)

    def _tally(self) -> Tally:
        """What was counted in the last pass, and what was known before."""
        saved = self.state.counts(self.name)
        known = self.known.tally if self.known is not None else None
        if saved is not None:
            return saved[1] if known is None else add(saved[1], known)
        if known is None:
            raise CrossproError(f"aligner: expected {self.name} counts in a file, found it damaged")
        return known


def _watch(progress: Progress, name: str, text: PairedText, passes: Passes) -> Callable[[], None]:
    again = (passes.back_off or 0) if len(text.outside) else 0
    total = (passes.ibm1 + passes.hmm + 1 + again) * len(text.blocks)
    done = 0

    def report() -> None:
        nonlocal done
        done += 1
        progress(name, done, total)

    progress(name, 0, total)
    return report
