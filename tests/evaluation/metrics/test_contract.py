"""What holds for every metric of the registry: intervals, tests, signatures, and all outputs."""

from __future__ import annotations

import json

import numpy as np
import pytest

import crosspro.evaluation.metrics as registry
from crosspro.data_prep.core.example import Gap
from crosspro.data_prep.core.task import load_task
from crosspro.evaluation.evaluation import evaluate
from crosspro.evaluation.links import link_texts
from crosspro.evaluation.metrics.contrastive import ScoredSet, SystemScores
from crosspro.evaluation.metrics.contrastive_sets import (
    CONTRAPRO,
    ContrastiveSet,
    Instance,
    WrongTranslation,
)
from crosspro.evaluation.metrics.expected_forms import GeneratedSet
from crosspro.evaluation.metrics.pronoun_doubt import ProofreadPronoun
from crosspro.evaluation.metrics.submissions.metric import Submitted
from crosspro.evaluation.metrics.submissions.submission import Gold, Submission
from crosspro.evaluation.report.page import evaluation_page
from crosspro.evaluation.report.records import detail_records, json_report
from crosspro.evaluation.report.tables import text_report
from crosspro.evaluation.resampling import Resampling
from crosspro.evaluation.texts import make_texts
from tests.evaluation.report.reading import check_page
from tests.examples import example_of

PLAN = Resampling(60, 1)
SIZE = 24
DOCUMENTS = [f"d{number // 2}" for number in range(SIZE)]


def submissions():
    task = load_task("en-fr")
    gold = np.arange(SIZE, dtype=np.int8) % len(task.classes)
    wrong = np.where(np.arange(SIZE) % 3, gold, 0).astype(np.int8)
    tokens = (("It", "sleeps"), ("REPLACE_0", "dormir"), ((0, 0),))
    gaps = [(Gap(0, 0, task.classes[label], "x"),) for label in gold]
    examples = [example_of(*tokens, gaps_of_line) for gaps_of_line in gaps]
    documents = np.repeat(np.arange(SIZE // 2), 2)
    gold_labels = Gold("gold", gold, np.ones(SIZE, dtype=np.int64), documents)
    submitted = Submission("good", gold), Submission("bad", wrong)
    return {"task": task}, Submitted(gold_labels, submitted, examples)


def texts():
    source = ["It sleeps .", "They see it now .", "It was here ."] * (SIZE // 3)
    good = ["Il dort .", "Elles le voient maintenant .", "Elle était là ."] * (SIZE // 3)
    bad = [line.replace("Il", "Elle") for line in good[:12]] + ["rien"] * 12
    reference = good
    return make_texts(source, reference, {"good": good, "bad": bad}, DOCUMENTS, ("en", "fr"))


def linked():
    links = [[(0, 0)]] * SIZE
    return link_texts(texts(), links, {"good": links, "bad": links})


class Judge:
    """Finds a pronoun on every line; the worse translation has doubtful ones."""

    described = ("model:x",)

    def judged(self, source, target, documents, progress=None):
        wrong = 0.7 if "rien" in target else 0.1
        return tuple(ProofreadPronoun(line, "il", "it", wrong) for line in range(len(source)))


def instances():
    errors = (WrongTranslation("Elle dort .", "elle"),)
    return ContrastiveSet("set", CONTRAPRO, tuple(
        Instance(f"i{number}", errors, {"pronoun": "it:il"}, source="It sleeps .",
                 reference="Il dort .", source_pronoun="it", reference_pronoun="il",
                 document=DOCUMENTS[number])
        for number in range(SIZE)
    ), "0")  # fmt: skip


def scored():
    bad = [1.0, 0.0] * 18 + [0.0, 1.0] * 6
    systems = {"good": [0.0, 1.0] * SIZE, "bad": bad}
    scores = [SystemScores(name, np.array(values)) for name, values in systems.items()]
    return {}, ScoredSet(instances(), tuple(scores))


def translated():
    translations = {"good": ["Il dort ."] * SIZE, "bad": ["Elle dort ."] * 18 + ["Il dort ."] * 6}
    return {"language": "fr"}, GeneratedSet(instances(), translations)


DATA = {
    "contrastive": scored,
    "expected_forms": translated,
    "submissions": submissions,
    "bleu": lambda: ({}, texts()),
    "chrf": lambda: ({}, texts()),
    "pronoun-f1": lambda: ({}, texts()),
    "apt": lambda: ({"pronouns": "en-fr"}, linked()),
    "autoprf": lambda: ({"pronouns": "en-fr"}, linked()),
    "doubt": lambda: ({"judge": Judge()}, texts()),
}


def evaluated(name, resampling=PLAN):
    if name in ("bleu", "chrf"):
        pytest.importorskip("sacrebleu")
    settings, data = DATA[name]()
    return evaluate(registry.make_metric(name, **settings), data, resampling)


@pytest.fixture(scope="module", params=registry.METRICS)
def evaluation(request):
    return evaluated(request.param)


def scores(evaluation):
    for candidate in evaluation.candidates:
        for group in (candidate.total, *candidate.groups):
            yield from group.scores.values()


def test_every_metric_has_data_here():
    assert set(DATA) == set(registry.METRICS)


def test_names_are_those_of_the_registry(evaluation):
    assert evaluation.metric.name in registry.METRICS
    assert evaluation.headline in evaluation.measures


def test_scores_are_per_cent_in_their_intervals_and_the_signature_says_how(evaluation):
    for score in scores(evaluation):
        assert np.isnan(score.value) or 0 <= score.value <= 100 + 1e-9
        if score.low is not None:
            assert score.low - 1e-9 <= score.value <= score.high + 1e-9
    assert f"{evaluation.metric.name}|crosspro:" in evaluation.signature
    assert "|bootstrap:60|by:document|seed:1|" in evaluation.signature


def test_the_better_candidate_is_better_and_the_same_seed_gives_the_same(evaluation):
    good, bad = evaluation.candidates
    assert evaluation.headline in [test.measure for test in evaluation.comparisons]
    for test in evaluation.comparisons:
        assert (test.first, test.second) == ("good", "bad")
        change = good.scores[test.measure].value - bad.scores[test.measure].value
        assert test.difference == pytest.approx(change)
        lower_is_better = evaluation.metric.display.lower_is_better
        assert test.difference < 0 if lower_is_better else test.difference > 0
        assert test.low - 1e-9 <= test.difference <= test.high + 1e-9
        assert 0 < test.p_randomisation <= 1
    assert json_report(evaluated(evaluation.metric.name)) == json_report(evaluation)


def test_without_resampling_there_are_no_intervals_and_tests(evaluation):
    plain = evaluated(evaluation.metric.name, None)
    assert plain.comparisons == ()
    for score, other in zip(scores(plain), scores(evaluation), strict=True):
        assert score.low is None
        assert score.value == pytest.approx(other.value, nan_ok=True)


def test_every_output_has_the_scores(evaluation):
    headline, digits = evaluation.headline, evaluation.metric.display.digits
    content = json.loads(json_report(evaluation), parse_constant=pytest.fail)
    assert content["data"]["items"] == evaluation.items.size
    for scored_candidate, candidate in zip(
        evaluation.candidates, content["candidates"], strict=True
    ):
        value = scored_candidate.scores[headline].value
        assert candidate["scores"][headline]["value"] == value
    shown = f"{evaluation.scores['bad'][headline].value:.{digits}f}"
    texts = [text_report(evaluation)]
    for text in (*texts, evaluation_page(evaluation)):
        assert shown in text
        assert evaluation.signature in text
        assert "good - bad" in text


def test_details_and_examples_are_of_every_item(evaluation):
    records = detail_records(evaluation)
    if records:
        assert [record["candidate"] for record in records[:: evaluation.items.size]] == [
            "good", "bad",
        ]  # fmt: skip
    if evaluation.metric.display.verdicts:
        data, _ = check_page(evaluation_page(evaluation))
        assert len(data["examples"]) == evaluation.items.size
        for place in range(2):
            verdicts = evaluation.metric.verdicts(evaluation.items, place)
            assert set(verdicts) <= set(range(len(evaluation.metric.display.verdicts)))
