"""Precision, recall and F1 of pronouns without links."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.evaluation import evaluate
from crosspro.evaluation.metrics.pronoun_f1 import PronounF1, PronounF1Settings
from crosspro.evaluation.resampling import Resampling
from crosspro.evaluation.texts import make_texts

PLAN = Resampling(100, 3)


def scored(language, reference, *candidates, plan=None, documents=None, ambiguous=False):
    named = {f"s{number}": lines for number, lines in enumerate(candidates)}
    texts = make_texts([], reference, named, documents)
    return evaluate(PronounF1(PronounF1Settings(language, ambiguous)), texts, plan)


def groups(evaluation, place=0):
    """Matched, of the candidate, of the reference."""
    candidate = evaluation.candidates[place]
    return {
        (one.breakdown, one.group): tuple(one.counts.values())
        for one in (candidate.total, *candidate.groups)
    }


TOTAL = ("", "total")


def pronouns(line, ambiguous=False):
    found = groups(scored("fr", [line], [line], ambiguous=ambiguous))
    return {name: counts[0] for (kind, name), counts in found.items() if kind == "pronoun"}


def test_pronouns_are_found_behind_clitics():
    assert pronouns("Va-t-elle qu'il dort ?") == {"elle": 1, "il": 1}
    assert pronouns("Il l'a vue, la clé.") == {"il": 1}
    assert pronouns("Il l'a vue, la clé.", ambiguous=True) == {"il": 1, "l'": 1, "la": 1}
    assert pronouns("C'est lui-même qui s'en va.") == {"ce": 1, "lui": 1, "se": 1}


def test_forms_match_in_total_and_features_in_groups():
    found = groups(scored("fr", ["Elle dort.", "Ils dorment."], ["Il dort.", "x"]))
    assert found[TOTAL] == (0, 1, 2)
    assert found["kind", "personal"] == found["person", "third"] == (1, 1, 2)
    assert found["number", "singular"] == (1, 1, 1)
    assert found["number", "plural"] == (0, 0, 1)
    assert found["gender", "feminine"] == (0, 0, 1)
    assert found["gender", "masculine"] == (0, 1, 1)
    assert found["pronoun", "il"] == (0, 1, 0)
    breakdowns = [kind for kind, _ in found]
    assert breakdowns == sorted(breakdowns, key=breakdowns.index)


def test_matches_are_clipped_on_each_line():
    found = groups(scored("en", ["he he", "x", "he"], ["he he he", "he", "x"]))
    assert found[TOTAL] == found["pronoun", "he"] == (2, 4, 3)


def test_what_readings_do_not_share_is_not_counted():
    found = groups(scored("de", ["sie er sein das"], ["x"]))
    assert ("pronoun", "sein") not in found
    assert found["gender", "masculine"] == (0, 0, 1)
    assert found["person", "third"] == (0, 0, 2)
    assert ("pronoun", "das") in groups(scored("de", ["das"], ["x"], ambiguous=True))


WORDS = ("he", "she", "it", "they", "his", "that", "house")
line = st.lists(st.sampled_from(WORDS), max_size=6)


@given(st.lists(st.tuples(line, line), min_size=1, max_size=5))
def test_counts_agree_with_a_slow_count(pairs):
    reference, candidate = (
        [" ".join(words) for words in side] for side in zip(*pairs, strict=True)
    )
    found = groups(scored("en", reference, candidate))
    matched = sum(min(a.count(word), b.count(word)) for a, b in pairs for word in WORDS[:5])
    sizes = [
        sum(word in WORDS[:5] for words in side for word in words)
        for side in zip(*pairs, strict=True)
    ]
    assert found.pop(TOTAL) == (matched, sizes[1], sizes[0])
    assert all(same <= min(made, wanted) for same, made, wanted in found.values())
    assert sum(counts[0] for (kind, _), counts in found.items() if kind == "pronoun") == matched


def test_scores_intervals_and_tests():
    reference = ["He sees her."] * 30
    bad = ["She sees it."] * 20 + reference[:10]
    documents = [f"d{number // 2}" for number in range(30)]
    found = scored("en", reference, reference, bad, documents=documents, plan=PLAN)
    assert found.scores["s0"]["f1"].value == 100
    total = found.scores["s1"]
    assert total["precision"].value == total["recall"].value == pytest.approx(100 / 3)
    assert total["f1"].low < 100 / 3 < total["f1"].high
    assert [one.measure for one in found.comparisons] == ["precision", "recall", "f1"]
    assert all(one.significant for one in found.comparisons)


def test_languages_and_texts_without_pronouns():
    with pytest.raises(InputError, match="xx"):
        scored("xx", ["x"], ["x"])
    found = scored("en", ["x"], ["x"], plan=PLAN)
    assert len(found.warnings) == 1
    assert np.isnan(found.scores["s0"]["f1"].value)


def test_undefined_scores():
    found = scored("en", ["He sees."] * 3, ["She sees."] * 3, ["It was."] * 3, plan=PLAN)
    first, other = ({g.group: g.scores for g in one.groups} for one in found.candidates)
    assert np.isnan(first["she"]["recall"].value)
    assert first["she"]["recall"].low is None
    assert first["she"]["precision"].value == first["she"]["f1"].value == 0
    assert np.isnan(first["he"]["precision"].value)
    assert first["he"]["recall"].value == first["he"]["f1"].value == 0
    assert all(np.isnan(score.value) for score in other["she"].values())
