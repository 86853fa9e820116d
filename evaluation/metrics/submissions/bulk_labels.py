"""The labels of well-formed files, many lines at once.

Tabs, line ends and placeholders of a block of lines are found as arrays, and only label columns
become Python objects. On the slightest irregularity this gives up (None), and whoever has asked
reads line by line (`submission.py`), accepts what is acceptable and reports the rest. What is not
None is what reading by line gives.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.files import STANDARD_INPUT, read_blocks
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.formats.shared_task import COLUMNS, PLACEHOLDER
from crosspro.evaluation.metrics.submissions.label_parser import LabelParser, LineLabels, flat
from crosspro.evaluation.metrics.submissions.same_text import TEXT

BLOCK = 1 << 18
"""Bytes read at once: so many stay in the processor's cache."""

_TAB, _LINE_END, _SPACE = b"\t\n "
_ENDS = np.array([_TAB] * (len(COLUMNS) - 1) + [_LINE_END], np.uint8)
_PLACEHOLDER = np.frombuffer(PLACEHOLDER.encode(), np.uint8)

Bytes = NDArray[np.uint8]
Places = NDArray[np.int64]


class _IrregularError(Exception):
    """Something that has to be looked at line by line."""


def bulk_gold(path: Path, task: Task) -> LineLabels | None:
    """The labels of a gold file each of whose lines has five columns, filled as they must be."""
    labels = LabelParser(task, path)
    try:
        return _joined([_gold_block(block, labels) for block in _blocks(path)])
    except (InputError, _IrregularError):
        return None


def bulk_submission(path: Path, task: Task, gaps: Places) -> LineLabels | None:
    """The labels of a submission each of whose lines has as many of them as gold has gaps."""
    labels = LabelParser(task, path)
    try:
        found = _joined([_submission_block(block, labels) for block in _blocks(path)])
    except (InputError, _IrregularError):
        return None
    return found if np.array_equal(found.gaps, gaps) else None


def _blocks(path: Path) -> Iterator[bytes]:
    """Blocks of whole lines, each with its line end."""
    if path != STANDARD_INPUT and not path.is_file():
        raise _IrregularError  # a pipe cannot be read a second time
    for block in read_blocks(path, BLOCK):
        yield block if block.endswith(b"\n") else block + b"\n"


def _gold_block(block: bytes, labels: LabelParser) -> LineLabels:
    text, at = _separators(block)
    if len(at) % len(COLUMNS) or (text[at].reshape(-1, len(COLUMNS)) != _ENDS).any():
        raise _IrregularError
    ends = at.reshape(-1, len(COLUMNS))
    _, words, source, target, line_ends = ends.T
    # The LF of a line counts as content of its last column, but the last one may be our own.
    if (source - words < 2).any() or (target - source < 2).any() or block[-2:-1] == b"\t":
        raise _IrregularError
    found = _parsed(block, line_ends, ends[:, 0], labels)
    unequal = np.flatnonzero(_placeholders(text, ends) != found.gaps) + 1
    texts = _slices(block, words + 1, target)
    return LineLabels(found.classes, found.gaps, tuple(unequal.tolist()), tuple(texts))


def _submission_block(block: bytes, labels: LabelParser) -> LineLabels:
    text, at = _separators(block)
    last = np.flatnonzero(text[at] == _LINE_END)
    first = np.concatenate([np.zeros(1, np.int64), last[:-1] + 1])
    found = _parsed(block, at[last], at[first], labels)
    # Lines with fewer columns have less text, or none.
    start = at[np.minimum(first + TEXT.start - 1, last)] + 1
    end = at[np.minimum(first + TEXT.stop - 1, last)]
    texts = _slices(block, start, end)
    return LineLabels(found.classes, found.gaps, (), tuple(texts))


def _slices(block: bytes, starts: Places, ends: Places) -> list[bytes]:
    pairs = zip(starts.tolist(), ends.tolist(), strict=True)
    return [block[start:end] for start, end in pairs]


def _separators(block: bytes) -> tuple[Bytes, Places]:
    """The bytes of a block, and where its tabs and line ends are."""
    text = np.frombuffer(block, np.uint8)
    at = np.flatnonzero(text <= _LINE_END)
    return text, at[text[at] >= _TAB]


def _parsed(block: bytes, line_ends: Places, ends: Places, labels: LabelParser) -> LineLabels:
    """The labels of the lines of a block; `ends` says where the label column of each ends."""
    starts = np.concatenate([np.zeros(1, np.int64), line_ends[:-1] + 1])
    filled = np.flatnonzero(ends > starts)
    columns = _slices(block, starts[filled], ends[filled])
    for column in set(columns).difference(labels.known):
        labels.parse(column, 0)
    if labels.problems:
        raise _IrregularError
    classes = list(map(labels.known.__getitem__, columns))
    gaps = np.zeros(len(starts), np.int64)
    gaps[filled] = np.fromiter(map(len, classes), np.int64, len(classes))
    return LineLabels(flat(classes), gaps)


def _placeholders(text: Bytes, ends: Places) -> Places:
    """How many tokens of the target column of each line are gaps.

    They are looked for by their last character, which is the rarest one.
    """
    at = np.flatnonzero(text == _PLACEHOLDER[-1]) - (len(_PLACEHOLDER) - 1)
    at = at[at > 0]
    before = text[at - 1]
    at = at[(before == _SPACE) | (before == _TAB)]
    for place, character in enumerate(_PLACEHOLDER):
        at = at[text[at + place] == character]
    line = np.searchsorted(ends[:, -1], at)
    inside = (at > ends[line, 2]) & (at < ends[line, 3])
    return np.bincount(line[inside], minlength=len(ends))


def _joined(parts: Sequence[LineLabels]) -> LineLabels:
    """The labels of a file from those of its blocks, of which there must be one."""
    if not parts:
        raise _IrregularError
    before = np.cumsum([0, *(len(part.gaps) for part in parts)]).tolist()
    return LineLabels(
        np.concatenate([part.classes for part in parts]),
        np.concatenate([part.gaps for part in parts]),
        tuple(
            start + line
            for start, part in zip(before, parts, strict=False)
            for line in part.unequal
        ),
        tuple(chain.from_iterable(part.texts for part in parts)),
    )
