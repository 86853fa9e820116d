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


def read_arpa(path: Path) -> NGramModel:
    return _Reader(path).model()


class _Numbers(dict[bytes, int]):
    """The numbers of words; -1 for words that are not there."""

    def __missing__(self, word: bytes) -> int:
        return -1


@dataclass
class _Section:
    """The entries of an order: the numbers of their words, and their values."""

    words: Ints
    log_probs: NDArray[np.float32]
    back_offs: NDArray[np.float32]


class _Reader:
    """Goes through one file; `text` is the current line without spaces around it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.source: Iterator[bytes] = read_lines(path)
        self.line = 0
        self.text: bytes | None = None
        self.numbers = _Numbers((word, number) for number, word in enumerate(SPECIAL_WORDS))
        self.keys: list[Ints] = []  # of the orders from 2 on: row of the context, word

    def error(self, field: str, expected: str, found: str) -> InputError:
        return input_error(self.path, field, expected, found, self.line)

    def advance(self) -> bytes | None:
        """The next line that is not blank; None at the end of the file."""
        for line in self.source:
            self.line += 1
            self.text = line.strip()
            if self.text:
                return self.text
        self.text = None
        return None

    def model(self) -> NGramModel:
        orders = []
        counts = self.counts()
        for n, count in enumerate(counts, start=1):
            self.expect(b"\\%d-grams:" % n)
            section = self.section(n, highest=n == len(counts))
            if len(section.words) != count:
                expected = f"{count:,} {n}-grams, as the head of the file says"
                raise self.error("section", expected, f"{len(section.words):,}")
            orders.append(self.unigrams(section) if n == 1 else self.longer(n, section))
        self.expect(b"\\end\\")
        if self.advance() is not None:
            raise self.error("file", "nothing after \\end\\", quoted(self.text or b""))
        return build_model([word.decode("utf-8") for word in self.numbers], orders)

    def expect(self, heading: bytes) -> None:
        if self.text != heading:
            shown = "the end of the file" if self.text is None else quoted(self.text)
            raise self.error("section", heading.decode(), shown)

    def counts(self) -> list[int]:
        """How many n-grams of each order there are, from the head of the file."""
        while self.advance() != b"\\data\\":
            if self.text is None:
                raise self.error("file", "an ARPA file with a line \\data\\", "none")
        counts: list[int] = []
        while (text := self.advance()) is not None and not text.startswith(b"\\"):
            match = _COUNT.fullmatch(text)
            if not match or int(match[1]) != len(counts) + 1:
                raise self.error("counts", f"ngram {len(counts) + 1}=COUNT", quoted(text))
            counts.append(int(match[2]))
        if not counts:
            raise self.error("counts", "ngram 1=COUNT", quoted(self.text or b""))
        return counts

    def section(self, n: int, highest: bool) -> _Section:
        """All entries of an order; the current line is the next heading afterwards."""
        words, log_probs, back_offs = array("q"), array("f"), array("f")
        number_of = self.numbers.__getitem__
        while (text := self.advance()) is not None and not text.startswith(b"\\"):
            fields = text.replace(b"<UNK>", b"<unk>").split()  # as SRILM may write it
            if len(fields) not in (n + 1, n + 2):
                expected = f"a log10 probability, {n} words and perhaps a back-off"
                raise self.error("n-gram", expected, quoted(text))
            if n == 1:
                self.add_word(fields[1])
            log_prob = _number(fields[0])
            back_off = _number(fields[-1]) if len(fields) == n + 2 else 0.0
            if not log_prob <= _ROUNDING:
                raise self.error("probability", "a log10 probability, 0 or less", quoted(fields[0]))
            if not back_off < math.inf or (highest and back_off):
                expected = "none or 0 in the highest order" if highest else "a log10 number"
                raise self.error("back-off", expected, quoted(fields[-1]))
            words.extend(map(number_of, fields[1 : n + 1]))
            log_probs.append(min(max(log_prob, LOWEST), 0.0))
            back_offs.append(max(back_off, LOWEST))
        table = np.array(words, np.int64).reshape(-1, n)
        if (table < 0).any():
            raise input_error(self.path, f"{n}-grams", "words that are 1-grams", "others")
        return _Section(table, np.array(log_probs, np.float32), np.array(back_offs, np.float32))

    def add_word(self, word: bytes) -> None:
        try:
            word.decode("utf-8")
        except UnicodeDecodeError as error:
            raise self.error("encoding", "UTF-8", bad_byte(error)) from error
        self.numbers.setdefault(word, len(self.numbers))

    def unigrams(self, section: _Section) -> Order:
        numbers = section.words[:, 0]
        size = len(self.numbers)
        if len(np.unique(numbers)) < len(numbers):
            raise input_error(self.path, "1-grams", "each word once", "a word twice")
        if not {BEGIN_ID, END_ID} <= set(numbers.tolist()):
            raise input_error(self.path, "1-grams", "<s> and </s>", "not both")
        log_probs = np.full(size, _MISSING_UNKNOWN, np.float32)
        back_offs = np.zeros(size, np.float32)
        log_probs[numbers], back_offs[numbers] = section.log_probs, section.back_offs
        none = np.zeros(size, np.uint32)
        return Order(none, np.arange(size, dtype=np.uint32), none, log_probs, back_offs)

    def longer(self, n: int, section: _Section) -> Order:
        """The n-grams sorted by context and word."""
        size, words = len(self.numbers), section.words
        contexts = words[:, 0]
        for length, keys in enumerate(self.keys, start=2):
            wanted = contexts * size + words[:, length - 1]
            contexts = np.searchsorted(keys, wanted)
            if (np.append(keys, -1)[contexts] != wanted).any():
                expected = f"contexts that are {n - 1}-grams"
                raise input_error(self.path, f"{n}-grams", expected, "others")
        keys = contexts * size + words[:, -1]
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        if (keys[1:] == keys[:-1]).any():
            raise input_error(self.path, f"{n}-grams", "each n-gram once", "an n-gram twice")
        self.keys.append(keys)
        contexts, last = np.divmod(keys, size)
        return Order(
            contexts.astype(np.uint32),
            last.astype(np.uint32),
            None,
            section.log_probs[order],
            section.back_offs[order],
        )


def _number(text: bytes) -> float:
    """A number of at most 32 bits; NaN for other text."""
    try:
        number = float(text)
    except ValueError:
        return math.nan
    return number if abs(number) < _LARGEST else math.copysign(math.inf, number)
