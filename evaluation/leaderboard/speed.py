"""Measurements of speed as records, and their table in Markdown.

`python -m crosspro.scripts.bench` writes a record for each of its cases to `results/bench`; the
block `speed` of a page shows them. The ratio of a row is that of its CPU seconds to the peer's, or
on a GPU of its seconds. The exponent says how they grow with the work: 1 is linear.
"""

from __future__ import annotations

import json
import platform
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from crosspro.data_prep.core.errors import counted
from crosspro.data_prep.core.files import make_folder, read_json_object, write_text
from crosspro.data_prep.core.processes import processors
from crosspro.data_prep.core.settings import checked
from crosspro.evaluation.output.tables import markdown_table

FOLDER = "bench"
"""Of the folder of results; what is in it is on no leaderboard."""
_BASE = ("Python", "crosspro", "numpy")
_HEADING = ("", "work", "CPU s", "s", "MB", "beside", "ratio", "exponent", "more")


@dataclass(frozen=True)
class Measured:
    """Medians of seconds, CPU seconds (not on a GPU), and peak memory in MB, if it is known."""

    wall: float
    cpu: float | None = None
    memory: float | None = None


@dataclass(frozen=True)
class SpeedRow:
    """What was measured of one command or function; `figures` are its own, with their units."""

    name: str
    ours: Measured
    size: int | None = None
    unit: str = ""
    peer: str = ""
    theirs: Measured | None = None
    ratio: float | None = None
    exponent: float | None = None
    figures: Mapping[str, float] = field(default_factory=dict)

    @property
    def work(self) -> str:
        """How much was done."""
        return "" if self.size is None else f"{self.size:,} {self.unit}"


@dataclass(frozen=True)
class Machine:
    """Where it was measured; no name of the machine."""

    processor: str
    cores: int
    architecture: str
    gpu: str = ""


@dataclass(frozen=True)
class SpeedRecord:
    """A case: its command without paths, the day, the machine, versions, and its rows."""

    case: str
    about: str
    command: str
    date: str
    times: int
    machine: Machine
    versions: Mapping[str, str]
    rows: tuple[SpeedRow, ...]


def this_machine(gpu: bool) -> Machine:
    """The machine that this runs on, with its GPU if that was used."""
    processor, card = platform.processor() or platform.machine(), ""
    with suppress(OSError, StopIteration):
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
        named = (line.partition(":")[2] for line in lines if line.startswith("model name"))
        processor = next(named).strip()
    if gpu:
        with suppress(OSError, subprocess.CalledProcessError):
            asked = ["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"]
            card = subprocess.run(asked, capture_output=True, text=True, check=True).stdout  # noqa: S603
    return Machine(processor, processors(), platform.machine(), card.partition("\n")[0].strip())


def versions_here(packages: Sequence[str]) -> dict[str, str]:
    """Those of Python, ours and what was used, as far as they are installed."""
    python, *base = _BASE
    found = {python: platform.python_version()}
    for name in (*base, *packages):
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def write_speed(record: SpeedRecord, folder: Path) -> Path:
    """Write a record, over one of before; numbers have four digits."""
    make_folder(folder)
    path = folder / f"{record.case}.json"
    content = json.dumps(_rounded(asdict(record)), ensure_ascii=False, indent=1)
    write_text(path, content + "\n")
    return path


def _rounded(value: object) -> object:
    """Without what is not known."""
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, dict):
        known = {key: one for key, one in value.items() if one not in (None, "", {})}
        return {key: _rounded(one) for key, one in known.items()}
    return [_rounded(one) for one in value] if isinstance(value, list | tuple) else value


def read_speed(results: Path) -> list[SpeedRecord]:
    """The records of a folder of results, by case; raises `InputError` with all faults of one."""
    paths = sorted((results / FOLDER).glob("*.json"))
    return [checked(SpeedRecord, read_json_object(path), path) for path in paths]


def speed_block(records: Sequence[SpeedRecord]) -> str:
    """A table for each machine, day and version of ours."""
    groups: dict[object, list[SpeedRecord]] = {}
    for one in records:
        base = tuple(one.versions.get(name) for name in _BASE)
        groups.setdefault((one.date, one.machine, one.times, base), []).append(one)
    parts = []
    for own in groups.values():
        body = [_cells(row) for one in own for row in one.rows]
        columns = [(title, *cells) for title, *cells in zip(_HEADING, *body, strict=True)]
        heading, *rows = zip(*(one for one in columns if any(one[1:])), strict=True)
        parts.append(f"{_place(own)}:\n\n{markdown_table(heading, rows, 2)}")
    return "\n".join(parts) or "Not measured.\n"


def _place(records: Sequence[SpeedRecord]) -> str:
    first, machine = records[0], records[0].machine
    cores = f"{counted(machine.cores, 'core')} of {machine.processor} ({machine.architecture})"
    where = f"{machine.gpu}, {cores}" if machine.gpu else cores
    versions = {name: told for one in records for name, told in one.versions.items()}
    told = ", ".join(" ".join(one) for one in versions.items())
    medians = f"medians of {first.times}" if first.times > 1 else "measured once"
    return f"{first.date}, {where}, {told}, {medians}"


def _cells(row: SpeedRow) -> tuple[str, ...]:
    numbers = (row.ours.cpu, row.ours.wall, row.ours.memory)
    return (
        row.name,
        row.work,
        *map(number_shown, numbers),
        _peer_shown(row),
        "" if row.ratio is None else f"{row.ratio:.2f}",
        "" if row.exponent is None else f"{row.exponent:.2f}",
        figures_shown(row),
    )


def _peer_shown(row: SpeedRow) -> str:
    """A peer with its seconds and its memory."""
    if row.theirs is None:
        return ""
    theirs = (row.theirs.cpu, "CPU s"), (row.theirs.wall, "s"), (row.theirs.memory, "MB")
    known = [f"{number_shown(value)} {unit}" for value, unit in theirs if value is not None]
    return f"{row.peer}: {', '.join(known)}"


def row_shown(row: SpeedRow) -> str:
    """A row as a line of text."""
    titles = ("", "", "CPU s", "wall s", "MB", "beside", "ratio", "exponent", "")
    cells = zip(titles, _cells(row), strict=True)
    return "  ".join(f"{title} {cell}".strip() for title, cell in cells if cell)


def figures_shown(row: SpeedRow) -> str:
    """The figures of a row's own."""
    return ", ".join(f"{name} {number_shown(value)}" for name, value in row.figures.items())


def number_shown(value: float | None) -> str:
    """Three digits or more, and nothing for what is not known."""
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
