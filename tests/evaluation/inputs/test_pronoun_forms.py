"""Tables of pronouns by their forms, and the words of translations: clitics, hyphens, elisions."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crosspro.evaluation.inputs.pronoun_forms import (
    LANGUAGES,
    gender_of,
    has_form,
    likely_readings,
    readings_of,
    rivals_of,
    target_words,
)

KINDS = {"personal", "possessive", "reflexive", "demonstrative"}
ROLES = {"subject", "object", "indirect", "stressed", "any", "determiner", "pronoun"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_tables_are_sound(language):
    found = readings_of(language)
    assert len(found) > 30
    for form, readings in found.items():
        assert form == form.lower().strip() != ""
        assert len(set(readings)) == len(readings)
        for one in readings:
            assert one.form == form
            assert one.kind in KINDS
            assert one.role in ROLES
            assert one.person in ("1", "2", "3")
            assert one.number in ("sg", "pl", "")
            assert one.gender in ("m", "f", "n", "")


@pytest.mark.parametrize(
    ("form", "language", "source", "gender"),
    [
        ("Il", "fr", None, "masculine"),
        ("elle", "fr", "it", "feminine"),
        ("lui", "fr", None, "masculine"),
        ("sie", "de", "it", "feminine"),
        ("sie", "de", "they", None),
        ("ihm", "de", "it", None),
        ("vous", "fr", "you", None),
        ("ella", "es", None, "feminine"),
        ("x", "fr", None, None),
        ("il", "it", None, None),
    ],
)
def test_genders(form, language, source, gender):
    assert gender_of(likely_readings(form, language, source)) == gender


@pytest.mark.parametrize(
    ("form", "language", "source", "rivals"),
    [
        ("il", "fr", "it", {"elle"}),
        ("elle", "fr", None, {"il", "lui"}),
        ("la", "fr", "it", {"le"}),
        ("ils", "fr", "they", {"elles"}),
        ("er", "de", "it", {"sie", "es"}),
        ("ihm", "de", "it", {"ihr"}),
        ("sie", "de", "they", set()),
        ("tu", "fr", "you", {"vous"}),
        ("lo", "es", "it", {"la"}),
        ("x", "fr", None, set()),
    ],
)
def test_rivals(form, language, source, rivals):
    assert set(rivals_of(likely_readings(form, language, source), language)) == rivals


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
    ("case", "there"), [*((one, True) for one in THERE), *((one, False) for one in NOT_THERE)]
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


def test_forms_of_several_words():
    words = target_words("fr")
    assert has_form(words("Elle l'a fait hier."), words.form("a fait"))
    assert not has_form(words("Elle a bien fait."), words.form("a fait"))
    assert not has_form(["a"], ())


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
        found = [one for one in FORMS if has_form(words(shown), words.form(one))]
        assert found == [form]


@settings(max_examples=40)
@given(st.text(max_size=40), st.sampled_from(("fr", "de", "es", "en", "pt", "ru", "xx")))
def test_any_text_has_words(text, language):
    words = target_words(language)(text)
    assert all(words)
    assert not any(" " in word for word in words)
