"""Link files: one line a segment, links `s-t` separated by spaces.

`parse_link` says what a link is, here and in the fifth column of the shared task's files. Metrics
of MT output read millions of links, as arrays (`link_arrays`, the only part that needs numpy).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import zip_longest
from pathlib import Path

from crosspro.data_prep.core.errors import Problem, quoted, without_problems
from crosspro.data_prep.core.example import Link
from crosspro.data_prep.core.files import atomic_output, read_text_lines

ALIGNED_WORDS = 2000
"""Of a line that is to be aligned: time and memory grow with the square of it."""

MOST_DIGITS = 9
"""Of a position; longer ones are no positions of words."""

_KNOWN = 1 << 16
"""A text has few links that are not repeated."""

Sentences = Collection[Sequence[str]]


def read_links(
    path: str | Path,
    source: Sentences | None = None,
    target: Sentences | None = None,
    *,
    lenient: bool = False,
) -> Iterator[tuple[Link, ...]]:
    """The links of each line, checked against the texts if they are given.

    At the first fault nothing more is yielded, and all faults are raised together.
    """
    return without_problems(scan_links(path, source, target, lenient=lenient))


def scan_links(
    path: str | Path,
    source: Sentences | None = None,
    target: Sentences | None = None,
    *,
    lenient: bool = False,
) -> Iterator[tuple[Link, ...] | Problem]:
    """The links of each line, or everything that is wrong with it.

    Lenient reading drops links to words that are not there, and blank lines after the text.
    """
    known = source is not None and target is not None
    sizes: Iterable[tuple[int, int]] = ()
    if source is not None and target is not None:
        sizes = zip(map(len, source), map(len, target), strict=True)
    lines = blank = segments = 0
    for line, size in zip_longest(read_text_lines(Path(path)), sizes):
        segments += size is not None
        if line is None:
            continue
        lines += 1
        if known and size is None:
            blank += not line.strip()
            continue
        found = list(_links(str(path), lines, line, size, lenient))
        problems = [item for item in found if isinstance(item, Problem)]
        if problems:
            yield from problems
        else:
            yield tuple(item for item in found if not isinstance(item, Problem))
    if known and lines != segments and not (lenient and lines - blank == segments):
        yield Problem(str(path), None, "lines", f"{segments} as in the text", str(lines))


@lru_cache(maxsize=_KNOWN)
def parse_link(written: str) -> Link | None:
    """A link as `s-t`, or None if it is something else."""
    source, _, target = written.partition("-")
    for digits in (source, target):
        if not (digits.isascii() and digits.isdigit() and len(digits) <= MOST_DIGITS):
            return None
    return int(source), int(target)


def format_links(links: Iterable[Link]) -> str:
    """A line of a link file."""
    return " ".join(f"{source}-{target}" for source, target in links)


def write_links(path: str | Path, lines: Iterable[Iterable[Link]]) -> None:
    """Write a link file atomically, compressed by its suffix."""
    with atomic_output(Path(path)) as handle:
        for links in lines:
            handle.write(format_links(links).encode("ascii") + b"\n")


def _links(
    path: str, number: int, line: str, size: tuple[int, int] | None, lenient: bool
) -> Iterator[Link | Problem]:
    for written in line.split():
        link = parse_link(written)
        if link is None:
            expected = "links s-t separated by spaces"
            yield Problem(path, number, "links", expected, quoted(written))
        elif size is None or (link[0] < size[0] and link[1] < size[1]):
            yield link
        elif not lenient:
            expected = f"links inside {size[0]} source and {size[1]} target tokens"
            yield Problem(path, number, "links", expected, written)
