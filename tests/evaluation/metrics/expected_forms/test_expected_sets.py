"""Readers of context sets: ctxpro and ContraPro."""

from __future__ import annotations

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.metrics.contrastive.formats import CONTRAPRO
from crosspro.evaluation.metrics.expected_forms.expected_sets import (
    CTXPRO,
    read_expected,
    rival_words,
)
from tests.conftest import GOLDEN
from tests.evaluation.metrics.contrastive.instances import instance
from tests.evaluation.metrics.expected_forms.context_sets import (
    ctxpro_instance,
    written,
)


def problems(path, language="fr"):
    with pytest.raises(InputError) as caught:
        read_expected(path, language)
    return [(problem.line, problem.field) for problem in caught.value.problems]


def test_ctxpro(tmp_path):
    set_path = written(tmp_path, "s.json", [ctxpro_instance(), ctxpro_instance("il", source="x")])
    found = read_expected(set_path, "fr")
    assert found.kind == CTXPRO
    first = found.instances[0]
    assert first.groups == {"rule": "GENDER.F", "pronoun": "it:elle", "gender": "feminine"}
    assert (first.source, first.document) == ("It sleeps.", "d1")
    assert rival_words(first) == ["il", "lui"]


def test_ctxpro_says_where_antecedents_are(tmp_path):
    near = ctxpro_instance(**{"ante distance": 0, "intrasegmental": True})
    far = ctxpro_instance(**{"ante distance": 5, "intrasegmental": False})
    open_one = ctxpro_instance(**{"ante distance": None})
    found = read_expected(written(tmp_path, "s.json", [near, far, open_one]), "fr")
    groups = [(one.groups["antecedent"], one.groups["distance"]) for one in found.instances]
    assert groups == [("same segment", "0"), ("earlier segment", ">3"), ("unknown", "unknown")]


def test_a_distance_of_ctxpro_that_is_no_number(tmp_path):
    path = written(tmp_path, "s.json", [ctxpro_instance(**{"ante distance": "near"})])
    assert problems(path) == [(None, "instance 1, ante distance")]


def test_verbs_that_ctxpro_expects_are_no_pronouns(tmp_path):
    verb = {"rule": "DO.ELL", "expected": "veux", "src verb": "do", "ante distance": 1}
    found = read_expected(written(tmp_path, "s.json", [verb]), "fr")
    assert found.instances[0].groups == {"rule": "DO.ELL", "distance": "1"}


def test_the_tool_spells_fields_otherwise():
    found = read_expected(GOLDEN / "ctxpro" / "de" / "set.json", "de")
    first = found.instances[0]
    assert (first.document, first.source) == ("d0", "x")
    assert first.groups == {"rule": "DE_GENDER.ER", "pronoun": "er", "gender": "masculine"}
    assert rival_words(first) == ["sie", "es"]


def test_contrapro(tmp_path):
    found = read_expected(written(tmp_path, "s.json", [instance()]), "de")
    assert found.kind == CONTRAPRO
    assert rival_words(found.instances[0]) == ["sie"]
    assert found.instances[0].groups["gender"] == "masculine"


def test_rivals_without_a_replacement_are_the_words_that_differ(tmp_path):
    errors = [{"contrastive": "Sie sieht ihn ."}, {"contrastive": "Es sieht ihn jetzt ."}]
    found = read_expected(written(tmp_path, "s.json", [instance(errors=errors)]), "de")
    assert rival_words(found.instances[0]) == ["Sie"]


def test_languages_without_a_table_have_no_gender(tmp_path):
    found = read_expected(written(tmp_path, "s.json", [ctxpro_instance("она")]), "ru")
    assert "gender" not in found.instances[0].groups
    assert rival_words(found.instances[0]) == []


def test_every_fault_of_a_set_is_reported(tmp_path):
    content = [
        ctxpro_instance(),
        {"rule": 3, "src pronoun": 1},
        [],
        ctxpro_instance(" ", **{"document id": []}),
        ctxpro_instance(**{"src context": "x"}),
    ]
    assert problems(written(tmp_path, "s.json", content)) == [
        (None, "instance 2, expected"),
        (None, "instance 2, rule"),
        (None, "instance 2, src pronoun"),
        (None, "instance 3"),
        (None, "instance 4, expected"),
        (None, "instance 4, document id"),
        (None, "instance 5, src context"),
    ]


@pytest.mark.parametrize("content", [{"1": {}}, [], "", "a\tb\n"])
def test_what_is_no_context_set(tmp_path, content):
    assert len(problems(written(tmp_path, "s", content))) == 1
