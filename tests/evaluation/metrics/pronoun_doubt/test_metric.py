"""Pronouns in doubt per 100: the mean of probabilities, by line and by document."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest

from crosspro.evaluation.core.evaluation import against_best, evaluate
from crosspro.evaluation.core.statistics import Resampling
from crosspro.evaluation.metrics import make_metric
from crosspro.evaluation.metrics.pronoun_doubt.metric import JudgedText, ProofreadPronoun
from crosspro.evaluation.output.records import record
from crosspro.evaluation.output.text import text_report

JUDGE = ("model:en-de.0123abcd", "calibration:89ef")


def pronouns(*chances, word="it"):
    return tuple(
        ProofreadPronoun(line, "es", word, chance, "er") for line, chance in enumerate(chances)
    )


def evaluated(*systems, lines=4, documents=None, plan=None, **settings):
    names = tuple("abc"[: len(systems)])
    data = JudgedText(names, systems, lines, documents, JUDGE)
    return evaluate(make_metric("pronoun_doubt", **settings), data, plan, against_best)


def test_the_mean_of_all_pronouns_and_the_share_over_the_threshold():
    (found,) = evaluated(pronouns(0.1, 0.5, 0.9, 0.3)).systems
    assert found.scores["per_100"].value == pytest.approx(45)
    assert found.scores["doubtful"].value == pytest.approx(50)
    assert found.total.counts == {"pronouns": 4, "doubtful": 2}


def test_it_is_by_pronoun_and_not_by_line():
    many = (*pronouns(0.0, 0.0), *pronouns(0.6), *pronouns(0.6))
    (found,) = evaluated(many).systems
    assert found.scores["per_100"].value == pytest.approx(30)


def test_translations_of_a_source_word_are_a_group_of_every_system():
    first = (*pronouns(0.2, 0.4), *pronouns(0.9, word="They"))
    found = evaluated(first, pronouns(0.1, word="it"))
    assert [one.group for one in found.systems[0].groups] == ["total", "it", "they"]
    groups = {one.group: one for one in found.systems[0].groups}
    assert groups["it"].scores["per_100"].value == pytest.approx(30)
    assert groups["they"].counts == {"pronouns": 1, "doubtful": 1}
    assert "source_word:they" in groups["they"].scores["per_100"].signature
    absent = found.systems[1].groups[2]
    assert (absent.group, absent.counts["pronouns"]) == ("they", 0)
    assert isnan(absent.scores["per_100"].value)


def test_the_best_system_has_the_lowest_score():
    found = evaluated(
        pronouns(*[0.5] * 12), pronouns(*[0.2] * 12), pronouns(*[0.8] * 6),
        lines=12, plan=Resampling(50, 1),
    )  # fmt: skip
    compared = [(one.first, one.second) for one in found.comparisons if one.metric == "per_100"]
    assert compared == [("b", "a"), ("b", "c")]
    assert found.comparisons[0].difference == pytest.approx(-30)
    assert record(found)["better"] == "lower"


def test_documents_are_resampled_where_they_are_known():
    documents = np.repeat(np.arange(4), 3)
    plan = Resampling(50, 1)
    chances = [0.1, 0.2, 0.3] * 4
    by_document = evaluated(pronouns(*chances), lines=12, documents=documents, plan=plan)
    score = by_document.systems[0].scores["per_100"]
    assert score.unit == "document"
    assert score.low == score.high == pytest.approx(20)
    by_line = evaluated(pronouns(*chances), lines=12, plan=plan).systems[0].scores["per_100"]
    assert by_line.unit == "line"
    assert by_line.low < 20 < by_line.high


def test_signatures_name_model_calibration_and_threshold():
    (found,) = evaluated(pronouns(0.5), threshold=0.7).systems
    signature = found.scores["per_100"].signature
    assert signature.startswith("pronoun_doubt_per_100|model:en-de.0123abcd|calibration:89ef|lines")
    assert "|threshold:0.7|" in found.scores["doubtful"].signature
    assert found.scores["doubtful"].value == 0


def test_a_system_without_pronouns_is_told_and_has_no_score():
    found = evaluated((), pronouns(0.5))
    assert isnan(found.systems[0].scores["per_100"].value)
    assert found.warnings == ("a: no pronoun that the model knows",)
    assert "0 of a, 1 of b" in text_report(found)


def test_the_worst_pronouns_come_first_in_the_table_of_a_page():
    found = evaluated(pronouns(0.1, 0.9), pronouns(0.5))
    (table,) = found.metric.tables(found)
    assert [(row[0], row[1], row[-1]) for row in table.rows] == [
        ("a", "2", "0.90"), ("b", "1", "0.50"), ("a", "1", "0.10")
    ]  # fmt: skip
