"""Link files: one line a segment, links `s-t` separated by spaces."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import repeat
from pathlib import Path

from crosspro.data_prep.core.errors import input_error, quoted
from crosspro.data_prep.core.example import Link
from crosspro.data_prep.core.files import atomic_output, read_text_lines

_LINK = re.compile(r"(0|[1-9][0-9]{0,8})-(0|[1-9][0-9]{0,8})")
_REMEMBERED = 1 << 16
"""A text has few links that are not repeated."""

Sentences = Collection[Sequence[str]]


def read_links(
    path: str | Path, source: Sentences | None = None, target: Sentences | None = None
) -> Iterator[tuple[Link, ...]]:
    """The links of each line; with the texts, links outside them are an error."""
    path, number = Path(path), 0
    sizes: Iterator[tuple[int, int] | None] = repeat(None)
    if source is not None and target is not None:
        sizes = zip(map(len, source), map(len, target), strict=True)
    for number, line in enumerate(read_text_lines(path), start=1):
        size = next(sizes, (0, 0))
        links = []
        for written in line.split():
            link = parse_link(written)
            if link is None:
                expected = "links s-t separated by spaces"
                raise input_error(path, "links", expected, quoted(written), number)
            if size is not None and not (link[0] < size[0] and link[1] < size[1]):
                expected = f"links inside {size[0]} source and {size[1]} target tokens"
                raise input_error(path, "links", expected, written, number)
            links.append(link)
        yield tuple(links)
    if source is not None and number != len(source):
        raise input_error(path, "lines", f"{len(source)} as in the text", str(number))


@lru_cache(_REMEMBERED)
def parse_link(written: str) -> Link | None:
    """A link as `s-t`, or None if it is something else."""
    match = _LINK.fullmatch(written)
    return (int(match[1]), int(match[2])) if match else None


def format_links(links: Iterable[Link]) -> str:
    """A line of a link file."""
    return " ".join(f"{source}-{target}" for source, target in links)


def write_links(path: str | Path, lines: Iterable[Iterable[Link]]) -> None:
    """Write a link file atomically, compressed by its suffix."""
    with atomic_output(Path(path)) as handle:
        for links in lines:
            handle.write(format_links(links).encode("ascii") + b"\n")
