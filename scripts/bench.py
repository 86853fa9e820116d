"""Time and memory of commands: python -m crosspro.scripts.bench [CASE …] [--against CHECKOUT].

A case prepares its input in a folder and names one command of crosspro; where another program that
does the same work is installed, that runs beside it. All commands of a case run in turns, so that a
busy machine slows all of them down. Of each the medians are printed: seconds, CPU seconds of all
its processes, peak memory of the largest one, and the ratio of CPU seconds to the first row.
"""

from __future__ import annotations

import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.shared_task import write_examples
from crosspro.scripts.common import SAMPLE

Words = Sequence[object]
"""A command: crosspro's arguments, or a peer's program and arguments."""
Usage = tuple[float, float, float]
"""What a run took: seconds, CPU seconds, and MB of the largest process."""
OUTPUT = Path("out")
"""The folder that a command writes to, empty at the start of each turn."""


def repeated(name: str, folder: Path, times: int) -> Path:
    """A file of the sample, written several times over."""
    path = folder / Path(name).name
    path.write_bytes(SAMPLE.joinpath(name).read_bytes() * times)
    return path


def tokenised(language: str, folder: Path, times: int) -> Path:
    """Text of the sample with spaces between its tokens, as aligners expect."""
    path = folder / f"text.{language}"
    lines = SAMPLE.joinpath(f"sample.{language}").read_text("utf-8").splitlines()
    tokens = (re.findall(r"\w+['’]|\w+|[^\w\s]", line) for line in lines)
    path.write_text("".join(f"{' '.join(words)}\n" for words in tokens) * times, "utf-8")
    return path


def demo_file(folder: Path, lines: int) -> Path:
    """Examples of the generated corpus in five columns."""
    path = folder / "demo.data"
    examples = demo_examples(load_task("en-fr"), "train", lines // 8 + 1)
    write_examples(path, examples[:lines])
    return path


def _evaluate(folder: Path) -> Words:
    gold = demo_file(folder, 20_000)
    return ("evaluate", gold, gold, "--task", "en-fr")


def _apt(folder: Path) -> Words:
    sides = {"source": "source.en", "reference": "reference.fr", "candidate": "outputs/careless.fr"}
    files = {option: repeated(f"mt/{name}", folder, 20) for option, name in sides.items()}
    options = [word for option, path in files.items() for word in (f"--{option}", path)]
    return ("score", *options, "--metric", "apt")


def _prepare(folder: Path) -> Words:
    source, target = (repeated(f"sample.{language}", folder, 10) for language in ("en", "fr"))
    sides = ("--source", source, "--target", target)
    return ("prepare", "--task", "en-fr-text", *sides, "-o", OUTPUT / "examples")


def _align(folder: Path) -> Words:
    source, target = (tokenised(language, folder, 10) for language in ("en", "fr"))
    pairs = zip(source.read_text().splitlines(), target.read_text().splitlines(), strict=True)
    (folder / "pairs").write_text("".join(f"{first} ||| {second}\n" for first, second in pairs))
    sides = ("--source", source, "--target", target, "--jobs", 1)
    return ("align", "--task", "en-fr", *sides, "-o", OUTPUT / "links")


def _estimate(folder: Path) -> Words:
    return ("lm", "estimate", tokenised("fr", folder, 100), "-o", OUTPUT / "model.arpa")


def _fill(folder: Path) -> Words:
    text, model = tokenised("fr", folder, 10), folder / "model.npz"
    run(ours("lm", "estimate", text, "-o", model), folder)
    gaps = demo_file(folder, 2000)
    return ("lm", "fill", gaps, "--task", "en-fr", "--lm", model, "-o", OUTPUT / "filled")


def _predict(folder: Path) -> Words:
    return ("predict", "en-fr", repeated("gold.data", folder, 2), "-o", OUTPUT / "labels")


def _train(folder: Path) -> Words:
    settings = ("task=en-fr", "data=demo", "experiment=first_look", "resamples=0")
    once = ("trainer.max_epochs=1", "trainer.progress_bar=false")
    return ("train", *settings, *once, f"hydra.run.dir={OUTPUT / 'run'}")


CASES: dict[str, Callable[[Path], Words]] = {
    "start-up": lambda folder: ("--help",),
    "evaluate": _evaluate,
    "apt": _apt,
    "prepare": _prepare,
    "align": _align,
    "lm-estimate": _estimate,
    "lm-fill": _fill,
    "predict": _predict,
    "train": _train,
}
PEERS: dict[str, Words] = {
    "start-up": (sys.executable, "-c", "pass"),
    "align": ("fast_align", "-i", "pairs", "-d", "-o", "-v"),
    "lm-estimate": ("lmplz", "-o", 5, "--discount_fallback", "--text", "text.fr",
                    "--arpa", "out/peer.arpa"),
}  # fmt: skip


def ours(*arguments: object, checkout: Path | None = None) -> list[str]:
    """A command of crosspro, here or as it is installed in another checkout."""
    python = sys.executable if checkout is None else str(checkout / ".venv" / "bin" / "python")
    return [python, "-m", "crosspro.scripts.cli", *map(str, arguments)]


def run(command: Sequence[str], folder: Path) -> Usage:
    """Run a command in a folder; its processes are waited for, so that their times are known."""
    shutil.rmtree(folder / OUTPUT, ignore_errors=True)
    (folder / OUTPUT).mkdir()
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


def measure(case: str, turns: int, against: Path | None = None) -> Iterator[tuple[str, Usage]]:
    """The commands of a case with the medians of all turns, ours first."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        arguments = CASES[case](folder)
        commands = {"here": ours(*arguments)}
        if against is not None:
            commands[str(against)] = ours(*arguments, checkout=against)
        peer = [*map(str, PEERS.get(case, ()))]
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
    for name in names or CASES:
        first = 0.0
        for title, (seconds, cpu, memory) in measure(name, turns, against):
            first = first or cpu
            figures = f"{seconds:8.2f} {cpu:8.2f} {memory:6.0f} {cpu / first:6.2f}"
            print(f"{name:12} {title:16} {figures}", flush=True)


if __name__ == "__main__":
    typer.run(bench)
