"""Tokens of a suite as places, and what people say of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crosspro.evaluation.human.verdicts import Item, Verdict, judgement_of
from crosspro.evaluation.inputs.pronoun_lists import load_lists
from crosspro.evaluation.protest.match import score_system
from crosspro.evaluation.protest.review import token_verdicts
from crosspro.evaluation.protest.suite import Place, token_list
from tests.evaluation.protest.tokens import RAIN


def test_all_tokens_in_the_order_of_the_text(suite):
    places, _, left_out = token_list(suite)
    assert len(places) == len(suite.tokens)
    assert places == sorted(places)
    words = [suite.source[line][at].lower() for line, at in places]
    assert set(words) == {"it", "they", "you"}
    assert not left_out
    assert places[0] == (1, 0)


def test_only_pronouns_of_the_lists(suite):
    places, forms, left_out = token_list(suite, load_lists("en-fr"))
    assert left_out == {"you": 3}
    assert len(places) == len(suite.tokens) - 3
    assert set(forms) == {"it", "they"}


def test_a_token_of_several_words_is_where_its_pronoun_is(suite):
    token = next(token for token in suite.tokens if token.name == RAIN)
    line = token.place.line
    source = list(suite.source)
    source[line] = ("'", "It", "'", "rains")
    wide = replace(suite, source=tuple(source))
    assert wide.position(replace(token, place=Place(line, (0, 1, 2)))) == 1
    assert wide.position(replace(token, place=Place(line, (2, 3)))) == 2


def said(result, pronoun, bad=False, annotator="A"):
    item = Item(*result.item.key, "x", "y", result.token.anaphoric)
    return Verdict(item, annotator, pronoun, None, bad=bad)


@pytest.mark.parametrize(
    ("verdicts", "final", "human"),
    [
        ([], None, ""),
        ([("right", False)], None, "correct"),
        ([("wrong", False)], None, "incorrect"),
        ([("unclear", False)], None, ""),
        ([("unclear", True)], None, "bad translation"),
        ([("unclear", True), ("wrong", False)], None, ""),
        ([("right", False), ("wrong", False)], None, ""),
        ([("right", False), ("wrong", False)], "wrong", "incorrect"),
        ([("unclear", True)], "right", "correct"),
        ([("unclear", True)], "unclear", "bad translation"),
    ],
)
def test_verdicts_of_people(verdicts, final, human, suite, reference, french):
    results = score_system(suite, reference, french)
    result = next(one for one in results if one.token.name == RAIN)
    judgements = {}
    if verdicts:
        given = [said(result, *one, annotator=str(n)) for n, one in enumerate(verdicts)]
        decided = None if final is None else said(result, final)
        judgements = {result.item.key: judgement_of(given, decided)}
    found = {one.token: one for one in token_verdicts(results, judgements)}
    assert found[RAIN].human == human
    assert found[RAIN].category == "pleonastic_it"
    assert (found[RAIN].line, found[RAIN].position) == (4, 0)
    others = [one for name, one in found.items() if name != RAIN]
    assert not any(one.human for one in others)
