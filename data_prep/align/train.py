"""Trains both directions of the aligner, one after the other, and reads off the links.

The processes of a team share the blocks of the text. After every pass the first of them saves what
was counted, and at the end the links. A run that finds such a state goes on from there, and ends
with the same links.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from crosspro.data_prep.align.blocks import WHAT_IS_EXPECTED, PairedText
from crosspro.data_prep.align.model import Direction, Known, Parameters, Tally, add
from crosspro.data_prep.align.posteriors import NO_LINK
from crosspro.data_prep.align.prior import State
from crosspro.data_prep.align.text import Ints, Numbers
from crosspro.data_prep.core.errors import CrossproError
from crosspro.data_prep.core.example import Link
from crosspro.data_prep.core.processes import processors
from crosspro.data_prep.core.team import Team, work_together

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

    `known` are counts of an earlier text. The result does not depend on `jobs`.
    """
    knows = known or (None, None)
    tasks = [_Task(text, one, parameters, passes, knows[one], state) for one in (False, True)]
    for task in tasks:
        task.run(jobs, _watch(progress, task.name, text, passes))
    forward, backward = (task.outcome(keep) for task in tasks)
    return forward, backward


def useful_jobs() -> int:
    """Processes to use if nothing else is said: one for each processor, if they are not many."""
    return min(processors(), _MOST_JOBS)


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

    def run(self, jobs: int, report: Callable[[], None]) -> None:
        """Make the links, if they are not there."""
        if self.state.links(self.name) is not None:
            return
        passes = self.passes

        def link(direction: Direction, team: Team) -> None:
            direction.link(passes.use_hmm, team, report)
            if passes.back_off is None:
                direction.link_outside(team, direction.best)

        models = [False] * passes.ibm1 + [True] * passes.hmm
        best = self._trained(self.name, models, link, jobs, report)
        if passes.back_off is not None and len(self.text.outside):
            models = [False] * passes.back_off

            def link_outside(direction: Direction, team: Team) -> None:
                direction.link_outside(team, best)

            self._trained(f"{self.name}.back_off", models, link_outside, jobs, report)
        self.state.save_links(self.name, best)

    def outcome(self, keep: bool) -> DirectionLinks:
        """What `run` has made."""
        best = self.state.links(self.name)
        if best is None:
            raise CrossproError(f"aligner: expected {self.name} links in a file, found it damaged")
        return best, self._tally() if keep else None

    def _trained(
        self,
        name: str,
        models: list[bool],
        link: Callable[[Direction, Team], None],
        jobs: int,
        report: Callable[[], None],
    ) -> Numbers:
        """Links after all passes, of which some may have been made by an earlier run."""
        direction = Direction(
            self.text, self.backward, self.parameters, self.passes.longest, self.known
        )
        done = self._resume(name, direction)
        for _ in range(done * len(self.text.blocks)):
            report()

        def program(team: Team) -> None:
            if done:
                direction.learn(team)
            else:
                direction.begin(team)
            for number, hmm in enumerate(models[done:], start=done + 1):
                direction.read(hmm, team, report)
                if team.first:
                    self._save(name, number, direction.tally)
                direction.learn(team)
            link(direction, team)

        with threadpool_limits(1):  # the matrices are small: threads would wait for each other
            work_together(program, min(jobs, len(self.text.blocks)), *WHAT_IS_EXPECTED)
        return direction.best

    def _resume(self, name: str, direction: Direction) -> int:
        """How often the text was read by an earlier run, whose last counts are read in."""
        saved = self.state.counts(name)
        if saved is None:
            return 0
        direction.tally.take(saved[1])
        return saved[0]

    def _save(self, name: str, number: int, tally: Tally) -> None:
        """Keep what was counted in a pass; the back-off may begin the same way."""
        self.state.save_counts(name, number, tally)
        passes = self.passes
        if name == self.name and number == passes.ibm1 and number <= (passes.back_off or 0):
            self.state.save_counts(f"{name}.back_off", number, tally)

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
