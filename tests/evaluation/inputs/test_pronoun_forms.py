"""Tables of pronouns by their forms."""

from __future__ import annotations

import pytest

from crosspro.evaluation.inputs.pronoun_forms import (
    LANGUAGES,
    gender_of,
    likely_readings,
    readings_of,
    rivals_of,
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
