"""Time and memory of commands: python -m crosspro.scripts.bench [CASE …] [--against CHECKOUT].

A case prepares its input in a folder and names one command of crosspro; where a program of other
people does the same work and is installed, that runs beside it. All commands of a case run in
turns, so that a busy machine slows all of them down. Of each the median of the turns is printed:
seconds, CPU seconds of all its processes, peak memory of the largest one, and the ratio of CPU
seconds to those of the first row.
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
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from crosspro.data_prep.core.errors import CrossproError, choices, input_error, quoted
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.shared_task import write_examples
from crosspro.scripts.common import SAMPLE

Words = Sequence[object]
"""A command: crosspro's arguments, or a peer's program and arguments."""
OUTPUT = Path("out")
"""The folder that a command writes to, empty at the start of each turn."""
_TOKEN = re.compile(r"\w+['’]|\w+|[^\w\s]")
_SENTENCES_OF_A_DOCUMENT = 8

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)


@dataclass(frozen=True)
class Case:
    """What is measured; `prepare` writes the input into a folder, and returns our arguments."""

    prepare: Callable[[Path], Words]
    peer: Words = ()


@dataclass(frozen=True)
class Usage:
    """What a run took: seconds, CPU seconds, and MB of the largest process."""

    wall: float
    cpu: float
    memory: float


def repeated(name: str, folder: Path, times: int) -> Path:
    """A file of the sample, written several times over."""
    path = folder / Path(name).name
    path.write_bytes(SAMPLE.joinpath(name).read_bytes() * times)
    return path


def tokenised(language: str, folder: Path, times: int) -> Path:
    """Text of the sample with spaces between its tokens, as aligners expect."""
    text = SAMPLE.joinpath(f"sample.{language}").read_text("utf-8")
    lines = [" ".join(_TOKEN.findall(line)) for line in text.splitlines()]
    path = folder / f"text.{language}"
    path.write_text("".join(f"{line}\n" for line in lines) * times, "utf-8")
    return path


def demo_file(folder: Path, lines: int) -> Path:
    """Examples of the generated corpus in five columns."""
    path = folder / "demo.data"
    documents = lines // _SENTENCES_OF_A_DOCUMENT + 1
    write_examples(path, demo_examples(load_task("en-fr"), "train", documents)[:lines])
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
    options = ("--source", source, "--target", target, "--jobs", 1)
    return ("prepare", "--task", "en-fr-text", *options, "-o", OUTPUT / "examples")


def _align(folder: Path) -> Words:
    source, target = (tokenised(language, folder, 10) for language in ("en", "fr"))
    pairs = zip(source.read_text().splitlines(), target.read_text().splitlines(), strict=True)
    (folder / "pairs").write_text("".join(f"{first} ||| {second}\n" for first, second in pairs))
    options = ("--source", source, "--target", target, "--jobs", 1)
    return ("align", "--task", "en-fr", *options, "-o", OUTPUT / "links")


def _estimate(folder: Path) -> Words:
    text = tokenised("fr", folder, 100)
    return ("lm", "estimate", text, "-o", OUTPUT / "model.arpa")


def _fill(folder: Path) -> Words:
    text, model = tokenised("fr", folder, 10), folder / "model.npz"
    run(ours("lm", "estimate", text, "-o", model), folder)
    gaps = demo_file(folder, 2000)
    return ("lm", "fill", gaps, "--task", "en-fr", "--lm", model, "-o", OUTPUT / "filled")


def _predict(folder: Path) -> Words:
    data = repeated("gold.data", folder, 2)
    return ("predict", "en-fr", data, "--doc-ids", "none", "-o", OUTPUT / "labels")


def _proofread(folder: Path) -> Words:
    source, target = (
        repeated("mt/source.en", folder, 4),
        repeated("mt/outputs/careless.fr", folder, 4),
    )
    return ("proofread", source, target, "--model", "en-fr", "--threshold", 1)


def _train(folder: Path) -> Words:
    settings = ("task=en-fr", "data=demo", "experiment=first_look", "resamples=0")
    once = ("trainer.max_epochs=1", "trainer.progress_bar=false")
    return ("train", *settings, *once, f"hydra.run.dir={OUTPUT / 'run'}")


FAST_ALIGN = ("fast_align", "-i", "pairs", "-d", "-o", "-v")
LMPLZ = ("lmplz", "-o", 5, "--discount_fallback", "--text", "text.fr", "--arpa", "out/peer.arpa")
CASES = {
    "start-up": Case(lambda _: ("--help",), (sys.executable, "-c", "pass")),
    "evaluate": Case(_evaluate),
    "apt": Case(_apt),
    "prepare": Case(_prepare),
    "align": Case(_align, FAST_ALIGN),
    "lm-estimate": Case(_estimate, LMPLZ),
    "lm-fill": Case(_fill),
    "predict": Case(_predict),
    "proofread": Case(_proofread),
    "train": Case(_train),
}


def ours(*arguments: object, checkout: Path | None = None) -> list[str]:
    """A command of crosspro, here or as it is installed in another checkout."""
    python = sys.executable if checkout is None else str(checkout / ".venv" / "bin" / "python")
    return [python, "-c", "from crosspro.scripts.entry import main; main()", *map(str, arguments)]


def run(command: Sequence[str], folder: Path) -> Usage:
    """Run a command in a folder; its processes are waited for, so that their times are known."""
    shutil.rmtree(folder / OUTPUT, ignore_errors=True)
    (folder / OUTPUT).mkdir()
    # An environment that forbids bytecode would have every run compile all modules again.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    with (folder / "messages").open("w+b") as messages:
        started = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=messages,
        )  # fmt: skip
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            messages.seek(0)
            text = messages.read().decode("utf-8", "replace")
            raise input_error(
                "bench", " ".join(command), "exit status 0", f"{process.returncode}\n{text}"
            )
    return Usage(wall, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def measure(case: Case, turns: int, against: Path | None = None) -> Iterator[tuple[str, Usage]]:
    """The commands of a case with the medians of all turns, ours first."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        arguments = case.prepare(folder)
        commands = {"here": ours(*arguments)}
        if against is not None:
            commands[str(against)] = ours(*arguments, checkout=against)
        if case.peer and shutil.which(str(case.peer[0])):
            commands[Path(str(case.peer[0])).name] = [*map(str, case.peer)]
        rounds = [[run(command, folder) for command in commands.values()] for _ in range(turns)]
    for title, runs in zip(commands, zip(*rounds, strict=True), strict=True):
        columns = zip(*((usage.wall, usage.cpu, usage.memory) for usage in runs), strict=True)
        yield title, Usage(*map(statistics.median, columns))


@app.command()
def bench(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="CASE…", help=", ".join(CASES))
    ] = None,
    turns: Annotated[int, typer.Option(min=1, help="Runs of each command.")] = 5,
    against: Annotated[
        Path | None, typer.Option(help="A checkout whose .venv has crosspro, to compare with.")
    ] = None,
) -> None:
    """Time and memory of commands, all cases if none is named."""
    if unknown := {*(names or ())} - {*CASES}:
        raise SystemExit(str(input_error("bench", "CASE", choices(CASES), quoted(min(unknown)))))
    print(f"{'case':12} {'command':16} {'seconds':>8} {'CPU':>8} {'MB':>6} {'ratio':>6}")
    failed = False
    for name in names or CASES:
        first = 0.0
        try:
            for title, usage in measure(CASES[name], turns, against):
                first = first or usage.cpu
                figures = f"{usage.wall:8.2f} {usage.cpu:8.2f} {usage.memory:6.0f}"
                print(f"{name:12} {title:16} {figures} {usage.cpu / first:6.2f}", flush=True)
        except CrossproError as error:
            print(f"{name}: {error}", file=sys.stderr)
            failed = True
    raise typer.Exit(failed)


if __name__ == "__main__":
    app(prog_name="bench")
