"""Readers of contrastive sets."""

from __future__ import annotations

import json
import lzma

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.metrics.contrastive.formats import (
    CONTRAPRO,
    WrongTranslation,
    read_contrastive,
)
from tests.conftest import GOLDEN
from tests.evaluation.metrics.contrastive.instances import instance, written_set

SET = GOLDEN / "contrastive" / "small_set" / "test.json"


def problems(tmp_path, content, **options):
    path = written_set(tmp_path, content)
    with pytest.raises(InputError) as caught:
        read_contrastive(path, **options)
    return [problem.field for problem in caught.value.problems]


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
        "instance 1, intrasegmental",
        "instance 3, ante distance",
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
        "instance 1, intrasegmental",
        "instance 1, ante distance",
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
        "instance 1",
        "instance 2, src pronoun",
        "instance 2, ref pronoun",
        "instance 3, errors",
        "instance 4, error 1",
        "instance 4, error 2, contrastive",
        "instance 5, intrasegmental",
        "instance 5, ante distance",
    ]


@pytest.mark.parametrize("content", [[], {}, {"1": []}, 3, None, "text"])
def test_other_json_is_refused(tmp_path, content):
    assert len(problems(tmp_path, content)) == 1


def test_what_is_no_json_is_refused(tmp_path):
    path = tmp_path / "set.json"
    path.write_bytes(b"[{")
    with pytest.raises(InputError, match="set"):
        read_contrastive(path)
    with pytest.raises(InputError, match="none"):
        read_contrastive(tmp_path / "none.json")


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["src pronoun", "ref pronoun", "errors", "src context"]),
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
