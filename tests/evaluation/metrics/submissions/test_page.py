"""The page of an evaluation: all its gaps, with filters that count what the tables say."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.formats.pointed_nouns import PointedNoun
from crosspro.data_prep.formats.shared_task import read_examples
from crosspro.evaluation.core.statistics import Resampling
from crosspro.evaluation.metrics.submissions.metric import evaluate_submissions
from crosspro.evaluation.metrics.submissions.submission import (
    Gold,
    Submission,
    read_gold,
    read_submissions,
)
from crosspro.evaluation.output.page import evaluation_page, shown_numbers
from crosspro.evaluation.published.results import published_results
from tests.conftest import GOLDEN
from tests.evaluation.output.reading import check_page, page_data

CASE = GOLDEN / "scorer" / "en-fr_random"
LINES = (
    "ils\til|PRON\tThey sing .\tREPLACE_0 chanter|VER .|.\t0-0 1-1 2-2\n",
    "\t\tThe birds sleep .\tle|DET oiseau|NOM dormir|VER .|.\t0-0 1-1 2-2 3-3\n",
    "OTHER elle\tleur|PRON elle|PRON\tIt likes it .\tREPLACE_2 aimer|VER REPLACE_0 .|.\t2-0 0-2\n",
    "ce\tce|PRON\tIt rains .\tREPLACE_0 pleuvoir|VER .|.\t0-0 1-1\n",
)
DOCUMENTS = "a\na\na\nb\n"


def evaluate(task, gold, submissions, plan=None):
    return evaluate_submissions(task, gold, submissions, plan=plan)


def html_report(evaluation, submissions, examples, published=(), max_examples=20_000):
    """The page of an evaluation of which examples and published results are known later."""
    data = replace(evaluation.scored.data, examples=examples, published=published)
    shown = replace(evaluation, scored=replace(evaluation.scored, data=data))
    return evaluation_page(shown, max_examples)


@pytest.fixture
def small(tmp_path, en_fr):
    """Three sentences of one document, one of another, and a system with probabilities."""
    gold = tmp_path / "gold.data"
    gold.write_text("".join(LINES), encoding="utf-8")
    (tmp_path / "gold.doc-ids").write_text(DOCUMENTS, encoding="utf-8")
    labels = read_gold(gold, en_fr, tmp_path / "gold.doc-ids")
    probabilities = np.zeros((4, len(en_fr.classes)))
    index = en_fr.class_index
    for row, name in enumerate(("elles", "OTHER", "elle", "ce")):
        probabilities[row, index[name]] = 0.75
        probabilities[row, index["il"]] = 0.25
    run = Submission("run", probabilities.argmax(axis=1).astype(np.int8), (), probabilities)
    examples = list(read_examples(gold, en_fr, tmp_path / "gold.doc-ids"))
    return evaluate(en_fr, labels, [run]), [run], examples


@pytest.fixture(scope="module")
def evaluation():
    from crosspro.data_prep.core.task import load_task

    task = load_task("en-fr")
    gold = read_gold(CASE / "gold.tsv", task)
    read = read_submissions([CASE / "pred.tsv", CASE / "gold.tsv"], task, gold, lenient=True)
    examples = list(read_examples(CASE / "gold.tsv", task, lenient=True))
    return evaluate(task, gold, read, plan=Resampling(200, 1)), read, examples


def test_the_page_has_every_gap_and_its_numbers_filter(evaluation):
    found, submissions, examples = evaluation
    data, elements = check_page(html_report(found, submissions, examples))
    assert len(data["examples"]) == len(found.scored.data.gold.classes)
    cells = [number for filters, number in elements.buttons if "word" in filters]
    assert sum(cells) == 2 * len(found.scored.data.gold.classes)
    verdicts = {
        (filters["candidate"], filters["verdict"]): number
        for filters, number in elements.buttons
        if "verdict" in filters
    }
    counts = found.metric.confusion(found.scored, 0)
    assert verdicts["0", "0"] == counts.trace()
    assert verdicts["0", "1"] == counts.sum() - counts.trace()


def test_scores_have_bars_with_intervals(evaluation):
    found, submissions, examples = evaluation
    page = html_report(found, submissions, examples, published_results(2017, "en-fr"))
    assert "{{" not in page
    score = found.systems[0].scores["macro_recall"]
    width = f"left:{score.low:.2f}%;width:{score.high - score.low:.2f}%"
    assert width in page
    assert page.count('class="bar"') == 2 * 3 + 2 * len(published_results(2017, "en-fr"))


def test_sentences_before_that_of_the_gap_are_of_its_document(small):
    data = page_data(html_report(*small))
    numbers = [[data["lines"][row]["number"] for row in one["lines"]] for one in data["examples"]]
    assert numbers == [[0], [0, 1, 2], [0, 1, 2], [3]]
    texts = [data["lines"][row]["references"][0] for row in data["examples"][1]["lines"]]
    assert texts == [
        "ils chanter|VER .|.",
        "le|DET oiseau|NOM dormir|VER .|.",
        "leur|PRON aimer|VER elle .|.",
    ]
    assert data["tagged"]


def test_a_gap_has_its_place_its_classes_and_the_probabilities_of_its_run(small):
    data = page_data(html_report(*small))
    first, second = data["examples"][:2]
    assert (first["name"], first["pronoun"]) == ("gold word il|PRON", "they")
    mark = {"line": 0, "kind": "pronoun", "repaired": False, "source": [0], "target": [0]}
    assert first["references"] == [[mark]]
    (made,) = first["candidates"]
    assert data["verdicts"][made["verdict"]]["name"] == "wrong"
    assert (made["reference"], made["word"]) == ("ils", "elles")
    shares = made["probabilities"]
    assert dict(zip(data["classes"], shares, strict=True)) | {"elles": 0, "il": 0} == dict.fromkeys(
        data["classes"], 0
    )
    assert shares[data["classes"].index("elles")] == 0.75
    assert second["references"] == [[{**mark, "line": 2, "source": [2]}]]  # its third line


def test_files_have_no_probabilities(evaluation):
    data = page_data(html_report(*evaluation))
    assert not any(
        made["probabilities"] for example in data["examples"] for made in example["candidates"]
    )


def test_text_cannot_end_the_data_of_the_page(tmp_path, en_fr):
    gold = tmp_path / "<i>gold"
    gold.write_text("il\til\tit </script><b>x\tREPLACE_0 <!--|X\t\n", encoding="utf-8")
    (tmp_path / "pred").write_text("elle\n", encoding="utf-8")
    labels = read_gold(gold, en_fr)
    read = read_submissions([tmp_path / "pred"], en_fr, labels)
    named = [Submission("<script>alert(1)</script>", read[0].classes)]
    page = html_report(evaluate(en_fr, labels, named), named, read_examples(gold, en_fr))
    data, elements = check_page(page)
    assert "it </script><b>x" in [line["source"] for line in data["lines"]]
    assert "<script>alert" not in page
    assert "<i>gold" not in page
    assert elements.tags.count("b") == 3  # of bars


def test_few_gaps_are_shown_if_asked_and_the_wrong_ones_first(evaluation):
    found, submissions, examples = evaluation
    page = html_report(found, submissions, examples, max_examples=3)
    data = page_data(page)
    assert len(data["examples"]) == 3
    assert all(example["candidates"][0]["verdict"] == 1 for example in data["examples"])
    assert "Only 3 of 583 gaps are here, wrong ones before right ones" in page
    assert page_data(html_report(found, submissions, examples, max_examples=0))["examples"] == []


def test_right_gaps_fill_the_room_that_wrong_ones_leave(en_fr):
    gold = np.zeros(10, dtype=np.int8)
    predicted = np.zeros((2, 10), dtype=np.int8)
    predicted[0, 3] = predicted[1, 7] = 1
    submissions = [Submission(str(n), own) for n, own in enumerate(predicted)]
    found = evaluate(en_fr, Gold("gold", gold, np.ones(10, dtype=np.int64)), submissions)
    assert shown_numbers(found, 1) == [3]
    assert set(shown_numbers(found, 4)) >= {3, 7}
    assert len(shown_numbers(found, 4)) == 4
    assert shown_numbers(found, 100) == list(range(10))


def test_lines_with_other_numbers_of_labels_are_shown_too(tmp_path, en_fr):
    gold = tmp_path / "gold"
    gold.write_text("il elle\til elle\tit rains\tREPLACE_0 pleuvoir|VER\t0-0\n", encoding="utf-8")
    (tmp_path / "pred").write_text("il il\n", encoding="utf-8")
    labels = read_gold(gold, en_fr)
    read = read_submissions([tmp_path / "pred"], en_fr, labels)
    page = html_report(
        evaluate(en_fr, labels, read), read, read_examples(gold, en_fr, lenient=True)
    )
    assert [one["references"] for one in page_data(page)["examples"]] == [[[]], [[]]]


def test_gold_that_cannot_be_read_twice_is_an_error(small):
    found, submissions, examples = small
    with pytest.raises(InputError, match="gold"):
        html_report(found, submissions, examples[:2])


def test_what_a_run_points_at_is_marked_however_far_back(tmp_path, en_fr):
    """The line of the noun is shown, not those between it and the usual context."""
    before = "\t\tThe birds sleep .\tle|DET oiseau|NOM dormir|VER .|.\t0-0 1-1 2-2 3-3\n"
    gold = tmp_path / "gold.data"
    gold.write_text(before * 6 + LINES[0] * 2, encoding="utf-8")
    (tmp_path / "ids").write_text("a\n" * 8, encoding="utf-8")
    labels = read_gold(gold, en_fr, tmp_path / "ids")
    run = Submission(
        "run",
        labels.classes,
        pointed=[
            (PointedNoun("target", 6, 1, 0.5, 0.75), PointedNoun("source", 0, 0, 0.3, 0.05)),
            (PointedNoun("source", 7, 1, 0.2, 0.4),),  # none is more probable
        ],
    )
    other = replace(run, name="other", pointed=[(PointedNoun("source", 1, 1, 0.6, 0.6),), ()])
    plain = Submission("plain", labels.classes)
    submissions = [run, other, plain]
    examples = list(read_examples(gold, en_fr, tmp_path / "ids"))
    page = html_report(evaluate(en_fr, labels, submissions), submissions, examples)
    first, second = page_data(page)["examples"]
    numbers = [line["number"] for line in page_data(page)["lines"]]
    assert [numbers[line] for line in first["lines"]] == [0, 3, 4, 5, 6]
    assert [numbers[line] for line in second["lines"]] == [4, 5, 6, 7]
    marks = [
        [(mark["line"], mark["kind"], mark["source"], mark["target"]) for mark in made["marks"]]
        for made in first["candidates"]
    ]
    assert marks == [[(0, "head", [], [1])], [(3, "head", [1], [])], []]
    assert [made["note"] for made in first["candidates"]] == [
        "antecedent oiseau (0.75)", "antecedent birds (0.60)", "",
    ]  # fmt: skip
    assert [made["marks"] for made in second["candidates"]] == [[], [], []]
    ((mark,),) = first["references"]
    assert (mark["line"], mark["source"], mark["target"]) == (4, [0], [0])
