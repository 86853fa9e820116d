"""Readers of contrastive sets."""

from __future__ import annotations

import json
import lzma

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.metrics.contrastive.formats import (
    ANAPHORA,
    CONTRAPRO,
    LEXICAL_CHOICE,
    WrongTranslation,
    read_contrastive,
)
from tests.conftest import GOLDEN
from tests.evaluation.metrics.contrastive.instances import BLOCK, instance, written_set

SET = GOLDEN / "contrastive" / "small_set" / "test.json"


def problems(tmp_path, content, **options):
    path = written_set(tmp_path, content)
    with pytest.raises(InputError) as caught:
        read_contrastive(path, **options)
    return [str(problem).removeprefix(f"{path}: ") for problem in caught.value.problems]


def test_contrapro():
    found = read_contrastive(SET)
    assert (found.kind, len(found.instances), found.candidates) == (CONTRAPRO, 40, 120)
    second = found.instances[1]
    assert second.groups == {"pronoun": "it:es", "antecedent": "earlier segment", "distance": ">3"}
    assert second.reference_pronoun == "Es"
    assert second.document == "2001_0000.de"
    assert second.errors[0] == WrongTranslation("Der Hund sah er .", "er")


def test_compressed_sets(tmp_path):
    path = tmp_path / "set.json.xz"
    path.write_bytes(lzma.compress(SET.read_bytes()))
    assert read_contrastive(path).digest == read_contrastive(SET).digest


def test_the_large_en_fr_set_writes_minus_one_for_an_unknown_distance(tmp_path):
    found = read_contrastive(written_set(tmp_path, [instance(**{"ante distance": -1})]))
    assert found.instances[0].groups["distance"] == "unknown"


def test_null_is_reported_for_every_instance(tmp_path):
    nulls = [instance(intrasegmental=None), instance(), instance(**{"ante distance": None})]
    assert problems(tmp_path, nulls) == [
        "instance 1, intrasegmental: expected true or false, found 'null'",
        "instance 3, ante distance: expected a whole number, found 'null'",
    ]
    found = read_contrastive(written_set(tmp_path, nulls), allow_unknown=True)
    assert [one.groups["antecedent"] for one in found.instances] == [
        "unknown",
        "earlier segment",
        "earlier segment",
    ]


def test_what_no_instance_says_is_no_breakdown(tmp_path):
    bare = instance(**{"ante distance": ..., "intrasegmental": ...})
    found = read_contrastive(written_set(tmp_path, [bare, bare]))
    assert list(found.instances[0].groups) == ["pronoun"]
    assert problems(tmp_path, [bare, instance()]) == [
        "instance 1, intrasegmental: expected true or false, found nothing",
        "instance 1, ante distance: expected a whole number, found nothing",
    ]


def test_all_faults_of_a_set_are_reported(tmp_path):
    faults = [
        7,
        instance(**{"src pronoun": ..., "ref pronoun": ""}),
        instance(errors=[]),
        instance(errors=[3, {"contrastive": 4}]),
        instance(**{"ante distance": "2", "intrasegmental": "no"}),
    ]
    assert problems(tmp_path, faults) == [
        "instance 1: expected an object, found '7'",
        "instance 2, src pronoun: expected text, found nothing",
        "instance 2, ref pronoun: expected text, found '\"\"'",
        "instance 3, errors: expected a list of at least one error, found '[]'",
        "instance 4, error 1: expected an object, found '3'",
        "instance 4, error 2, contrastive: expected text, found '4'",
        "instance 5, intrasegmental: expected true or false, found '\"no\"'",
        "instance 5, ante distance: expected a whole number, found '\"2\"'",
    ]


@pytest.mark.parametrize("content", [[], {}, 3, None, "text"])
def test_other_json_is_refused(tmp_path, content):
    assert "a list of instances or an object" in problems(tmp_path, content)[0]


def test_what_is_no_json_is_refused(tmp_path):
    path = tmp_path / "set.json"
    path.write_bytes(b"[{")
    with pytest.raises(InputError, match="expected JSON in UTF-8"):
        read_contrastive(path)
    with pytest.raises(InputError, match="No such file"):
        read_contrastive(tmp_path / "none.json")


def test_discevalmt_pairs_in_order_of_numbers(tmp_path):
    found = read_contrastive(written_set(tmp_path, {"10": BLOCK, "2": BLOCK}))
    assert (found.kind, found.candidates) == (ANAPHORA, 8)
    assert [one.block for one in found.instances] == ["2", "2", "10", "10"]
    second = found.instances[1]
    assert second.groups == {"type": "f.pl", "kind": "semi-correct"}
    assert (second.source, second.reference) == ("They slept.", "Elles dorment.")
    assert second.reference_context == ("Les chattes arrivent.",)
    assert second.errors == (WrongTranslation("Ils dorment.", None),)


def test_discevalmt_lexical_choice(tmp_path):
    example = {"src": ["a", "b"], "trg": {"correct": ["c", "d"], "incorrect": ["c", "e"]}}
    content = {"1": {"type": "repet", "examples": [example, example]}}
    found = read_contrastive(written_set(tmp_path, content))
    assert (found.kind, len(found.instances)) == (LEXICAL_CHOICE, 2)
    assert found.instances[0].groups == {"type": "repet"}


def test_faults_of_discevalmt(tmp_path):
    bad = {
        "x": BLOCK,
        "1": {"src": "a", "trg": []},
        "2": {"src": ["a"], "trg": [{"type": "m.sg"}, {"correct": ["b"]}]},
    }
    assert problems(tmp_path, bad) == [
        "block: expected a number as its key, found '\"x\"'",
        "block 1, src: expected a list of sentences, the last one to be translated, found '\"a\"'",
        "block 1, trg: expected a list of pairs, found '[]'",
        "block 2, pair 1: expected one of correct, semi-correct, found '[\"type\"]'",
        "block 2, pair 2, incorrect: expected a list of sentences, the last one to be "
        "translated, found nothing",
    ]


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["1", "src pronoun", "errors", "trg", "src", "examples", "correct"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(anything)
def test_nothing_but_input_errors_comes_of_any_json(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("any") / "set.json"
    path.write_text(json.dumps(content))
    try:
        read_contrastive(path, allow_unknown=True)
    except InputError as error:
        assert error.problems
