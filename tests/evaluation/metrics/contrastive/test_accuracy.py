"""Decisions, accuracies, intervals and comparisons on contrastive sets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.core.evaluation import evaluate
from crosspro.evaluation.core.statistics import Resampling
from crosspro.evaluation.metrics import make_metric
from crosspro.evaluation.metrics.contrastive.formats import (
    ContrastiveSet,
    Instance,
    WrongTranslation,
    read_contrastive,
)
from crosspro.evaluation.metrics.contrastive.metric import (
    DECIDABLE,
    ScoredSet,
    SystemScores,
    decide,
    read_scores,
)
from crosspro.evaluation.output.records import detail_tsv
from crosspro.evaluation.output.text import text_report
from tests.conftest import GOLDEN

ERROR = WrongTranslation("x", "x")
PLAN = Resampling(200, 5)


def evaluate_contrastive(test_set, systems, plan=None):
    return evaluate(make_metric("contrastive"), ScoredSet(test_set, tuple(systems)), plan)


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


def system(values, name="s", **options):
    return SystemScores(name, np.array(values, dtype=float), **options)


score = st.sampled_from([0.0, 0.5, 1.0, 2.0, float("inf"), float("-inf")])
instances = st.lists(st.tuples(score, st.lists(score, min_size=1, max_size=4)), min_size=1)


@given(instances, st.booleans())
def test_right_means_strictly_better_than_every_error(rows, maximise):
    test_set = make_set([len(errors) for _, errors in rows])
    values = [value for reference, errors in rows for value in (reference, *errors)]
    found = decide(test_set, system(values, maximise=maximise))
    for (reference, errors), one in zip(rows, found, strict=True):
        best = max(errors) if maximise else min(errors)
        assert one.right == (reference > best if maximise else reference < best)
        assert one.tied == (reference == best)


def test_breakdowns_and_ties():
    found = evaluate_contrastive(make_set([1] * 4), [system([1, 2, 1, 2, 1, 2, 2, 2])], PLAN)
    values = {group.group: group.scores["accuracy"].value for group in found.systems[0].groups}
    assert values == {"total": 75, "it:a": 100, "it:b": 50}
    assert len(found.warnings) == 1


def test_the_released_script_finds_the_same():
    folder = GOLDEN / "contrastive" / "small_set"
    test_set = read_contrastive(folder / "test.json")
    for which, maximise in (("min", False), ("max", True)):
        systems = read_scores([folder / "scores"], test_set, maximise)
        result = evaluate_contrastive(test_set, systems).systems[0]
        groups = {(one.breakdown, one.group): one for one in result.groups}
        names = {"True": "same segment", "False": "earlier segment"}
        breakdown = ""
        printed = (folder / f"expected_{which}.txt").read_text("utf-8")
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


def test_documents_are_resampled_where_they_are_known():
    documents = ["d1"] * 10 + ["d2"] * 10
    right_in_one = system([0, 1] * 10 + [1, 0] * 10)
    by_document = evaluate_contrastive(make_set([1] * 20, document=documents), [right_in_one], PLAN)
    score = by_document.systems[0].scores["accuracy"]
    assert (score.value, score.low, score.high) == (50, 0, 100)
    assert "by:document" in score.signature
    alone = evaluate_contrastive(make_set([1] * 20), [right_in_one], PLAN)
    assert alone.scored.units.name == "instance"
    assert alone.systems[0].scores["accuracy"].low > 20


def test_undecidable_instances_are_reported_apart():
    hopeless = np.array([False, True])
    found = evaluate_contrastive(
        make_set([1, 1]), [system([0, 1, 1, 1], undecidable=hopeless, notes=("said",))], PLAN
    )
    assert found.systems[0].scores[DECIDABLE].value == 100
    assert "s: said\ns: accuracy over the instances it can decide: 100.00" in text_report(found)
    verdicts = [line.split("\t")[4] for line in detail_tsv(found).splitlines()]
    assert verdicts == ["verdict", "right", "undecidable"]


def test_scores_are_read(tmp_path):
    path = tmp_path / "scores.txt"
    path.write_text(" 1.5\n-2e-3\n\n\n")
    (found,) = read_scores([path], make_set([1]))
    assert found.name == "scores"
    assert found.values.tolist() == [1.5, -0.002]


def test_every_fault_of_every_score_file_is_reported(tmp_path):
    first, second = tmp_path / "a", tmp_path / "b"
    first.write_text("1\nx\n\n4\nnan\n")
    second.write_text("1\n")
    with pytest.raises(InputError) as caught:
        read_scores([first, second], make_set([1, 1]))
    assert [(problem.path, problem.line) for problem in caught.value.problems] == [
        (str(first), 2),
        (str(first), 3),
        (str(first), 5),
        (str(first), 5),
        (str(second), 2),
    ]
