"""Precision, recall and F1 of pronouns without links."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from crosspro.evaluation.evaluation import evaluate
from crosspro.evaluation.metrics.pronoun_f1 import PronounF1
from crosspro.evaluation.resampling import Resampling
from crosspro.evaluation.texts import make_texts

PLAN = Resampling(100, 3)


def scored(language, reference, *candidates, plan=None, documents=None):
    by_name = {f"s{number}": lines for number, lines in enumerate(candidates)}
    texts = make_texts([], reference, by_name, documents, ("", language))
    return evaluate(PronounF1(None), texts, plan)


def groups(evaluation, place=0):
    """Matched, of the candidate, of the reference."""
    candidate = evaluation.candidates[place]
    return {
        (group.breakdown, group.group): tuple(group.counts.values())
        for group in (candidate.total, *candidate.groups)
    }


TOTAL = ("", "total")


def pronouns(line):
    counts = groups(scored("fr", [line], [line]))
    return {name: row[0] for (kind, name), row in counts.items() if kind == "pronoun"}


def test_pronouns_are_found_behind_clitics():
    assert pronouns("Va-t-elle qu'il dort ?") == {"elle": 1, "il": 1}
    assert pronouns("Il l'a vue, la clé.") == {"il": 1}
    assert pronouns("C'est lui-même qui s'en va.") == {"ce": 1, "lui": 1, "se": 1}


def test_forms_match_in_total_and_features_in_groups():
    counts = groups(scored("fr", ["Elle dort.", "Ils dorment."], ["Il dort.", "x"]))
    assert counts[TOTAL] == (0, 1, 2)
    assert counts["kind", "personal"] == counts["person", "third"] == (1, 1, 2)
    assert counts["number", "singular"] == (1, 1, 1)
    assert counts["number", "plural"] == (0, 0, 1)
    assert counts["gender", "feminine"] == (0, 0, 1)
    assert counts["gender", "masculine"] == (0, 1, 1)
    assert counts["pronoun", "il"] == (0, 1, 0)
    breakdowns = [kind for kind, _ in counts]
    assert breakdowns == sorted(breakdowns, key=breakdowns.index)


def test_matches_are_clipped_on_each_line():
    counts = groups(scored("en", ["he he", "x", "he"], ["he he he", "he", "x"]))
    assert counts[TOTAL] == counts["pronoun", "he"] == (2, 4, 3)


WORDS = ("he", "she", "it", "they", "his", "that", "house")
line = st.lists(st.sampled_from(WORDS), max_size=6)


@given(st.lists(st.tuples(line, line), min_size=1, max_size=5))
def test_counts_agree_with_a_slow_count(pairs):
    reference, candidate = (
        [" ".join(words) for words in side] for side in zip(*pairs, strict=True)
    )
    counts = groups(scored("en", reference, candidate))
    matched = sum(min(a.count(word), b.count(word)) for a, b in pairs for word in WORDS[:5])
    sizes = [
        sum(word in WORDS[:5] for words in side for word in words)
        for side in zip(*pairs, strict=True)
    ]
    assert counts.pop(TOTAL) == (matched, sizes[1], sizes[0])
    assert all(
        same <= min(in_candidate, in_reference)
        for same, in_candidate, in_reference in counts.values()
    )
    assert sum(row[0] for (kind, _), row in counts.items() if kind == "pronoun") == matched
