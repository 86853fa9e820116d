"""Labels of gold files and submissions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.data_prep.errors import CrossproError, InputError
from crosspro.data_prep.task import load_task
from crosspro.evaluation.submissions.submission import display_names, read_gold, read_submissions
from tests.conftest import GOLDEN

GOLD = (GOLDEN / "scorer" / "en-fr_basic" / "gold.tsv").read_bytes()
PRED = (GOLDEN / "scorer" / "en-fr_basic" / "pred.tsv").read_bytes()
TASK = load_task("en-fr")


def read(tmp_path, gold=GOLD, pred=PRED, ids=None):
    (tmp_path / "gold").write_bytes(gold)
    (tmp_path / "pred").write_bytes(pred)
    if ids is not None:
        (tmp_path / "ids").write_text(ids, encoding="utf-8")
    labels = read_gold(tmp_path / "gold", TASK, tmp_path / "ids" if ids is not None else None)
    return labels, read_submissions([tmp_path / "pred"], TASK, labels)[0]


def test_documents_are_runs_of_equal_ids(tmp_path):
    gold, _ = read(tmp_path, ids="a\na\nb\nb\na\na\na\na\n")
    assert gold.documents.tolist() == [0, 0, 1, 1, 2, 2, 2, 2, 2, 2]


def test_document_ids_of_another_length(tmp_path):
    with pytest.raises(InputError, match="expected 8 lines"):
        read(tmp_path, ids="a\n")


def test_all_faults_of_all_submissions_are_reported(tmp_path):
    (tmp_path / "gold").write_bytes(GOLD)
    (tmp_path / "one").write_bytes(PRED.replace(b"ce\t", b"XX\t").replace(b"on", b"ON"))
    (tmp_path / "two").write_bytes(b"il\n")
    gold = read_gold(tmp_path / "gold", TASK)
    with pytest.raises(InputError) as caught:
        read_submissions([tmp_path / "one", tmp_path / "two"], TASK, gold)
    places = [(problem.path[-3:], problem.line) for problem in caught.value.problems]
    assert places == [("one", 1), ("one", 6), ("two", None)]


def test_extra_lines_and_unequal_placeholders_are_warned_of(tmp_path):
    gold, submission = read(tmp_path, GOLD.replace(b"REPLACE_5", b"x"), PRED + b"il\n")
    assert "line 2" in gold.warnings[0]
    assert "1 lines are ignored" in submission.warnings[0]


def test_names_are_short_and_different():
    assert display_names(["a/x.data.xz", "b/y.txt"]) == ["x", "y"]
    assert display_names(["a/x.data", "b/x.data"]) == ["a/x.data", "b/x.data"]


@given(st.binary(max_size=200), st.binary(max_size=200), st.booleans(), st.integers(0, 600))
def test_no_input_raises_anything_else(tmp_path_factory, noise, other, in_gold, place):
    folder = tmp_path_factory.mktemp("noise")
    gold, pred = GOLD, PRED
    if in_gold:
        gold = gold[:place] + noise + gold[place + 1 :]
    else:
        pred = pred[: place % 60] + other + pred[place % 60 + 1 :]
    try:
        read(folder, gold, pred)
    except CrossproError as error:
        assert str(error)
