"""The table of the official data: which file belongs to which task and year, and where it is.

The data is not ours to publish, and its hosts have moved: `urls.tsv` says for each file
what is confirmed by a source and what is inferred, and gives addresses to try in turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from crosspro.data_prep.core.errors import CrossproError, choices
from crosspro.data_prep.words.lists import table_rows

TABLE = Path(__file__).resolve().parent / "urls.tsv"
_COLUMNS = 9


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


def official_files() -> tuple[OfficialFile, ...]:
    """The files of the table."""
    return tuple(
        OfficialFile(
            name,
            tuple(tasks.split()),
            int(year),
            split,
            tuple(urls.split()),
            int(size) if size else None,
            sha256 or None,
            evidence,
            source,
        )
        for name, tasks, year, split, urls, size, sha256, evidence, source in list(
            table_rows(TABLE, _COLUMNS)
        )[1:]
    )


def select(
    files: Iterable[OfficialFile],
    tasks: Sequence[str] = (),
    years: Sequence[int] = (),
    splits: Sequence[str] = (),
) -> tuple[OfficialFile, ...]:
    """The files of these tasks, years and splits; an empty choice means any."""
    files = tuple(files)
    values = {
        "task": (tasks, {task for file in files for task in file.tasks}),
        "year": (list(map(str, years)), {str(file.year) for file in files}),
        "split": (splits, {file.split for file in files}),
    }
    for name, (wanted, present) in values.items():
        for value in wanted:
            if value not in present:
                raise CrossproError(f"{name}: expected {choices(sorted(present))}, found {value}")
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
