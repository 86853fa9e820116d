"""Kills commands at random moments, starts them again, and compares with a run that was let be.

    python -m tests.fuzz.kills --kills 50                    of each command
    python -m tests.fuzz.kills --kills 5 --command lm --size 0.2

A command runs in a forked process, which gets SIGKILL when it has computed for a random part of
the time that a whole run takes. After some kills in a row the command is run to its end: what it
wrote must be what the undisturbed run wrote, and no other file may lie about.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any

from tests.fuzz.jobs import JOBS, Job

IN_A_ROW = 4
"""Kills of one run, at most, before it is let go on to its end."""


@dataclass
class Outcome:
    """What came of a command that was killed."""

    kills: int = 0
    runs: int = 0
    seconds: float = 0.0
    """That a whole run computes."""
    faults: tuple[str, ...] = ()


def run_kills(job: Job, kills: int, seed: int, place: Path) -> Outcome:
    """Kill a command so often; the folder must be empty."""
    rng = Random(f"{seed}/{job.name}")
    given = place / "given"
    given.mkdir()
    job.make(given)
    whole = _Try(job, given, place / "whole")
    seconds = whole.to_its_end()
    outcome = Outcome(seconds=seconds)
    if whole.code:
        return Outcome(faults=(f"a run that nobody disturbed ended with {whole.code}",))
    expected = whole.result()
    while outcome.kills < kills:
        parts = _Try(job, given, place / f"parts{outcome.runs}")
        for _ in range(min(rng.randint(1, IN_A_ROW), kills - outcome.kills)):
            outcome.kills += parts.killed_after(rng.random() * seconds)
        parts.to_its_end()
        outcome.runs += 1
        faults = tuple(_faults(parts, expected))
        outcome.faults += tuple(f"run {outcome.runs}: {fault}" for fault in faults)
        if not faults:
            shutil.rmtree(parts.folder)
    return outcome


def _faults(parts: _Try, expected: dict[str, Any]) -> Iterator[str]:
    if parts.code:
        yield f"the last start ended with {parts.code}: {parts.said()}"
        return
    found = parts.result()
    for name in sorted(expected.keys() | found.keys()):
        if name not in found:
            yield f"{name} is missing"
        elif name not in expected:
            yield f"{name} was left behind"
        elif found[name] != expected[name]:
            yield f"{name} is another one"


class _Try:
    """A command in a folder of its own, started as often as it takes."""

    def __init__(self, job: Job, given: Path, folder: Path) -> None:
        self.job, self.folder = job, folder
        self.code: int | None = None
        shutil.copytree(given, folder / "work")
        (folder / "tmp").mkdir()

    def start(self) -> Any:
        process = get_context("fork").Process(target=self._work)
        process.start()
        return process

    def _work(self) -> None:
        os.setsid()
        os.chdir(self.folder / "work")
        os.environ["TMPDIR"] = str(self.folder / "tmp")
        tempfile.tempdir = None
        said = os.open(self.folder / "said", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for descriptor in (1, 2):
            os.dup2(said, descriptor)
        self.job.work()

    def to_its_end(self) -> float:
        """Run the command; the seconds that it computed."""
        process = self.start()
        used = 0.0
        while process.is_alive():
            used = max(used, _computed(process.pid))
            time.sleep(0.01)
        process.join()
        self.code = process.exitcode
        return used

    def killed_after(self, seconds: float) -> bool:
        """Run the command until it has computed so long; whether it was still there to kill."""
        process = self.start()
        while process.is_alive() and _computed(process.pid) < seconds:
            time.sleep(0.002)
        alive = process.is_alive()
        if alive:
            os.kill(process.pid, signal.SIGKILL)
        process.join()
        return alive

    def said(self) -> str:
        return (self.folder / "said").read_text("utf-8", "replace")[-300:]

    def result(self) -> dict[str, Any]:
        """The content of all files; only that there is one where runs may differ."""
        found: dict[str, Any] = {}
        for path in sorted(self.folder.rglob("*")):
            name = path.relative_to(self.folder).as_posix()
            if name == "said" or self.job.passes(name):
                continue
            if path.is_dir():
                found[name] = "a folder"
            elif path.suffix == ".sqlite":
                with sqlite3.connect(path) as database:
                    found[name] = self.job.rows(database)
            else:
                found[name] = "a file" if self.job.differs(name) else path.read_bytes()
        return found


def _computed(pid: int) -> float:
    """The seconds that a process has computed."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:  # it has just ended
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main(
    arguments: list[str] | None = None, show: Callable[[str], None] = lambda text: print(text)
) -> int:
    """Kill what was asked for; 1 if anything was found."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.fuzz.kills",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--kills", type=int, default=50, help="of each command")
    parser.add_argument("--command", action="append", choices=list(JOBS), help="only these")
    parser.add_argument("--seed", type=int, default=1, help="another seed, other moments")
    parser.add_argument("--size", type=float, default=1.0, help="of the data; 1 takes 5 to 20 s")
    asked = parser.parse_args(arguments)
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    faults = 0
    for name in asked.command or list(JOBS):
        with tempfile.TemporaryDirectory() as place:
            outcome = run_kills(JOBS[name](asked.size), asked.kills, asked.seed, Path(place))
        show(
            f"{name}: {outcome.kills} kills of a run of {outcome.seconds:.1f} s, "
            f"{outcome.runs} restarts to the end, {len(outcome.faults)} faults"
        )
        for fault in outcome.faults:
            show(f"  {fault}")
        sys.stdout.flush()
        faults += len(outcome.faults)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
