"""ARPA files: written as KenLM does, read as KenLM, SRILM and IRSTLM write them.

Fields may be separated by tabs or spaces, back-offs and `<unk>` may be missing, lines may be blank,
and other text may stand before `\\data\\`. The first departure from that is an error.
"""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from crosspro.baselines.ngram.counts import BEGIN_ID, END_ID, SPECIAL_WORDS, Ints
from crosspro.baselines.ngram.model import LOWEST, NGramModel, Order, build_model
from crosspro.data_prep.core.errors import InputError, input_error, quoted
from crosspro.data_prep.core.files import atomic_output, bad_byte, read_lines

_ROUNDING = 0.01
"""IRSTLM writes log probabilities a little above 0; so much is taken for 0."""
_MISSING_UNKNOWN = -100.0
"""The log probability that KenLM gives to unknown words if a model has no `<unk>`."""
_LARGEST = float(np.finfo(np.float32).max)
_COUNT = re.compile(rb"ngram\s+(\d{1,3})\s*=\s*(\d{1,12})")


def write_arpa(path: Path, model: NGramModel) -> None:
    """Write a model (also .gz, .xz); the highest order has no back-offs."""
    size, words = len(model.words), model.words
    texts = words  # of the n-grams of one order
    with atomic_output(path) as file:
        file.write(b"\\data\\\n")
        for n, count in enumerate(model.counts, start=1):
            file.write(b"ngram %d=%d\n" % (n, count))
        for n, (first, count) in enumerate(
            zip(model.first_nodes, model.counts, strict=True), start=1
        ):
            if n > 1:
                contexts, last = np.divmod(model.keys[first - 1 - size :][:count], size)
                places = (contexts - model.first_nodes[n - 2]).tolist()
                pairs = zip(places, last.tolist(), strict=True)
                texts = [f"{texts[place]} {words[word]}" for place, word in pairs]
            file.write(b"\n\\%d-grams:\n" % n)
            log_probs = model.log_probs[first : first + count].tolist()
            back_offs = model.back_offs[first : first + count].tolist()
            if n < len(model.counts):
                rows = zip(log_probs, texts, back_offs, strict=True)
                file.writelines(b"%.7g\t%b\t%.7g\n" % (p, t.encode(), b) for p, t, b in rows)
            else:
                file.writelines(
                    b"%.7g\t%b\n" % (p, t.encode()) for p, t in zip(log_probs, texts, strict=True)
                )
        file.write(b"\n\\end\\\n")


class _Lines:
    """The lines of a file that are not blank; `text` is the current one, empty at the end."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.number = 0
        self._source = read_lines(path)
        self.advance()

    def advance(self) -> None:
        self.text = b""
        while not self.text and (line := next(self._source, None)) is not None:
            self.number += 1
            self.text = line.strip()

    def entries(self) -> Iterator[bytes]:
        """The lines up to the next heading, which is the current one afterwards."""
        while self.text and not self.text.startswith(b"\\"):
            yield self.text
            self.advance()

    def expect(self, heading: bytes) -> None:
        if self.text != heading:
            raise self.error("section", heading.decode(), quoted(self.text or b"end of file"))
        self.advance()

    def error(self, field: str, expected: str, found: str) -> InputError:
        return input_error(self.path, field, expected, found, self.number)


def read_arpa(path: Path) -> NGramModel:
    lines = _Lines(path)
    while lines.text != b"\\data\\":
        if not lines.text:
            raise lines.error("file", "an ARPA file with a line \\data\\", "none")
        lines.advance()
    lines.advance()
    counts = _counts(lines)
    numbers = {word: number for number, word in enumerate(SPECIAL_WORDS)}
    keys: list[Ints] = []
    orders = []
    for n, count in enumerate(counts, start=1):
        lines.expect(b"\\%d-grams:" % n)
        section = _section(lines, n, n == len(counts), numbers)
        if len(section.words) != count:
            expected = f"{count:,} {n}-grams, as the head of the file says"
            raise lines.error("section", expected, f"{len(section.words):,}")
        orders.append(
            section.unigrams(len(numbers)) if n == 1 else section.longer(len(numbers), keys)
        )
    lines.expect(b"\\end\\")
    if lines.text:
        raise lines.error("file", "nothing after \\end\\", quoted(lines.text))
    return build_model([word.decode("utf-8") for word in numbers], orders)


def _counts(lines: _Lines) -> list[int]:
    """How many n-grams of each order there are, from the head of the file."""
    counts: list[int] = []
    for text in lines.entries():
        match = _COUNT.fullmatch(text)
        if not match or int(match[1]) != len(counts) + 1:
            raise lines.error("counts", f"ngram {len(counts) + 1}=COUNT", quoted(text))
        counts.append(int(match[2]))
    if not counts:
        raise lines.error("counts", "ngram 1=COUNT", quoted(lines.text))
    return counts


def _section(lines: _Lines, n: int, highest: bool, numbers: dict[bytes, int]) -> _Section:
    """All entries of an order; the words of the first one are numbered."""
    words, log_probs, back_offs = array("q"), array("f"), array("f")
    for text in lines.entries():
        fields = text.replace(b"<UNK>", b"<unk>").split()  # as SRILM may write it
        if len(fields) not in (n + 1, n + 2):
            expected = f"a log10 probability, {n} words and perhaps a back-off"
            raise lines.error("n-gram", expected, quoted(text))
        if n == 1:
            try:
                fields[1].decode("utf-8")
            except UnicodeDecodeError as error:
                raise lines.error("encoding", "UTF-8", bad_byte(error)) from error
            numbers.setdefault(fields[1], len(numbers))
        log_prob = _number(fields[0])
        back_off = _number(fields[-1]) if len(fields) == n + 2 else 0.0
        if not log_prob <= _ROUNDING:
            raise lines.error("probability", "a log10 probability, 0 or less", quoted(fields[0]))
        if not back_off < math.inf or (highest and back_off):
            expected = "none or 0 in the highest order" if highest else "a log10 number"
            raise lines.error("back-off", expected, quoted(fields[-1]))
        words.extend([numbers.get(word, -1) for word in fields[1 : n + 1]])
        log_probs.append(min(max(log_prob, LOWEST), 0.0))
        back_offs.append(max(back_off, LOWEST))
    table = np.array(words, np.int64).reshape(-1, n)
    section = _Section(lines.path, table, np.array(log_probs), np.array(back_offs))
    if (table < 0).any():
        raise section.error("words that are 1-grams", "others")
    return section


@dataclass
class _Section:
    """The entries of an order: the numbers of their words, and their values."""

    path: Path
    words: Ints
    log_probs: NDArray[np.float32]
    back_offs: NDArray[np.float32]

    def error(self, expected: str, found: str) -> InputError:
        return input_error(self.path, f"{self.words.shape[1]}-grams", expected, found)

    def unigrams(self, size: int) -> Order:
        numbers = self.words[:, 0]
        if len(np.unique(numbers)) < len(numbers):
            raise self.error("each word once", "a word twice")
        if not {BEGIN_ID, END_ID} <= set(numbers.tolist()):
            raise self.error("<s> and </s>", "not both")
        log_probs = np.full(size, _MISSING_UNKNOWN, np.float32)
        back_offs = np.zeros(size, np.float32)
        log_probs[numbers], back_offs[numbers] = self.log_probs, self.back_offs
        none = np.zeros(size, np.uint32)
        return Order(none, np.arange(size, dtype=np.uint32), none, log_probs, back_offs)

    def longer(self, size: int, lower: list[Ints]) -> Order:
        """The n-grams sorted by context and word; their keys are added to those of lower orders."""
        contexts = self.words[:, 0]
        for length, keys in enumerate(lower, start=1):
            wanted = contexts * size + self.words[:, length]
            contexts = np.searchsorted(keys, wanted)
            if (np.append(keys, -1)[contexts] != wanted).any():
                raise self.error(f"contexts that are {len(lower) + 1}-grams", "others")
        keys = contexts * size + self.words[:, -1]
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        if (keys[1:] == keys[:-1]).any():
            raise self.error("each n-gram once", "an n-gram twice")
        lower.append(keys)
        rows, words = (part.astype(np.uint32) for part in np.divmod(keys, size))
        return Order(rows, words, None, self.log_probs[order], self.back_offs[order])


def _number(text: bytes) -> float:
    """A number of at most 32 bits; NaN for other text."""
    try:
        number = float(text)
    except ValueError:
        return math.nan
    return number if abs(number) < _LARGEST else math.copysign(math.inf, number)
