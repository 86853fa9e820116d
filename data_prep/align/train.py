"""Trains both directions of the aligner, each in a process of its own, and reads off the links."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection

from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from crosspro.data_prep.align.model import NO_LINK, Direction, Known, Parameters, Tally
from crosspro.data_prep.align.text import Numbers, PairedText, TextSide
from crosspro.data_prep.engine import end_with_parent
from crosspro.data_prep.errors import CrossproError
from crosspro.data_prep.example import Link

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


@dataclass(frozen=True)
class DirectionLinks:
    """What one direction found: a given position for each made word, and its counts."""

    best: Numbers
    tally: Tally | None


@dataclass(frozen=True)
class DirectedLinks:
    """The links of both directions, segment by segment, each as (source, target)."""

    source: TextSide
    target: TextSide
    forward: Numbers
    backward: Numbers

    def __iter__(self) -> Iterator[tuple[Collection[Link], Collection[Link]]]:
        source, target = self.source, self.target
        for number in range(len(source.lengths)):
            start = int(target.starts[number])
            given = self.forward[start : start + int(target.lengths[number])].tolist()
            forward = [(s, t) for t, s in enumerate(given) if s != NO_LINK]
            start = int(source.starts[number])
            given = self.backward[start : start + int(source.lengths[number])].tolist()
            yield forward, [(s, t) for s, t in enumerate(given) if t != NO_LINK]


def train(
    text: PairedText,
    parameters: Parameters,
    passes: Passes,
    known: tuple[Known, Known] | None,
    keep: bool,
    jobs: int,
    progress: Progress,
    backed: tuple[Known, Known] | None = None,
) -> tuple[DirectionLinks, DirectionLinks]:
    """Both directions after all passes; with `keep`, their counts too.

    `known` are counts of an earlier text, `backed` those of the back-off if they are others.

    The result does not depend on `jobs`; a second process is used where there is enough to do.
    """
    knows, backs = known or (None, None), backed or known or (None, None)
    tasks = [
        _Task(text, one, parameters, passes, knows[one], keep, backs[one]) for one in (False, True)
    ]
    cells = sum(len(block.cells) for block in text.blocks)
    if jobs < 2 or cells < _WORTH_A_PROCESS or sys.platform != "linux":
        forward = tasks[0].run(_watch(progress, "forward", text, passes))
        return forward, tasks[1].run(_watch(progress, "backward", text, passes))
    # Not a pool: the text is shared by a fork, not copied, and this process is the other worker.
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_send, args=(sender, tasks[1]), daemon=True)
    process.start()
    sender.close()
    try:
        forward = tasks[0].run(_watch(progress, "both directions", text, passes))
        return forward, _receive(receiver)
    finally:
        receiver.close()
        process.terminate()
        process.join()


def useful_jobs() -> int:
    """Processes to use if nothing else is said: one a direction, if there are processors."""
    return min(2, len(os.sched_getaffinity(0)) if sys.platform == "linux" else 1)


@dataclass(frozen=True)
class _Task:
    """The training of one direction."""

    text: PairedText
    backward: bool
    parameters: Parameters
    passes: Passes
    known: Known | None
    keep: bool
    backed: Known | None

    def run(self, report: Callable[[], None]) -> DirectionLinks:
        passes = self.passes
        with threadpool_limits(1):  # the matrices are small: threads would wait for each other
            direction = self._direction(self.known)
            for number in range(passes.ibm1 + passes.hmm):
                direction.read(number >= passes.ibm1, report)
            best = direction.best(passes.use_hmm, report)
            tally = direction.tally if self.keep else None
            if passes.back_off is not None and len(self.text.outside):
                direction = self._direction(self.backed)
                for _ in range(passes.back_off):
                    direction.read(False, report)
                direction.link_outside(best)
        return DirectionLinks(best, tally)

    def _direction(self, known: Known | None) -> Direction:
        return Direction(self.text, self.backward, self.parameters, self.passes.longest, known)


def _send(sender: Connection, task: _Task) -> None:
    """The second process: it ends when the first does, and leaves interrupts to it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_parent()
    try:
        result: DirectionLinks | Exception = task.run(lambda: None)
    except Exception as error:
        result = error
    with contextlib.suppress(BrokenPipeError):
        sender.send(result)


def _receive(receiver: Connection) -> DirectionLinks:
    try:
        result = receiver.recv()
    except EOFError:
        raise CrossproError(
            "aligner: expected the links of a second process, found that it was ended; "
            "is there enough memory? --jobs 1 needs less"
        ) from None
    if isinstance(result, Exception):
        raise result
    assert isinstance(result, DirectionLinks)  # noqa: S101 - for the type checker
    return result


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
