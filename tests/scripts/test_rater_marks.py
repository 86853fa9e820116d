"""Marks of raters in every format of the verdicts, and what is learnt and measured with them."""

from __future__ import annotations

import lzma

import numpy as np
import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.prediction.proofread.text import DoubtKind
from crosspro.scripts.reproduce.proofread import (
    MarkCounts,
    RatedPronoun,
    learnt_weights,
    measured,
    rater_recall,
)
from crosspro.scripts.reproduce.rater_marks import (
    RatedSegment,
    RaterMark,
    read_newstest,
    read_wmt23,
)
from tests.conftest import GOLDEN

WMT = GOLDEN / "wmt"
ES = RaterMark(0, 2, "Accuracy/Mistranslation")


@pytest.fixture
def folder(tmp_path):
    """The golden folder, compressed as the verdicts are."""
    for path in (WMT / "pair").rglob("*.*"):
        packed = tmp_path / f"{path.relative_to(WMT / 'pair')}.xz"
        packed.parent.mkdir(exist_ok=True)
        packed.write_bytes(lzma.compress(path.read_bytes()))
    return tmp_path


def test_rows_of_newstest_are_marks_of_raters():
    segments = read_newstest(WMT / "mqm.tsv")
    assert [(one.system, one.document, len(one.raters)) for one in segments][:2] == [
        ("alpha", "dog.1", 1),
        ("alpha", "dog.1", 2),
    ]
    awkward = [RaterMark(*place, "Style/Awkward") for place in ((3, 6), (17, 21))]
    assert segments[1].raters == ((ES, *awkward), ())
    assert segments[1].target == "Es war unter dem Sofa."
    assert segments[1].target[17:21] == "Sofa"


@pytest.mark.parametrize(
    ("old", "new", "line"), [("<v>Es</v>", "</v>Es<v>", 3), ("\t2\t2\t", "\t2\tx\t", 3)]
)
def test_wrong_rows_of_newstest_are_named(tmp_path, old, new, line):
    text = (WMT / "mqm.tsv").read_text("utf-8").replace(old, new, 1)
    (tmp_path / "x.tsv").write_text(text, "utf-8")
    with pytest.raises(InputError, match=rf"x\.tsv:{line}: "):
        read_newstest(tmp_path / "x.tsv")


def test_marks_of_wmt_belong_to_segments_of_systems(folder):
    segments = read_wmt23(folder)
    assert [one.system for one in segments] == [*["alpha"] * 4, *["beta"] * 4]
    assert segments[1].raters == ((RaterMark(0, 2, "accuracy/mistranslation"),),)
    assert [one.document for one in segments[:4]] == ["dog.1", "dog.1", "key.2", "key.2"]
    assert segments[3].raters == ()  # nobody looked
    assert segments[7].raters == ((),)  # a mark in the source


@pytest.mark.parametrize("name", ["documents.tsv", "outputs/beta.de", "mqm.tsv"])
def test_wrong_files_of_wmt_are_named(folder, name):
    (folder / f"{name}.xz").write_bytes(lzma.compress(b"a\t1\n"))
    with pytest.raises(InputError, match=rf"{name}\.xz:[12]: "):
        read_wmt23(folder)


def pronoun(*raters, kind=DoubtKind.WORD, start=0, end=2):
    segment = RatedSegment("a", "d", "It was under the sofa.", "Es war unter dem Sofa.", raters)
    return RatedPronoun(segment, kind, start, end, "es", {"es": 0.5})


def test_a_pronoun_is_marked_where_a_short_mark_of_its_kind_touches_it():
    marked = {
        ES: True,
        RaterMark(0, 2, "fluency/grammar"): True,
        RaterMark(0, 2, "style/awkward"): False,
        RaterMark(3, 6, "accuracy/mistranslation"): False,
        RaterMark(0, 20, "accuracy/mistranslation"): False,
    }
    assert {mark: pronoun().is_marked_by([mark]) for mark in marked} == marked
    assert pronoun().is_marked_by([RaterMark(0, 20, "fluency/grammar")], longest=5)
    missing = pronoun(kind=DoubtKind.MISSING, start=3, end=3)
    assert missing.is_marked_by([RaterMark(0, 3, "accuracy/omission")])
    assert not missing.is_marked_by([RaterMark(0, 3, "fluency/grammar")])


def test_how_much_raters_miss():
    pronouns = [pronoun((ES,), (ES,), ()), pronoun((ES,), (), ()), pronoun((), (), ())]
    assert rater_recall(pronouns) == pytest.approx(2 / 6)


def test_weights_are_those_that_made_the_marks():
    draws = np.random.default_rng(1)
    rows = np.column_stack([np.ones(20_000), draws.normal(size=20_000)])
    true, recall = np.array([-1.0, 2.0]), 0.5
    wrong = draws.random(20_000) < 1 / (1 + np.exp(-rows @ true))
    marks = draws.binomial(3, recall, 20_000) * wrong
    counts = MarkCounts(rows, marks, np.full(20_000, 3))
    # marks of one pronoun depend on each other here, which widens the error
    assert learnt_weights([counts], recall) == pytest.approx(true, abs=0.15)


def test_the_order_of_pronouns():
    segments = [
        RatedSegment("a", f"d{n // 4}", "It was.", "Es war.", ((ES,),) if n % 2 else ((),))
        for n in range(40)
    ]
    chances = [{"es": 0.2 + 0.6 * (n % 2 == 0), "er": 0.1} for n in range(40)]
    pronouns = [
        RatedPronoun(segment, DoubtKind.WORD, 0, 2, "es", chance)
        for segment, chance in zip(segments, chances, strict=True)
    ]
    ours, improbable, *_ = measured(pronouns, [0.5] * 40)
    assert ours[2].startswith("0.500 [0.500, 0.500]")
    assert improbable[2].startswith("1.000 [1.000, 1.000]")
