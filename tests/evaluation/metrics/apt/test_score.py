"""Cases, scores, intervals and reports of APT."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.core.evaluation import evaluate
from crosspro.evaluation.core.statistics import Resampling
from crosspro.evaluation.inputs.mt_input import InputPaths, read_input
from crosspro.evaluation.metrics.apt.metric import Apt, case_counts
from crosspro.evaluation.metrics.apt.settings import AptSettings
from crosspro.evaluation.output.records import csv_report, detail_json, json_report
from crosspro.evaluation.output.text import text_report
from tests.conftest import SHARED_DATA
from tests.evaluation.metrics.apt.texts import (
    LISTS,
    mt_input,
    text,
    translation,
)

PLAN = Resampling(200, 1)
PLAIN = AptSettings(repair=False)


def apt(settings=PLAIN, plan=PLAN, **texts):
    return evaluate(Apt(settings), mt_input(**texts), plan)


def score(evaluation, number=0):
    return evaluation.systems[number].scores["apt"]


def cases(evaluation, number=0):
    return [occurrence.case for occurrence in evaluation.scored.items[number]]


def counts(evaluation):
    return tuple(case_counts(evaluation.scored.items[0]))


def test_the_six_cases():
    evaluation = apt()
    assert cases(evaluation) == [1, 2, 3, 4, 5, 6, 3]
    assert counts(evaluation) == (1, 1, 2, 1, 1, 1)
    assert evaluation.systems[0].total.counts["case_3"] == 2
    assert evaluation.scored.items[0][1].probability == 0.6


@pytest.mark.parametrize(
    ("settings", "value"),
    [
        (AptSettings(repair=False), 1.5 / 7),
        (AptSettings((1, 0, 0, 0, 0, 0), repair=False), 1 / 7),
        (AptSettings((1, 1, 0, 0, 0, 0), repair=False), 2 / 7),
        (AptSettings((1, 0.5, 0, 0, 0, 0.5), repair=False), 2 / 7),
        (AptSettings(discard=frozenset({5, 6}), repair=False), 1.5 / 5),
        (AptSettings(discard=frozenset({1, 2}), repair=False), 0.0),
        (AptSettings(probabilities=True, repair=False), 1.6 / 7),
        (AptSettings(others="equal", repair=False), 2.5 / 7),
        (AptSettings(others="missing", weights=(1, 0, 0, 0, 0, 1), repair=False), 3 / 7),
    ],
)
def test_the_formula_of_the_paper(settings, value):
    """000 §2.4: APT = sum of w·n over sum of n, discarded cases in neither."""
    found = score(apt(settings))
    assert found.value == pytest.approx(value)
    assert found.low <= found.value <= found.high


def test_missing_instead_of_other():
    assert cases(apt(AptSettings(others="missing", repair=False)))[-1] == 6


def test_settings_that_make_no_sense():
    with pytest.raises(InputError) as caught:
        apt(AptSettings((1, 2), frozenset({7})))
    assert len(caught.value.problems) == 2
    with pytest.raises(InputError):
        apt(AptSettings(discard=frozenset({1, 2, 3, 4, 5, 6})))


def test_the_matrix_holds_every_counted_occurrence():
    def matrix(evaluation):
        return evaluation.metric.matrices(evaluation.scored)[0]

    found = matrix(apt())
    assert found.counts.sum() == 7
    place = found.labels.index
    assert found.counts[place("ce"), place("ce")] == 1
    assert found.counts[place("il"), place("ce")] == 1
    assert found.counts[place("elle"), place("NONE")] == 1
    assert matrix(apt(AptSettings(discard=frozenset({6}), repair=False))).counts.sum() == 6


def test_without_a_target_list_words_are_compared():
    lists = replace(LISTS, target_pronouns=(), identical=(), equivalent=())
    evaluation = apt(plan=None, lists=lists)
    assert cases(evaluation) == [3, 3, 3, 4, 5, 6, 1]
    assert "lui" in evaluation.metric.matrices(evaluation.scored)[0].labels


def test_given_tokens_stay_in_the_denominator():
    anchors = [o.anchor for o in apt().scored.items[0][3:6]]
    evaluation = apt(anchors=anchors)
    assert cases(evaluation) == [4, 5, 6]
    assert score(evaluation).value == 0.0


def test_no_pronoun_at_all():
    empty = translation("x", ["a"], [""])
    evaluation = apt(source=text(["a"]), reference=empty, candidates=[empty])
    assert np.isnan(score(evaluation).value)
    assert "no pronoun" in evaluation.warnings[0]
    shown = text_report(evaluation)
    assert "nan" not in shown
    assert "–" in shown
    assert "nan" not in csv_report(evaluation)
    assert json.loads(json_report(evaluation))["systems"][0]["scores"]["apt"]["value"] is None


def test_details_have_both_sides_and_sentences():
    first, second, *_ = json.loads(detail_json(apt(AptSettings())))
    assert (first["system"], first["reference"]["words"], first["case"]) == ("cand", ["C'"], 1)
    assert first["sentences"]["source"] == "it x"
    assert second["reference"] == {
        "positions": [0], "words": ["il"], "labels": ["il"], "repair": "kept",
    }  # fmt: skip


def news_paths():
    folder = SHARED_DATA / "news_mt"
    if not folder.is_dir():
        pytest.skip("the news text is not here")
    return InputPaths(
        folder / "mt-output.en.xz",
        folder / "pronoun-test.tok.fr.xz",
        (folder / "mt-output.fr.xz",),
        folder / "pronoun-test.tok.en-fr.alig.xz",
        (folder / "mt-output.en-fr.alig.xz",),
        doc_starts=folder / "doc-boundaries.xz",
        lenient=True,
    )


def test_links_that_lead_nowhere_are_all_listed():
    with pytest.raises(InputError) as caught:
        read_input(replace(news_paths(), lenient=False))
    lines = [problem.line for problem in caught.value.problems]
    assert len(set(lines) - {4955}) == 37
    assert 4955 in lines
