"""What a run of the aligner keeps on disk, so that a new process goes on after the last pass.

A folder holds the blocks of the text, the counts of each direction after its last pass, and links
that are ready. Everything is named after the run it belongs to (`key`: text, settings and prior),
appears only when it is complete, and has checksums: what is damaged or of another run is not used
but made again. Only one process at a time works in a folder.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.align.blocks import FILES, PairedText, paired_text, read_paired_text
from crosspro.data_prep.align.model import Tally
from crosspro.data_prep.align.text import NumberedBitext, Numbers
from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.files.digest import sha256_of
from crosspro.data_prep.core.files.npz import read_npz
from crosspro.data_prep.core.files.textfile import atomic_output, make_folder

_LOCK = "lock"
_FIELDS = ("pairs", "unlinked", "jump", "first")


@dataclass(frozen=True)
class State:
    """The saved parts of one run."""

    folder: Path
    key: str

    def text(self, text: NumberedBitext, report: Callable[[int, int], None]) -> PairedText:
        """The blocks of the text: as they were written, or written now."""
        found = self._load("text")
        if found is not None and found[0].get("sha256") == self._digests():
            return read_paired_text(text, self.folder, found[1]["pairs"])
        made = paired_text(text, self.folder, report)
        self._save("text", {"sha256": self._digests()}, {"pairs": made.blocks.starts["pairs"]})
        return made

    def counts(self, name: str) -> tuple[int, Tally] | None:
        """How often the text has been read, and what was counted the last time."""
        found = self._load(name)
        return found and (int(found[0]["passes"]), Tally(*(found[1][f] for f in _FIELDS)))

    def save_counts(self, name: str, passes: int, tally: Tally) -> None:
        """Replace what was counted by what the next pass has counted."""
        self._save(name, {"passes": passes}, {f: getattr(tally, f) for f in _FIELDS})

    def links(self, name: str) -> Numbers | None:
        """The finished links of a direction."""
        found = self._load(f"{name}.links")
        return found and found[1]["best"]

    def save_links(self, name: str, best: Numbers) -> None:
        """Keep the finished links of a direction."""
        self._save(f"{name}.links", {}, {"best": best})

    def _save(self, name: str, about: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        told = json.dumps({"key": self.key, **about}).encode("ascii")
        with atomic_output(self.folder / f"{name}.npz") as handle:
            np.savez(handle, about=np.frombuffer(told, np.uint8), **arrays)  # type: ignore[arg-type]

    def _load(self, name: str) -> tuple[dict[str, Any], dict[str, NDArray[Any]]] | None:
        """What was saved for this run; an .npz has a checksum for each of its arrays."""
        try:
            arrays = read_npz(self.folder / f"{name}.npz")
            about = json.loads(arrays.pop("about").tobytes())
            return (about, arrays) if about["key"] == self.key else None
        except (OSError, EOFError, ValueError, LookupError, TypeError, RuntimeError):
            return None
        except (BadZipFile, zlib.error):
            return None

    def _digests(self) -> dict[str, str]:
        paths = {name: self.folder / name for name in FILES}
        return {name: sha256_of(path) for name, path in paths.items() if path.is_file()}


@contextmanager
def working_folder(folder: Path | None) -> Iterator[Path]:
    """A folder for a run: the given one, which stays; a passing one if another run is in it."""
    if folder is not None:
        make_folder(folder)
        with (folder / _LOCK).open("wb") as handle:
            if _locked(handle) and (folder / _LOCK).exists():
                try:
                    yield folder
                except InputError:  # text that cannot be aligned leaves nothing to go on from
                    _remove(folder)
                    raise
                return
    with tempfile.TemporaryDirectory(dir=folder and folder.parent) as name:
        yield Path(name)


def remove_folder(folder: Path) -> None:
    """Remove the folder of a run that is over, and the one around it if nothing else is in it."""
    if not folder.is_dir():
        return
    with (folder / _LOCK).open("wb") as handle:
        if _locked(handle):
            _remove(folder)


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    with suppress(OSError):  # something else is in it
        folder.parent.rmdir()


def _locked(handle: IO[bytes]) -> bool:
    if sys.platform == "win32":
        return True
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
