"""AutoPRF: clipping, groups, and the numbers of the released Java tool."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.evaluation.evaluation import evaluate
from crosspro.evaluation.links import link_texts, read_links
from crosspro.evaluation.metrics.apt.cases import case_counts
from crosspro.evaluation.metrics.apt.metric import Apt, AptSettings
from crosspro.evaluation.metrics.autoprf import AutoPrf, AutoPrfSettings
from crosspro.evaluation.resampling import Resampling
from crosspro.evaluation.texts import load_texts
from tests.conftest import GOLDEN, SHARED_DATA
from tests.evaluation.metrics.apt.texts import LISTS, linked_texts

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


def test_case_can_be_ignored_and_one_pronoun_counted():
    assert words(autoprf(ignore_case=True)) == (3, 4, 4)
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
            [(s, t) for s, t in one[links] if s < len(one[0]) and t < len(one[target])]
            for one in sentences
        ]
        sides.append(([" ".join(one[target]) for one in sentences], inside))
    texts = linked_texts([" ".join(one[0]) for one in sentences], sides[0], {"mt": sides[1]})
    lists = replace(LISTS, identical=(), equivalent=())
    found = evaluate(AutoPrf(AutoPrfSettings(one_pronoun=True, pronouns=lists)), texts, None)
    plain = Apt(AptSettings(repair="off", pronouns=lists))
    same, *rest = case_counts(plain.items(texts).values[0])
    if found.items.size and same + sum(rest[:3]):
        assert words(found)[::2] == (same, same + sum(rest[:3]))
        each, pooled = autoprf(texts), autoprf(texts, clipping="corpus")
        scores = [one.candidates[0].scores["recall"].value for one in (each, pooled)]
        assert scores[0] <= scores[1] + 1e-9


def linked(paths, lenient=False):
    source, reference, candidate, links, candidate_links = paths
    texts = load_texts(source, reference, {"mt": candidate})
    return link_texts(
        texts,
        read_links(links, texts.source, texts.reference, lenient=lenient),
        {"mt": read_links(candidate_links, texts.source, texts.candidates["mt"], lenient=lenient)},
    )


def test_numbers_of_the_tool():
    folder = GOLDEN / "autoprf" / "case_and_clipping"
    names = "ref.en", "ref.fr", "cand.fr", "ref.en-fr.alig", "cand.en-fr.alig"
    candidate = autoprf(linked([folder / name for name in names])).candidates[0]
    rows = [line.split() for line in (folder / "expected_v0.txt").read_text("utf-8").splitlines()]
    printed = {
        row[0]: [float(cell.rstrip("/")) for cell in row[1:]]
        for row in rows
        if row and row[0] in ("it", "they", "TOTAL")
    }
    found = {"TOTAL": candidate.total} | {one.group: one for one in candidate.groups}
    assert found.keys() == printed.keys()
    for name, (matches, made, precision, _, reference, recall, f1) in printed.items():
        counts = {"matches": matches, "candidate": made, "reference": reference}
        assert found[name].counts == counts
        scores = [score.value for score in found[name].scores.values()]
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
    evaluation = autoprf(linked([folder / f"{name}.xz" for name in names], lenient=True))
    assert words(evaluation) == (626, 1961, 1828)
    clipped = evaluation.candidates[0].facts["clipped"]
    assert (clipped["above_one"], clipped["one_pronoun"]) == (74, 73)
    kinds = [(kind, one["pronouns"]) for kind, one in clipped["additional"].items()]
    assert kinds[:3] == [("que", 34), ("être", 27), ("avoir", 7)]
    assert clipped["above_one"] == sum(one.matches > 1 for one in evaluation.items.values[0])


def test_words_that_match_beside_the_pronoun():
    """001 §4: que, auxiliaries, both, reflexives, and words of no list."""
    source = ["it", "It", "it", "it", "it", "it", "it"]
    lines = ["qu' il", "Il est", "que il est", "il se", "il vont", "il elle", "il"]
    every = [[(0, place) for place in range(len(line.split()))] for line in lines]
    reference = ["qu' il x", *lines[1:]], every
    evaluation = autoprf(linked_texts(source, reference, {"mt": (lines, every)}))
    clipped = evaluation.to_dict()["candidates"][0]["clipped"]
    assert (clipped["above_one"], clipped["one_pronoun"]) == (6, 5)
    assert {kind: one["words"] for kind, one in clipped["additional"].items()} == {
        "que": {"qu'": 1},
        "être": {"est": 1},
        "que and être": {"que": 1, "est": 1},
        "reflexive": {"se": 1},
        "other": {"vont": 1},
        "pronoun": {"elle": 1},
    }


def test_scores_without_a_linked_word_are_undefined():
    empty = ["a", "b", "c"], ["", "", ""]
    evaluation = autoprf(linked_texts(SOURCE, REFERENCE, {"none": empty, "mt": CANDIDATE}))
    precision, recall, f1 = evaluation.candidates[0].scores.values()
    assert np.isnan(precision.value)
    assert np.isnan(f1.value)
    assert (precision.low, f1.high) == (None, None)
    assert (recall.value, recall.low, recall.high) == (0, 0, 0)
    assert [one.measure for one in evaluation.comparisons] == ["recall"]
