"""Time and memory of commands: python -m crosspro.scripts.bench [CASE …] [--against CHECKOUT].

Where another program that does the same work is installed, it runs beside a command of crosspro.
The commands of a case run in turns, so that a busy machine slows all of them down. Of each the
medians are printed: seconds, CPU seconds of all its processes, peak memory of the largest one, and
the ratio of CPU seconds to the first row.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.shared_task import write_examples
from crosspro.scripts.common import SAMPLE

Usage = tuple[float, float, float]
"""What a run took: seconds, CPU seconds, and MB of the largest process."""

CASES = {
    "start-up": "--help",
    "evaluate": "evaluate demo.data demo.data --task en-fr",
    "apt": "score --source source.en --reference reference.fr --candidate careless.fr -m apt",
    "prepare": "prepare --task en-fr-text --source sample.en --target sample.fr -o out/examples",
    "align": "align --task en-fr --source text.en --target text.fr --jobs 1 -o out/links",
    "lm-estimate": "lm estimate text.fr -o out/model.arpa",
    "lm-fill": "lm fill demo.data --task en-fr --lm model.npz -o out/filled",
    "predict": "predict en-fr gold.data -o out/labels",
    "train": "train task=en-fr data=demo experiment=first_look resamples=0 trainer.max_epochs=1 "
    "trainer.progress_bar=false hydra.run.dir=out/run",
}
"""Commands of crosspro, run in a folder that has their input and an empty folder `out`."""
PEERS = {
    "start-up": f"{sys.executable} -c pass",
    "align": "fast_align -i pairs -d -o -v",
    "lm-estimate": "lmplz -o 5 --discount_fallback --text text.fr --arpa out/peer.arpa",
}


def write_inputs(folder: Path) -> None:
    """Write the input of all cases: the sample several times over, and the demo corpus."""
    for name, times in {"sample.en": 10, "sample.fr": 10, "gold.data": 2, "mt/source.en": 20,
                        "mt/reference.fr": 20, "mt/outputs/careless.fr": 20}.items():  # fmt: skip
        (folder / Path(name).name).write_bytes(SAMPLE.joinpath(name).read_bytes() * times)
    sides = []
    for language in ("en", "fr"):
        lines = (folder / f"sample.{language}").read_text("utf-8").splitlines() * 2
        sides.append([" ".join(re.findall(r"\w+['’]|\w+|[^\w\s]", line)) for line in lines])
        (folder / f"text.{language}").write_text("\n".join(sides[-1]) + "\n", "utf-8")
    pairs = zip(*sides, strict=True)
    (folder / "pairs").write_text("".join(f"{' ||| '.join(pair)}\n" for pair in pairs), "utf-8")
    write_examples(folder / "demo.data", demo_examples(load_task("en-fr"), "train", 1000))
    run(ours("lm estimate text.fr -o model.npz"), folder)


def ours(arguments: str, checkout: Path | None = None) -> list[str]:
    """A command of crosspro, here or as it is installed in another checkout."""
    python = sys.executable if checkout is None else str(checkout / ".venv" / "bin" / "python")
    return [python, "-m", "crosspro.scripts.cli", *arguments.split()]


def run(command: Sequence[str], folder: Path) -> Usage:
    """Run a command in a folder; its processes are waited for, so that their times are known."""
    shutil.rmtree(folder / "out", ignore_errors=True)
    (folder / "out").mkdir()
    # An environment that forbids bytecode would have every run compile all modules again.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    started = time.perf_counter()
    process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def measure(
    case: str, folder: Path, turns: int, against: Path | None = None
) -> Iterator[tuple[str, Usage]]:
    """The commands of a case with the medians of all turns, ours first."""
    commands = {"here": ours(CASES[case])}
    if against is not None:
        commands[str(against)] = ours(CASES[case], against)
    peer = shlex.split(PEERS.get(case, ""))
    if peer and shutil.which(peer[0]):
        commands[Path(peer[0]).name] = peer
    rounds = [[run(command, folder) for command in commands.values()] for _ in range(turns)]
    for title, runs in zip(commands, zip(*rounds, strict=True), strict=True):
        seconds, cpu, memory = (statistics.median(column) for column in zip(*runs, strict=True))
        yield title, (seconds, cpu, memory)


def bench(
    names: Annotated[list[str] | None, typer.Argument(help=", ".join(CASES))] = None,
    turns: Annotated[int, typer.Option(min=1, help="Runs of each command.")] = 5,
    against: Annotated[
        Path | None, typer.Option(help="A checkout whose .venv has crosspro, to compare with.")
    ] = None,
) -> None:
    """Time and memory of commands, all cases if none is named."""
    print(f"{'case':12} {'command':16} {'seconds':>8} {'CPU':>8} {'MB':>6} {'ratio':>6}")
    with TemporaryDirectory() as folder:
        write_inputs(Path(folder))
        for name in names or CASES:
            first = 0.0
            for title, (seconds, cpu, memory) in measure(name, Path(folder), turns, against):
                first = first or cpu
                figures = f"{seconds:8.2f} {cpu:8.2f} {memory:6.0f} {cpu / first:6.2f}"
                print(f"{name:12} {title:16} {figures}", flush=True)


if __name__ == "__main__":
    typer.run(bench)
