"""Doubtful pronouns in a campaign: the worst come first, filled in, and people decide."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from crosspro.evaluation.human.campaign import CampaignSettings, PlanSettings
from crosspro.evaluation.human.items import items_text
from crosspro.evaluation.human.verdicts import read_judgements
from tests.evaluation.human.sets import doubted_set
from tests.scripts.run import crosspro

SETTINGS = CampaignSettings(plan=PlanSettings(overlap=1))
CHANCES = [0.3, 0.9, 0.6, 0.8]
REASON = "“Elle” for “It”: “vélo” is masculine"


@pytest.fixture
def items():
    return doubted_set(CHANCES)


@pytest.fixture
def doubted(serve, items):
    served = serve(items, SETTINGS, ("Anna",))
    served.begin("Anna")
    return served


def chosen(page):
    """The verdict and the alternative that a form has."""
    (alternative,) = re.findall(r'name="alternative"[^>]* value="([^"]*)"', page)
    return re.findall(r'name="pronoun" value="(\w+)"[^>]*checked', page), alternative


def chance(page):
    return re.findall(r"Wrong with a chance of (\d+)%", page)


def confirm(served, **fields):
    """Send the next question as it is filled in, or with changes."""
    page = served.get("/work", "Anna").text
    verdict, alternative = chosen(page)
    filled = re.findall(r'name="filled" value="([^"]*)"', page)
    sent = {"alternative": alternative, **({"filled": filled[0]} if filled else {})}
    sent |= {"pronoun": verdict[0]} if verdict else {}
    return served.answer("Anna", **(sent | fields))


def said(served, items):
    found = read_judgements(served.store, items.digest).values()
    return {one.item.token: (one.pronoun, one.alternatives) for one in found}


def test_the_worst_first_with_the_reason_and_an_answer_to_confirm(doubted, items):
    page = doubted.get("/work", "Anna").text
    assert chance(page) == ["90"]
    assert REASON in page
    assert chosen(page) == (["wrong"], "Il")
    assert "confirm it, or change it" in page
    seen = []
    for _ in CHANCES:
        seen += chance(doubted.get("/work", "Anna").text)
        confirm(doubted, **({"pronoun": "right"} if seen[-1] == "30" else {}))
    assert seen == ["90", "80", "60", "30"]
    assert said(doubted, items)["t1"] == ("wrong", (("Il", "Anna"),))


def test_what_is_not_doubtful_has_no_answer_yet(serve):
    served = serve(doubted_set([0.3]), SETTINGS, ("Anna",))
    served.begin("Anna")
    page = served.get("/work", "Anna").text
    assert chance(page) == ["30"]
    assert chosen(page) == ([], "")
    assert "confirm it" not in page


def test_a_pronoun_that_is_found_right_keeps_nothing_of_the_suggestion(doubted, items):
    confirm(doubted, pronoun="right")
    assert said(doubted, items)["t1"] == ("right", ())
    confirm(doubted, pronoun="right", alternative="Lui")
    assert said(doubted, items)["t3"] == ("right", (("Lui", "Anna"),))
    confirm(doubted, alternative="Ça")
    assert said(doubted, items)["t2"] == ("wrong", (("Ça", "Anna"),))


def test_what_was_answered_is_shown_again_as_it_was_answered(doubted):
    address, _ = doubted.next("Anna")
    confirm(doubted, pronoun="right")
    page = doubted.get(address, "Anna").text
    assert chosen(page) == (["right"], "")
    assert "confirm it, or change it" not in page


def test_annotators_may_see_neither_chance_nor_reason(serve, items):
    served = serve(items, replace(SETTINGS, hide_suggestions=True), ("Anna",))
    served.begin("Anna")
    page = served.get("/work", "Anna").text
    assert chance(page) == []
    assert REASON not in page
    assert chosen(page) == ([], "")
    served.answer("Anna", pronoun="right", alternative="Il")
    assert said(served, items)["t1"] == ("right", (("Il", "Anna"),))
    assert REASON in served.get("/browse").text
    assert "wrong: 0.90, expected: Il" in served.get("/browse").text


def test_texts_of_a_model_are_only_text(serve, items):
    evil = "<script>alert(1)</script>"
    changed = [
        replace(one, why=evil, suggested=replace(one.suggested, alternative=f'"{evil}'))
        for one in items.items
    ]
    served = serve(replace(items, items=tuple(changed)), SETTINGS, ("Anna",))
    served.begin("Anna")
    for page in (served.get("/work", "Anna").text, served.get("/browse").text):
        assert "<script>alert" not in page
        assert "&lt;script&gt;alert" in page


def test_precision_by_the_verdicts(doubted, items, tmp_path):
    for verdict in ("wrong", "right", "wrong"):
        confirm(doubted, pronoun=verdict)
    path = tmp_path / "items.jsonl"
    path.write_text(items_text(items), "utf-8")
    result = crosspro("protest", "review", "precision", path, "--verdicts", doubted.store)
    assert result.code == 0, result.stderr
    (row,) = result.stdout.decode().splitlines()[2:]
    assert re.split(r"\s{2,}", row.strip()) == [
        "4", "2", "1", "1", "66.7 [20.8, 93.9]", "76.7", "2"
    ]  # fmt: skip
