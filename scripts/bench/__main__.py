"""All measurements: `python -m crosspro.scripts.bench CASE…`; without a case, their table.

`all` are the cases that need no GPU. Rows are printed as they come. `--record` keeps them with the
command, the machine and versions, a file for each case; the page of `results/bench` is made by
`crosspro leaderboard --tables docs/results/speed.md`.
"""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Annotated

import typer

from crosspro.data_prep.core.errors import CrossproError, choices, input_error, quoted
from crosspro.evaluation.leaderboard.speed import (
    SpeedRecord,
    row_shown,
    this_machine,
    versions_here,
    write_speed,
)
from crosspro.scripts.bench.cases import CASES
from crosspro.scripts.bench.table import BenchOptions, rows_of

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
_ALL = "all"


@app.command()
def bench(
    cases: Annotated[list[str] | None, typer.Argument(metavar="CASE…")] = None,
    corpora: Annotated[
        Path | None, typer.Option(help="A folder of corpora; else the sample is repeated.")
    ] = None,
    peers: Annotated[
        Path | None, typer.Option(help="A folder of peers, installed if they are not there.")
    ] = None,
    times: Annotated[int, typer.Option(min=1, help="Medians of so many rounds.")] = 5,
    scale: Annotated[
        bool, typer.Option("--scale", help="Also twice and four times as much.")
    ] = False,
    size: Annotated[int | None, typer.Option(min=1, help="Work of another size.")] = None,
    only: Annotated[
        list[str] | None, typer.Option(help="Rows with this in their name (repeatable).")
    ] = None,
    record: Annotated[Path | None, typer.Option(help="Keep what is measured here.")] = None,
    batch: Annotated[list[int] | None, typer.Option(help="Of networks (repeatable).")] = None,
    device: Annotated[str, typer.Option(help="Of networks: cpu or cuda.")] = "",
) -> None:
    """Measure cases: ours and the peer's in turns."""
    words, batches = tuple(only or ()), tuple(batch or ())
    given = BenchOptions(corpora, peers, times, scale, size, words, device, batches)
    if not cases:
        print("\n".join(_table()))
        return
    try:
        if only and record:
            raise input_error("bench", "--only", "none with --record, which keeps all rows", "both")
        for name in _named(cases):
            _measure(name, given, record)
    except CrossproError as error:
        raise SystemExit(str(error)) from error


def _table() -> list[str]:
    lines = ["All measurements: python -m crosspro.scripts.bench CASE…; --help has the options.\n"]
    for name, case in CASES.items():
        told = (case.unit, case.peer and f"beside {case.peer}", "on a GPU" if case.gpu else "")
        notes = f" ({', '.join(filter(None, told))})" if any(told) else ""
        lines.append(f"  {name:14}{case.about}{notes}")
    return lines


def _named(cases: list[str]) -> list[str]:
    """The cases that are asked for; of all, those whose packages are there."""
    for name in cases:
        if name not in (*CASES, _ALL):
            raise input_error("bench", "CASE", choices((_ALL, *CASES)), quoted(name))
    asked = [name for name, case in CASES.items() if not case.gpu] if _ALL in cases else cases
    lacking = {name: ", ".join(CASES[name].lacks) for name in asked if CASES[name].lacks}
    for name, packages in lacking.items():
        if _ALL not in cases:
            raise input_error("bench", name, "its packages", f"no package {packages}")
        print(f"{name}: left out, no package {packages}")
    return [name for name in asked if name not in lacking]


def _measure(name: str, given: BenchOptions, folder: Path | None) -> None:
    case, rows = CASES[name], []
    for row in rows_of(case, given):
        print(row_shown(row), flush=True)
        rows.append(row)
    if folder is not None and rows:
        day = f"{datetime.date.today():%Y-%m-%d}"
        where = this_machine(case.gpu and given.device != "cpu")
        times = 1 if case.once else given.times
        kept = (_command(name, given), day, times, where, versions_here(case.needs))
        write_speed(SpeedRecord(name, case.about, *kept, tuple(rows)), folder)


def _command(name: str, given: BenchOptions) -> str:
    """The command without paths of this machine."""
    words = ["python -m crosspro.scripts.bench", name, f"--times {given.times}"]
    words += ["--corpora DATA"] if given.corpora else []
    words += ["--peers PEERS"] if given.peers else []
    words += ["--scale"] if given.scale and CASES[name].work and CASES[name].size else []
    words += [f"--size {given.size}"] if given.size else []
    if CASES[name].gpu:
        words += [f"--device {given.device}"] if given.device else []
        words += [f"--batch {one}" for one in given.batch]
    return " ".join(words)


if __name__ == "__main__":
    app(prog_name="bench")
