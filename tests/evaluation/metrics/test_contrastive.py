"""Readers of contrastive sets, and decisions, accuracies and intervals on them."""

from __future__ import annotations

import lzma

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.evaluation import evaluate
from crosspro.evaluation.metrics.contrastive import (
    RIGHT,
    TIED,
    Contrastive,
    ScoredSet,
    SystemScores,
    decide,
    read_scores,
)
from crosspro.evaluation.metrics.contrastive_sets import (
    CONTRAPRO,
    ContrastiveSet,
    Instance,
    WrongTranslation,
    contrastive_set,
    read_contrastive,
)
from crosspro.evaluation.resampling import Resampling
from tests.conftest import GOLDEN
from tests.evaluation.metrics.contrastive_instances import instance

FOLDER = GOLDEN / "contrastive" / "small_set"
ERROR = WrongTranslation("x", "x")
PLAN = Resampling(200, 5)

# Sets ---------------------------------------------------------------------------------------------


def test_contrapro(tmp_path):
    test_set = read_contrastive(FOLDER / "test.json")
    assert (test_set.kind, len(test_set.instances), test_set.candidates) == (CONTRAPRO, 40, 120)
    second = test_set.instances[1]
    assert second.groups == {"pronoun": "it:es", "antecedent": "earlier segment", "distance": ">3"}
    assert (second.reference_pronoun, second.document) == ("Es", "2001_0000.de")
    assert second.errors[0] == WrongTranslation("Der Hund sah er .", "er")
    path = tmp_path / "set.json.xz"
    path.write_bytes(lzma.compress((FOLDER / "test.json").read_bytes()))
    assert read_contrastive(path).digest == test_set.digest


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"src pronoun": ...}, "instance 2.src pronoun"),
        ({"ref pronoun": ""}, "instance 2.ref pronoun"),
        ({"errors": []}, "instance 2.errors"),
        ({"errors": [3]}, "instance 2.errors.0"),
        ({"errors": [{"contrastive": 4}]}, "instance 2.errors.0.contrastive"),
        ({"ante distance": "2"}, "instance 2.ante distance"),
        ({"intrasegmental": "no"}, "instance 2.intrasegmental"),
        ({"src context": "x"}, "instance 2.src context"),
        ({"document id": []}, "instance 2.document id"),
    ],
)
def test_a_fault_is_placed(changes, field):
    with pytest.raises(InputError) as caught:
        contrastive_set("set", [instance(), instance(**changes)])
    assert [problem.field for problem in caught.value.problems] == [field]


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
def test_nothing_but_input_errors_comes_of_any_json(content):
    try:
        contrastive_set("set", content)
    except InputError as error:
        assert error.problems


# Scores -------------------------------------------------------------------------------------------


def make_set(errors, **columns):
    instances = [
        Instance(
            f"instance {n}",
            (ERROR,) * count,
            {"pronoun": f"it:{'ab'[n % 2]}"},
            **{name: values[n] for name, values in columns.items()},
        )
        for n, count in enumerate(errors)
    ]
    return ContrastiveSet("set", "contrapro", tuple(instances), "0")


def system(values, **options):
    return SystemScores("s", np.array(values, dtype=float), **options)


def evaluated(test_set, *systems, plan=PLAN):
    return evaluate(Contrastive(None), ScoredSet(test_set, systems), plan)


score = st.sampled_from([0.0, 0.5, 1.0, 2.0, float("inf"), float("-inf")])
instances = st.lists(st.tuples(score, st.lists(score, min_size=1, max_size=4)), min_size=1)


@given(instances, st.booleans())
def test_right_means_strictly_better_than_every_error(rows, maximise):
    test_set = make_set([len(errors) for _, errors in rows])
    values = [value for reference, errors in rows for value in (reference, *errors)]
    decided = decide(test_set, system(values, maximise=maximise))
    for (reference, errors), decision in zip(rows, decided, strict=True):
        best = max(errors) if maximise else min(errors)
        assert (decision.verdict == RIGHT) == (reference > best if maximise else reference < best)
        assert (decision.verdict == TIED) == (reference == best)
        assert (reference, *errors)[decision.preferred] == (
            reference if decision.verdict == RIGHT else best
        )


@pytest.mark.parametrize(("which", "maximise"), [("min", False), ("max", True)])
def test_the_released_script_finds_the_same(which, maximise):
    test_set = read_contrastive(FOLDER / "test.json")
    values = read_scores(FOLDER / "scores", test_set)
    (candidate,) = evaluated(test_set, system(values, maximise=maximise)).candidates
    groups = {(group.breakdown, group.group): group for group in candidate.groups}
    groups["", "total"] = candidate.total
    names = {"True": "same segment", "False": "earlier segment"}
    breakdown, compared = "", 0
    printed = (FOLDER / f"expected_{which}.txt").read_text("utf-8")
    for line in printed.partition("ante distance per")[0].splitlines():
        if line.startswith("statistics by"):
            breakdown = {"error": "pronoun", "intrasegmental": "antecedent"}.get(
                line.split()[2], "distance"
            )
        elif line:
            name, _, numbers = line.partition(" : ")
            right, size, share = numbers.split()
            group = groups[breakdown, names.get(name, name)]
            assert group.counts["instances"] == int(size)
            assert group.scores["accuracy"].value == pytest.approx(100 * float(share))
            assert group.scores["accuracy"].value == pytest.approx(100 * int(right) / int(size))
            compared += 1
    assert compared > 5


def test_ties_and_undecidable_instances():
    evaluation = evaluated(make_set([1] * 4), system([1, 2, 1, 2, 1, 2, 2, 2]))
    values = {
        group.group: group.scores["accuracy"].value for group in evaluation.candidates[0].groups
    }
    assert values == {"it:a": 100, "it:b": 50}
    assert len(evaluation.warnings) == 1
    hopeless = system([0, 1, 1, 1], undecidable=np.array([False, True]), notes=("a note",))
    evaluation = evaluated(make_set([1, 1]), hopeless)
    assert evaluation.scores["s"]["accuracy"].value == 50
    assert evaluation.scores["s"]["accuracy_of_decidable"].value == 100
    assert evaluation.warnings == ("s: a note",)
    verdicts = [decision["verdict"] for decision in evaluation.metric.details(evaluation.items, 0)]
    assert verdicts == ["right", "undecidable"]


@pytest.mark.parametrize(
    ("text", "line"),
    [("1\nx\n", 2), ("1\nnan\n", 2), ("1\n\n2\n", 2), ("1\n", 2), ("1\n2\n3\n", 3)],
)
def test_scores_are_read(tmp_path, text, line):
    path = tmp_path / "scores.txt"
    path.write_text(" 1.5\n-2e-3\n\n\n")
    assert read_scores(path, make_set([1])).tolist() == [1.5, -0.002]
    path.write_text(text)
    with pytest.raises(InputError, match=rf"scores\.txt:{line}: "):
        read_scores(path, make_set([1]))
