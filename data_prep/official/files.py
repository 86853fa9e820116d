"""The table of the official data: which file belongs to which task and year, and where it is.

The data is not ours to publish, and its hosts have moved: `urls.tsv` says for each file
what is confirmed by a source and what is inferred, and gives addresses to try in turn.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path, PurePosixPath

from crosspro.data_prep.core.errors import (
    CrossproError,
    choices,
    input_error,
    is_whole_number,
    quoted,
)
from crosspro.data_prep.core.files import read_text_lines
from crosspro.data_prep.official.download import MANIFEST, is_allowed

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
    files: dict[Path, OfficialFile] = {}
    rows = (
        (number, line.split("\t"))
        for number, line in enumerate(read_text_lines(path), start=1)
        if line and not line.startswith("#")
    )
    number, header = next(rows, (1, []))
    if tuple(header) != COLUMNS:
        raise input_error(path, "columns", " ".join(COLUMNS), quoted("\t".join(header)), number)
    for number, values in rows:
        if len(values) != len(COLUMNS):
            expected = " ".join(COLUMNS)
            raise input_error(path, "columns", expected, quoted("\t".join(values)), number)
        row = dict(zip(COLUMNS, values, strict=True))
        for field, (fits, expected) in _RULES.items():
            if not fits(row[field]):
                raise input_error(path, field, expected, quoted(row[field]), number)
        file = OfficialFile(
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
        if file.path in files:
            raise input_error(path, "name", "names that occur once", str(file.path), number)
        files[file.path] = file
    return tuple(files.values())


def _is_file_name(name: str) -> bool:
    return PurePosixPath(name).name == name and name not in {"", "..", MANIFEST}


_RULES: dict[str, tuple[Callable[[str], object], str]] = {
    "name": (_is_file_name, "a file name without folders"),
    "year": (is_whole_number, "a number"),
    "size": (lambda text: not text or is_whole_number(text), "a number or nothing"),
    "sha256": (re.compile(r"([0-9A-Fa-f]{64})?").fullmatch, "64 hexadecimal digits or nothing"),
    "url": (lambda text: text and all(map(is_allowed, text.split())), "https addresses"),
}
"""Whether the text of a field is allowed, and what it should be."""
