"""What holds for every metric of the registry: intervals, tests, signatures, and all outputs."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import crosspro.evaluation.metrics as registry
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.formats.shared_task import parse_examples
from crosspro.evaluation.core.evaluation import evaluate
from crosspro.evaluation.core.statistics import Resampling
from crosspro.evaluation.inputs.plain_text import Documents, MTText
from crosspro.evaluation.metrics.contrastive.formats import (
    ContrastiveSet,
    Instance,
    WrongTranslation,
)
from crosspro.evaluation.metrics.contrastive.metric import ScoredSet, SystemScores
from crosspro.evaluation.metrics.expected_forms.metric import GeneratedSet
from crosspro.evaluation.metrics.expected_forms.outputs import GeneratedOutput
from crosspro.evaluation.metrics.pronoun_doubt.metric import JudgedText, ProofreadPronoun
from crosspro.evaluation.metrics.submissions.metric import Submitted
from crosspro.evaluation.metrics.submissions.submission import Gold, Submission
from crosspro.evaluation.output.page import evaluation_page
from crosspro.evaluation.output.records import csv_report, detail_json, detail_tsv, json_report
from crosspro.evaluation.output.tables import Style
from crosspro.evaluation.output.text import text_report
from tests.evaluation.metrics.apt.texts import CANDIDATE, REFERENCE, SOURCE, mt_input
from tests.evaluation.report.reading import check_page

PLAN = Resampling(60, 1)
SIZE = 24
DOCUMENTS = np.repeat(np.arange(12), 2)


def submissions():
    task = load_task("en-fr")
    gold = np.arange(SIZE, dtype=np.int8) % len(task.classes)
    wrong = np.where(np.arange(SIZE) % 3, gold, 0).astype(np.int8)
    submitted = Submission("good", gold), Submission("bad", wrong)
    lines = [f"{task.classes[one]}\tx\tIt sleeps\tREPLACE_0 dormir\t0-0" for one in gold]
    examples = parse_examples(lines, task, "gold")
    gold = Gold("gold", gold, np.ones(SIZE, dtype=np.int64), DOCUMENTS)
    return {"task": task}, Submitted(gold, submitted, examples)


def plain_text():
    lines = ["He sees her today .", "She sees it in the house .", "They see him ."] * 8
    bad = [line.replace("He", "It") for line in lines[:12]] + ["nothing at all"] * 12
    return MTText(("good", "bad"), (lines, bad), (lines,), DOCUMENTS)


def linked():
    documents = Documents(np.arange(7), tuple("abcdefg"))
    candidates = [replace(REFERENCE, name="good"), replace(CANDIDATE, name="bad")]
    return mt_input(SOURCE, candidates=candidates, documents=documents)


def instances():
    errors = (WrongTranslation("Elle dort .", "elle"),)
    own = {"source": "It sleeps .", "reference": "Il dort .", "source_pronoun": "it"}
    return ContrastiveSet(
        "set",
        "contrapro",
        tuple(
            Instance(f"i{n}", errors, {"pronoun": "it:il"}, document=f"d{n // 2}", **own,
                     reference_pronoun="il")
            for n in range(SIZE)
        ),
        "0",
    )  # fmt: skip


def scored():
    bad = [1.0, 0.0] * 18 + [0.0, 1.0] * 6
    good = SystemScores("good", np.array([0.0, 1.0] * SIZE))
    return ScoredSet(instances(), (good, SystemScores("bad", np.array(bad))))


def generated():
    bad = ("Elle dort .",) * 18 + ("Il dort .",) * 6
    good = GeneratedOutput("good", ("Il dort .",) * SIZE)
    return GeneratedSet(instances(), (good, GeneratedOutput("bad", bad)))


def judged():
    """A pronoun on every line; the worse system has a second one on every third."""
    wrong = [(0.1, "it"), (0.2, "they")]
    good = [ProofreadPronoun(line, "es", *wrong[line % 2][::-1]) for line in range(SIZE)]
    bad = [replace(one, wrong=one.wrong + 0.6) for one in good]
    bad += [ProofreadPronoun(line, "sie", "it", 0.9, "es") for line in range(0, SIZE, 3)]
    return JudgedText(("good", "bad"), (tuple(good), tuple(bad)), SIZE, DOCUMENTS, ("model:x.0",))


DATA = {
    "submissions": submissions,
    "bleu": lambda: ({}, plain_text()),
    "pronoun_f1": lambda: ({"language": "en"}, plain_text()),
    "apt": lambda: ({"repair": False}, linked()),
    "autoprf": lambda: ({}, linked()),
    "pronoun_doubt": lambda: ({}, judged()),
    "contrastive": lambda: ({}, scored()),
    "expected_forms": lambda: ({"language": "fr"}, generated()),
}


def evaluated(name, plan=PLAN):
    if name == "bleu":
        pytest.importorskip("sacrebleu")
    settings, data = DATA[name]()
    return evaluate(registry.make_metric(name, **settings), data, plan)


@pytest.fixture(scope="module", params=registry.METRICS)
def evaluation(request):
    return evaluated(request.param)


def scores(evaluation):
    for system in evaluation.systems:
        for group in system.groups:
            yield from ((group, measure, one) for measure, one in group.scores.items())


def test_every_folder_is_a_metric_of_the_registry():
    folders = {path.parent.name for path in Path(registry.__file__).parent.glob("*/metric.py")}
    assert folders == set(registry.METRICS) == set(DATA)
    assert [registry.metric_class(name).name for name in registry.METRICS] == [*registry.METRICS]


def test_intervals_hold_the_scores_and_signatures_say_how(evaluation):
    for group, _, one in scores(evaluation):
        if one.low is not None:
            assert one.low <= one.value + 1e-9
            assert one.high >= one.value - 1e-9
        if not group.breakdown:
            assert "|bootstrap:60|by:document|seed:1|crosspro:" in one.signature
    assert evaluation.signatures


def test_the_better_system_is_better_and_the_same_seed_gives_the_same(evaluation):
    good, bad = evaluation.systems
    compared = [one.metric for one in evaluation.comparisons]
    assert evaluation.metric.headline in compared
    for one in evaluation.comparisons:
        assert (one.first, one.second) == ("good", "bad")
        change = good.scores[one.metric].value - bad.scores[one.metric].value
        assert one.difference == pytest.approx(change)
        assert one.difference < 0 if evaluation.metric.lower_is_better else one.difference > 0
        assert one.low <= one.difference <= one.high
        assert 0 < one.p_randomisation <= 1
    again = evaluated(evaluation.metric.name)
    assert json_report(again) == json_report(evaluation)


def test_without_resampling_there_are_no_intervals_and_tests(evaluation):
    found = evaluated(evaluation.metric.name, None)
    assert found.comparisons == ()
    assert all(one.low is None for _, _, one in scores(found))
    pairs = zip(scores(found), scores(evaluation), strict=True)
    for (_, _, one), (_, _, other) in pairs:
        assert one.value == pytest.approx(other.value, nan_ok=True)


def test_json_and_csv_have_the_scores(evaluation):
    content = json.loads(json_report(evaluation), parse_constant=pytest.fail)
    assert content["metric"] == evaluation.metric.name
    assert content["data"]["items"] == evaluation.scored.size
    rows = list(csv.DictReader(io.StringIO(csv_report(evaluation))))
    for system, own in zip(content["systems"], evaluation.systems, strict=True):
        (row,) = (
            one for one in rows
            if one["system"] == own.name and not one.get("breakdown")
            and one.get("group", "total") == "total"
        )  # fmt: skip
        for measure, score in own.scores.items():
            assert system["scores"][measure]["value"] == score.value
            if measure in evaluation.metric.measures:
                assert float(row[measure]) == pytest.approx(score.value, rel=1e-5)


def test_text_markdown_and_page(evaluation):
    plain, signed = text_report(evaluation), text_report(evaluation, Style(signatures=True))
    score = evaluation.systems[1].scores[evaluation.metric.headline]
    assert f"{evaluation.metric.scale.number(score.value)} [" in plain
    assert "good - bad" in plain
    assert evaluation.signatures[0] not in plain
    assert f"Signatures\n\n- {evaluation.signatures[0]}" in signed
    assert "| --- |" in text_report(evaluation, Style(markdown=True))
    page = evaluation_page(evaluation)
    if evaluation.metric.verdict_kinds:
        assert len(check_page(page)[0]["examples"]) == evaluation.scored.size
    assert evaluation.signatures[0] in page
    assert "Paired differences" in page
    assert "{{" not in page


def test_details_are_of_every_item_of_every_system(evaluation):
    records = json.loads(detail_json(evaluation))
    if not records:
        assert not evaluation.metric.verdict_kinds
        return
    assert len(records) == 2 * evaluation.scored.size
    assert [one["system"] for one in records[:: evaluation.scored.size]] == ["good", "bad"]
    heading, *rows = detail_tsv(evaluation).splitlines()
    assert heading.startswith("system\t")
    assert len(rows) == len(records)
    kinds = len(evaluation.metric.verdict_kinds)
    for place in range(2):
        found = evaluation.metric.verdicts(evaluation.scored, place)
        assert len(found) == evaluation.scored.size
        assert set(found) <= set(range(kinds))
