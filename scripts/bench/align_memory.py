"""Peak memory, processor time and disk space of `crosspro align` on much text.

Run: python -m crosspro.scripts.bench.align_memory BITEXT [--pairs 50000 200000 2000000]
     [--languages fr de es] [--folder DIR] [--jobs 2]

BITEXT has a folder en-XX/train for each language, with files NAME.en.xz and NAME.XX.xz. Texts of up
to as many pairs as the first language has are taken from it, spread evenly; for larger ones all
languages are joined (English with French, then with German, and so on) and repeated as they are.
So the vocabulary and the pairs of words that meet are those of as much real text as there is.
Words are split roughly. Each row is a run of the command in a process of its own, with the limits
and the back-off of a task. Memory is the largest sum over the process and its children, looked up
twice a second: of resident pages (RSS, shared ones counted in each process) and of
proportional shares (PSS). Disk is the most that the working folder held.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain, islice, repeat
from pathlib import Path

from crosspro.data_prep.core.files import read_text_lines
from crosspro.evaluation.output.tables import text_table

WORDS = re.compile(r"\w+['’]|\w+(?:-\w+)*|[^\w\s]")
HEADING = ("pairs", "tokens a pair", "jobs", "CPU s", "wall s", "RSS MB", "PSS MB", "disk MB")


@dataclass(frozen=True)
class Peaks:
    """The most memory and disk space that were seen, in bytes."""

    rss: int = 0
    pss: int = 0
    disk: int = 0


def main() -> None:
    """Print a row for each size."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("bitext", type=Path)
    parser.add_argument("--pairs", type=int, nargs="+", default=[50_000, 200_000, 2_000_000])
    parser.add_argument("--languages", nargs="+", default=["fr", "de", "es"])
    parser.add_argument("--folder", type=Path, help="for the texts and the state; much space")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    rows = []
    for pairs in options.pairs:
        with tempfile.TemporaryDirectory(dir=options.folder) as name:
            tokens = write_text_of(options.bitext, options.languages, pairs, Path(name))
            rows.append(_row(Path(name), pairs, tokens, options.jobs))
        print(text_table(HEADING, rows), flush=True)


def write_text_of(bitext: Path, languages: list[str], pairs: int, folder: Path) -> float:
    """Write `source` and `target` with so many pairs; the mean of their words a pair."""
    size = sum(1 for _ in pairs_of(bitext, languages[0]))
    chosen: Iterator[tuple[str, str]]
    if pairs <= size:
        chosen = islice(pairs_of(bitext, languages[0]), 0, None, size // pairs)
    else:
        rounds = chain.from_iterable(repeat(languages))
        chosen = chain.from_iterable(pairs_of(bitext, language) for language in rounds)
    words = 0
    with (
        (folder / "source").open("w", encoding="utf-8", newline="\n") as source,
        (folder / "target").open("w", encoding="utf-8", newline="\n") as target,
    ):
        for pair in islice(chosen, pairs):
            for line, handle in zip(pair, (source, target), strict=True):
                tokens = WORDS.findall(line)
                words += len(tokens)
                handle.write(" ".join(tokens) + "\n")
    return words / pairs


def pairs_of(bitext: Path, language: str) -> Iterator[tuple[str, str]]:
    """All training pairs of English and a language."""
    for path in sorted((bitext / f"en-{language}" / "train").glob(f"*.{language}.xz")):
        english = path.with_name(path.name.replace(f".{language}.xz", ".en.xz"))
        yield from zip(read_text_lines(english), read_text_lines(path), strict=True)


def _row(folder: Path, pairs: int, tokens: float, jobs: int) -> list[str]:
    command = [sys.executable, "-m", "crosspro.scripts.main", "align", "--jobs", str(jobs)]
    command += ["--source", str(folder / "source"), "--target", str(folder / "target")]
    command += ["--task", "en-fr", "-o", str(folder / "links")]
    before, start = os.times(), time.perf_counter()
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    peaks = Peaks()
    while process.poll() is None:
        peaks = _highest(peaks, process.pid, folder / "links.cache")
        time.sleep(0.5)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)}: exit status {process.returncode}")
    after = os.times()
    seconds = sum(after[2:4]) - sum(before[2:4])
    wall = time.perf_counter() - start
    megabytes = (f"{size / 2**20:,.0f}" for size in (peaks.rss, peaks.pss, peaks.disk))
    return [f"{pairs:,}", f"{tokens:.1f}", str(jobs), f"{seconds:.0f}", f"{wall:.0f}", *megabytes]


def _highest(peaks: Peaks, process: int, folder: Path) -> Peaks:
    rss = pss = 0
    for one in _tree(process):
        with suppress(OSError):  # it has just ended
            for line in Path(f"/proc/{one}/smaps_rollup").read_text("ascii").splitlines():
                name, _, rest = line.partition(":")
                rss += 1024 * int(rest.split()[0]) if name == "Rss" else 0
                pss += 1024 * int(rest.split()[0]) if name == "Pss" else 0
    disk = 0
    for path in folder.rglob("*"):
        with suppress(OSError):
            disk += path.stat().st_size
    return replace(
        peaks, rss=max(peaks.rss, rss), pss=max(peaks.pss, pss), disk=max(peaks.disk, disk)
    )


def _tree(process: int) -> Iterator[int]:
    """A process and all that it has started."""
    yield process
    with suppress(OSError):
        for task in Path(f"/proc/{process}/task").iterdir():
            for child in (task / "children").read_text("ascii").split():
                yield from _tree(int(child))


if __name__ == "__main__":
    main()
