"""Readers of context sets: ctxpro, ContraPro, the TSV."""

from __future__ import annotations

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.metrics.contrastive.formats import CONTRAPRO
from crosspro.evaluation.metrics.expected_forms.expected_sets import (
    CTXPRO,
    read_expected,
    rival_words,
)
from crosspro.evaluation.metrics.expected_forms.outputs import TSV, choose_instances
from tests.conftest import GOLDEN
from tests.evaluation.metrics.contrastive.instances import BLOCK, instance
from tests.evaluation.metrics.expected_forms.context_sets import (
    ctxpro_instance,
    tsv_row,
    written,
)


def problems(path, language="fr"):
    with pytest.raises(InputError) as caught:
        read_expected(path, language)
    return [str(one).removeprefix(str(path)) for one in caught.value.problems]


def test_ctxpro(tmp_path):
    set_path = written(tmp_path, "s.json", [ctxpro_instance(), ctxpro_instance("il", source="x")])
    found, rows = read_expected(set_path, "fr")
    assert (found.kind, rows) == (CTXPRO, None)
    first = found.instances[0]
    assert first.groups == {"rule": "GENDER.F", "pronoun": "it:elle", "gender": "feminine"}
    assert (first.source, first.document) == ("It sleeps.", "d1")
    assert rival_words(first) == ["il", "lui"]


def test_ctxpro_says_where_antecedents_are(tmp_path):
    near = ctxpro_instance(**{"ante distance": 0, "intrasegmental": True})
    far = ctxpro_instance(**{"ante distance": 5, "intrasegmental": False})
    open_one = ctxpro_instance(**{"ante distance": None})
    found, _ = read_expected(written(tmp_path, "s.json", [near, far, open_one]), "fr")
    groups = [(one.groups["antecedent"], one.groups["distance"]) for one in found.instances]
    assert groups == [("same segment", "0"), ("earlier segment", ">3"), ("unknown", "unknown")]
    assert choose_instances(tmp_path, found, None, (1, None), ()) == [1]


def test_a_distance_of_ctxpro_that_is_no_number(tmp_path):
    path = written(tmp_path, "s.json", [ctxpro_instance(**{"ante distance": "near"})])
    assert problems(path) == [
        ": instance 1, ante distance: expected a whole number, found '\"near\"'"
    ]


def test_verbs_that_ctxpro_expects_are_no_pronouns(tmp_path):
    verb = {"rule": "DO.ELL", "expected": "veux", "src verb": "do", "ante distance": 1}
    found, _ = read_expected(written(tmp_path, "s.json", [verb]), "fr")
    assert found.instances[0].groups == {"rule": "DO.ELL", "distance": "1"}


def test_the_tool_spells_fields_otherwise():
    found, _ = read_expected(GOLDEN / "ctxpro" / "de" / "set.json", "de")
    first = found.instances[0]
    assert (first.document, first.source) == ("d0", "x")
    assert first.groups == {"rule": "DE_GENDER.ER", "pronoun": "er", "gender": "masculine"}
    assert rival_words(first) == ["sie", "es"]


def test_contrapro(tmp_path):
    found, _ = read_expected(written(tmp_path, "s.json", [instance()]), "de")
    assert found.kind == CONTRAPRO
    assert rival_words(found.instances[0]) == ["sie"]
    assert found.instances[0].groups["gender"] == "masculine"


def test_rivals_without_a_replacement_are_the_words_that_differ(tmp_path):
    errors = [{"contrastive": "Sie sieht ihn ."}, {"contrastive": "Es sieht ihn jetzt ."}]
    found, _ = read_expected(written(tmp_path, "s.json", [instance(errors=errors)]), "de")
    assert rival_words(found.instances[0]) == ["Sie"]


def test_languages_without_a_table_have_no_gender(tmp_path):
    found, _ = read_expected(written(tmp_path, "s.json", [ctxpro_instance("она")]), "ru")
    assert "gender" not in found.instances[0].groups
    assert rival_words(found.instances[0]) == []


def test_tsv(tmp_path):
    rows = [
        tsv_row(payload=1, distance=7),
        tsv_row(payload=0, label="incorrect"),
        tsv_row(payload=0, distance=0, source="It. <eos> B.", reference="Elle. <eos> b."),
    ]
    found, read = read_expected(written(tmp_path, "s.tsv", "\n".join(rows) + "\n"), "fr")
    assert (found.kind, read.lines, [row.line for row in read.rows]) == (TSV, 3, [1, 3])
    one, other = found.instances
    assert one.groups["distance"] == ">3"
    assert (one.source, one.source_context, one.source_following) == ("It.", ("A.",), ())
    assert (other.source, other.source_context, other.source_following) == ("It.", (), ("B.",))
    assert other.groups["antecedent"] == "same segment"


def test_every_fault_of_a_set_is_reported(tmp_path):
    content = [
        ctxpro_instance(),
        {"rule": 3, "src pronoun": 1},
        [],
        ctxpro_instance(" ", **{"document id": []}),
        ctxpro_instance(**{"src following": "x"}),
    ]
    assert problems(written(tmp_path, "s.json", content)) == [
        ": instance 2, expected: expected text, found nothing",
        ": instance 2, rule: expected text, found '3'",
        ": instance 2, src pronoun: expected text, found '1'",
        ": instance 3: expected an object, found '[]'",
        """: instance 4, expected: expected text, found '" "'""",
        ": instance 4, document id: expected text or a number, found '[]'",
        """: instance 5, src following: expected a list of sentences, found '"x"'""",
    ]


def test_every_fault_of_a_tsv_is_reported(tmp_path):
    rows = ["a\tb", tsv_row(distance="x"), tsv_row(payload="y"), tsv_row(pronoun=" "), tsv_row()]
    fields = "6 or 7 ([payload], distance, label, pronoun, source, reference, output)"
    assert problems(written(tmp_path, "s.tsv", "\n".join(rows) + "\n")) == [
        f":1: fields: expected {fields}, found 2",
        ":2: distance: expected a whole number, found 'x'",
        ":3: payload: expected a whole number, found 'y'",
        ":4: pronoun: expected a word, found nothing",
    ]


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ({"1": BLOCK}, "found discevalmt-anaphora"),
        ([], "expected a list of instances"),
        ("", "expected JSON in UTF-8"),
        (tsv_row(label="wrong") + "\n", "expected at least one row labelled correct, found none"),
    ],
)
def test_what_is_no_context_set(tmp_path, content, found):
    (problem,) = problems(written(tmp_path, "s", content))
    assert found in problem
