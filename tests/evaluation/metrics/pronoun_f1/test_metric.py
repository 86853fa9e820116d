"""Precision, recall and F1 of pronouns without links."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.core.evaluation import evaluate, every_pair
from crosspro.evaluation.core.statistics import Resampling
from crosspro.evaluation.inputs.plain_text import MTText
from crosspro.evaluation.metrics import make_metric
from crosspro.evaluation.metrics.pronoun_f1.metric import (
    TOTAL,
    count_groups,
    pronoun_groups,
    pronouns_of,
)
from crosspro.evaluation.output.records import json_report
from crosspro.evaluation.output.text import text_report

PLAN = Resampling(100, 3)


def text(reference, *candidates, documents=None):
    names = tuple(f"s{n}" for n in range(len(candidates)))
    return MTText(names, tuple(candidates), (reference,), documents)


def evaluate_pronouns(text, language, plan=None, pairs=every_pair):
    return evaluate(make_metric("pronoun_f1", language=language), text, plan, pairs)


def groups(evaluation, system=0):
    return {
        (one.breakdown, one.group): tuple(one.counts.values())
        for one in evaluation.systems[system].groups
    }


def test_pronouns_are_found_behind_clitics():
    lines = ["Va-t-elle qu'il dort ?", "Il l'a vue, la clé.", "C'est lui-même qui s'en va."]
    assert pronouns_of(lines, "fr") == [
        Counter(elle=1, il=1),
        Counter(il=1),
        Counter(ce=1, lui=1, se=1),
    ]
    assert pronouns_of(lines[1:2], "fr", ambiguous=True) == [Counter({"il": 1, "l'": 1, "la": 1})]


def test_forms_match_in_total_and_features_in_groups():
    found = groups(evaluate_pronouns(text(["Elle dort.", "Ils dorment."], ["Il dort.", "x"]), "fr"))
    assert found[TOTAL] == (0, 1, 2)
    assert found["kind", "personal"] == found["person", "third"] == (1, 1, 2)
    assert found["number", "singular"] == (1, 1, 1)
    assert found["number", "plural"] == (0, 0, 1)
    assert found["gender", "feminine"] == (0, 0, 1)
    assert found["gender", "masculine"] == (0, 1, 1)
    assert found["pronoun", "il"] == (0, 1, 0)


def test_matches_are_clipped_on_each_line():
    found = groups(evaluate_pronouns(text(["he he", "x", "he"], ["he he he", "he", "x"]), "en"))
    assert found[TOTAL] == found["pronoun", "he"] == (2, 4, 3)


def test_what_readings_do_not_share_is_not_counted():
    known = pronoun_groups("de")
    assert set(known["sie"]) == {("kind", "personal"), ("person", "third"), ("pronoun", "sie")}
    assert ("gender", "masculine") in known["er"]
    assert "sein" not in known
    assert "das" not in known
    assert "das" in pronoun_groups("de", ambiguous=True)


WORDS = ("he", "she", "it", "they", "his", "that", "house")
line = st.lists(st.sampled_from(WORDS), max_size=6)


@given(st.lists(st.tuples(line, line), min_size=1, max_size=5))
def test_counts_agree_with_a_slow_count(pairs):
    sides = [[" ".join(words) for words in side] for side in zip(*pairs, strict=True)]
    wanted, made = (pronouns_of(side, "en") for side in sides)
    found = count_groups(wanted, made, "en")
    matched = sum(
        min(reference.count(word), candidate.count(word))
        for reference, candidate in pairs
        for word in WORDS[:5]
    )
    totals = [sum(word in WORDS[:5] for words in side for word in words) for side in
              zip(*pairs, strict=True)]  # fmt: skip
    assert found[TOTAL].counts.sum(axis=0).tolist() == [matched, totals[1], totals[0]]
    for group, counts in found.items():
        assert (counts.counts[:, 0] <= counts.counts[:, 1:].min(axis=1)).all(), group
    forms = [counts for (kind, _), counts in found.items() if kind == "pronoun"]
    assert sum(one.counts[:, 0].sum() for one in forms) == matched


def test_scores_intervals_and_tests():
    reference = ["He sees her."] * 30
    good, bad = reference, ["She sees it."] * 20 + reference[:10]
    documents = np.repeat(np.arange(15), 2)
    found = evaluate_pronouns(text(reference, good, bad, documents=documents), "en", PLAN)
    total = found.systems[1].groups[0].scores
    assert found.systems[0].groups[0].scores["f1"].value == 100
    assert total["precision"].value == total["recall"].value == pytest.approx(100 / 3)
    assert total["f1"].low < 100 / 3 < total["f1"].high
    assert "by:document" in total["f1"].signature
    assert [one.metric for one in found.comparisons] == ["precision", "recall", "f1"]
    assert all(one.p_randomisation < 0.05 for one in found.comparisons)


def test_what_cannot_be_scored():
    with pytest.raises(InputError, match="xx"):
        evaluate_pronouns(text(["x"], ["x"]), "xx")
    found = evaluate_pronouns(text(["x"], ["x"]), "en", PLAN)
    assert found.warnings == ("the reference has no pronoun",)
    assert np.isnan(found.systems[0].groups[0].scores["f1"].value)


def test_scores_of_what_is_not_there_are_not_defined():
    lines = text(["He sees."] * 3, ["She sees."] * 3, ["It was."] * 3)
    found = evaluate_pronouns(lines, "en", PLAN)
    first, other = (
        {one["group"]: one["scores"] for one in system["groups"]}
        for system in json.loads(json_report(found))["systems"]
    )
    assert first["she"]["recall"]["value"] is first["she"]["recall"]["low"] is None
    assert first["she"]["precision"]["value"] == first["she"]["f1"]["value"] == 0
    assert first["he"]["precision"]["value"] is None
    assert first["he"]["recall"]["value"] == first["he"]["f1"]["value"] == 0
    assert [one["value"] for one in other["she"].values()] == [None] * 3
    row = next(line for line in text_report(found).splitlines() if line.startswith("pronoun she"))
    assert " ".join(row.split()) == "pronoun she 0 3 0 0.00 [0.00, 0.00] – 0.00 [0.00, 0.00]"


def test_an_interval_ignores_samples_without_the_pronoun():
    reference = ["He sees."] * 5 + ["She sees."]
    found = evaluate_pronouns(text(reference, reference), "en", PLAN)
    she = next(one for one in found.systems[0].groups if one.group == "she")
    assert [(one.low, one.high) for one in she.scores.values()] == [(100, 100)] * 3


def test_breakdowns_keep_together_whatever_system_has_them():
    found = evaluate_pronouns(text(["He sees."], ["He sees."], ["We see."]), "en")
    for result in found.systems:
        breakdowns = [one.breakdown for one in result.groups]
        assert breakdowns == sorted(breakdowns, key=breakdowns.index)
