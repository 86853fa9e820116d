"""Several processes that do one work together: items are shared, and what has an order has turns.

All processes run the same function; they are forks of the first, which is one of them. What they
make for each other lies in arrays that all of them see. A sum of fractions depends on the order of
its terms, so an item may have turns: it has them after the item before it, whoever has that one,
and the outcome is the same for any number of processes. A turn is a byte in a pipe, handed round
in a ring; where a process is ended its pipes are closed, and nobody waits for it.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

from crosspro.data_prep.core.processes import forked, may_fork

if TYPE_CHECKING:  # whoever asks for an array has numpy
    from numpy.typing import NDArray


class _LeftError(Exception):
    """Another process of the team is gone."""


class Team:
    """One process of a team, as it sees itself; alone if it is not told otherwise.

    It is told of turns through one end of a pipe, and tells of them through an end of another.
    """

    def __init__(self, rank: int = 0, size: int = 1, ends: tuple[int, int] = (-1, -1)) -> None:
        self.rank, self.size, self.ends = rank, size, ends
        self._ahead = 0

    @property
    def first(self) -> bool:
        """Whether this process was there before the others."""
        return self.rank == 0

    def share(
        self, items: int, turns: int = 0, report: Callable[[], None] | None = None
    ) -> Iterator[int]:
        """This process's items, by number, each with so many turns; in the end all are done.

        `report` is called in the first process, once for each item of the team.
        """
        self._ahead = turns if self.first else 0  # nobody has had one that it could wait for
        for start in range(0, items, self.size):
            if start + self.rank < items:
                yield start + self.rank
            else:
                for _ in range(turns):
                    self._wait()
                    self._tell()
            if report is not None and self.first:
                for _ in range(start, min(start + self.size, items)):
                    report()
        if self.first:
            for _ in range(turns):
                self._wait()
        self._gather()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """A turn of an item: after the same turn of the item before it."""
        self._wait()
        yield
        self._tell()

    def _gather(self) -> None:
        """Go on when all are here: in one round that is told, and in another that it is known."""
        for _ in range(2):
            if self.first:
                self._tell()
            self._wait()
            if not self.first:
                self._tell()

    def _wait(self) -> None:
        if self._ahead:
            self._ahead -= 1
        elif self.size > 1 and not os.read(self.ends[0], 1):
            raise _LeftError

    def _tell(self) -> None:
        if self.size > 1:
            try:
                os.write(self.ends[1], b".")
            except BrokenPipeError:
                raise _LeftError from None


def work_together(
    program: Callable[[Team], None], jobs: int, expected: str, advice: str = ""
) -> None:
    """Run a program in so many processes: this one, and forks where they are possible.

    What goes wrong in any is raised here; `expected` and `advice` are those of `forked`.
    """
    if jobs < 2 or not may_fork():
        program(Team())
        return
    pipes = [os.pipe() for _ in range(jobs)]
    ends = {*chain.from_iterable(pipes)}
    teams = [Team(n, jobs, (pipes[n][0], pipes[(n + 1) % jobs][1])) for n in range(jobs)]

    def join(team: Team) -> None:
        _close(ends.difference(team.ends))
        program(team)

    def leave() -> None:
        _close(ends)
        ends.clear()

    with ExitStack() as stack:
        stack.callback(leave)
        others = [
            stack.enter_context(forked(partial(join, team), expected, advice)) for team in teams[1:]
        ]
        _close(ends.difference(teams[0].ends))
        ends.intersection_update(teams[0].ends)
        try:
            program(teams[0])
        except _LeftError:
            leave()  # so that nobody waits for this one
            for other in others:  # one of them says why
                with suppress(_LeftError):
                    other()
            raise
        for other in others:
            other()


def _close(ends: Iterable[int]) -> None:
    for end in ends:
        os.close(end)


def shared_array(size: int, kind: type[Any]) -> NDArray[Any]:
    """Zeros that this process and its forks see alike, whoever of them writes there."""
    import numpy as np

    room = mmap.mmap(-1, max(size, 1) * np.dtype(kind).itemsize)
    return np.frombuffer(room, kind, size)
