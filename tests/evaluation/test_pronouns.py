"""Lists of a language pair, tables of forms, and the words of translations."""

from __future__ import annotations

from dataclasses import replace

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.pronouns import (
    has_form,
    lists_names,
    load_lists,
    target_words,
)


def written(folder, mapping):
    """Lists as their file is read."""
    path = folder / "my.yaml"
    path.write_text(yaml.safe_dump(mapping, sort_keys=False), "utf-8")
    return load_lists(path)


def plain(lists):
    """Their content as YAML writes it."""
    import json

    return json.loads(json.dumps(lists.to_dict()))


@pytest.mark.parametrize("name", lists_names())
def test_shipped_lists_are_well_formed(tmp_path, name):
    lists = load_lists(name)
    assert lists.name == name
    assert name.startswith(f"{lists.source_language}-{lists.target_language}")
    assert written(tmp_path, plain(lists)) == lists


def test_french_lists_are_those_of_the_paper():
    """000 Table 2."""
    lists = load_lists("en-fr")
    assert lists.label("c'") == "ce"
    assert lists.label("cela") == lists.label("ç'") == "ça"
    assert lists.probabilities == {frozenset(("ce", "il")): 0.6, frozenset(("ce", "ça")): 0.6}


def test_words_are_in_lower_case_and_groups_have_a_first_member(tmp_path):
    mapping = {
        "source_pronouns": ["It"],
        "target_pronouns": ["Il", "L", "c\u0327a"],
        "identical": [["L", "Il"]],
        "equivalent": [["il", "l"]],
        "ambiguous": None,
    }
    lists = written(tmp_path, mapping)
    assert lists.source_pronouns == ("it",)
    assert lists.labels == {"il": "l", "l": "l", "\u00e7a": "\u00e7a"}
    assert lists.probabilities == {}
    assert lists.name == "my"
    assert written(tmp_path, plain(lists)).signature == lists.signature
    assert replace(lists, identical=()).signature != lists.signature


GOOD = {"source_pronouns": ["it"], "target_pronouns": ["il", "elle"]}


@pytest.mark.parametrize(
    "change",
    [
        {"colour": "red"},
        {"source_pronouns": []},
        {"target_pronouns": ["il", "IL"]},
        {"target_pronouns": ["il", True]},
        {"target_pronouns": ["a b"]},
        {"translations": {"he": ["il"]}},
        {"identical": [["il"]]},
        {"identical": [["il", "on"]]},
        {"identical": [["il", "elle"], ["elle", "il"]]},
        {"equivalent": [{"pronouns": ["il", "elle"], "probability": 2}]},
        {"equivalent": [{"pronouns": ["il", "elle"], "p": 1}]},
        {"ambiguous": ["le"]},
        *({key: value} for key in ("ambiguous", "identical") for value in ("il", 0, {"il": 1})),
    ],
)
def test_lists_with_a_fault_are_refused(tmp_path, change):
    with pytest.raises(InputError, match=r"my\.yaml"):
        written(tmp_path, GOOD | change)


THERE = [
    *("Va-t-elle bien ?|elle", "Qu'elle vienne !|elle", "Où est-il ?|il", "Y a-t-il du pain ?|il"),
    *("dit-il.|il", "Dit‑elle.|elle", "-Elle dort.|elle", "« Elle » dort|elle", "ELLE DORT|elle"),
    *("Donne-la-moi.|la", "Donne-la-moi.|moi", "Allez-vous-en !|vous", "Va-t'en|te"),
    *("Elle-même le sait.|elle", "Lui, il dort.|lui", "S'il dort…|il", "puisqu'ils dorment|ils"),
    *("Lorsqu’elles dorment|elles", "C’est lui.|ce", "Je t'aime.|te", "J'ai peur|je"),
    *("Il s'en va.|se", "jusqu'à ce qu'il vienne|il", "la, elle dort.|la", "Prends-les !|les"),
    *("Est-ce là ?|ce", "(elle)|elle", "elle...|elle", "L'a-t-il vue ?|il", "L'a-t-il vue ?|l'"),
]
NOT_THERE = [
    *("Il l'a vu.|la", "Il l'a vu.|le", "Il est là.|la", "celle-là|elle", "Aix-la-Chapelle|la"),
    *("un rendez-vous|vous", "ils dorment|il", "Elles dorment.|elle", "une île|il", "peut-être|il"),
    *("l'arc-en-ciel|en", "S'il vient|se", "Noël|elle", "au-delà|la", "|il", "Là-bas|la"),
]


@pytest.mark.parametrize(
    ("case", "there"),
    [
        *((candidate_form, True) for candidate_form in THERE),
        *((candidate_form, False) for candidate_form in NOT_THERE),
    ],
)
def test_french_forms(case, there):
    text, form = case.split("|")
    words = target_words("fr")
    assert has_form(words(text), words.form(form)) == there


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("de", "Wie geht's dir?", ["wie", "geht", "es", "dir", "?"]),
        ("de", "Ich mag Peter's Haus.", ["ich", "mag", "peter", "'s", "haus", "."]),
        ("de", "Die Er-Form, sagte sie.", ["die", "er-form", ",", "sagte", "sie", "."]),
        ("es", "Quiero verla.", ["quiero", "ver", "la", "."]),
        ("es", "decírselo", ["decír", "se", "lo"]),
        ("es", "viéndolas", ["viéndo", "las"]),
        ("es", "Carlos tiene dineros.", ["carlos", "tiene", "dineros", "."]),
        ("pt", "Vou vê-la.", ["vou", "vê", "la", "."]),
        ("en", "They're here, it's late.", ["they", "'re", "here", ",", "it", "'s", "late", "."]),
        ("it", "L'ha vista.", ["l'", "ha", "vista", "."]),
    ],
)
def test_words_of_other_languages(language, text, expected):
    assert target_words(language)(text) == expected


FORMS = ("il", "elle", "ils", "elles", "lui", "le", "la")


@given(
    st.sampled_from(FORMS),
    st.lists(st.sampled_from(("bon", "dort", "qui", "là", "l'été", "ne")), max_size=5),
    st.integers(0, 5),
    st.sampled_from(("{}", "dit-{}", "va-t-{}", "qu'{}", "« {} »", "({})", "{},", "-{}")),
)
def test_a_form_is_found_wherever_it_stands_and_nowhere_else(form, others, place, written):
    words = target_words("fr")
    text = " ".join([*others[:place], written.format(form), *others[place:]])
    for shown in (text, text.upper(), text.replace("'", "’")):
        present = [
            candidate_form
            for candidate_form in FORMS
            if has_form(words(shown), words.form(candidate_form))
        ]
        assert present == [form]


@settings(max_examples=40)
@given(st.text(max_size=40), st.sampled_from(("fr", "de", "es", "en", "pt", "ru", "xx")))
def test_any_text_has_words(text, language):
    words = target_words(language)(text)
    assert all(words)
    assert not any(" " in word for word in words)
