"""The table of the official data: which file belongs to which task and year, and where it is.

The data is not ours to publish, and its hosts have moved: `urls.tsv` says for each file
what is confirmed by a source and what is inferred, and gives addresses to try in turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path, PurePosixPath

from crosspro.data_prep.core.errors import (
    CrossproError,
    InputError,
    Problem,
    choices,
    is_whole_number,
    quoted,
)
from crosspro.data_prep.core.files import read_text_lines
from crosspro.data_prep.official.download import require_https

PAGES = {
    2015: (
        "https://hdl.handle.net/11372/LRT-1611",
        "https://huggingface.co/datasets/FrancophonIA/DiscoMT-2015",
    ),
    2016: (
        "https://hdl.handle.net/11372/LRT-2394",
        "https://huggingface.co/datasets/FrancophonIA/DiscoMT-2016",
    ),
    2017: (
        "https://hdl.handle.net/11234/1-2393",
        "https://huggingface.co/datasets/FrancophonIA/DiscoMT-2017",
    ),
}
"""Where the data of each year can be looked at, and fetched by hand: LINDAT and a copy of it."""
COLUMNS = ("name", "task", "year", "split", "url", "size", "sha256", "evidence", "source")


@dataclass(frozen=True, slots=True)
class OfficialFile:
    """One file of a shared task. `tasks` is ("all",) for what belongs to no single pair."""

    name: str
    tasks: tuple[str, ...]
    year: int
    split: str
    urls: tuple[str, ...]
    size: int | None
    sha256: str | None
    evidence: str
    source: str

    @property
    def path(self) -> Path:
        """Where the file goes inside the folder of downloads: names recur over the years."""
        return Path(str(self.year), self.name)


def official_files(table: Path | None = None) -> tuple[OfficialFile, ...]:
    """The files of the table that comes with the project, or of another one."""
    if table is not None:
        return _parse(table)
    with resources.as_file(resources.files("crosspro.data_prep.official") / "urls.tsv") as path:
        return _parse(path)


def select(
    files: Iterable[OfficialFile],
    tasks: Sequence[str] = (),
    years: Sequence[int] = (),
    splits: Sequence[str] = (),
) -> tuple[OfficialFile, ...]:
    """The files of these tasks, years and splits; an empty choice means any."""
    files = tuple(files)
    known = {
        "task": (tasks, sorted({task for file in files for task in file.tasks})),
        "year": ([str(year) for year in years], sorted({str(file.year) for file in files})),
        "split": (splits, sorted({file.split for file in files})),
    }
    for name, (wanted, present) in known.items():
        for value in wanted:
            if value not in present:
                raise CrossproError(f"{name}: expected {choices(present)}, found {value}")
    chosen = tuple(
        file
        for file in files
        if (not tasks or set(tasks) & set(file.tasks))
        and (not years or file.year in years)
        and (not splits or file.split in splits)
    )
    if not chosen:
        raise CrossproError("expected files of this task, year and split, found none in the table")
    return chosen


def _parse(path: Path) -> tuple[OfficialFile, ...]:
    problems: list[Problem] = []
    files: dict[Path, OfficialFile] = {}
    header = False
    for number, line in enumerate(read_text_lines(path), start=1):
        if line.startswith("#") or not line:
            continue
        values = line.split("\t")
        if not header or len(values) != len(COLUMNS):
            if tuple(values) != COLUMNS:
                expected = " ".join(COLUMNS)
                problems.append(Problem(str(path), number, "columns", expected, quoted(line)))
            header = True
            continue
        row = dict(zip(COLUMNS, values, strict=True))
        faults = _faults(row)
        problems += (Problem(str(path), number, *fault) for fault in faults)
        if not faults:
            file = _file(row)
            if file.path in files:
                problems.append(Problem(str(path), number, "name", "names once", str(file.path)))
            files[file.path] = file
    if problems:
        raise InputError(problems)
    return tuple(files.values())


def _faults(row: dict[str, str]) -> list[tuple[str, str, str]]:
    """Field, expected and found of whatever is wrong with a row."""
    faults: list[tuple[str, str, str]] = []
    if PurePosixPath(row["name"]).name != row["name"] or row["name"] in {"", "..", "manifest.json"}:
        faults.append(("name", "a file name without folders", quoted(row["name"])))
    for field in ("year", "size"):
        if not is_whole_number(row[field]) and (row[field] or field == "year"):
            faults.append((field, "a number", quoted(row[field])))
    if row["sha256"] and not (len(row["sha256"]) == 64 and row["sha256"].isalnum()):
        faults.append(("sha256", "64 hexadecimal digits or nothing", quoted(row["sha256"])))
    for url in row["url"].split() or [""]:
        try:
            require_https(url)
        except CrossproError:
            faults.append(("url", "https addresses", quoted(url)))
    return faults


def _file(row: dict[str, str]) -> OfficialFile:
    return OfficialFile(
        row["name"],
        tuple(row["task"].split()),
        int(row["year"]),
        row["split"],
        tuple(row["url"].split()),
        int(row["size"]) if row["size"] else None,
        row["sha256"].lower() or None,
        row["evidence"],
        row["source"],
    )
