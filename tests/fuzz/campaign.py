"""Runs subjects over mutated inputs in forked workers, counts outcomes and keeps what fails.

An input is made from the seed, the subject's name and its number alone, so that each can be made
again. A worker does a batch in one process; its memory is limited, and one that stays on the same
input for too long, or dies, is replaced by another that goes on with the next input.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.sharedctypes import RawArray
from pathlib import Path
from random import Random
from typing import Any

from crosspro.data_prep.core.errors import CrossproError
from tests.fuzz.mutate import mutate
from tests.fuzz.structured import has_form, rewrite
from tests.fuzz.subject import DifferenceError, Files, Subject, write_files

LONGEST = 30.0
"""Seconds of computing that one input may take; or of waiting, ten times as many."""
MEMORY = 2 << 30
"""Bytes that a worker may use beyond what it begins with."""
KEPT = 3
"""Inputs that are kept of failures that look alike."""
CLONE = "fork"

_NUMBER, _ACCEPTED, _REFUSED, _FAILED = range(4)


@dataclass(frozen=True)
class Input:
    """A mutated input: its original, the files that differ from it, and whether it is damage.

    Damage is what happens to bytes; what was taken apart and put together again is none.
    """

    original: int
    files: Files
    damage: bool


@dataclass
class Tally:
    """What came of the inputs of a subject."""

    accepted: int = 0
    refused: int = 0
    failed: int = 0
    seconds: float = 0.0
    memory: int = 0
    kinds: dict[str, int] = field(default_factory=dict)

    @property
    def inputs(self) -> int:
        return self.accepted + self.refused + self.failed


def draw(subject: Subject, seed: int, number: int) -> Input:
    """The input of a subject with this number."""
    rng = Random(f"{seed}/{subject.name}/{number}")
    original = rng.randrange(len(subject.originals))
    files = subject.originals[original]
    if subject.draw is not None:
        return Input(original, subject.draw(rng, files), False)
    name = rng.choice(subject.changed or tuple(files))
    content = files[name]
    if has_form(name) and rng.random() < 0.5:
        return Input(original, {name: rewrite(name, content, rng)}, False)
    others = rng.choice(subject.originals)
    other = others[rng.choice(tuple(others))]
    return Input(original, {name: mutate(content, other, rng, subject.words)}, True)


class Place:
    """A folder that holds an original, or an input that was made from it."""

    def __init__(self, folder: Path, original: Files) -> None:
        self.folder, self.original = folder, original
        self.changed: set[str] = set()
        write_files(folder, original)

    def put(self, files: Files) -> None:
        """Change files; what was changed before is as in the original again."""
        for name in self.changed - files.keys():
            if name in self.original:
                self.write(name, self.original[name])
            else:
                (self.folder / name).unlink(missing_ok=True)
        for name, content in files.items():
            self.write(name, content)
        self.changed = set(files)

    def write(self, name: str, content: bytes) -> None:
        # Not through pathlib: most inputs are tiny, and this is what takes longest.
        with open(f"{self.folder}/{name}", "wb") as handle:  # noqa: PTH123
            handle.write(content)


def try_input(subject: Subject, one: Input, place: Place, expected: Callable[[int], Any]) -> bool:
    """Whether an input is accepted; raises if it fails."""
    place.put(one.files)
    try:
        found = subject.read(place.folder)
    except CrossproError as error:
        str(error)  # what cannot be shown is a failure, too
        return False
    finally:
        subject.tidy(place.folder)
    if (subject.rewritten or (subject.sealed and one.damage)) and found != expected(one.original):
        raise DifferenceError("damaged files that are used, with another content")
    return True


class Worker:
    """A process that tries a batch of inputs of one subject."""

    def __init__(self, subject: Subject, seed: int, batch: range, kept: Path, place: Path) -> None:
        self.subject, self.seed, self.batch, self.kept = subject, seed, batch, kept
        self.folder = Path(tempfile.mkdtemp(dir=place))
        self.state: Any = RawArray("q", 4)
        self.state[_NUMBER] = batch.start
        self.reader, self.writer = get_context(CLONE).Pipe(duplex=False)
        self.process = get_context(CLONE).Process(target=self.run, daemon=True)
        self.process.start()
        self.seen = batch.start
        self.moved = self.clocks()

    def run(self) -> None:
        """The work of the process."""
        os.chdir(self.folder)
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limit = pages * resource.getpagesize() + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        quiet = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(quiet, descriptor)
        failures: dict[str, int] = {}
        places = [
            Place(self.folder / str(number), original)
            for number, original in enumerate(self.subject.originals)
        ]
        sealed = self.subject.sealed or self.subject.rewritten
        known = [self.subject.read(place.folder) if sealed else None for place in places]
        for number in self.batch:
            self.state[_NUMBER] = number
            one = draw(self.subject, self.seed, number)
            try:
                accepted = try_input(self.subject, one, places[one.original], known.__getitem__)
                self.state[_ACCEPTED if accepted else _REFUSED] += 1
            except BaseException as error:
                self.state[_FAILED] += 1
                kind = describe(error)
                failures[kind] = failures.get(kind, 0) + 1
                if failures[kind] <= KEPT:
                    keep(self.kept, self.subject, self.seed, number, kind, traceback.format_exc())
        self.writer.send((failures, resource.getrusage(resource.RUSAGE_SELF)))

    def clocks(self) -> tuple[float, float]:
        """The time, and the seconds that the process has computed."""
        try:
            fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
            computed = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        except OSError:  # it has just ended
            computed = 0.0
        return time.monotonic(), computed

    def poll(self) -> str | None:
        """None while the worker is busy; then how it ended: "" if well."""
        if self.reader.poll():
            return ""
        if self.state[_NUMBER] != self.seen:
            self.seen, self.moved = self.state[_NUMBER], self.clocks()
        if not self.process.is_alive():
            return "" if self.reader.poll() else f"the process ended ({self.process.exitcode})"
        waited, computed = (now - then for now, then in zip(self.clocks(), self.moved, strict=True))
        if computed > LONGEST or waited > 10 * LONGEST:
            self.process.kill()
            return f"no answer within {LONGEST:.0f} s"
        return None

    def finish(self, ended: str, tally: Tally) -> range:
        """Add what was counted; what is left of the batch."""
        failures: dict[str, int] = {}
        if not ended:
            failures, used = self.reader.recv()
            tally.memory = max(tally.memory, used.ru_maxrss * 1024)
            tally.seconds += used.ru_utime + used.ru_stime
        self.process.join()
        shutil.rmtree(self.folder, ignore_errors=True)
        tally.accepted += self.state[_ACCEPTED]
        tally.refused += self.state[_REFUSED]
        tally.failed += self.state[_FAILED]
        left = range(self.batch.stop, self.batch.stop)
        if ended:
            number = self.state[_NUMBER]
            tally.failed += 1
            failures = {ended: 1}
            keep(self.kept, self.subject, self.seed, number, ended, "")
            left = range(number + 1, self.batch.stop)
        for kind, times in failures.items():
            tally.kinds[kind] = tally.kinds.get(kind, 0) + times
        return left


def describe(error: BaseException) -> str:
    """What went wrong and where, alike for failures that are alike."""
    if isinstance(error, DifferenceError):
        return f"different: {error}"
    frames = [
        f"{Path(one.filename).parent.name}/{Path(one.filename).name}:{one.name}"
        for one in traceback.extract_tb(error.__traceback__)
        if "site-packages" not in one.filename and "/lib/python" not in one.filename
    ]
    return f"{type(error).__name__} in {frames[-1] if frames else '?'}"


def keep(kept: Path, subject: Subject, seed: int, number: int, kind: str, trace: str) -> None:
    """Save a failing input so that it can be looked at and tried again."""
    folder = kept / f"{subject.name}-{seed}-{number}"
    one = draw(subject, seed, number)
    write_files(folder, {**subject.originals[one.original], **one.files})
    about = {"subject": subject.name, "seed": seed, "number": number, "kind": kind}
    about["changed"] = list(one.files)
    write_files(folder, {"failure.txt": f"{json.dumps(about, indent=1)}\n{trace}".encode()})


def campaign(
    subjects: list[Subject],
    seed: int,
    kept: Path,
    *,
    inputs: int | None = None,
    seconds: float | None = None,
    jobs: int = 1,
    first: int = 0,
    scale: float = 1.0,
    report: Callable[[dict[str, Tally]], None] = lambda tallies: None,
) -> dict[str, Tally]:
    """Try inputs of all subjects in rounds until there were enough, or the time is up.

    In a round every subject gets its share; rounds end when there were so many `inputs`, or after
    so many `seconds`. `first` is the number of the first input of each subject, and `scale` makes
    shares smaller.
    """
    tallies = {subject.name: Tally() for subject in subjects}
    by_name = {subject.name: subject for subject in subjects}
    shared = Path("/dev/shm")  # noqa: S108 - memory, where there is such a folder
    with tempfile.TemporaryDirectory(dir=shared if shared.is_dir() else None) as place:
        end = None if seconds is None else time.monotonic() + seconds
        todo: list[tuple[str, range]] = []
        next_number = dict.fromkeys(tallies, first)
        planned = 0
        running: list[Worker] = []
        told = time.monotonic()
        while True:
            late = end is not None and time.monotonic() > end
            if late:
                todo = []
            elif not todo and (inputs is None or planned < inputs):
                for subject in subjects:
                    size = max(1, int(subject.share * scale))
                    begin = next_number[subject.name]
                    next_number[subject.name] += size
                    planned += size
                    todo.append((subject.name, range(begin, begin + size)))
            while todo and len(running) < jobs:
                name, batch = todo.pop(0)
                running.append(Worker(by_name[name], seed, batch, kept, Path(place)))
            if not running:
                break
            time.sleep(0.002)
            for worker in list(running):
                ended = worker.poll()
                if ended is not None:
                    running.remove(worker)
                    left = worker.finish(ended, tallies[worker.subject.name])
                    if left and not late:
                        todo.insert(0, (worker.subject.name, left))
            if time.monotonic() - told > 10:
                told = time.monotonic()
                report(tallies)
    return tallies


def table(tallies: dict[str, Tally]) -> str:
    """The counts by subject, and what failed."""
    width = max(map(len, tallies)) if tallies else 8
    heading = f"{'subject':{width}} {'inputs':>10} {'accepted':>10} {'refused':>10} {'failed':>7}"
    rows = [f"{heading} {'CPU s':>8} {'MB':>6}"]
    for name, one in sorted(tallies.items()):
        counts = f"{one.inputs:>10,} {one.accepted:>10,} {one.refused:>10,} {one.failed:>7,}"
        rows.append(f"{name:{width}} {counts} {one.seconds:>8.1f} {one.memory >> 20:>6,}")
    total = [sum(getattr(one, key) for one in tallies.values()) for key in ("accepted", "refused")]
    failed = sum(one.failed for one in tallies.values())
    counts = f"{sum(total) + failed:>10,} {total[0]:>10,} {total[1]:>10,} {failed:>7,}"
    rows.append(f"{'all':{width}} {counts} {sum(one.seconds for one in tallies.values()):>8.1f}")
    for name, one in sorted(tallies.items()):
        rows += (f"FAILED {name}: {kind} ({times:,})" for kind, times in one.kinds.items())
    return "\n".join(rows)


def progress(tallies: dict[str, Tally]) -> None:
    """One line for people who watch."""
    total = sum(one.inputs for one in tallies.values())
    failed = sum(one.failed for one in tallies.values())
    print(f"{total:,} inputs, {failed:,} failed", file=sys.stderr, flush=True)
