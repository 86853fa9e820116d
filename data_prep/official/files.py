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
    files = []
    for name, tasks, year, split, urls, size, sha256, *origin in [*table_rows(TABLE, _COLUMNS)][1:]:
        known = int(size) if size else None, sha256 or None
        place = tuple(tasks.split()), int(year), split, tuple(urls.split())
        files.append(OfficialFile(name, *place, *known, *origin))
    return tuple(files)


def select(
    files: Iterable[OfficialFile],
    tasks: Sequence[str] = (),
    years: Sequence[int] = (),
    splits: Sequence[str] = (),
) -> tuple[OfficialFile, ...]:
    """The files of these tasks, years and splits; an empty choice means any."""
    chosen = tuple(files)
    for name, wanted, values_of in (
        ("task", tasks, lambda file: file.tasks),
        ("year", map(str, years), lambda file: (str(file.year),)),
        ("split", splits, lambda file: (file.split,)),
    ):
        values = {*wanted}
        present = {value for file in chosen for value in values_of(file)}
        if unknown := values - present:
            actual = ", ".join(sorted(unknown))
            raise CrossproError(f"{name}: expected {choices(sorted(present))}, found {actual}")
        chosen = tuple(file for file in chosen if not values or values & {*values_of(file)})
    return chosen
