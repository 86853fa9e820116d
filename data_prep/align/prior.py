"""What the aligner keeps: counts for new text (a prior), and the state of a run.

A prior is what was learnt from a text: vocabularies and expected counts. One .npz file holds arrays
and, as bytes, JSON; nothing in it is ever run. Counts are stored and not probabilities, so that a
new text can add its own to them.

The state of a run lies on disk, so that a new process goes on after the last pass. A folder holds
the blocks of the text, the counts of each direction after its last pass, and links that are ready.
Everything is named after the run it belongs to (`key`: text, settings and prior), appears only when
it is complete, and has checksums: what is damaged or of another run is not used but made again.
Only one process at a time works in a folder.
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
from zipfile import BadZipFile, is_zipfile

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.align.blocks import FILES, PairedText, paired_text, read_paired_text
from crosspro.data_prep.align.model import Counts, Known, Tally
from crosspro.data_prep.align.text import NumberedBitext, Numbers
from crosspro.data_prep.core.errors import InputError, input_error
from crosspro.data_prep.core.files import atomic_output, make_folder, sha256_of
from crosspro.data_prep.core.stored import read_npz

_VERSION = 1
_SMALLEST = 1e-3
"""Pairs with a lower count in both directions are not kept: they are nearly all of them."""

_FIELDS = ("pairs", "unlinked", "jump", "first")


@dataclass(frozen=True)
class Prior:
    """Counts of an earlier text in both directions, and how its words were written."""

    form: str
    prefix_length: int
    source_words: dict[str, int]
    target_words: dict[str, int]
    pair_source: Numbers
    pair_target: Numbers
    forward: Tally
    backward: Tally

    def known(self, text: PairedText, longest: int) -> tuple[Known, Known]:
        """The counts in the numbering of a text whose vocabularies continue the prior's."""
        places = text.keys.numbers(self.pair_source, self.pair_target)
        known = []
        for tally, given, sides in (
            (self.forward, self.pair_source, (text.source, text.target)),
            (self.backward, self.pair_target, (text.target, text.source)),
        ):
            pairs: Counts = np.zeros(text.keys.size)
            pairs[places] = tally.pairs
            pairs[0] = 0
            absent = places == 0
            size = max(len(sides[0].words), 1)
            beyond = np.bincount(given[absent], tally.pairs[absent], size).astype(np.float64)
            unlinked: Counts = np.zeros(max(len(sides[1].words), 1))
            unlinked[: len(tally.unlinked)] = tally.unlinked
            resized = Tally(pairs, unlinked, *_resized(tally, max(longest, 1)))
            known.append(Known(resized, beyond))
        return known[0], known[1]


def prior_of(
    text: PairedText,
    tallies: tuple[Tally, Tally],
    form: str,
    prefix_length: int,
    earlier: Prior | None,
) -> Prior:
    """What was counted in a text; tallies include what an earlier prior knew of its pairs."""
    kept = np.flatnonzero(np.maximum(tallies[0].pairs, tallies[1].pairs) > _SMALLEST)
    source, target = text.keys.words_of(kept)
    counts = [tally.pairs[kept] for tally in tallies]
    if earlier is not None:
        rest = np.flatnonzero(text.keys.numbers(earlier.pair_source, earlier.pair_target) == 0)
        source = np.concatenate([source, earlier.pair_source[rest]])
        target = np.concatenate([target, earlier.pair_target[rest]])
        for number, tally in enumerate((earlier.forward, earlier.backward)):
            counts[number] = np.concatenate([counts[number], tally.pairs[rest]])
    order = np.lexsort((target, source))
    forward, backward = (
        Tally(pairs[order], tally.unlinked, tally.jump, tally.first)
        for pairs, tally in zip(counts, tallies, strict=True)
    )
    words = text.source.words, text.target.words
    return Prior(form, prefix_length, *words, source[order], target[order], forward, backward)


def save_prior(path: Path, prior: Prior) -> None:
    """Write a prior as one .npz file."""
    about = {
        "version": _VERSION,
        "form": prior.form,
        "prefix_length": prior.prefix_length,
        "source_words": list(prior.source_words),
        "target_words": list(prior.target_words),
    }
    arrays: dict[str, NDArray[Any]] = {
        "about": np.frombuffer(json.dumps(about, ensure_ascii=False).encode("utf-8"), np.uint8),
        "pair_source": prior.pair_source,
        "pair_target": prior.pair_target,
    }
    for direction, tally in (("forward", prior.forward), ("backward", prior.backward)):
        for field in _FIELDS:
            arrays[f"{direction}_{field}"] = getattr(tally, field).astype(np.float32)
    with atomic_output(path) as handle:
        np.savez_compressed(handle, **arrays)  # type: ignore[arg-type]


def load_prior(path: Path) -> Prior:
    """Read a prior; a damaged file, or one of something else, is refused."""
    if path.is_file() and not is_zipfile(path):
        raise _refused(path, "a file that is no .npz, or the beginning of one")
    try:
        arrays = read_npz(path)
        about = json.loads(arrays["about"].tobytes().decode("utf-8"))
    except OSError as error:
        raise _refused(path, error.strerror or str(error)) from error
    except (ValueError, KeyError, EOFError, BadZipFile, RuntimeError, zlib.error) as error:
        raise _refused(path, str(error)) from error
    try:
        if about["version"] != _VERSION:
            raise _refused(path, f"version {about['version']}")
        prior = Prior(
            str(about["form"]),
            int(about["prefix_length"]),
            {word: number for number, word in enumerate(about["source_words"])},
            {word: number for number, word in enumerate(about["target_words"])},
            arrays["pair_source"].astype(np.int32),
            arrays["pair_target"].astype(np.int32),
            _tally(arrays, "forward"),
            _tally(arrays, "backward"),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise _refused(path, str(error)) from error
    fault = _fault(prior)
    if fault:
        raise _refused(path, fault)
    return prior


def _refused(path: Path, found: str) -> Exception:
    return input_error(path, "file", "a prior saved by crosspro align", found)


def _tally(arrays: dict[str, NDArray[Any]], direction: str) -> Tally:
    return Tally(*(arrays[f"{direction}_{field}"].astype(np.float64) for field in _FIELDS))


def _fault(prior: Prior) -> str | None:
    """What is wrong with the sizes and values of a prior, if anything."""
    source, target = len(prior.source_words), len(prior.target_words)
    pairs = len(prior.pair_source)
    both = (prior.forward, prior.backward)
    if {len(prior.pair_target), *(len(tally.pairs) for tally in both)} != {pairs}:
        return "pairs and counts of different lengths"
    if len(prior.forward.unlinked) != target or len(prior.backward.unlinked) != source:
        return "vocabularies and counts of different lengths"
    for words, size in ((prior.pair_source, source), (prior.pair_target, target)):
        if pairs and not (words.min() >= 0 and words.max() < size):
            return "pairs of words outside the vocabularies"
    for tally in both:
        if len(tally.jump) != 2 * len(tally.first) + 1:
            return "jumps and first positions of different lengths"
        for counts in (tally.pairs, tally.unlinked, tally.jump, tally.first):
            if not (np.isfinite(counts).all() and (counts >= 0).all()):
                return "counts that are negative or no numbers"
    return None


def _resized(tally: Tally, reach: int) -> tuple[Counts, Counts]:
    """Jump counts for another length limit: cut at the ends, or filled up with nothing."""
    old = len(tally.first)
    common = min(old, reach)
    jump, first = np.zeros(2 * reach + 1), np.zeros(reach)
    jump[reach - common : reach + common + 1] = tally.jump[old - common : old + common + 1]
    first[:common] = tally.first[:common]
    return jump, first


_LOCK = "lock"


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
