"""Figure 2 of 000: cases with and without the repair of links."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crosspro.evaluation.core.evaluation import evaluate
from crosspro.evaluation.metrics.apt.metric import (
    ALL,
    AS_LINKED,
    COUNTED,
    REPAIRED,
    Apt,
    case_counts,
)
from crosspro.evaluation.metrics.apt.settings import AptSettings
from crosspro.evaluation.output.page import evaluation_page
from tests.evaluation.metrics.apt.texts import mt_input, text, translation

# In the first sentence *it* has no link, in the second one to a word that is no pronoun.
SOURCE = text(["so that it runs", "and it sleeps", "it is lui"])
REFERENCE = translation(
    "ref", ["donc il court", "et il dort", "lui est"], ["0-0 3-2", "0-0 1-2 2-2", "0-0"]
)
CANDIDATE = translation(
    "cand", ["donc il court", "et elle dort", "lui est"], ["0-0 3-2", "0-0 1-2 2-2", "0-0"]
)
OTHER = replace(CANDIDATE, name="other")


def apt(settings, source=SOURCE):
    return evaluate(Apt(settings), mt_input(source, REFERENCE, [CANDIDATE, OTHER]))


def charts(evaluation):
    return evaluation.metric.figure(evaluation.scored).charts


def unrepaired(evaluation):
    return evaluation.metric.unrepaired_counts(evaluation.scored)


@pytest.mark.parametrize("others", ["different", "equal", "missing"])
def test_without_repair_is_what_no_repair_gives(others):
    settings = AptSettings(others=others)
    repaired, plain = apt(settings), apt(replace(settings, repair=False))
    counts = [case_counts(one) for one in plain.scored.items]
    assert case_counts(repaired.scored.items[0]) != counts[0]
    assert unrepaired(repaired) == counts
    assert unrepaired(plain) == []


def test_charts_of_each_candidate_and_of_all():
    one, other, together = charts(apt(AptSettings()))
    assert [chart.title for chart in (one, other, together)] == ["cand", "other", ALL]
    assert list(one.counts) == [REPAIRED, AS_LINKED]
    for name in (REPAIRED, AS_LINKED):
        assert together.counts[name] == [2 * count for count in one.counts[name]]
        assert sum(one.shares(name)) == pytest.approx(100)
    assert list(charts(apt(AptSettings(repair=False)))[0].counts) == [COUNTED]


def test_the_page_has_their_numbers():
    repaired = apt(AptSettings())
    page = evaluation_page(repaired)
    assert "Distribution of cases" in page
    assert page.count("links repaired</th>") == 3
    assert "Distribution of cases" not in evaluation_page(apt(AptSettings(), text(["x"] * 3)))
