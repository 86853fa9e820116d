"""The 13 categories against 002's tables and against attributes of both corpora."""

from __future__ import annotations

import csv

import pytest

from crosspro.evaluation.protest.categories import (
    ADDRESSEE,
    ANAPHORIC,
    CATEGORIES,
    EVENT,
    PLEONASTIC,
    NoCategory,
    category_of,
    function_of,
)
from tests.evaluation.protest.tokens import FOLDER


def table(name):
    with (FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def test_names_order_and_sizes_are_those_of_table_2():
    published = [
        (row["category"], row["pronoun"], int(row["count"])) for row in table("protest_categories")
    ]
    assert [(c.name, c.pronoun, c.wanted) for c in CATEGORIES] == published
    assert sum(category.wanted for category in CATEGORIES) == 250


def test_anaphoric_categories_are_the_eight_with_an_antecedent():
    anaphoric = {
        row["category"] for row in table("protest_categories") if row["type"] == "anaphoric"
    }
    assert {category.name for category in CATEGORIES if category.anaphoric} == anaphoric
    assert len(anaphoric) == 8


def test_table_3_has_the_examples_of_table_2_and_the_known_totals():
    wanted = {category.name: category.wanted for category in CATEGORIES}
    totals: dict[str, int] = {}
    for row in table("protest_matches_2015"):
        assert int(row["examples"]) == wanted[row["category"]]
        assert 0 <= int(row["matches"]) <= int(row["examples"])
        totals[row["system"]] = totals.get(row["system"], 0) + int(row["matches"])
    assert totals == {
        "Baseline": 123,
        "auto-postEDIt": 110,
        "UU-Hardmeier": 118,
        "IDIAP": 110,
        "ITS2": 83,
        "UU-Tiedemann": 122,
        "A3-108": 5,
    }


def test_table_1_adds_up():
    counts = {
        (row["type"], row["subtype"]): int(row["count"])
        for row in table("pronoun_types_discomt2015")
    }
    total = counts.pop(("total", ""))
    assert sum(counts.values()) == total == 4732


PRONOUN = {"mention": "pronoun", "type_of_pronoun": "personal", "split": "simple antecedent"}


@pytest.mark.parametrize(
    ("attributes", "function"),
    [
        ({"type": "anaphoric", "antetype": "entity"}, ANAPHORIC),
        ({"type": "anaphoric"}, ANAPHORIC),
        ({"type": "anaphoric", "antetype": "event"}, EVENT),  # ParCorFull
        ({"type": "event"}, EVENT),  # ParCor
        ({"type": "pleonastic"}, PLEONASTIC),
        ({"type": "addressee reference"}, ADDRESSEE),
        ({"type": "addressee_reference"}, ADDRESSEE),
        ({}, NoCategory("type not annotated")),
        ({"type": "cataphoric"}, NoCategory("type cataphoric")),
        ({"type": "extratextual reference"}, NoCategory("type extratextual reference")),
        ({"type": "anaphoric", "split": "split reference"}, NoCategory("several antecedents")),
        (
            {"type": "anaphoric", "split": "no explicit antecedent"},
            NoCategory("no specific antecedent"),
        ),
        (
            {"type": "anaphoric", "type_of_pronoun": "relative"},
            NoCategory("annotated as relative pronoun"),
        ),
    ],
)
def test_the_function_of_a_pronoun(attributes, function):
    assert function_of(PRONOUN | attributes) == function


SUBJECT, OBJECT = {"position": "subject"}, {"position": "non-subject"}
ONE, MANY = {"agreement": "singular"}, {"agreement": "plural"}
INTRA, INTER, GROUP = (True, False), (False, False), (False, True)
"""Whether the antecedent is in the same line, and whether it is a group."""


@pytest.mark.parametrize(
    ("form", "function", "attributes", "antecedent", "category"),
    [
        ("it", ANAPHORIC, SUBJECT, INTRA, "anaphoric_intra_subject_it"),
        ("it", ANAPHORIC, OBJECT, INTRA, "anaphoric_intra_nonsubject_it"),
        ("it", ANAPHORIC, SUBJECT, INTER, "anaphoric_inter_subject_it"),
        ("it", ANAPHORIC, OBJECT, INTER, "anaphoric_inter_nonsubject_it"),
        ("they", ANAPHORIC, MANY, INTRA, "anaphoric_intra_they"),
        ("they", ANAPHORIC, MANY, INTER, "anaphoric_inter_they"),
        ("they", ANAPHORIC, ONE, INTRA, "anaphoric_singular_they"),
        ("they", ANAPHORIC, ONE, (True, True), "anaphoric_group_it_they"),
        ("it", ANAPHORIC, {}, GROUP, "anaphoric_group_it_they"),
        ("it", EVENT, {}, INTER, "event_it"),
        ("it", PLEONASTIC, {}, INTER, "pleonastic_it"),
        ("you", ADDRESSEE, {"audience": "generic"}, INTER, "addressee_generic_you"),
        ("you", ADDRESSEE, {"audience": "deictic"} | ONE, INTER, "addressee_deictic_singular_you"),
        ("you", ADDRESSEE, {"audience": "deictic plural"}, INTER, "addressee_deictic_plural_you"),
        ("you", ADDRESSEE, {}, INTER, NoCategory("audience not annotated")),
        ("you", ADDRESSEE, {"audience": "deictic"}, INTER, NoCategory("number not annotated")),
        ("it", ANAPHORIC, {}, INTRA, NoCategory("position not annotated")),
        ("they", ANAPHORIC, {}, INTRA, NoCategory("number not annotated")),
        ("they", EVENT, {}, INTRA, NoCategory("no category for they of type event")),
        ("it", ADDRESSEE, {}, INTRA, NoCategory(f"no category for it of type {ADDRESSEE}")),
    ],
)
def test_the_category_of_a_pronoun(form, function, attributes, antecedent, category):
    assert category_of(form, function, attributes, *antecedent) == category
