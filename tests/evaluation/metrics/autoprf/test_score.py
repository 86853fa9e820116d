"""AutoPRF: clipping, rows, intervals; and the numbers of the released Java tool."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.evaluation.core.evaluation import evaluate
from crosspro.evaluation.core.statistics import Resampling
from crosspro.evaluation.inputs.mt_input import InputPaths, read_input
from crosspro.evaluation.inputs.plain_text import Documents
from crosspro.evaluation.inputs.pronoun_lists import load_lists
from crosspro.evaluation.metrics.apt.metric import Apt, case_counts
from crosspro.evaluation.metrics.apt.settings import AptSettings
from crosspro.evaluation.metrics.autoprf.metric import AutoPrf
from crosspro.evaluation.metrics.autoprf.settings import AutoPrfSettings
from crosspro.evaluation.output.records import detail_tsv, json_report
from crosspro.evaluation.output.text import text_report
from tests.conftest import GOLDEN, SHARED_DATA
from tests.evaluation.metrics.apt.texts import mt_input, text, translation

LISTS = load_lists("en-fr")
PLAN = Resampling(200, 1)


SOURCE = text(["It rains", "they and it", "IT is"])
REFERENCE = translation(
    "ref", ["il pleut", "ils il le", "le IT"], [[(0, 0)], [(0, 0), (2, 1), (2, 2)], [(0, 1)]]
)
CANDIDATE = translation(
    "mt", ["Il pleut", "ils il il", "le IT"], [[(0, 0)], [(0, 0), (2, 1), (2, 2)], [(0, 1)]]
)


def autoprf(settings=AutoPrfSettings(), candidates=(CANDIDATE,), documents=None):  # noqa: B008
    data = mt_input(SOURCE, REFERENCE, candidates, documents=documents)
    return evaluate(AutoPrf(settings), data, PLAN)


def counts(row):
    return row.counts["matches"], row.counts["candidate"], row.counts["reference"]


def groups(system, breakdown):
    return [(one.group, counts(one)) for one in system.groups if one.breakdown == breakdown]


def test_clipping_for_each_occurrence():
    result = autoprf().systems[0]
    assert counts(result.total) == (2, 4, 4)  # ils; il of "il le" against "il il"
    assert groups(result, "pronoun") == [("it", (1, 3, 3)), ("they", (1, 1, 1))]
    assert [score.value for score in result.scores.values()] == [0.5, 0.5, 0.5]


def test_clipping_over_the_text_is_more_lenient():
    """The reference's first il meets a second il of another occurrence."""
    result = autoprf(AutoPrfSettings(clipping="corpus")).systems[0]
    assert counts(result.total) == (3, 4, 4)
    pooled = autoprf(AutoPrfSettings(clipping="corpus"), (CANDIDATE, REFERENCE))
    assert pooled.comparisons[0].difference == pytest.approx(-0.25)


def test_case_can_be_ignored():
    assert counts(autoprf(AutoPrfSettings(ignore_case=True)).systems[0].total) == (3, 4, 4)


def test_one_pronoun_for_each_occurrence():
    result = autoprf(AutoPrfSettings(one_pronoun=True)).systems[0]
    assert counts(result.total) == (3, 3, 3)


def test_abbreviations_are_no_pronouns():
    assert autoprf().scored.size == 3


def test_rows_by_document():
    documents = Documents(np.array([0, 1, 2]), ("a", "b", "c"))
    result = autoprf(documents=documents).systems[0]
    assert groups(result, "document") == [
        ("a", (0, 1, 1)),
        ("b", (2, 3, 3)),
        ("c", (0, 0, 0)),
    ]


def test_reports():
    evaluation = autoprf(
        candidates=(CANDIDATE, REFERENCE), documents=Documents(np.array([0, 1, 1]), ("a", "b"))
    )
    assert "mt by document" in text_report(evaluation, shown=["by_document"])
    assert evaluation.signatures[0].startswith("metric:AutoPRF|")
    assert "mt\t1\t2\tit\tit\til le\til il\t1" in detail_tsv(evaluation)


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
    source = text([" ".join(one[0]) for one in sentences])
    sides = []
    for name, words, links in (("ref", 1, 3), ("mt", 2, 4)):
        inside = [
            [(s, t) for s, t in one[links] if s < len(one[0]) and t < len(one[words])]
            for one in sentences
        ]
        sides.append(translation(name, [" ".join(one[words]) for one in sentences], inside))
    lists = replace(LISTS, identical=(), equivalent=())
    data = mt_input(source, sides[0], sides[1:], lists)
    found = evaluate(AutoPrf(AutoPrfSettings(one_pronoun=True)), data)
    plain = AptSettings((1, 0, 0, 0, 0, 0), frozenset({5, 6}), repair=False)
    same, *rest = case_counts(evaluate(Apt(plain), data).scored.items[0])
    assert counts(found.systems[0].total)[::2] == (same, same + sum(rest[:3]))
    each = evaluate(AutoPrf(AutoPrfSettings()), data)
    pooled = evaluate(AutoPrf(AutoPrfSettings(clipping="corpus")), data)
    one, other = each.systems[0].total, pooled.systems[0].total
    assert counts(one)[1:] == counts(other)[1:]
    assert counts(one)[0] <= counts(other)[0] <= min(counts(other)[1:])


def test_numbers_of_the_tool():
    folder = GOLDEN / "autoprf" / "case_and_clipping"
    paths = InputPaths(
        folder / "ref.en", folder / "ref.fr", (folder / "cand.fr",),
        folder / "ref.en-fr.alig", (folder / "cand.en-fr.alig",),
    )  # fmt: skip
    result = evaluate(AutoPrf(AutoPrfSettings()), read_input(paths, LISTS)).systems[0]
    rows = [line.split() for line in (folder / "expected_v0.txt").read_text("utf-8").splitlines()]
    printed = {
        row[0]: [float(cell.rstrip("/")) for cell in row[1:]]
        for row in rows
        if row and row[0] in ("it", "they", "TOTAL")
    }
    found = {"TOTAL": result.total} | {one.group: one for one in result.groups if one.breakdown}
    for name, (matches, candidate, precision, _, reference, recall, f1) in printed.items():
        assert counts(found[name]) == (matches, candidate, reference)
        scores = [score.value for score in found[name].scores.values()]
        assert scores == pytest.approx([precision, recall, f1], abs=6e-5)


def test_figures_of_the_tool_on_news():
    """The tool prints 626/1961 and 626/1828; 37 lines have links that lead nowhere."""
    folder = SHARED_DATA / "news_mt"
    if not folder.is_dir():
        pytest.skip("the news text is not here")
    names = ("mt-output.en", "pronoun-test.tok.fr", "mt-output.fr")
    source, reference, candidate = (folder / f"{name}.xz" for name in names)
    links = (folder / f"{stem}.en-fr.alig.xz" for stem in ("pronoun-test.tok", "mt-output"))
    first, second = links
    paths = InputPaths(source, reference, (candidate,), first, (second,), lenient=True)
    found = evaluate(AutoPrf(AutoPrfSettings()), read_input(paths, LISTS))
    assert counts(found.systems[0].total) == (626, 1961, 1828)
    clipped = found.systems[0].facts["clipped"]
    assert (clipped["above_one"], clipped["one_pronoun"]) == (74, 73)
    kinds = [(kind, one["pronouns"]) for kind, one in clipped["additional"].items()]
    assert kinds[:3] == [("que", 34), ("être", 27), ("avoir", 7)]
    assert clipped["above_one"] == sum(one.matches > 1 for one in found.scored.items[0])


def test_what_is_matched_beside_the_pronoun():
    """001 section 4: que, auxiliaries, both, reflexives, and words of no list."""
    source = text(["it", "It", "it", "it", "it", "it", "it"])
    words = ["qu' il", "Il est", "que il est", "il se", "il vont", "il elle", "il"]
    every = [[(0, place) for place in range(len(line.split()))] for line in words]
    candidate = translation("mt", words, every)
    reference = translation("ref", ["qu' il x", *words[1:]], every)
    data = mt_input(source, reference, [candidate])
    evaluation = evaluate(AutoPrf(AutoPrfSettings()), data)
    clipped = evaluation.systems[0].facts["clipped"]
    assert (clipped["above_one"], clipped["one_pronoun"]) == (6, 5)
    assert {kind: one["words"] for kind, one in clipped["additional"].items()} == {
        "que": {"qu'": 1},
        "être": {"est": 1},
        "que and être": {"que": 1, "est": 1},
        "reflexive": {"se": 1},
        "other": {"vont": 1},
        "pronoun": {"elle": 1},
    }
    assert json.loads(json_report(evaluation))["systems"][0]["clipped"]["above_one"] == 6
    shown = text_report(evaluation, shown=["clipped"])
    assert "6 of 7 pronouns match in more than one word; 5 of these have exactly one" in shown
    assert "matches beside" not in text_report(evaluation)


def test_what_is_not_defined_is_no_number():
    """Nothing is linked in the candidate: precision and F1 are not 0 but undefined."""
    empty = translation("none", ["a", "b", "c"], [[], [], []])
    documents = Documents(np.array([0, 1, 2]), ("a", "b", "c"))
    evaluation = autoprf(candidates=(empty, CANDIDATE), documents=documents)
    precision, recall, f1 = evaluation.systems[0].scores.values()
    assert np.isnan(precision.value)
    assert np.isnan(f1.value)
    assert (precision.low, f1.high) == (None, None)
    assert (recall.value, recall.low, recall.high) == (0, 0, 0)
    assert [one.metric for one in evaluation.comparisons] == ["recall"]
    content = json.loads(json_report(evaluation), parse_constant=pytest.fail)
    assert content["systems"][0]["scores"]["precision"]["value"] is None
    last = evaluation.systems[1].groups[-1].scores.values()
    assert np.isnan([score.value for score in last]).all()
    shown = text_report(evaluation)
    assert "nan" not in shown
    assert "–" in shown
