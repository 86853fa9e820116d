"""Cases and scores of APT."""

from __future__ import annotations

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.evaluation import evaluate
from crosspro.evaluation.metrics.apt.metric import Apt, AptSettings
from crosspro.evaluation.report.records import detail_records
from crosspro.evaluation.resampling import Resampling
from tests.evaluation.metrics.apt.texts import LISTS, REFERENCE, case_texts, linked_texts

PLAN = Resampling(200, 1)


def apt(texts=None, plan=PLAN, **settings):
    metric = Apt(AptSettings(**{"repair": "off", "pronouns": LISTS, **settings}))
    return evaluate(metric, texts or case_texts(), plan)


def score(evaluation):
    return evaluation.candidates[0].scores["apt"]


def cases(evaluation):
    return [occurrence.case for occurrence in evaluation.items.values[0]]


def test_the_six_cases():
    evaluation = apt()
    assert cases(evaluation) == [1, 2, 3, 4, 5, 6, 3]
    assert evaluation.candidates[0].counts["case_3"] == 2
    assert evaluation.items.values[0][1].probability == 0.6


@pytest.mark.parametrize(
    ("settings", "value"),
    [
        ({}, 1.5 / 7),
        ({"weights": (1, 0, 0, 0, 0, 0)}, 1 / 7),
        ({"weights": (1, 1, 0, 0, 0, 0)}, 2 / 7),
        ({"weights": (1, 0.5, 0, 0, 0, 0.5)}, 2 / 7),
        ({"discard": frozenset({5, 6})}, 1.5 / 5),
        ({"discard": frozenset({1, 2})}, 0.0),
        ({"probabilities": True}, 1.6 / 7),
    ],
)
def test_the_formula_of_the_paper(settings, value):
    """000 §2.4: APT = sum of w·n over sum of n, discarded cases in neither."""
    apt_score = score(apt(**settings))
    assert apt_score.value == pytest.approx(100 * value)
    assert apt_score.low <= apt_score.value <= apt_score.high


def test_given_tokens_stay_in_the_denominator(tmp_path):
    evaluation = apt(tokens=((3, 0), (4, 0), (5, 0)))
    assert cases(evaluation) == [4, 5, 6]
    assert score(evaluation).value == 0.0
    (tmp_path / "tokens").write_text("3 0\n4 0\n5 0\n")
    from_file = apt(tokens=str(tmp_path / "tokens"))
    assert from_file.signature == evaluation.signature
    for wrong in (((3, 1),), ((9, 0),), ((0, 9),)):
        with pytest.raises(InputError):
            apt(tokens=wrong)


def test_details_have_both_sides_and_sentences():
    first, second, *_ = detail_records(apt(repair="paper"))
    assert (first["candidate"], first["reference"]["words"], first["case"]) == ("cand", ("C'",), 1)
    assert first["sentences"]["source"] == "it x"
    assert second["reference"] == {
        "positions": (0,), "words": ("il",), "labels": ("il",), "repair": "kept",
    }  # fmt: skip


# In the first sentence *it* has no link, in the second one to a word that is no pronoun.
REPAIRABLE = linked_texts(
    ["so that it runs", "and it sleeps", "it is lui"],
    (["donc il court", "et il dort", "lui est"], ["0-0 3-2", "0-0 1-2 2-2", "0-0"]),
    {"cand": (["donc il court", "et elle dort", "lui est"], ["0-0 3-2", "0-0 1-2 2-2", "0-0"])},
)


def test_the_cases_with_and_without_repair():
    """000 Figure 2."""
    linked, repaired = (
        apt(REPAIRABLE, repair=repair).candidates[0].counts for repair in ("off", "paper")
    )
    assert [linked[f"case_{case}"] for case in (1, 3, 6)] == [0, 2, 1]
    assert [repaired[f"case_{case}"] for case in (1, 3, 6)] == [1, 2, 0]
    assert repaired["repaired_in_reference"] == repaired["repaired_in_candidate"] == 2


def test_a_note_says_what_a_copy_of_the_reference_would_have():
    """Of seven pronouns five are linked in the reference, four of them to a listed word."""
    evaluation = apt()
    copy = apt(case_texts(copy=REFERENCE))
    assert score(copy).value == pytest.approx(100 * 4 / 7)
    assert evaluation.to_dict()["data"]["copy_of_reference"] == pytest.approx(score(copy).value)
    assert "APT of 57.14" in str(evaluation)
    whole = apt(tokens=((0, 0), (1, 0)))
    assert whole.to_dict()["data"]["copy_of_reference"] == 100
    assert "A copy" not in str(whole)
