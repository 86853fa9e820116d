"""Labels read in bulk are those read line by line, whatever has happened to a file."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.task import load_task
from crosspro.evaluation.metrics.submissions import bulk_labels
from crosspro.evaluation.metrics.submissions.bulk_labels import bulk_gold, bulk_submission
from crosspro.evaluation.metrics.submissions.label_parser import LabelParser
from crosspro.evaluation.metrics.submissions.submission import (
    gold_by_line,
    gold_from_classes,
    read_gold,
    read_submissions,
    submission_by_line,
)
from tests.conftest import GOLDEN

TASK = load_task("en-fr")
GOLD = (GOLDEN / "scorer" / "en-fr_basic" / "gold.tsv").read_bytes()
PRED = (GOLDEN / "scorer" / "en-fr_basic" / "pred.tsv").read_bytes()
LINES = GOLD.splitlines(keepends=True)
PIECES = (
    b"\t",
    b"\n",
    b"\r",
    b" ",
    b"REPLACE_",
    b" REPLACE_3",
    b"ce",
    b"\0",
    b"_",
    b"\x0b",
    b"\xff",
)

mutations = st.lists(
    st.tuples(st.integers(0, 10_000), st.integers(0, 3), st.sampled_from((b"", *PIECES))),
    max_size=3,
)
"""Where, how many bytes go, and what comes in their place."""


def mutated(data: bytes, changes: list[tuple[int, int, bytes]]) -> bytes:
    for place, gone, new in changes:
        at = place % (len(data) + 1)
        data = data[:at] + new + data[at + gone :]
    return data


def as_lists(found):
    return found.classes.tolist(), found.gaps.tolist(), found.unequal, found.texts


@given(st.lists(st.sampled_from(LINES), max_size=6), mutations, st.sampled_from((16, 64, 1 << 18)))
@example(LINES, [(len(GOLD) - 1, 1, b"")], 64)
@example([b"\t\ta\tREPLACE_0\t"], [], 64)
@example([b"ce\t\ta REPLACE_0\tREPLACE_0 xREPLACE_1\tREPLACE_2 REPLACE_3\n"], [], 64)
def test_gold(tmp_path_factory, lines, changes, block):
    path = tmp_path_factory.getbasetemp() / "bulk_gold"
    path.write_bytes(mutated(b"".join(lines), changes))
    found = in_blocks(block, lambda: bulk_gold(path, TASK))
    labels = LabelParser(TASK, path)
    try:
        by_line = gold_by_line(path, labels)
    except InputError:
        assert found is None
        return
    if found is not None:
        assert labels.problems == []
        assert as_lists(found) == as_lists(by_line)


@given(
    st.lists(st.sampled_from(PRED.splitlines(keepends=True)), max_size=6),
    mutations,
    st.sampled_from((16, 64, 1 << 18)),
)
@example([b"ce\r\n", b"ce il\n"], [], 64)
@example([b"ce", b" \tx\n", b"\n"], [], 64)
def test_submission(tmp_path_factory, lines, changes, block):
    path = tmp_path_factory.getbasetemp() / "bulk_submission"
    path.write_bytes(mutated(b"".join(lines), changes))
    gold = gold_from_classes(
        "gold", [(0,) * len(line.split(b"\t")[0].split()) for line in lines], None
    )
    found = in_blocks(block, lambda: bulk_submission(path, TASK, gold.gaps))
    labels = LabelParser(TASK, path)
    try:
        by_line = submission_by_line(path, labels, gold)
    except InputError:
        assert found is None
        return
    if found is not None:
        assert labels.problems == []
        assert as_lists(found) == as_lists(by_line)


@pytest.mark.parametrize("size", [16, 200, 1 << 18])
def test_well_formed_files_are_read_in_bulk(tmp_path: Path, size):
    gold, pred = tmp_path / "gold.gz", tmp_path / "pred"
    gold.write_bytes(gzip.compress(GOLD * 40))
    pred.write_bytes((PRED * 40).rstrip(b"\n"))
    found = in_blocks(max(size, 1 + max(map(len, LINES))), lambda: bulk_gold(gold, TASK))
    assert as_lists(found) == as_lists(gold_by_line(gold, LabelParser(TASK, gold)))
    assert bulk_submission(pred, TASK, found.gaps) is not None


def test_a_bad_line_far_down_is_found(tmp_path: Path):
    gold, pred = tmp_path / "gold", tmp_path / "pred"
    gold.write_bytes(GOLD * 3000)
    pred.write_bytes(PRED * 2999 + PRED.replace(b"ce\t", b"XX\t"))
    labels = read_gold(gold, TASK)
    assert len(labels.gaps) == 3000 * len(LINES)
    with pytest.raises(InputError) as caught:
        read_submissions([pred], TASK, labels)
    assert [one.line for one in caught.value.problems] == [2999 * len(LINES) + 1]


def in_blocks(size, read):
    """Read with small blocks, so that a few lines are many of them."""
    before, bulk_labels.BLOCK = bulk_labels.BLOCK, size
    try:
        return read()
    finally:
        bulk_labels.BLOCK = before
