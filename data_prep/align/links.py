"""Link files: one line a segment, links `s-t` separated by spaces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, zip_longest
from pathlib import Path

from data_prep.errors import InputError, Problem, quoted
from data_prep.example import Link
from data_prep.textfile import atomic_output, read_text_lines

Sentences = Sequence[Sequence[str]]


def read_links(
    path: str | Path, source: Sentences | None = None, target: Sentences | None = None
) -> Iterator[tuple[Link, ...]]:
    """The links of each line, checked against the texts if they are given.

    At the first fault nothing more is yielded, and all faults are raised together.
    """
    found = scan_links(path, source, target)
    for item in found:
        if isinstance(item, Problem):
            others = (other for other in found if isinstance(other, Problem))
            raise InputError(chain([item], others))
        yield item


def scan_links(
    path: str | Path, source: Sentences | None = None, target: Sentences | None = None
) -> Iterator[tuple[Link, ...] | Problem]:
    """The links of each line, or what is wrong with it."""
    sizes: Iterable[tuple[int, int] | None] = ()
    if source is not None and target is not None:
        sizes = ((len(s), len(t)) for s, t in zip(source, target, strict=True))
    known = source is not None and target is not None
    lines = segments = 0
    for line, size in zip_longest(read_text_lines(Path(path)), sizes):
        segments += size is not None
        if line is None:
            continue
        lines += 1
        problems: list[Problem] = []
        links: list[Link] = []
        for written in line.removesuffix("\r").split():
            link = _parse(written)
            if link is None:
                expected, shown = "links s-t separated by spaces", quoted(written)
            elif size is not None and (link[0] >= size[0] or link[1] >= size[1]):
                expected, shown = f"links inside {size[0]} and {size[1]} tokens", written
            else:
                links.append(link)
                continue
            problems.append(Problem(str(path), lines, "links", expected, shown))
        yield from problems
        if not problems:
            yield tuple(links)
    if known and lines != segments:
        yield Problem(str(path), None, "lines", f"{segments} as in the text", str(lines))


def format_links(links: Iterable[Link]) -> str:
    """A line of a link file."""
    return " ".join(f"{source}-{target}" for source, target in links)


def write_links(path: str | Path, lines: Iterable[Iterable[Link]]) -> None:
    """Write a link file atomically."""
    with atomic_output(Path(path)) as handle:
        for links in lines:
            handle.write(format_links(links).encode("ascii") + b"\n")


def _parse(written: str) -> Link | None:
    source, _, target = written.partition("-")
    if not (source.isascii() and source.isdigit() and target.isascii() and target.isdigit()):
        return None
    return (int(source), int(target)) if len(written) < 20 else None
