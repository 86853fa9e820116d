"""A bundled model judges whole translations."""

from __future__ import annotations

import pytest

from crosspro.prediction.proofread.box_judge import judge_of

SOURCE = ["The dog sleeps.", "It is old.", "They saw the cat.", ""]
TARGET = ["Der Hund schläft.", "Es ist alt.", "Sie sahen die Katze.", ""]


@pytest.fixture(scope="module")
def judge():
    return judge_of("en", "de")


def test_pairs_without_a_model_have_no_judge():
    assert judge_of("en", "cs") is None
    assert judge_of("fr", "de") is None
    assert judge_of("de", "en").name.startswith("de-en")


def test_every_pronoun_of_a_translation_has_a_chance_of_being_wrong(judge):
    heard = []
    found = judge.judged(SOURCE, TARGET, None, heard.append)
    assert sum(heard) == 4
    assert [(one.line, one.word, one.source_word) for one in found] == [
        (1, "Es", "It"), (2, "Sie", "They")
    ]  # fmt: skip
    assert all(0 < one.wrong < 1 for one in found)
    assert found[0].wrong > found[1].wrong
    assert found[0].suggestion == "Er"


def test_documents_are_read_apart(judge):
    together = judge.judged(SOURCE, TARGET, ["a"] * 4)
    apart = judge.judged(SOURCE, TARGET, list("abcd"))
    assert together == judge.judged(SOURCE, TARGET, None)
    assert [one.word for one in together] == [one.word for one in apart]
    assert together[0].wrong > apart[0].wrong


def test_a_judge_says_what_it_is(judge):
    model, calibration = judge.described
    assert model.startswith("model:en-de.")
    assert calibration.startswith("calibration:")
