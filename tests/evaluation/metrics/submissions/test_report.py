"""Scores, tables and the page of submissions."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.formats.shared_task import read_examples
from crosspro.evaluation.metrics.submissions.metric import (
    evaluate_submissions,
)
from crosspro.evaluation.metrics.submissions.reading import read_gold, read_submissions
from crosspro.evaluation.metrics.submissions.submission import Gold, Submission, mapped
from crosspro.evaluation.report.page import evaluation_page
from crosspro.evaluation.report.records import json_report
from crosspro.evaluation.report.tables import text_report
from crosspro.evaluation.resampling import Resampling
from tests.conftest import GOLDEN
from tests.evaluation.report.reading import check_page, page_data

CASE = GOLDEN / "scorer" / "en-fr_random"
TASK = load_task("en-fr")
LINES = (
    "ils\til|PRON\tThey sing .\tREPLACE_0 chanter|VER .|.\t0-0 1-1 2-2\n",
    "\t\tThe birds sleep .\tle|DET oiseau|NOM dormir|VER .|.\t0-0 1-1 2-2 3-3\n",
    "OTHER elle\tleur|PRON elle|PRON\tIt likes it .\tREPLACE_2 aimer|VER REPLACE_0 .|.\t2-0 0-2\n",
    "ce\tce|PRON\tIt rains .\tREPLACE_0 pleuvoir|VER .|.\t0-0 1-1\n",
)


@pytest.fixture(scope="module")
def evaluation():
    gold = read_gold(CASE / "gold.tsv", TASK)
    read = read_submissions([CASE / "pred.tsv", CASE / "gold.tsv"], TASK, gold, lenient=True)
    examples = list(read_examples(CASE / "gold.tsv", TASK, lenient=True))
    return evaluate_submissions(TASK, gold, read, resampling=Resampling(200, 1), examples=examples)


def page_of(folder, lines, submissions, ids=None):
    """The data of the page of some lines; submissions are made from the gold that was read."""
    (folder / "gold").write_text("".join(lines), encoding="utf-8")
    if ids:
        (folder / "ids").write_text("".join(f"{name}\n" for name in ids), encoding="utf-8")
    paths = (folder / "gold", TASK, folder / "ids" if ids else None)
    gold, examples = read_gold(*paths), list(read_examples(*paths, lenient=True))
    evaluation = evaluate_submissions(TASK, gold, submissions(gold), examples=examples)
    return page_data(evaluation_page(evaluation))


def generated(gaps=300, documents=None, quality=(0.8, 0.6), seed=0):
    generator = np.random.default_rng(seed)
    gold = generator.integers(0, 4, gaps).astype(np.int8)
    ids = None if documents is None else np.sort(generator.integers(0, documents, gaps))
    systems = [
        np.where(generator.random(gaps) < right, gold, generator.integers(0, 4, gaps))
        for right in quality
    ]
    read = [
        Submission(f"s{place}", classes.astype(np.int8)) for place, classes in enumerate(systems)
    ]
    return Gold("gold", gold, np.ones(gaps, dtype=np.int64), ids), read


def test_text_and_json_have_scores_classes_tests_and_matrices(evaluation):
    text = text_report(evaluation)
    assert "100.00 [100.00, 100.00]" in text
    assert evaluation.signature in text
    assert "pred - gold" in text
    first = json.loads(json_report(evaluation))["candidates"][0]
    counts = np.array(first["confusion"])
    assert counts.sum() == 583
    assert first["classes"]["il"]["instances"] == counts[TASK.class_index["il"]].sum()
    assert str(counts.diagonal().max()) in text  # the matrix on the terminal


@pytest.mark.parametrize("documents", [None, 30])
def test_a_clear_difference_is_found_and_none_is_not(documents):
    gold, systems = generated(documents=documents)
    same = replace(systems[0], name="same")
    result = evaluate_submissions(TASK, gold, [*systems, same], resampling=Resampling(500, 7))
    clear = result.compare("s0", "s1", "macro_recall")
    assert clear.difference > clear.low > 0
    assert clear.significant and clear.p_bootstrap < 0.01
    none = result.compare("s0", "same", "macro_recall")
    assert (none.difference, none.low, none.high, none.p_randomisation) == (0, 0, 0, 1)


def test_a_million_gaps_are_resampled_as_a_table_of_cells():
    """Each resample in a second would be a quarter of an hour."""
    gold, systems = generated(gaps=1_000_000)
    result = evaluate_submissions(TASK, gold, systems, resampling=Resampling(1000, 1))
    assert result.compare("s0", "s1").significant


def test_a_system_with_more_classes_is_scored_by_the_task():
    other = load_task("en-fr-text")
    task = load_task("en-fr-2015")
    names = ["il", "elle", "le", "ça"]
    probabilities = np.eye(len(other.classes))[[other.class_index[name] for name in names]]
    classes = Submission("run", probabilities.argmax(axis=1).astype(np.int8), (), probabilities)
    submission = mapped(classes, "run", other, task)
    assert [task.classes[place] for place in submission.classes][:3] == ["il", "elle", "OTHER"]
    assert (submission.probabilities.argmax(axis=1) == submission.classes).all()
    with pytest.raises(InputError):
        mapped(classes, "run", load_task("en-de-text"), task)


# The page -----------------------------------------------------------------------------------------


def test_the_page_has_every_gap_and_its_numbers_filter(evaluation):
    page = evaluation_page(evaluation)
    data, elements = check_page(page)
    assert len(data["examples"]) == 583
    cells = [number for filters, number in elements.buttons if "word" in filters]
    assert sum(cells) == 2 * 583
    score = evaluation.scores["pred"]["macro_recall"]
    assert f"left:{score.low:.2f}%;width:{score.high - score.low:.2f}%" in page
    assert page.count('class="bar"') == 2 * 3


def test_a_gap_has_its_context_its_classes_and_the_probabilities_of_its_run(tmp_path):
    probabilities = np.zeros((4, len(TASK.classes)))
    for row, name in enumerate(("elles", "OTHER", "elle", "ce")):
        probabilities[row, TASK.class_index[name]] = 0.75
        probabilities[row, TASK.class_index["il"]] = 0.25
    run = Submission("run", probabilities.argmax(axis=1).astype(np.int8), (), probabilities)
    data = page_of(tmp_path, LINES, lambda gold: [run], "aaab")
    numbers = [
        [data["lines"][row]["number"] for row in example["lines"]] for example in data["examples"]
    ]
    assert numbers == [[0], [0, 1, 2], [0, 1, 2], [3]]
    texts = [data["lines"][row]["references"][0] for row in data["examples"][1]["lines"]]
    assert texts[2] == "leur|PRON aimer|VER elle .|."
    first, second = data["examples"][:2]
    assert (first["name"], first["pronoun"]) == ("gold word il|PRON", "they")
    mark = {"line": 0, "kind": "pronoun", "repaired": False, "source": [0], "target": [0]}
    assert first["references"] == [[mark]]
    assert second["references"] == [[{**mark, "line": 2, "source": [2]}]]
    (rendering,) = first["candidates"]
    assert data["verdicts"][rendering["verdict"]]["name"] == "wrong"
    assert (rendering["reference"], rendering["word"]) == ("ils", "elles")
    assert rendering["probabilities"][data["classes"].index("elles")] == 0.75
