"""Source, translations and word links for the metrics of MT output, read fast and checked whole.

Texts have one segment a line, words between spaces; link files have one line `s-t s-t …` a segment.
Texts are compared in composed Unicode (NFC), however they are written. Links are parsed for a whole
file at once. Everything that is wrong with any of the files is reported together, before anything
is scored.
"""

from __future__ import annotations

import hashlib
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from crosspro.data_prep.annotate.tokenise import Tokeniser
from crosspro.data_prep.core.errors import InputError, Problem
from crosspro.data_prep.core.files import BLOCK, NOISE, bad_byte, is_noise, read_bytes
from crosspro.data_prep.formats.link_arrays import Ints, parse_good_links, parse_links
from crosspro.evaluation.inputs.plain_text import unequal_lines

INSIDE = "links inside"


@dataclass(frozen=True)
class Text:
    """One side of the parallel text: its lines, and the number of words of each."""

    path: str
    lines: list[bytes]
    lengths: Ints
    readable: bool = True
    """If not, its length says nothing about the other files."""

    def words(self, line: int) -> list[str]:
        """The words of a line (from 0)."""
        return [word.decode("utf-8") for word in self.lines[line].split()]

    def raw_words(self, line: int) -> list[bytes]:
        """The words of a line, undecoded: much faster where few of them are looked at."""
        return self.lines[line].split()

    def sentences(self) -> list[list[str]]:
        """The words of all lines."""
        return [self.words(line) for line in range(len(self.lines))]


@dataclass(frozen=True, slots=True)
class SentenceLinks:
    """The links of one sentence, in the order of source and target position."""

    source: list[int]
    target: list[int]

    def targets(self, source: int) -> tuple[int, ...]:
        """Target positions linked to a source position, in order."""
        first = bisect_left(self.source, source)
        return tuple(self.target[first : bisect_right(self.source, source, first)])

    def sources(self, target: int) -> tuple[int, ...]:
        """Source positions linked to a target position, in order."""
        pairs = zip(self.source, self.target, strict=True)
        return tuple(source for source, other in pairs if other == target)


@dataclass(frozen=True)
class Links:
    """The links of a text, each once, in the order of line, source and target position."""

    path: str
    source: Ints
    target: Ints
    starts: Ints
    """`starts[n]` is where the links of line n begin; one more entry ends the last line."""
    dropped: int = 0
    """Links that led to no word and were left out."""

    def of_line(self, line: int) -> list[tuple[int, int]]:
        """All links of a line."""
        links = self.sentence(line)
        return list(zip(links.source, links.target, strict=True))

    def sentence(self, line: int) -> SentenceLinks:
        """The links of a line, to be looked up by position."""
        sources, targets, starts = self._lists
        part = slice(starts[line], starts[line + 1])
        return SentenceLinks(sources[part], targets[part])

    @cached_property
    def _lists(self) -> tuple[list[int], list[int], list[int]]:
        return self.source.tolist(), self.target.tolist(), self.starts.tolist()


@dataclass(frozen=True)
class Translation:
    """A reference or a candidate with its links to the source."""

    name: str
    text: Text
    links: Links


def read_text(path: str | Path, problems: list[Problem]) -> Text:
    """Read a text; problems are added to the list, and what could be read is returned."""
    before = len(problems)
    data = _content(Path(path), problems)
    readable = len(problems) == before
    try:
        decoded = data.decode("utf-8")
        if not unicodedata.is_normalized("NFC", decoded):
            data = unicodedata.normalize("NFC", decoded).encode("utf-8")
    except UnicodeDecodeError:
        problems += bad_lines(str(path), data)
    lines = data.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    return Text(str(path), lines, _lengths(lines), readable)


def _lengths(lines: Sequence[bytes]) -> Ints:
    return np.fromiter((len(line.split()) for line in lines), np.int64, len(lines))


def tokenised_text(text: Text, language: str) -> Text:
    """The text with spaces between the tokens of our own tokeniser."""
    tokenise = Tokeniser(language)
    lines = [" ".join(tokenise(line.decode("utf-8"))).encode("utf-8") for line in text.lines]
    return replace(text, lines=lines, lengths=_lengths(lines))


def check_lengths(
    text: Text, source: Text, problems: list[Problem], *, lenient: bool = False
) -> Text:
    """The text with as many lines as the source; lenient: without blank lines after the last."""
    expected, found = len(source.lines), len(text.lines)
    if not (source.readable and text.readable):
        return text
    if lenient and found > expected and not any(text.lengths[expected:]):
        return Text(text.path, text.lines[:expected], text.lengths[:expected])
    if found != expected:
        problems += unequal_lines(text.path, found, expected, source.path)
    return text


def read_links(
    path: str | Path,
    source: Text,
    target: Text,
    problems: list[Problem],
    *,
    lenient: bool = False,
) -> Links:
    """Read a link file; lenient: links to words that are not there are dropped, and blank lines
    after the last."""
    name = str(path)
    before = len(problems)
    data = _content(Path(path), problems)
    if len(problems) == before and source.readable:
        _check_lines(name, data, source, problems, lenient)
    parsed = parse_links(data)
    if parsed is None:
        parsed = parse_good_links(name, data, problems)
    lines, source_positions, target_positions = parsed
    size = min(len(source.lines), len(target.lines))
    inside = lines < size
    at = np.minimum(lines, max(size - 1, 0))
    if size:
        inside &= source_positions < source.lengths[at]
        inside &= target_positions < target.lengths[at]
        if not lenient:
            outside = np.flatnonzero(~inside & (lines < size))
            for index in outside.tolist():
                line = int(lines[index])
                expected = (
                    f"{INSIDE} {source.lengths[line]} source and "
                    f"{target.lengths[line]} target words"
                )
                found = f"{source_positions[index]}-{target_positions[index]}"
                problems.append(Problem(name, line + 1, "links", expected, found))
    links = _sorted_links(
        name, size, lines[inside], source_positions[inside], target_positions[inside]
    )
    return replace(links, dropped=int(np.count_nonzero(~inside)))


def links_from_pairs(name: str, lines: Sequence[Iterable[tuple[int, int]]]) -> Links:
    """Links that were made here rather than read."""
    flat = [(number, s, t) for number, pairs in enumerate(lines) for s, t in pairs]
    array = np.array(flat, dtype=np.int64).reshape(-1, 3)
    return _sorted_links(name, len(lines), array[:, 0], array[:, 1], array[:, 2])


def text_digest(*texts: Text) -> str:
    """A short name for the content of texts, for signatures."""
    content = hashlib.sha256()
    for text in texts:
        content.update(b"\n".join(text.lines) + b"\n\n")
    return content.hexdigest()[:8]


def raise_problems(problems: Sequence[Problem], hint: str = "") -> None:
    """Raise an error if there are any; those of a file stand together, in the order of lines."""
    if problems:
        files = {
            path: number for number, path in enumerate(dict.fromkeys(p.path for p in problems))
        }
        raise InputError(sorted(problems, key=lambda p: (files[p.path], p.line or 0)), hint)


def _content(path: Path, problems: list[Problem]) -> bytes:
    try:
        data = read_bytes(path)
        if not is_noise(data[:BLOCK]):
            return data
        problems.append(Problem(str(path), None, "file", "text", NOISE))
    except InputError as error:
        problems += error.problems
    return b""


def bad_lines(path: str, data: bytes) -> Iterable[Problem]:
    """A problem for each line of a file that is not UTF-8."""
    for number, line in enumerate(data.split(b"\n"), start=1):
        try:
            line.decode("utf-8")
        except UnicodeDecodeError as error:
            yield Problem(path, number, "encoding", "UTF-8", bad_byte(error))


def _check_lines(
    path: str, data: bytes, source: Text, problems: list[Problem], lenient: bool
) -> None:
    count = data.count(b"\n") + (not data.endswith(b"\n") and bool(data))
    expected = len(source.lines)
    blank = lenient and count > expected and not any(data.split(b"\n")[expected:])
    if count != expected and not blank:
        problems += unequal_lines(path, count, expected, source.path)


def _sorted_links(path: str, lines: int, line: Ints, source: Ints, target: Ints) -> Links:
    width, height = int(source.max(initial=0)) + 1, int(target.max(initial=0)) + 1
    keys = (line * width + source) * height + target
    keys.sort()
    if len(keys):
        keys = keys[np.append(True, keys[1:] != keys[:-1])]
    rest, target = np.divmod(keys, height)
    line, source = np.divmod(rest, width)
    return Links(path, source, target, np.searchsorted(line, np.arange(lines + 1)))
