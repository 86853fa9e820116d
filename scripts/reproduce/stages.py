"""Stages of a long work: commands that make one thing each, when others are made; goes on later.

`WORK/done` has a file for each stage that is made, `WORK/log` what its commands said.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from graphlib import TopologicalSorter
from pathlib import Path

from crosspro.data_prep.core.files import make_folder, write_text

_TELL = threading.Lock()


@dataclass(frozen=True)
class Stage:
    """Commands that make one thing, one after the other, when others are made."""

    commands: tuple[tuple[str, ...], ...]
    after: tuple[str, ...] = ()


def make_stages(work: Path, stages: Mapping[str, Stage], jobs: int = 1) -> list[str]:
    """Make what is not there; the stages that failed. What needs one of these is not tried."""
    for folder in ("log", "done"):
        make_folder(work / folder)
    order = TopologicalSorter({title: stage.after for title, stage in stages.items()})
    order.prepare()
    failed: list[str] = []
    running: dict[Future[bool], str] = {}
    with ThreadPoolExecutor(jobs) as pool:
        while order.is_active():
            for title in order.get_ready():
                running[pool.submit(_made, work, title, stages[title].commands)] = title
            if not running:
                break
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                title = running.pop(future)
                if future.result():
                    order.done(title)
                else:
                    failed.append(title)
    return failed


def log_file(work: Path, title: str) -> Path:
    """What the commands of a stage said."""
    return work / "log" / f"{title}.log"


def _made(work: Path, title: str, commands: Sequence[tuple[str, ...]]) -> bool:
    """Run the commands of a stage, unless it was made before; whether all went well."""
    done = work / "done" / title
    if done.is_file():
        return True
    _tell(f"{title}: begun")
    with log_file(work, title).open("ab") as log:
        for command in commands:
            log.write(f"$ {' '.join(command)}\n".encode())
            log.flush()
            if subprocess.run(command, check=False, stdout=log, stderr=log).returncode:
                return False
    write_text(done, "")
    _tell(f"{title}: made")
    return True


def _tell(text: str) -> None:
    with _TELL:
        print(text, file=sys.stderr, flush=True)
