"""Figure 2 of 000: cases with and without the repair of links."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crosspro.evaluation.inputs.pronoun_lists import load_lists
from crosspro.evaluation.metrics.apt.distribution import (
    ALL,
    AS_LINKED,
    COUNTED,
    REPAIRED,
    case_charts,
    case_figure,
    counts_without_repair,
)
from crosspro.evaluation.metrics.apt.page import apt_page
from crosspro.evaluation.metrics.apt.score import AptSettings, evaluate_apt
from tests.evaluation.metrics.apt.texts import text, translation

LISTS = load_lists("en-fr")
# In the first sentence *it* has no link, in the second one to a word that is no pronoun.
SOURCE = text(["so that it runs", "and it sleeps", "it is lui"])
REFERENCE = translation(
    "ref", ["donc il court", "et il dort", "lui est"], ["0-0 3-2", "0-0 1-2 2-2", "0-0"]
)
CANDIDATE = translation(
    "cand", ["donc il court", "et elle dort", "lui est"], ["0-0 3-2", "0-0 1-2 2-2", "0-0"]
)
OTHER = replace(CANDIDATE, name="other")


def apt(settings, source=SOURCE, **options):
    return evaluate_apt(source, REFERENCE, [CANDIDATE, OTHER], LISTS, settings, None, **options)


@pytest.mark.parametrize("others", ["different", "equal", "missing"])
def test_without_repair_is_what_no_repair_gives(others):
    settings = AptSettings(others=others)
    repaired, plain = apt(settings), apt(replace(settings, repair=None))
    assert repaired.results[0].counts != plain.results[0].counts
    assert counts_without_repair(repaired) == [one.counts for one in plain.results]
    assert counts_without_repair(plain) is None
    assert counts_without_repair(apt(settings, starts_from="reference")) is None


def test_charts_of_each_candidate_and_of_all():
    repaired = apt(AptSettings())
    one, other, together = case_charts(repaired)
    assert [chart.title for chart in (one, other, together)] == ["cand", "other", ALL]
    assert list(one.counts) == [REPAIRED, AS_LINKED]
    for name in (REPAIRED, AS_LINKED):
        assert together.counts[name] == tuple(2 * count for count in one.counts[name])
        assert sum(one.shares(name)) == pytest.approx(100)
    assert list(case_charts(apt(AptSettings(repair=None)))[0].counts) == [COUNTED]


def test_the_page_and_the_file_show_them():
    repaired = apt(AptSettings())
    assert apt_page(repaired).count('class="plot"') == 3
    assert case_figure(repaired).count("links repaired") >= 3
    nothing = apt(AptSettings(), text(["x"] * 3))
    assert 'class="plot"' not in apt_page(nothing)
    assert "Cases of 0 pronouns" in case_figure(nothing)
