"""Pronouns that are found in a translation, and what is said of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

import crosspro
from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.task import load_task
from crosspro.prediction.proofread import find
from crosspro.prediction.proofread.bundled import judge_of
from crosspro.prediction.proofread.find import proofread
from crosspro.prediction.proofread.judge import Judge, load_judge
from crosspro.prediction.proofread.text import DoubtKind, text_of_lines

ENGLISH = (
    "The dog barked all night.",
    "Nobody knew why it was so loud.",
    "",
    "The  cat slept, and “it” heard nothing.",
)
GERMAN = (
    "Der Hund bellte die ganze Nacht.",
    "Niemand wusste, warum es so laut war.",
    "",
    "Die  Katze schlief, und „sie“ hörte nichts.",
)


@pytest.fixture(scope="module")
def german():
    return crosspro.load("en-de")


def test_a_pronoun_of_another_gender_is_doubted_and_the_noun_named(german):
    judged = proofread(german, text_of_lines(ENGLISH, GERMAN))
    wrong, right = (doubt for doubt in judged if doubt.kind is DoubtKind.WORD)
    assert (wrong.word, wrong.source_word, wrong.suggestion) == ("es", "it", "er")
    assert wrong.wrong > right.wrong
    assert wrong.stands_for[0].word == "Hund"
    assert wrong.stands_for[0].gender == "Masc"
    assert wrong.reason == "“es” for “it”: “Hund” is masculine, line 1"
    assert sum(wrong.probabilities.values()) == pytest.approx(1, abs=1e-3)


def test_places_are_characters_of_the_lines(german):
    judged = proofread(german, text_of_lines(ENGLISH, GERMAN))
    for doubt in judged:
        segment, line, start, end = doubt.place
        assert GERMAN[line - 1][start:end] == doubt.word
        assert segment == line - 1
        if doubt.source_place is not None:
            _, line, start, end = doubt.source_place
            assert ENGLISH[line - 1][start:end] == doubt.source_word
    assert [doubt.place.segment for doubt in judged if doubt.kind is DoubtKind.WORD] == [1, 3]


def test_a_text_without_pronouns_or_without_text(german):
    assert proofread(german, text_of_lines(["Rain falls."], ["Regen fällt."])) == ()
    assert proofread(german, text_of_lines([], [])) == ()
    assert proofread(german, text_of_lines(["It rains.", ""], ["", "Es regnet."])) == ()


def test_parts_of_a_long_document_read_what_is_before_them(german, monkeypatch):
    source, target = (
        [*ENGLISH, "He saw it.", "It ran."] * 3,
        [*GERMAN, "Er sah es.", "Es lief."] * 3,
    )
    names = ["a"] * 11 + ["b"] * 7
    text = text_of_lines(source, target, names)
    whole = proofread(german, text)
    counts: list[int] = []
    for size in (1, 4):
        monkeypatch.setattr(find, "BATCH_SEGMENTS", size)
        parts = proofread(german, text, progress=counts.append)
        assert [_about(doubt) for doubt in parts] == [_about(doubt) for doubt in whole]
        chances = [doubt.probability for doubt in parts], [doubt.probability for doubt in whole]
        assert chances[0] == pytest.approx(chances[1], abs=1e-5)
    assert counts == [1] * 18 + [4, 4, 4, 4, 2]


def _about(doubt):
    return replace(
        doubt,
        probabilities={},
        wrong=0,
        stands_for=tuple(replace(noun, probability=0) for noun in doubt.stands_for),
        reason=doubt.reason.partition("(")[0],
    )


@pytest.mark.parametrize("damage", [float("nan"), float("inf")])
def test_a_chance_that_is_not_finite_is_an_error(german, monkeypatch, damage):
    calculate = type(german.system).unadjusted

    def damaged(system, examples):
        rows = calculate(system, examples).copy()
        rows[-1, 0] = damage
        return rows

    monkeypatch.setattr(type(german.system), "unadjusted", damaged)
    with pytest.raises(InputError, match="en-de: probability"):
        proofread(german, text_of_lines(ENGLISH, GERMAN))


def test_segments_with_too_many_words_are_refused(german):
    with pytest.raises(InputError, match="translation:2: words"):
        proofread(german, text_of_lines(["It", "It is."], ["Es", "es ist, " * 700]))


def test_a_bundled_model_judges_whole_translations():
    judge = judge_of("en", "de")
    assert judge_of("en", "cs") is None
    assert judge_of("de", "en").name.startswith("de-en")
    source = ["The dog sleeps.", "It is old.", "They saw the cat.", ""]
    target = ["Der Hund schläft.", "Es ist alt.", "Sie sahen die Katze.", ""]
    together = judge.judged(source, target, None)
    first = together[0]
    assert (first.line, first.word, first.source_word, first.suggestion) == (1, "Es", "It", "Er")
    assert [doubt.word for doubt in together] == ["Es", "Sie"]
    assert together[0].wrong > together[1].wrong > 0
    assert together == judge.judged(source, target, ["a"] * 4)
    assert together[0].wrong > judge.judged(source, target, list("abcd"))[0].wrong
    assert [part.partition(":")[0] for part in judge.described] == ["model", "calibration"]


def test_french_clitics_are_found_as_they_are_written():
    french = crosspro.load("en-fr")
    source = ["The key was on the table.", "I took it, and it's here."]
    target = ["La clé était sur la table.", "Je l’ai prise, et il est ici."]
    judged = [
        doubt
        for doubt in proofread(french, text_of_lines(source, target))
        if doubt.kind is DoubtKind.WORD
    ]
    assert "il" in [doubt.word for doubt in judged]
    wrong = max(judged, key=lambda doubt: doubt.wrong)
    assert (wrong.word, wrong.suggestion) == ("il", "elle")


def test_more_doubt_where_the_model_is_surer_of_another_word():
    task, judge = load_task("en-de-text"), load_judge()
    rest = {name: 0.0 for name in task.classes if name not in ("es", "er")}
    doubts = [
        judge.wrong(DoubtKind.WORD, "es", {"es": 1 - share, "er": share, **rest}, task)
        for share in (0.01, 0.3, 0.6, 0.9, 0.99)
    ]
    assert doubts == sorted(doubts)
    assert doubts[0] < 0.1 < doubts[-1] < 1


def test_a_judge_says_nothing_of_words_of_no_class():
    task = load_task("en-de-text")
    judge = Judge((0.0, -1.0, 0.0, 0.0), (0.0, -1.0, 0.0))
    few = dict.fromkeys(task.classes, 0.0) | {"es": 0.3, "er": 0.1}
    many = {**few, "OTHER": 0.6}
    wrong = [judge.wrong(DoubtKind.WORD, "es", doubt, task) for doubt in (few, many)]
    assert wrong[0] == pytest.approx(wrong[1])
