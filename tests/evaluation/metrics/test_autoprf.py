"""AutoPRF: clipping, groups, and the numbers of the released Java tool."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.evaluation.evaluation import evaluate
from crosspro.evaluation.metrics.apt.metric import Apt, AptSettings
from crosspro.evaluation.metrics.autoprf import AutoPrf, AutoPrfSettings
from crosspro.evaluation.resampling import Resampling
from tests.conftest import GOLDEN, SHARED_DATA
from tests.evaluation.metrics.apt.texts import LISTS, case_counts, linked_files, linked_texts

PLAN = Resampling(200, 1)
SOURCE = ["It rains", "they and it", "IT is"]
LINKS = [[(0, 0)], [(0, 0), (2, 1), (2, 2)], [(0, 1)]]
REFERENCE = ["il pleut", "ils il le", "le IT"], LINKS
CANDIDATE = ["Il pleut", "ils il il", "le IT"], LINKS


def autoprf(texts=None, **settings):
    texts = texts or linked_texts(SOURCE, REFERENCE, {"mt": CANDIDATE})
    return evaluate(AutoPrf(AutoPrfSettings(pronouns=LISTS, **settings)), texts, PLAN)


def words(evaluation, place=0):
    """Matches, words of the candidate and of the reference."""
    items = evaluation.items
    sums = {
        name: np.asarray(column).sum(axis=0)
        for name, column in evaluation.metric.statistics(items, place).items()
    }
    recall = evaluation.candidates[place].scores["recall"].value
    return round(recall * sums["reference"] / 100), sums["candidate"], sums["reference"]


def test_clipping_for_each_occurrence():
    evaluation = autoprf()
    candidate = evaluation.candidates[0]
    assert words(evaluation) == (2, 4, 4)  # ils; il of "il le" against "il il"
    groups = {group.group: tuple(group.counts.values()) for group in candidate.groups}
    assert groups == {"it": (3, 3, 1), "they": (1, 1, 1)}
    assert [score.value for score in candidate.scores.values()] == [50, 50, 50]
    assert evaluation.items.size == 3  # IT is an abbreviation


def test_clipping_over_the_text_is_more_lenient():
    """000 §3.2: the reference's first il meets a second il of another occurrence."""
    assert words(autoprf(clipping="corpus")) == (3, 4, 4)
    both = linked_texts(SOURCE, REFERENCE, {"mt": CANDIDATE, "ref": REFERENCE})
    pooled = autoprf(both, clipping="corpus")
    assert pooled.comparisons[0].difference == pytest.approx(-25)


def test_one_pronoun_a_side_can_be_counted():
    assert words(autoprf(one_pronoun=True)) == (3, 3, 3)


WORDS = st.sampled_from(["il", "elle", "c'", "x", "dit-il"])
SENTENCE = st.tuples(
    st.lists(st.sampled_from(["it", "they", "x"]), min_size=1, max_size=3),
    st.lists(WORDS, min_size=1, max_size=4),
    st.lists(WORDS, min_size=1, max_size=4),
    st.sets(st.tuples(st.integers(0, 2), st.integers(0, 3))),
    st.sets(st.tuples(st.integers(0, 2), st.integers(0, 3))),
)


@given(st.lists(SENTENCE, min_size=1, max_size=5))
def test_recall_of_one_pronoun_is_apt_without_lists_and_repair(sentences):
    """001 §4, over the occurrences that have a reference; and pooling never lowers matches."""
    sides = []
    for target, links in ((1, 3), (2, 4)):
        inside = [
            [(s, t) for s, t in group[links] if s < len(group[0]) and t < len(group[target])]
            for group in sentences
        ]
        sides.append(([" ".join(group[target]) for group in sentences], inside))
    texts = linked_texts([" ".join(group[0]) for group in sentences], sides[0], {"mt": sides[1]})
    lists = replace(LISTS, identical=(), equivalent=())
    evaluation = evaluate(AutoPrf(AutoPrfSettings(one_pronoun=True, pronouns=lists)), texts, None)
    plain = Apt(AptSettings(repair="off", pronouns=lists))
    same, *rest = case_counts(plain.items(texts).values[0])
    if evaluation.items.size and same + sum(rest[:3]):
        assert words(evaluation)[::2] == (same, same + sum(rest[:3]))
        each, pooled = autoprf(texts), autoprf(texts, clipping="corpus")
        scores = [group.candidates[0].scores["recall"].value for group in (each, pooled)]
        assert scores[0] <= scores[1] + 1e-9


def test_numbers_of_the_tool():
    folder = GOLDEN / "autoprf" / "case_and_clipping"
    names = "ref.en", "ref.fr", "cand.fr", "ref.en-fr.alig", "cand.en-fr.alig"
    candidate = autoprf(linked_files(*(folder / name for name in names))).candidates[0]
    rows = [line.split() for line in (folder / "expected_v0.txt").read_text("utf-8").splitlines()]
    printed = {
        row[0]: [float(cell.rstrip("/")) for cell in row[1:]]
        for row in rows
        if row and row[0] in ("it", "they", "TOTAL")
    }
    groups = {"TOTAL": candidate.total} | {group.group: group for group in candidate.groups}
    assert groups.keys() == printed.keys()
    for name, (matches, words_made, precision, _, reference, recall, f1) in printed.items():
        counts = {"matches": matches, "candidate": words_made, "reference": reference}
        assert groups[name].counts == counts
        scores = [score.value for score in groups[name].scores.values()]
        assert scores == pytest.approx([100 * precision, 100 * recall, 100 * f1], abs=6e-3)


def test_figures_of_the_tool_on_news():
    """The tool prints 626/1961 and 626/1828; 37 lines have links that lead nowhere."""
    folder = SHARED_DATA / "news_mt"
    if not folder.is_dir():
        pytest.skip("the news text is not here")
    names = (
        *("mt-output.en", "pronoun-test.tok.fr", "mt-output.fr"),
        *("pronoun-test.tok.en-fr.alig", "mt-output.en-fr.alig"),
    )
    evaluation = autoprf(linked_files(*(folder / f"{name}.xz" for name in names)))
    assert words(evaluation) == (626, 1961, 1828)
    clipped = evaluation.candidates[0].facts["clipped"]
    assert (clipped["above_one"], clipped["one_pronoun"]) == (74, 73)
    kinds = [(kind, group["pronouns"]) for kind, group in clipped["additional"].items()]
    assert kinds[:3] == [("que", 34), ("être", 27), ("avoir", 7)]
    assert clipped["above_one"] == sum(group.matches > 1 for group in evaluation.items.values[0])
