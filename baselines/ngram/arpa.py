"""ARPA files, as KenLM, SRILM and IRSTLM write them: reading and writing.

Fields may be separated by tabs or spaces, back-offs and `<unk>` may be missing, lines may be blank,
and other text may stand before `\\data\\`. Everything else that departs from the format is an error
with its line; the faults of a section are reported together. Lines are parsed many at a time as
columns, and one by one where there are faults to name. Models are written as KenLM does, log10
values in their shortest exact form.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice, repeat
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from crosspro.baselines.ngram.index import Index, IntArray, Workspace, build_index, workspace
from crosspro.baselines.ngram.model import (
    BEGIN_ID,
    END_ID,
    ROUNDING,
    SPECIAL_WORDS,
    UNKNOWN_ID,
    Floats,
    NGramModel,
    NGrams,
    build_model,
)
from crosspro.baselines.ngram.text import Report, split_lines
from crosspro.data_prep.core.errors import InputError, Problem, input_error, quoted
from crosspro.data_prep.core.files import atomic_output, bad_byte, read_lines


@dataclass(frozen=True, slots=True)
class Columns:
    """The entries of some lines: log10 probabilities, words, back-offs (0 if missing), lines."""

    log_probs: Floats
    words: list[list[bytes]]
    back_offs: Floats
    lines: IntArray


def parse_lines(text: bytes, first_line: int, n: int, highest: bool) -> Columns | None:
    """The entries of some lines, blank ones left out; None if anything is wrong."""
    found, fields = split_lines(text)
    filled = np.flatnonzero(fields)
    with_back_off = fields[filled] == n + 2
    if not (with_back_off | (fields[filled] == n + 1)).all() or b"\0" in text:
        return None
    # bytes.split is quicker, but splits at characters, too, that are parts of words in KenLM.
    split = [*found] if b"\v" in text or b"\f" in text else text.split()
    tokens = np.array(split, dtype=object)
    first = (np.cumsum(fields) - fields)[filled]
    log_probs = _floats(tokens[first])
    back_offs = np.zeros(len(filled), np.float32)
    given = _floats(tokens[first[with_back_off] + n + 1])
    if log_probs is None or given is None:
        return None
    if (log_probs > ROUNDING).any() or not np.isfinite(given[given != -np.inf]).all():
        return None
    if highest and given.any():
        return None
    back_offs[with_back_off] = given
    words = [tokens[first + j].tolist() for j in range(1, n + 1)]
    return Columns(np.minimum(log_probs, 0), words, back_offs, filled + first_line)


def _floats(tokens: NDArray[np.object_]) -> Floats | None:
    try:
        values = np.fromiter(map(float, tokens), np.float64, len(tokens))
    except ValueError:
        return None
    with np.errstate(over="ignore"):
        return None if np.isnan(values).any() else values.astype(np.float32)


def line_problems(path: str, text: bytes, first_line: int, n: int, highest: bool) -> list[Problem]:
    """What is wrong with the form of each of some lines."""
    problems = []
    for number, line in enumerate(text.split(b"\n"), start=first_line):
        tokens = [*split_lines(line)[0]]
        problem = partial(Problem, path, number)
        if not tokens:
            continue
        if b"\0" in line:
            problems.append(problem("n-gram", "no NUL character", quoted(line)))
        elif len(tokens) not in (n + 1, n + 2):
            expected = f"a log10 probability, {n} words and perhaps a back-off"
            problems.append(problem("n-gram", expected, quoted(line.rstrip(b"\r"))))
        else:
            if not _value(tokens[0]) <= ROUNDING:
                expected = "a log10 probability, 0 or less"
                problems.append(problem("probability", expected, quoted(tokens[0])))
            back_off = _value(tokens[-1]) if len(tokens) == n + 2 else 0
            if not back_off < math.inf:
                problems.append(problem("back-off", "a log10 number", quoted(tokens[-1])))
            elif highest and back_off:
                expected = "none or 0 in the highest order"
                problems.append(problem("back-off", expected, quoted(tokens[-1])))
    return problems


def encoding_problems(path: str, columns: Columns) -> list[Problem]:
    """Words that are not UTF-8."""
    problems = []
    for line, word in zip(columns.lines.tolist(), columns.words[0], strict=True):
        try:
            word.decode("utf-8")
        except UnicodeDecodeError as error:
            problems.append(Problem(path, line, "encoding", "UTF-8", bad_byte(error)))
    return problems


def numbered(columns: Columns, numbers: Mapping[bytes, int]) -> list[IntArray]:
    """The words of each position as numbers, -1 where unknown."""
    return [
        np.fromiter(map(numbers.get, words, repeat(-1)), np.int64, len(words))
        for words in columns.words
    ]


def _value(token: bytes) -> float:
    try:
        with np.errstate(over="ignore"):
            return float(np.float32(float(token)))
    except ValueError:
        return math.nan


BLOCK_LINES = 1 << 15
UNKNOWN_ALIAS = b"<UNK>"
MISSING_UNKNOWN = -100.0
"""The log10 probability that KenLM gives to unknown words if a model has no `<unk>`."""
MEMORY = 2 << 30
NO_LINES = np.empty(0, np.int64)
NO_VALUES = np.empty(0, np.float32)
_count_line = re.compile(rb"ngram\s+(\d{1,3})\s*=\s*(\d{1,12})\s*")


def read_arpa(path: Path, report: Report = lambda _: None, memory: int = MEMORY) -> NGramModel:
    """Read a model (also .gz, .xz)."""
    with workspace(memory) as space:
        return _Reader(path, space, report).model()


class _Reader:
    """Goes through one file; remembers the line."""

    def __init__(self, path: Path, space: Workspace, report: Report) -> None:
        self.path = path
        self.space = space
        self.report = report
        self.source: Iterator[bytes] = read_lines(path)
        self.line = 0
        self.text: bytes | None = None
        self.words = [*SPECIAL_WORDS]
        self.numbers = {word: number for number, word in enumerate(SPECIAL_WORDS)}
        self.orders: list[NGrams] = []
        self.indexes: list[Index] = []

    def model(self) -> NGramModel:
        counts = self.counts()
        for n, count in enumerate(counts, start=1):
            self.expect(b"\\%d-grams:" % n)
            entries = self.section(n, count, highest=n == len(counts))
            if n == 1:
                self.unigrams(list(entries))
            else:
                self.longer(n, entries, highest=n == len(counts))
        self.expect(b"\\end\\")
        if self.following() is not None:
            raise self.error("file", "nothing after \\end\\", quoted(self.text or b""))
        self.report("building the index")
        return build_model(self.words, self.orders, self.space)

    def error(self, field: str, expected: str, found: str) -> InputError:
        return input_error(self.path, field, expected, found, self.line)

    def following(self) -> bytes | None:
        """The next line that is not blank; None at the end of the file."""
        for raw in self.source:
            self.line += 1
            self.text = raw.strip()
            if self.text:
                return self.text
        self.text = None
        return None

    def expect(self, wanted: bytes) -> None:
        """The current line must be a certain heading."""
        if self.text != wanted:
            found = "the end of the file" if self.text is None else quoted(self.text)
            raise self.error("section", wanted.decode(), found)

    def counts(self) -> list[int]:
        """How many n-grams of each order there are, from the head of the file."""
        while (text := self.following()) != b"\\data\\":
            if text is None:
                raise self.error("file", "an ARPA file with a line \\data\\", "none")
            if text == b"iARPA":
                expected = "ARPA (convert it with IRSTLM: compile-lm --text=yes)"
                raise self.error("file", expected, "IRSTLM's iARPA")
        counts: list[int] = []
        while (text := self.following()) is not None and not text.startswith(b"\\"):
            match = _count_line.fullmatch(text)
            wanted = f"ngram {len(counts) + 1}=COUNT"
            if not match or int(match[1]) != len(counts) + 1:
                raise self.error("counts", wanted, quoted(text))
            counts.append(int(match[2]))
        if not counts:
            found = "the end of the file" if text is None else quoted(text)
            raise self.error("counts", "ngram 1=COUNT", found)
        return counts

    def section(self, n: int, count: int, highest: bool) -> Iterator[Columns]:
        """All entries of a section; the current line is the next heading afterwards."""
        problems: list[Problem] = []
        entries = 0
        for text, first in self.blocks():
            columns = parse_lines(text, first, n, highest)
            if columns is None:
                problems += line_problems(str(self.path), text, first, n, highest)
                continue
            if n == 1:
                problems += encoding_problems(str(self.path), columns)
            entries += len(columns.lines)
            self.report(f"reading {n}-grams: {entries:,} of {count:,}")
            yield columns
        if problems:
            raise InputError(problems)
        if entries != count:
            expected = f"{count:,} {n}-grams, as the head of the file says"
            end = " before the end of the file" if self.text is None else ""
            raise self.error("section", expected, f"{entries:,}{end}")

    def blocks(self) -> Iterator[tuple[bytes, int]]:
        """The lines up to the next heading, in blocks, with the number of the first."""
        self.text = None
        while lines := list(islice(self.source, BLOCK_LINES)):
            first = self.line + 1
            text = b"".join(lines)
            heading = 0 if text.startswith(b"\\") else text.find(b"\n\\") + 1
            if not heading and not text.startswith(b"\\"):
                self.line += len(lines)
                yield text, first
                continue
            before = text.count(b"\n", 0, heading)
            self.line += before + 1
            self.text = lines[before].strip()
            self.source = chain(lines[before + 1 :], self.source)
            yield text[:heading], first
            return

    def unigrams(self, entries: list[Columns]) -> None:
        """Number the words and keep their values."""
        words = [word for columns in entries for word in columns.words[0]]
        lines = np.concatenate([NO_LINES, *(columns.lines for columns in entries)])
        ids = np.empty(len(words), np.int64)
        seen: set[int] = set()
        repeated = []
        for place, word in enumerate(words):
            number = UNKNOWN_ID if word == UNKNOWN_ALIAS else self.numbers.get(word)
            if number is None:
                number = len(self.words)
                self.words.append(word)
            self.numbers[word] = ids[place] = number
            if number in seen:
                repeated.append((int(lines[place]), word))
            seen.add(number)
        if repeated:
            raise InputError(
                Problem(str(self.path), line, "1-grams", "each word once", f"{quoted(word)} again")
                for line, word in repeated
            )
        for number in (BEGIN_ID, END_ID):
            if number not in seen:
                raise self.error("1-grams", "<s> and </s>", f"no {self.words[number].decode()}")
        size = len(self.words)
        log_probs = np.full(size, MISSING_UNKNOWN, np.float32)
        back_offs = np.zeros(size, np.float32)
        log_probs[ids] = np.concatenate([columns.log_probs for columns in entries])
        back_offs[ids] = np.concatenate([columns.back_offs for columns in entries])
        numbers = np.arange(size, dtype=np.uint32)
        self.orders.append(NGrams(np.zeros(size, np.uint32), numbers, log_probs, back_offs))

    def longer(self, n: int, entries: Iterator[Columns], highest: bool) -> None:
        """Sort the n-grams of an order by context and word."""
        parts = [(NO_LINES, NO_VALUES, NO_VALUES, NO_LINES)]
        problems: list[Problem] = []
        for columns in entries:
            ids = numbered(columns, self.numbers)
            keys = self.keys(ids)
            problems += self.key_problems(n, columns, ids, keys)
            parts.append((keys, columns.log_probs, columns.back_offs, columns.lines))
        if problems:
            raise InputError(problems)
        keys, log_probs, back_offs, lines = (
            np.concatenate(column) for column in zip(*parts, strict=True)
        )
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        repeated = lines[order[1:][keys[1:] == keys[:-1]]]
        if len(repeated):
            raise InputError(
                Problem(str(self.path), int(line), f"{n}-grams", "each n-gram once", "it again")
                for line in np.sort(repeated)
            )
        size = len(self.words)
        contexts, words = (part.astype(np.uint32) for part in np.divmod(keys, size))
        self.orders.append(NGrams(contexts, words, log_probs[order], back_offs[order]))
        if not highest:
            self.indexes.append(build_index(lambda: [(1, keys)], len(keys), self.space))

    def keys(self, ids: list[IntArray]) -> IntArray:
        """The keys of n-grams in their order's table; negative if a part is not in the model."""
        size = len(self.words)
        rows = ids[0]
        for index, words in zip(self.indexes, ids[1:-1], strict=True):
            rows = index.find(rows * size + words) - 1
        missing = (rows < 0) | (ids[-1] < 0)
        return np.where(missing, -1, rows * size + ids[-1])

    def key_problems(
        self, n: int, columns: Columns, ids: list[IntArray], keys: IntArray
    ) -> Iterator[Problem]:
        for place in np.flatnonzero(keys < 0):
            line = int(columns.lines[place])
            words = [column[place] for column in columns.words]
            unknown = [
                quoted(word) for word, column in zip(words, ids, strict=True) if column[place] < 0
            ]
            if unknown:
                expected, found = "words that are 1-grams", unknown[0]
            else:
                expected = f"a context that is one of the {n - 1}-grams"
                found = quoted(b" ".join(words[:-1]))
            yield Problem(str(self.path), line, f"{n}-grams", expected, found)


_LINES = 1 << 14
"""Lines that are made at once."""
_LONGEST = 64
"""Lines with a longer word are made one by one."""


def write_arpa(path: Path, model: NGramModel, report: Report = lambda _: None) -> None:
    """Write a model (also .gz, .xz); the highest order has no back-offs."""
    write_ngrams(path, model.vocabulary.words, ngrams_of(model), report)


def ngrams_of(model: NGramModel) -> list[NGrams]:
    """The n-grams of a model, order by order."""
    size = len(model.vocabulary)
    keys = np.empty(len(model.index.keys), np.int64)
    keys[model.index.nodes - np.uint32(size + 1)] = model.index.keys
    orders = []
    for n, (first, count) in enumerate(zip(model.first_nodes, model.counts, strict=True), start=1):
        nodes = slice(int(first), int(first) + count)
        if n == 1:
            contexts, words = np.zeros(count, np.uint32), np.arange(count, dtype=np.uint32)
        else:
            own = keys[nodes.start - size - 1 : nodes.stop - size - 1]
            contexts = (own // size - model.first_nodes[n - 2]).astype(np.uint32)
            words = (own % size).astype(np.uint32)
        orders.append(NGrams(contexts, words, model.log_probs[nodes], model.back_offs[nodes]))
    return orders


def write_ngrams(
    path: Path,
    words: Sequence[bytes],
    orders: Sequence[NGrams],
    report: Report = lambda _: None,
) -> None:
    """Write all n-grams (also .gz, .xz); the highest order has no back-offs."""
    texts = _WordTexts(words)
    with atomic_output(path) as handle:
        handle.write(b"\\data\\\n")
        for n, ngrams in enumerate(orders, start=1):
            handle.write(b"ngram %d=%d\n" % (n, len(ngrams)))
        for n in range(1, len(orders) + 1):
            handle.write(b"\n\\%d-grams:\n" % n)
            for start in range(0, len(orders[n - 1]), _LINES):
                part = slice(start, min(start + _LINES, len(orders[n - 1])))
                handle.write(_lines(texts, orders, n, part))
                report(f"writing {n}-grams")
        handle.write(b"\n\\end\\\n")


class _WordTexts:
    """The words of a model, to be written many at a time.

    Beside the words themselves there is a table of those that are not too long, filled up with
    NULs, which no word has.
    """

    def __init__(self, words: Sequence[bytes]) -> None:
        self.words = words
        self.lengths = np.fromiter(map(len, words), np.int64, len(words))
        short = [word if len(word) <= _LONGEST else b"" for word in words]
        self.table = np.array(short, dtype=f"S{max(8, min(_LONGEST, int(self.lengths.max())))}")

    def column(self, numbers: NDArray[np.uint32]) -> NDArray[np.bytes_]:
        """Words by their numbers; none is too long."""
        width = int(self.lengths.take(numbers).max())
        return self.table.take(numbers).astype(f"S{max(1, width)}")


def _lines(texts: _WordTexts, orders: Sequence[NGrams], n: int, part: slice) -> bytes:
    """Some lines of one order."""
    numbers = [orders[n - 1].words[part]]
    contexts = orders[n - 1].contexts[part]
    for shorter in reversed(orders[: n - 1]):
        numbers.append(shorter.words.take(contexts))
        contexts = shorter.contexts.take(contexts)
    numbers.reverse()
    columns = [decimal_texts(orders[n - 1].log_probs[part])]
    if n < len(orders):
        columns.append(decimal_texts(orders[n - 1].back_offs[part]))
    if max(int(texts.lengths.take(number).max()) for number in numbers) > _LONGEST:
        pattern = b"%b\t" + b" ".join([b"%b"] * n) + b"\t%b" * (len(columns) - 1) + b"\n"
        given = [[texts.words[number] for number in column.tolist()] for column in numbers]
        filled = [[text.replace(b"\0", b"") for text in column.tolist()] for column in columns]
        return b"".join(map(pattern.__mod__, zip(filled[0], *given, *filled[1:], strict=True)))
    columns[1:1] = map(texts.column, numbers)
    between = [b"\t", *[b" "] * (n - 1), *[b"\t"] * (n < len(orders)), b"\n"]
    fields: list[tuple[str, object]] = []
    for place, column in enumerate(columns):
        fields += [(f"text{place}", column.dtype), (f"after{place}", "S1")]
    rows = np.empty(len(columns[0]), np.dtype(fields))
    for place, (column, after) in enumerate(zip(columns, between, strict=True)):
        rows[f"text{place}"] = column
        rows[f"after{place}"] = after
    return rows.tobytes().translate(None, b"\0")


def formatted(values: Floats) -> list[bytes]:
    """The shortest decimal number of each value that reads as the same 32-bit value."""
    texts: list[bytes] = decimal_texts(values).tolist()
    return [text.replace(b"\0", b"") for text in texts]


_MOST_DECIMALS = 11
_FEWEST = 7
"""Most values have about so many decimals."""
_POWERS = 10.0 ** np.arange(_MOST_DECIMALS + 1)
_EXPONENT = 0x7F800000
_FRACTION = 0x007FFFFF


def _digit_tables() -> tuple[NDArray[np.bytes_], NDArray[np.bytes_]]:
    """Four digits by their number, with one before a point and as they are; then without zeros at
    the end, from 10,000 on, for where no other digits follow."""
    digits = [b"%04d" % number for number in range(10_000)]
    leading = [b"-%b.%b" % (four[:1], four[1:]) for four in digits]
    leading += [text.rstrip(b"0").rstrip(b".") for text in leading]
    return np.array(leading, "S8"), np.array([*digits, *(four.rstrip(b"0") for four in digits)])


_LEADING, _DIGITS = _digit_tables()


def decimal_texts(values: Floats) -> NDArray[np.bytes_]:
    """The shortest decimal number of each value that reads as the same 32-bit value.

    There may be NULs inside. Negative numbers down to -10 are calculated, others, which are rare,
    are left to numpy. A number with so few decimals that it is as near to a value as half the step
    to the next 32-bit value reads as that value. With up to 11 decimals products are exact.
    """
    values = np.ascontiguousarray(values, np.float32)
    raw = values.view(np.uint32)
    size = -values.astype(np.float64)
    usual = (size >= 1e-3) & (size < 10) & (raw & _FRACTION != 0)
    exact = np.where(usual, size, 1.0)
    # Half a step: 2 ** (exponent - 24).
    half = ((raw & _EXPONENT) - np.uint32(24 << 23)).view(np.float32).astype(np.float64)
    numbers = np.empty(len(values))
    odd = [np.flatnonzero(~usual & (raw != 0))]

    def fitting(places: NDArray[np.int64], decimals: int) -> NDArray[np.bool_]:
        """Which values have a number with so many decimals; it is kept, as one with 11."""
        wanted = exact.take(places)
        rounded = np.rint(wanted * _POWERS[decimals])
        away = np.abs(rounded / _POWERS[decimals] - wanted)
        steps = half.take(places)
        found: NDArray[np.bool_] = np.less(away, steps)
        odd.append(places[away == steps])
        numbers[places[found]] = rounded[found] * _POWERS[_MOST_DECIMALS - decimals]
        return found

    places = np.flatnonzero(usual)
    found = fitting(places, _FEWEST)
    fewer, more = places[found], places[~found]
    for decimals in range(_FEWEST - 1, -1, -1):
        fewer = fewer[fitting(fewer, decimals)]
    for decimals in range(_FEWEST + 1, _MOST_DECIMALS + 1):
        more = more[~fitting(more, decimals)]
    numbers[~usual] = 0
    whole = numbers.astype(np.int64)
    high, low = np.divmod(whole, 10**4)
    first, middle = np.divmod(high, 10**4)
    texts = np.empty(len(values), "S16")
    rows = texts.view(np.dtype([("first", "S8"), ("middle", "S4"), ("low", "S4")]))
    last = low == 0
    rows["low"] = _DIGITS.take(low + 10**4)
    rows["middle"] = _DIGITS.take(middle + 10**4 * last)
    last &= middle == 0
    rows["first"] = _LEADING.take(first + 10**4 * last)
    texts[raw == 0] = b"0"
    for places in (*odd, more):
        if len(places):
            texts[places] = [
                text.removesuffix(b".0") for text in values[places].astype("S").tolist()
            ]
    return texts
