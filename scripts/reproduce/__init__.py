"""Make a row of the leaderboard again, and compare.

The modules beside make data, models and measurements.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crosspro.data_prep.core.errors import (
    InputError,
    Problem,
    choices,
    how_to_install,
    input_error,
    printable,
    quoted,
)
from crosspro.data_prep.core.processes import may_have_gpu
from crosspro.scripts.main import command_app, run

if TYPE_CHECKING:
    from crosspro.evaluation.leaderboard.record import Record

app = command_app()

_PROGRAMS = {
    "crosspro": ("-m", "crosspro.scripts.main"),
    "train.py": ("-m", "crosspro.scripts.train"),
}
"""How this Python runs what a step names first, or second after `python`."""
_PACKAGES = {
    "train": ("torch", "hydra", "sklearn"),
    "annotate": ("spacy", "HanTa"),
    "mt": ("sacrebleu",),
}
"""The packages by which an extra is known to be installed."""


@app.command()
def reproduce(
    record: Annotated[
        str, typer.Argument(help="A record, such as en-de/uppsala_bilstm, or the title of a row.")
    ],
    results: Annotated[Path, typer.Option(help="The folder of records.")] = Path("results"),
    corpora: Annotated[
        Path | None, typer.Option(help="The folder of corpora (bitext, monolingual, …).")
    ] = None,
    work: Annotated[Path, typer.Option(help="The folder of all that is made.")] = Path("work"),
    start: Annotated[
        bool, typer.Option("--run", help="Run the steps; without it they are printed.")
    ] = False,
    without_gpu: Annotated[
        bool, typer.Option("--without-gpu", help="Run steps on the CPU that want a GPU.")
    ] = False,
) -> None:
    """Make a row of the leaderboard again, and compare.

    Prints the steps (data, training, ensemble, scoring), or runs them with --run. What is missing,
    corpora, packages or a GPU, is said before anything starts. A run that was stopped goes on where
    it was. At the end each new score stands beside the recorded one.
    """
    found = _record(record, results)
    lacking = [
        (need, reason)
        for need in dict.fromkeys(need for step in found.steps for need in step.needs)
        if (reason := _lacks(need, corpora, work)) and not (need == "gpu" and without_gpu)
    ]
    commands = [_command(step.command, corpora, work) for step in found.steps]
    if not start:
        print(printable(_told(found), lines=True))
        for need, reason in lacking:
            print(f"missing: {need}: {reason}")
        for step, command in zip(found.steps, commands, strict=True):
            print(printable(f"\n# {step.makes}\n{shlex.join(command)}", lines=True))
        return
    if lacking:
        raise InputError(Problem(found.name, None, "needs", *one) for one in lacking)
    if not found.steps:
        raise input_error(found.name, "steps", "commands", "none: it is a published figure")
    _make(found, commands, work)
    _compare(found, work / "results")


def _record(name: str, results: Path) -> Record:
    """The record of a name or of a title that one row has."""
    from crosspro.evaluation.leaderboard.record import published_records, read_records

    records = (*read_records(results), *published_records())
    found = [one for one in records if one.name == name] or [
        one for one in records if name in (one.title, one.name.rpartition("/")[2])
    ]
    if len(found) == 1:
        return found[0]
    if found:
        raise input_error(results, "RECORD", choices(one.name for one in found), quoted(name))
    near = [one.name for one in records if name.lower() in f"{one.name} {one.title}".lower()]
    expected = choices(near) if near else "a record (crosspro results list has them)"
    raise input_error(results, "RECORD", expected, quoted(name))


def _told(record: Record) -> str:
    """A record in a few lines: what it is, and the scores that are to come out."""
    seeds = f", seeds {', '.join(map(str, record.seeds))}" if record.seeds else ""
    lines = [f"{record.name}: {record.title}, {record.task}{seeds}"]
    if record.source:
        lines.append(f"published: {record.source}")
    for test, scores in record.scores.items():
        told = ", ".join(f"{name} {score}" for name, score in scores.items())
        lines.append(f"  {test}: {told}")
    return "\n".join(lines)


def _lacks(need: str, corpora: Path | None, work: Path) -> str:
    """Why a need is not met here; empty if it is."""
    kind, _, what = need.partition(" ")
    if kind == "gpu":
        return "" if may_have_gpu() else "none is to be seen (--without-gpu tries the CPU)"
    if kind == "folder":
        if corpora is None and "{corpora}" in what:
            return "name the folder of corpora: --corpora DIR"
        place = Path(_command((what,), corpora, work)[0])
        return "" if place.exists() else f"no {place}"
    lacking = [package for package in _PACKAGES.get(what, ()) if find_spec(package) is None]
    if kind == "extra" and lacking:
        return f"no {' and '.join(lacking)}: {how_to_install(what)}"
    return ""


def _command(words: Sequence[str], corpora: Path | None, work: Path) -> tuple[str, ...]:
    """A step's command for this machine."""
    places = {"{work}": str(work), "{corpora}": str(corpora or "CORPORA")}

    def placed(word: str) -> str:
        for name, place in places.items():
            word = word.replace(name, place)
        return word

    return tuple(map(placed, words))


def _make(record: Record, commands: Sequence[tuple[str, ...]], work: Path) -> None:
    """Run the steps of a record, one after the other."""
    from crosspro.scripts.reproduce.stages import Stage, log_file, make_stages

    stages: dict[str, Stage] = {}
    for number, command in enumerate(commands, start=1):
        title = f"{record.name.replace('/', '.')}.{number}"
        stages[title] = Stage((_here(command, record.name),), tuple(stages)[-1:])
    failed = make_stages(work, stages)
    if failed:
        logs = ", ".join(str(log_file(work, title)) for title in failed)
        print(f"failed: {logs}", file=sys.stderr)
        raise typer.Exit(1)


def _here(command: Sequence[str], where: str) -> tuple[str, ...]:
    """A command as the Python of this process runs it; a record may name our own programs alone."""
    words = command[1:] if command[:1] == ("python",) else command
    if words and words[0] in _PROGRAMS:
        return (sys.executable, *_PROGRAMS[words[0]], *words[1:])
    if command[:2] == ("python", "-m") and command[2:] and command[2].startswith("crosspro."):
        return (sys.executable, *words)
    expected = "crosspro, python train.py or python -m crosspro.…"
    raise input_error(where, "steps", expected, quoted(shlex.join(command)))


def _compare(record: Record, made: Path) -> None:
    """Print each new score beside the recorded one; those outside its interval are an error."""
    from crosspro.evaluation.leaderboard.record import read_record, record_file

    new = read_record(record_file(record.name, made))
    rows = list(_compared(record, new))
    for test, measure, old, value, within in rows:
        print(f"{test} {measure}: {value}, recorded {old}{'' if within else ': outside'}")
    outside = sum(not row[-1] for row in rows)
    print(f"{len(rows) - outside} of {len(rows)} scores are within the recorded intervals")
    if outside:
        raise typer.Exit(1)


def _compared(record: Record, new: Record) -> Iterator[tuple[str, str, str, str, bool]]:
    for test, scores in record.scores.items():
        for measure, old in scores.items():
            again = new.scores.get(test, {}).get(measure)
            if again is None:
                yield test, measure, str(old), "not scored", False
                continue
            known = old.low is not None and old.high is not None
            low, high = (old.low or 0, old.high or 0) if known else (old.value, old.value)
            within = low - 1e-6 <= again.value <= high + 1e-6
            yield test, measure, str(old), str(again), within


if __name__ == "__main__":
    run(app)
