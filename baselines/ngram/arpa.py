"""ARPA files: written as KenLM does, read as KenLM, SRILM and IRSTLM write them.

Fields may be separated by tabs or spaces, back-offs and `<unk>` may be missing, lines may be blank,
and other text may stand before `\\data\\`. The first departure from that is an error with its line.
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

from crosspro.baselines.ngram.counts import BEGIN_ID, END_ID, SPECIAL_WORDS, UNKNOWN_ID, Ints
from crosspro.baselines.ngram.model import LOWEST, NGramModel, Order, build_model
from crosspro.data_prep.core.errors import InputError, input_error, quoted
from crosspro.data_prep.core.files import atomic_output, bad_byte, read_lines

_ROUNDING = 0.01
"""IRSTLM writes log probabilities a little above 0; so much is taken for 0."""
_MISSING_UNKNOWN = -100.0
"""The log probability that KenLM gives to unknown words if a model has no `<unk>`."""
_LARGEST = float(np.finfo(np.float32).max)
_LINES_AT_ONCE = 1 << 17
_COUNT = re.compile(rb"ngram\s+(\d{1,3})\s*=\s*(\d{1,12})")


def write_arpa(path: Path, model: NGramModel) -> None:
    """Write a model (also .gz, .xz); the highest order has no back-offs."""
    ends = [*model.first_nodes[1:], len(model.log_probs)]
    with atomic_output(path) as file:
        file.write(b"\\data\\\n")
        for n, count in enumerate(model.counts, start=1):
            file.write(b"ngram %d=%d\n" % (n, count))
        for n, (first, end) in enumerate(zip(model.first_nodes, ends, strict=True), start=1):
            file.write(b"\n\\%d-grams:\n" % n)
            for start in range(first, end, _LINES_AT_ONCE):
                nodes = np.arange(start, min(start + _LINES_AT_ONCE, end))
                columns = [_numbers(model.log_probs[nodes]), _texts(model, nodes, n)]
                if n < len(model.counts):
                    columns.append(_numbers(model.back_offs[nodes]))
                lines = "\n".join(map("\t".join, zip(*columns, strict=True)))
                file.write(f"{lines}\n".encode())
        file.write(b"\n\\end\\\n")


def _texts(model: NGramModel, nodes: Ints, n: int) -> list[str]:
    """The words of n-grams; contexts, which many n-grams share, are looked up once."""
    if n == 1:
        return list(map(model.words.__getitem__, (nodes - 1).tolist()))
    size = len(model.words)
    contexts, words = np.divmod(model.keys[nodes - 1 - size], size)
    contexts, places = np.unique(contexts, return_inverse=True)
    before = map(_texts(model, contexts, n - 1).__getitem__, places.tolist())
    last = map(model.words.__getitem__, words.tolist())
    return list(map(" ".join, zip(before, last, strict=True)))


def _numbers(values: NDArray[np.float32]) -> list[str]:
    """Values as text; most occur many times."""
    distinct, places = np.unique(values, return_inverse=True)
    texts = [f"{value:.7g}" for value in distinct.tolist()]
    return list(map(texts.__getitem__, places.tolist()))


def read_arpa(path: Path) -> NGramModel:
    """Read a model (also .gz, .xz)."""
    return _Reader(path).model()


class _Numbers(dict[bytes, int]):
    """The numbers of words; -1 for words that are not there."""

    def __missing__(self, word: bytes) -> int:
        return -1


@dataclass
class _Section:
    """The entries of an order: the numbers of their words, their values, their lines."""

    words: NDArray[np.int64]
    log_probs: NDArray[np.float32]
    back_offs: NDArray[np.float32]
    lines: NDArray[np.int64]


class _Reader:
    """Goes through one file; `text` is the current line without spaces around it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.source: Iterator[bytes] = read_lines(path)
        self.line = 0
        self.text: bytes | None = None
        self.words = [*SPECIAL_WORDS]
        self.numbers = _Numbers((word, number) for number, word in enumerate(SPECIAL_WORDS))
        self.keys: list[Ints] = []  # of the orders from 2 on: row of the context, word

    def error(self, field: str, expected: str, found: str, line: int | None = None) -> InputError:
        return input_error(self.path, field, expected, found, line or self.line)

    def advance(self) -> bytes | None:
        """The next line that is not blank; None at the end of the file."""
        for line in self.source:
            self.line += 1
            self.text = line.strip()
            if self.text:
                return self.text
        self.text = None
        return None

    def shown(self) -> str:
        return "the end of the file" if self.text is None else quoted(self.text)

    def model(self) -> NGramModel:
        counts = self.counts()
        orders = []
        for n, count in enumerate(counts, start=1):
            self.expect(b"\\%d-grams:" % n)
            section = self.section(n, highest=n == len(counts))
            if len(section.lines) != count:
                expected = f"{count:,} {n}-grams, as the head of the file says"
                raise self.error("section", expected, f"{len(section.lines):,}")
            orders.append(self.unigrams(section) if n == 1 else self.longer(n, section))
        self.expect(b"\\end\\")
        if self.advance() is not None:
            raise self.error("file", "nothing after \\end\\", self.shown())
        return build_model([word.decode("utf-8") for word in self.words], orders)

    def expect(self, heading: bytes) -> None:
        if self.text != heading:
            raise self.error("section", heading.decode(), self.shown())

    def counts(self) -> list[int]:
        """How many n-grams of each order there are, from the head of the file."""
        while self.advance() != b"\\data\\":
            if self.text is None:
                raise self.error("file", "an ARPA file with a line \\data\\", "none")
            if self.text == b"iARPA":
                expected = "ARPA (convert it with IRSTLM: compile-lm --text=yes)"
                raise self.error("file", expected, "IRSTLM's iARPA")
        counts: list[int] = []
        while (text := self.advance()) is not None and not text.startswith(b"\\"):
            match = _COUNT.fullmatch(text)
            if not match or int(match[1]) != len(counts) + 1:
                raise self.error("counts", f"ngram {len(counts) + 1}=COUNT", quoted(text))
            counts.append(int(match[2]))
        if not counts:
            raise self.error("counts", "ngram 1=COUNT", self.shown())
        return counts

    def section(self, n: int, highest: bool) -> _Section:
        """All entries of an order; the current line is the next heading afterwards."""
        words, lines = array("q"), array("q")
        log_probs, back_offs = array("f"), array("f")
        number_of = self.numbers.__getitem__
        while (text := self.advance()) is not None and not text.startswith(b"\\"):
            fields = text.split()
            if n == 1 and len(fields) > 1:
                self.add_word(fields[1])
            if len(fields) not in (n + 1, n + 2):
                expected = f"a log10 probability, {n} words and perhaps a back-off"
                raise self.error("n-gram", expected, quoted(text))
            log_prob = self.value(fields[0])
            back_off = self.value(fields[-1]) if len(fields) == n + 2 else 0.0
            if not log_prob <= _ROUNDING:
                raise self.error("probability", "a log10 probability, 0 or less", quoted(fields[0]))
            if not back_off < math.inf:
                raise self.error("back-off", "a log10 number", quoted(fields[-1]))
            if highest and back_off:
                expected = "none or 0 in the highest order"
                raise self.error("back-off", expected, quoted(fields[-1]))
            words.extend(map(number_of, fields[1 : n + 1]))
            log_probs.append(min(max(log_prob, LOWEST), 0.0))
            back_offs.append(max(back_off, LOWEST))
            lines.append(self.line)
        return _Section(
            np.array(words, np.int64).reshape(-1, n),
            np.array(log_probs, np.float32),
            np.array(back_offs, np.float32),
            np.array(lines, np.int64),
        )

    def value(self, text: bytes) -> float:
        """A number of at most 32 bits; NaN for other text."""
        try:
            number = float(text)
        except ValueError:
            return math.nan
        return number if abs(number) < _LARGEST else math.copysign(math.inf, number)

    def add_word(self, word: bytes) -> None:
        """Number the word of a unigram."""
        try:
            word.decode("utf-8")
        except UnicodeDecodeError as error:
            raise self.error("encoding", "UTF-8", bad_byte(error)) from error
        if word == b"<UNK>":
            self.numbers[word] = UNKNOWN_ID
        elif word not in self.numbers:
            self.numbers[word] = len(self.words)
            self.words.append(word)

    def unigrams(self, section: _Section) -> Order:
        """The words in the order of their numbers."""
        numbers = section.words[:, 0]
        seen, first = np.unique(numbers, return_index=True)
        again = np.setdiff1d(np.arange(len(numbers)), first)
        if len(again):
            word = quoted(self.words[numbers[again[0]]])
            line = int(section.lines[again[0]])
            raise self.error("1-grams", "each word once", f"{word} again", line)
        for number in (BEGIN_ID, END_ID):
            if number not in seen:
                raise self.error("1-grams", "<s> and </s>", f"no {self.words[number].decode()}")
        size = len(self.words)
        log_probs = np.full(size, _MISSING_UNKNOWN, np.float32)
        back_offs = np.zeros(size, np.float32)
        log_probs[numbers], back_offs[numbers] = section.log_probs, section.back_offs
        none = np.zeros(size, np.uint32)
        return Order(none, np.arange(size, dtype=np.uint32), none, log_probs, back_offs)

    def longer(self, n: int, section: _Section) -> Order:
        """The n-grams sorted by context and word."""
        size, words = len(self.words), section.words
        contexts = words[:, 0]
        known = (words >= 0).all(axis=1)
        if not known.all():
            row = int(np.argmin(known))
            raise self.error("n-gram", "words that are 1-grams", "others", int(section.lines[row]))
        for length, keys in enumerate(self.keys, start=2):
            wanted = contexts * size + words[:, length - 1]
            contexts = np.searchsorted(keys, wanted)
            known = np.append(keys, -1)[contexts] == wanted
            if not known.all():
                line = int(section.lines[np.argmin(known)])
                expected = f"a context that is one of the {n - 1}-grams"
                raise self.error("n-gram", expected, "another", line)
        keys = contexts * size + words[:, -1]
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        again = np.flatnonzero(keys[1:] == keys[:-1])
        if len(again):
            line = int(section.lines[order[again[0] + 1]])
            raise self.error("n-gram", "each n-gram once", "one again", line)
        self.keys.append(keys)
        contexts, last = np.divmod(keys, size)
        return Order(
            contexts.astype(np.uint32),
            last.astype(np.uint32),
            None,
            section.log_probs[order],
            section.back_offs[order],
        )
