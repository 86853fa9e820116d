"""Parses lines of an ARPA section: many at a time as columns, or one by one to name the faults."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from crosspro.baselines.ngram.ngrams import Floats
from crosspro.baselines.ngram.sentences import split_words
from crosspro.baselines.ngram.vocabulary import IntArray
from crosspro.data_prep.core.errors import Problem, quoted
from crosspro.data_prep.core.files import bad_byte

ROUNDING = 0.01
"""IRSTLM writes log probabilities a little above 0; so much is taken for 0."""
_is_space = np.zeros(256, bool)
_is_space[list(b"\t\n\r ")] = True


@dataclass(frozen=True, slots=True)
class Columns:
    """The entries of some lines: log10 probabilities, words, back-offs (0 if missing), lines."""

    log_probs: Floats
    words: list[list[bytes]]
    back_offs: Floats
    lines: IntArray


def parse_lines(text: bytes, first_line: int, n: int, highest: bool) -> Columns | None:
    """The entries of some lines, blank ones left out; None if anything is wrong."""
    if not text.endswith(b"\n"):
        text += b"\n"
    fields = _fields_per_line(text)
    filled = np.flatnonzero(fields)
    with_back_off = fields[filled] == n + 2
    if not (with_back_off | (fields[filled] == n + 1)).all() or b"\0" in text:
        return None
    tokens = np.array(split_words(text), dtype=object)
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


def _fields_per_line(text: bytes) -> IntArray:
    raw = np.frombuffer(text, np.uint8)
    space = _is_space[raw]
    starts = ~space
    starts[1:] &= space[:-1]
    before = np.concatenate([np.zeros(1, np.int64), np.cumsum(starts)])
    ends = np.flatnonzero(raw == ord("\n"))
    return np.diff(before[ends], prepend=0)


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
        tokens = split_words(line)
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
