"""What a case is, and the one way in which cases are run.

A case says for a size of its work what our commands are, and what does the same. They are run in
turns, and each of ours is a row, perhaps at twice and four times the size, too. What is no command
(training on a GPU, a server under load) has a function that yields rows instead.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain, count
from pathlib import Path

from crosspro.data_prep.core.errors import CrossproError
from crosspro.data_prep.core.files import read_lines
from crosspro.data_prep.sample import sample_path
from crosspro.evaluation.leaderboard.speed import Measured, SpeedRow, versions_here
from crosspro.scripts.bench.measure import Command, exponent, in_turns
from crosspro.scripts.bench.peers import Peers

_SCALES = (1, 2, 4)


@dataclass(frozen=True)
class BenchOptions:
    """The options of a command: `only` are words of which the name of a row has one; `batch` and
    `device` are for networks."""

    corpora: Path | None = None
    peers: Path | None = None
    times: int = 5
    scale: bool = False
    size: int | None = None
    only: tuple[str, ...] = ()
    device: str = ""
    batch: tuple[int, ...] = ()

    def wants(self, name: str) -> bool:
        """Whether a row is asked for."""
        return not self.only or any(one in name for one in self.only)

    def lines(self, name: str) -> Iterator[bytes]:
        """The lines of a corpus, or of the sample in its language, which begins anew at its end."""
        language = Path(name).with_suffix("").suffix.removeprefix(".")
        path = self.corpora / name if self.corpora else sample_path(f"sample.{language}")
        if language == "doc-ids":
            marked = ((b"%d." % turn + line for line in read_lines(path)) for turn in count())
            return chain.from_iterable(marked)
        return chain.from_iterable(read_lines(path) for _ in count())

    def text(self, name: str, size: int, written: Path, words: bool = False) -> Path:
        """Write the first lines of a corpus, so many or with so many words."""
        with written.open("wb") as handle:
            for line in self.lines(name):
                handle.write(line)
                size -= len(line.split()) if words else 1
                if size <= 0:
                    return written
        return written

    def beside(self, command: Callable[[Peers], Command]) -> Command | None:
        """What a peer does, if there are peers, and this one can be installed."""
        if self.peers is None:
            return None
        try:
            return command(Peers(self.peers))
        except CrossproError as error:
            print(f"no peer: {error}", flush=True)
            return None


@dataclass(frozen=True)
class Contest:
    """Our commands by the names of their rows, and what does the same as all but those of `alone`;
    `units` are counted."""

    ours: Mapping[str, Command]
    peer: Command | None = None
    units: int | None = None
    alone: tuple[str, ...] = ()


Making = Callable[[BenchOptions, int, Path], Contest]
"""What makes texts for a size of work in a folder, and says what is run."""


@dataclass(frozen=True)
class Case:
    """A row of the table, or some that share text and peer; without a size it is not scaled."""

    about: str
    work: Making | None = None
    size: int = 0
    unit: str = ""
    peer: str = ""
    rows: Callable[[BenchOptions, int], Iterator[SpeedRow]] | None = None
    needs: tuple[str, ...] = ()
    gpu: bool = False
    once: bool = False

    @property
    def lacks(self) -> list[str]:
        """The packages that are not there."""
        return [one for one in self.needs if one not in versions_here(self.needs)]


def rows_of(case: Case, given: BenchOptions) -> Iterator[SpeedRow]:
    """All that is measured of a case."""
    if case.rows is not None:
        yield from case.rows(given, given.size or case.size)
    if case.work is not None:
        scales = _SCALES if given.scale and case.size else _SCALES[:1]
        by_size = [_rows_at(case, case.work, given, scale) for scale in scales]
        for own in zip(*by_size, strict=True):
            sizes = [row.size or 0 for row in own]
            grown = exponent(sizes, [row.ours.cpu for row in own])
            yield replace(own[0], exponent=grown)


def _rows_at(case: Case, made: Making, given: BenchOptions, scale: int) -> list[SpeedRow]:
    """Those of a size; the peer's part is not needed to see how ours grow."""
    size = scale * (given.size or case.size)
    with tempfile.TemporaryDirectory() as folder:
        work = made(given, size, Path(folder))
        ours = {title: one for title, one in work.ours.items() if given.wants(title)}
        peer = [work.peer] if work.peer and ours and scale == 1 else []
        found = in_turns([*ours.values(), *peer], given.times if scale == 1 else 1)
    theirs = found[-1][0] if peer else None
    units = (work.units or size) if case.size else None
    rows = []
    for title, (own, figures) in zip(ours, found, strict=False):
        figures = {**({f"{case.unit}/s": units / own.wall} if units else {}), **figures}
        beside = None if title in work.alone else theirs
        named, ratio = case.peer if beside else "", ratio_of(own, beside)
        rows.append(SpeedRow(title, own, units, case.unit, named, beside, ratio, figures=figures))
    return rows


def ratio_of(ours: Measured, theirs: Measured | None) -> float | None:
    """Of CPU seconds, or on a GPU of seconds."""
    if theirs is None:
        return None
    if ours.cpu is None or theirs.cpu is None:
        return ours.wall / theirs.wall
    return ours.cpu / theirs.cpu
