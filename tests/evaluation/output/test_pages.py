"""Pages of APT, AutoPRF and contrastive sets: complete, escaped, with numbers that agree."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.evaluation.core.evaluation import evaluate
from crosspro.evaluation.core.statistics import Resampling
from crosspro.evaluation.core.tables import RARE, make_matrices, without_rare
from crosspro.evaluation.inputs.plain_text import Documents
from crosspro.evaluation.metrics import make_metric
from crosspro.evaluation.metrics.autoprf.metric import AutoPrf, ComparedPronoun, verdict_of
from crosspro.evaluation.metrics.contrastive.formats import (
    ContrastiveSet,
    Instance,
    WrongTranslation,
    read_contrastive,
)
from crosspro.evaluation.metrics.contrastive.metric import ScoredSet, SystemScores, read_scores
from crosspro.evaluation.output.examples import Examples, ExampleVerdict, spread_over
from crosspro.evaluation.output.page import evaluation_page
from tests.conftest import GOLDEN
from tests.evaluation.metrics.apt.texts import (
    CANDIDATE,
    REFERENCE,
    mt_input,
    text,
    translation,
)
from tests.evaluation.report.reading import check_page, page_data

PLAN = Resampling(50, 1)
OTHER = replace(REFERENCE, name="other <b>&\"'")
HOSTILE = "</script><script>alert(1)</script> <!-- <b>&amp;\"' {{title}} \\u003c"


def apt(candidates=(CANDIDATE, OTHER), plan=PLAN):
    data = mt_input(candidates=candidates)
    return evaluate(make_metric("apt", repair=False), data, plan)


def repaired(source, sides, documents=None, plan=PLAN, **settings):
    data = mt_input(source, sides[0], sides[1:], documents=documents)
    return evaluate(make_metric("apt", **settings), data, plan)


def test_apt_page_has_scores_tests_matrices_and_signatures():
    evaluation = apt()
    page = evaluation_page(evaluation)
    data, elements = check_page(page)
    assert len(data["examples"]) == 7
    assert data["candidates"] == ["cand", OTHER.name]
    score = evaluation.systems[0].scores["apt"]
    assert f"{score.value:.4f} [{score.low:.4f}, {score.high:.4f}]" in page
    assert page.count("Matrix: ") == 2
    assert "{{" not in page
    assert "Paired differences" in page
    assert score.signature in page
    cases = [n for filters, n in elements.buttons if filters.keys() == {"candidate", "verdict"}]
    assert sum(cases) == 14
    assert "other &lt;b&gt;&amp;&#34;&#39;" in page


def test_apt_page_without_intervals_and_with_one_candidate():
    page = evaluation_page(apt([CANDIDATE], plan=None))
    check_page(page)
    assert "Paired differences" not in page
    assert "[0." not in page.split('id="data">')[0]


def test_texts_cannot_end_the_data_or_become_markup():
    source = text([f"it {HOSTILE}"])
    sides = [translation(name, [f"il {HOSTILE}"], ["0-0"]) for name in ("ref", HOSTILE)]
    documents = Documents(np.zeros(1, dtype=np.int64), (HOSTILE,))
    page = evaluation_page(repaired(source, sides, documents))
    data, elements = check_page(page)
    (line,) = data["lines"]
    assert (line["source"], *line["references"]) == (f"it {HOSTILE}", f"il {HOSTILE}")
    assert line["document"] == HOSTILE
    assert elements.tags.count("script") == page.count("<script") == 2
    assert "<!--" not in page
    assert "alert(1)</script>" not in page


def test_repaired_pronouns_are_marked():
    source = text(["The system is so healthy that it purifies the water ."])
    words = "Le système est si sain qu' il purifie l' eau ."
    links = "0-0 1-1 2-2 3-3 4-4 5-5 7-7 8-8 9-9 10-10"
    sides = [translation(name, [words], [links]) for name in ("ref", "cand")]
    page = evaluation_page(repaired(source, sides))
    (example,) = page_data(page)["examples"]
    mark = {"line": 0, "kind": "pronoun", "repaired": True, "source": [6], "target": [6]}
    assert example["references"] == [[mark]]
    assert example["candidates"][0]["marks"] == [mark]
    assert "Repaired links: 1 in the reference, 1 in cand." in page


def test_a_cut_page_says_so_and_is_spread_over_the_text():
    page = evaluation_page(apt(), max_examples=3)
    data = page_data(page)
    assert [data["lines"][one["lines"][0]]["number"] for one in data["examples"]] == [0, 2, 4]
    assert "Only 3 of 7 pronouns are here" in page
    assert "Only" not in evaluation_page(apt(), max_examples=7)
    assert page_data(evaluation_page(apt(), max_examples=0))["examples"] == []


def test_a_page_about_nothing():
    sides = [translation(name, ["x"], [""]) for name in "rc"]
    page = evaluation_page(repaired(text(["x"]), sides))
    assert check_page(page)[0]["examples"] == []
    assert "no pronoun of the lists was found" in page


@pytest.mark.parametrize("one_pronoun", [False, True])
def test_autoprf_page(one_pronoun):
    metric = make_metric("autoprf", one_pronoun=one_pronoun)
    evaluation = evaluate(metric, mt_input(candidates=(CANDIDATE, OTHER)), PLAN)
    page = evaluation_page(evaluation)
    content, _ = check_page(page)
    assert len(content["examples"]) == 7
    assert evaluation.signatures[0] in page
    assert ">TOTAL<" in page
    assert content["examples"][3]["candidates"][0]["verdict"] == 3  # not in cand.


@pytest.mark.parametrize(
    ("reference", "candidate", "matches", "expected"),
    [
        ("il", "il", 1, "same words"),
        ("qu' il", "il", 1, "some words"),
        ("il", "elle", 0, "other words"),
        ("il", "", 0, "not in cand."),
        ("", "il", 0, "not in ref."),
        ("", "", 0, "in neither"),
    ],
)
def test_autoprf_verdicts(reference, candidate, matches, expected):
    example = ComparedPronoun(None, tuple(reference.split()), tuple(candidate.split()), matches)
    assert AutoPrf.verdict_kinds[verdict_of(example)][0] == expected


def evaluate_contrastive(test_set, systems, plan=None):
    return evaluate(make_metric("contrastive"), ScoredSet(test_set, tuple(systems)), plan)


def test_contrastive_page_shows_what_each_system_prefers():
    folder = GOLDEN / "contrastive" / "small_set"
    read = read_contrastive(folder / "test.json")
    systems = read_scores([folder / "scores"], read)
    systems.append(replace(systems[0], name="opposite", maximise=True))
    evaluation = evaluate_contrastive(read, systems, PLAN)
    page = evaluation_page(evaluation)
    data, _ = check_page(page)
    verdicts = [[made["verdict"] for made in one["candidates"]] for one in data["examples"]]
    assert [sum(v[n] == 0 for v in verdicts) for n in (0, 1)] == [
        sum(one.right for one in decided) for decided in evaluation.scored.items
    ]
    for one in data["examples"]:
        line = data["lines"][one["lines"][-1]]
        for rendering, output in zip(one["candidates"], line["candidates"], strict=True):
            assert (rendering["verdict"] == 0) == (output == line["references"][0])
    assert data["group"] == "distance"
    assert "distance &gt;3" in page


def test_contrastive_page_of_a_set_without_texts():
    errors = (WrongTranslation(None, None), WrongTranslation(None, "sie"))
    instances = tuple(Instance(f"i{n}", errors, {}) for n in range(2))
    read = ContrastiveSet("set", "contrapro", instances, "0")
    hopeless = np.array([False, True])
    system = SystemScores("s", np.array([1.0, 1, 2, 0, 3, 4]), undecidable=hopeless)
    data, _ = check_page(evaluation_page(evaluate_contrastive(read, [system])))
    made = [one["candidates"][0] for one in data["examples"]]
    assert [one["verdict"] for one in made] == [1, 3]
    assert [one["word"] for one in made] == ["error 1", "reference"]


def test_contrastive_context_and_differences():
    instance = Instance(
        "i",
        (WrongTranslation("Sie ist da .", None),),
        {},
        source="It is there, it is.",
        reference="Er ist da .",
        source_pronoun="it",
        source_context=("A  dog .", "Look ."),
        reference_context=("Schau .",),
    )
    read = ContrastiveSet("set", "contrapro", (instance,), "0")
    system = SystemScores("s", np.array([2.0, 1.0]))
    data, _ = check_page(evaluation_page(evaluate_contrastive(read, [system])))
    texts = [line["source"] for line in data["lines"]]
    assert texts == ["A dog .", "Look .", "It is there, it is."]
    (example,) = data["examples"]
    marks = [(mark["line"], mark["source"], mark["target"]) for mark in example["references"][0]]
    assert marks == [(2, [0, 3], []), (2, [], [0])]
    (made,) = example["candidates"]
    assert (made["reference"], made["word"], made["note"]) == ("er", "sie", "er 2, sie 1")


def test_groups_are_numbered_in_their_order():
    examples = Examples(["a"], [ExampleVerdict("v", "right")], 1, "kind", ["first", "second"])
    line = examples.add_line(0, "a b", [], [])
    for group in ("second", "third", "first"):
        examples.add("a", [line], [], [], group=group)
    assert examples.groups == ["first", "second", "third"]
    assert [one.group for one in examples.examples] == [1, 2, 0]


@given(st.integers(0, 500), st.integers(0, 500))
def test_shown_examples_are_spread_evenly(total, limit):
    shown = list(spread_over(total, limit))
    assert len(shown) == min(total, limit)
    assert shown == sorted(set(shown))
    assert all(0 <= number < total for number in shown)
    gaps = np.diff(shown)
    assert not len(gaps) or gaps.max() - gaps.min() <= 1


@given(st.lists(st.lists(st.tuples(*[st.sampled_from("abcdefghijklmnopqrstuvwxyz")] * 2))))
def test_matrices_count_every_pair(pairs):
    kept = without_rare(pairs)
    for matrix, own, before in zip(make_matrices(kept), kept, pairs, strict=True):
        assert matrix.counts.sum() == len(own) == len(before)
        assert len(matrix.labels) <= 16
        assert RARE not in matrix.labels[:-1]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("chromium") is None, reason="needs a browser")
def test_the_script_shows_all_examples_and_marks_their_pronouns(tmp_path):
    """In a real browser."""
    report = """<script>
      const count = selector => document.querySelectorAll("#examples " + selector).length;
      document.title = JSON.stringify(
        [count(".example"), count("mark.source"), count("mark.target")]);
    </script></body>"""
    source = text([" ".join(["it", *(["word"] * 80)])])
    words = " ".join(["il", *(["mot"] * 80)])
    links = " ".join(f"{n}-{n}" for n in range(81))
    sides = [translation(name, [words], [links]) for name in ("ref", "cand")]
    evaluation = repaired(source, sides, plan=None)
    path = tmp_path / "page.html"
    path.write_text(evaluation_page(evaluation).replace("</body>", report), "utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", path.as_uri()]
    shown = subprocess.run(["chromium", *options], capture_output=True, text=True, check=True)
    title = re.search("<title>(.*?)</title>", shown.stdout)
    assert json.loads(title[1]) == [1, 1, 2]
