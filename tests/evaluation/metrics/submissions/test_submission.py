"""Labels of gold files and submissions."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.data_prep.core.errors import CrossproError, InputError
from crosspro.data_prep.core.task import load_task
from crosspro.evaluation.metrics.submissions.reading import read_gold, read_submissions
from tests.conftest import GOLDEN

GOLD = (GOLDEN / "scorer" / "en-fr_basic" / "gold.tsv").read_bytes()
PRED = (GOLDEN / "scorer" / "en-fr_basic" / "pred.tsv").read_bytes()
TASK = load_task("en-fr")


def read(tmp_path, gold=GOLD, pred=PRED, ids=None, lenient=False):
    (tmp_path / "gold").write_bytes(gold)
    (tmp_path / "pred").write_bytes(pred)
    if ids is not None:
        (tmp_path / "ids").write_text(ids, encoding="utf-8")
    labels = read_gold(tmp_path / "gold", TASK, tmp_path / "ids" if ids is not None else None)
    return labels, read_submissions([tmp_path / "pred"], TASK, labels, lenient=lenient)[0]


def test_documents_are_runs_of_equal_ids(tmp_path):
    gold, _ = read(tmp_path, lenient=True, ids="a\na\nb\nb\na\na\na\na\n")
    assert gold.documents.tolist() == [0, 0, 1, 1, 2, 2, 2, 2, 2, 2]


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
    pred = b"".join(line.split(b"\t")[0].rstrip() + b"\n" for line in PRED.splitlines())
    gold, submission = read(tmp_path, GOLD.replace(b"REPLACE_5", b"x"), pred + b"il\n")
    assert "line 2" in gold.warnings[0]
    assert len(submission.warnings) == 1
    assert str(tmp_path / "pred") in submission.warnings[0]


SUBMISSION = b"".join(line + b"\n" for line in GOLD.splitlines())
"""Of the text of gold, with its labels."""


def differing(tmp_path, pred, gold=GOLD):
    """The line and the field of each fault of a submission."""
    with pytest.raises(InputError) as caught:
        read(tmp_path, gold, pred)
    assert all(problem.path == str(tmp_path / "pred") for problem in caught.value.problems)
    return [(problem.line, problem.field) for problem in caught.value.problems]


def test_exchanged_lines_are_refused(tmp_path):
    """Both have one gap: nothing else tells them from right ones."""
    first, second, *rest = SUBMISSION.splitlines(keepends=True)
    exchanged = b"".join([second, first, *rest])
    assert differing(tmp_path, exchanged) == [(1, "source"), (2, "source")]
    _, submission = read(tmp_path, pred=exchanged, lenient=True)
    assert len(submission.warnings) == 1


@pytest.mark.parametrize(
    ("old", "new", "column"),
    [
        (b"red", b"blue", "source"),
        (b" fast .\t", b" fast\t", "source"),
        (b"rouge|ADJ", b"bleu|ADJ", "target"),
        (b"REPLACE_5", b"REPLACE_6", "target"),
    ],
)
def test_other_text_is_refused(tmp_path, old, new, column):
    assert old in SUBMISSION
    assert differing(tmp_path, SUBMISSION.replace(old, new, 1)) == [(2, column)]


def changed(change):
    return b"".join(change(line.split(b"\t")) + b"\n" for line in SUBMISSION.splitlines())


@pytest.mark.parametrize(
    "pred",
    [
        changed(lambda columns: columns[0]),
        changed(lambda columns: b"\t".join([columns[0], b"", b"", b"", columns[4]])),
        changed(lambda columns: b"\t".join([columns[0], b"", columns[2]])),
        changed(lambda columns: b"\t".join(columns[:4]) + b"\r"),
        changed(lambda columns: b"\t".join([columns[0], b"x", *columns[2:]])),
        changed(lambda columns: b"\t".join([columns[0], *(c.lower() for c in columns[1:])])),
        re.sub(rb"REPLACE_\d+", b"REPLACE", SUBMISSION),
        re.sub(rb"REPLACE_\d+", b"il", SUBMISSION),
        SUBMISSION.decode().encode("latin-1", "replace"),
    ],
    ids=[
        "labels",
        "empty",
        "source",
        "no links",
        "words",
        "lower case",
        "bare",
        "filled",
        "Latin-1",
    ],
)
def test_what_participants_may_do_with_the_text(tmp_path, pred):
    _, submission = read(tmp_path, pred=pred)
    assert submission.warnings == ()


def test_the_official_submissions_of_2015_have_the_text_of_gold(discomt2015):
    """One is in lower case, and all gaps are without their number."""
    task = load_task("en-fr-2015")
    sets = {
        "TEDdev.en-fr.data.xz": ("submission.whatelles.TEDdev", "baseline.TEDdev"),
        "DiscoMT2015.test.en-fr.gold.data.xz": ("submission.whatelles.DiscoMT2015.test",),
    }
    for name, submissions in sets.items():
        gold = read_gold(discomt2015 / name, task)
        files = [discomt2015 / f"{submission_name}.data.xz" for submission_name in submissions]
        assert [
            submission_name.warnings for submission_name in read_submissions(files, task, gold)
        ] == [()] * len(files)
    with pytest.raises(InputError) as caught:
        read_submissions(files, task, read_gold(discomt2015 / "TEDdev.en-fr.data.xz", task))
    assert caught.value.problems[0].field == "lines"


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


def test_labels_of_another_task_of_the_pair_become_other(tmp_path):
    lines = b"il\t\tit\tREPLACE_0\t0-0\n" * 2
    _, submission = read(tmp_path, lines, b"il\nle\n")
    assert [TASK.classes[place] for place in submission.classes] == ["il", "OTHER"]
    assert len(submission.warnings) == 1
    (tmp_path / "typo").write_bytes(b"il\nill\n")
    for options in ({"other_tasks": False}, {}):
        name = "pred" if options else "typo"
        with pytest.raises(InputError):
            read_submissions([tmp_path / name], TASK, read_gold(tmp_path / "gold", TASK), **options)
