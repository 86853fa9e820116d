"""Link files: one line a segment, links `s-t` separated by spaces.

`parse_link` says what a link is, here and in the fifth column of the shared task's files. Metrics
of MT output read millions of links and take a whole file at once, as arrays: that is several times
faster than a link at a time. A file with anything in it that is no link is parsed again, link by
link, to name what is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import zip_longest
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.core.errors import Problem, quoted, without_problems
from crosspro.data_prep.core.example import Link
from crosspro.data_prep.core.files import atomic_output, read_text_lines

MOST_DIGITS = 9
"""Of a position; longer ones are no positions of words."""

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


Ints = NDArray[np.int64]

_HYPHEN, _NEWLINE = ord("-"), ord("\n")
_KIND = np.full(256, 2, dtype=np.uint8)
"""What a byte is in a link file: 0 space, 1 digit, 3 hyphen, 2 something else."""
_KIND[list(b" \t\r\n")] = 0
_KIND[list(b"0123456789")] = 1
_KIND[_HYPHEN] = 3


def parse_links(data: bytes) -> tuple[Ints, Ints, Ints] | None:
    """Line, source and target position of each link, or None if one is malformed."""
    content = np.frombuffer(data, dtype=np.uint8)
    kind = _KIND[content]
    word = kind > 0
    hyphens = np.flatnonzero(kind == 3)
    starts = np.flatnonzero(word & ~np.append(False, word[:-1])) if len(word) else hyphens
    ends = np.flatnonzero(word & ~np.append(word[1:], False)) if len(word) else hyphens
    if (kind == 2).any() or len(hyphens) != len(starts):
        return None
    before, after = hyphens - starts, ends - hyphens
    for length in (before, after):
        if ((length < 1) | (length > MOST_DIGITS)).any():
            return None
    numbers = np.zeros((2, len(starts)), dtype=np.int64)
    for side, (last, length) in enumerate(((hyphens - 1, before), (ends, after))):
        for place in range(int(length.max(initial=0))):
            digit = np.where(place < length, content[np.maximum(last - place, 0)] - ord("0"), 0)
            numbers[side] += digit.astype(np.int64) * 10**place
    newlines = np.flatnonzero(content == _NEWLINE)
    return np.searchsorted(newlines, starts), numbers[0], numbers[1]


def parse_good_links(path: str, data: bytes, problems: list[Problem]) -> tuple[Ints, Ints, Ints]:
    """The well-formed links of a file with others, which become problems."""
    found = []
    for number, line in enumerate(data.split(b"\n")):
        for raw in re.split(rb"[ \t\r]+", line):
            written = raw.decode("utf-8", errors="surrogateescape")
            link = parse_link(written)
            if link is not None:
                found.append((number, *link))
            elif written:
                expected = "links s-t separated by spaces"
                problems.append(Problem(path, number + 1, "links", expected, quoted(written)))
    array = np.array(found, dtype=np.int64).reshape(-1, 3)
    return array[:, 0], array[:, 1], array[:, 2]
