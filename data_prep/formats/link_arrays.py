"""The links of a whole file at once, as arrays: for metrics that read millions of them.

Array operations over the bytes of the file, several times faster than a link at a time. A file with
anything in it that is no link is parsed again, link by link, to name what is wrong.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.core.errors import Problem, quoted
from crosspro.data_prep.formats.links import MOST_DIGITS, parse_link

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
