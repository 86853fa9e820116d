"""Questions about the results of systems, as a campaign of Pearmut, and verdicts by place."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from crosspro.evaluation.people.pearmut import campaign, read_annotations
from crosspro.evaluation.people.verdicts import Verdict, verdicts_by_item
from crosspro.evaluation.protest.match import score_system
from crosspro.evaluation.protest.review import placed_verdicts, questions_of, to_judge
from tests.conftest import GOLDEN
from tests.evaluation.protest.tokens import CLITIC, HOUSE, RAIN, changed

PEARMUT = GOLDEN / "protest" / "pearmut"


@pytest.fixture
def results(suite, reference, french):
    """The same mismatches of two systems: a pronoun, and a head with two pronouns."""
    outputs = [
        changed(replace(reference, name=name), (15, 5, "manoir"), (4, 0, "Ça"))
        for name in ("old", "new")
    ]
    return [result for output in outputs for result in score_system(suite, output, french)]


def test_a_translation_of_two_systems_is_one_question(results):
    questions = {question.item.token: question for question in to_judge(results, {})}
    assert questions.keys() >= {RAIN, HOUSE}
    assert {question.item.system for question in questions.values()} == {"old, new"}
    assert len(to_judge(results, {}, matches=True)) == len(questions_of(results)) == 15
    house = questions[HOUSE]
    marks = {mark: word for line in house.output for word, mark in line if mark}
    assert marks["head"] == "manoir"
    assert (house.item.head, house.anaphoric) == ("manoir", True)
    judged = verdicts_by_item([Verdict(questions[RAIN].item, "Ada", "right")])
    judgements = {key: item_verdicts.judgement for key, item_verdicts in judged.items()}
    assert RAIN not in {question.item.token for question in to_judge(results, judgements)}


@pytest.mark.parametrize(
    ("values", "decision", "human"),
    [
        ([], None, ""),
        (["right"], None, "correct"),
        (["wrong"], None, "incorrect"),
        (["unclear"], None, ""),
        (["bad"], None, "bad translation"),
        (["right", "wrong"], None, ""),
        (["right", "wrong"], "wrong", "incorrect"),
        (["unclear"], "bad", "bad translation"),
    ],
)
def test_verdicts_by_place(values, decision, human, results):
    item = next(q.item for q in questions_of(results).values() if q.item.token == RAIN)
    verdicts = [Verdict(item, str(number), value) for number, value in enumerate(values)]
    verdicts += [] if decision is None else [Verdict(item, "Eve", decision, kind="decision")]
    judgements = {
        key: item_verdicts.judgement for key, item_verdicts in verdicts_by_item(verdicts).items()
    }
    placed = [verdict for verdict in placed_verdicts(results, judgements) if verdict.token == RAIN]
    assert [
        (placed_verdict.human, placed_verdict.line, placed_verdict.position)
        for placed_verdict in placed
    ] == [(human, 4, 0)] * 2
    assert {placed_verdict.system for placed_verdict in placed} == {"old", "new"}


# Pearmut: the golden files were loaded, answered and downloaded with Pearmut 1.1.6 ----------------


@pytest.fixture
def judged(suite, reference, french):
    """What the golden campaign asks: the suite without the clitic, which has no link there."""
    used = replace(suite, tokens=tuple(token for token in suite.tokens if token.name != CLITIC))
    old = changed(replace(reference, name="old"), (1, 0, "Elle"))
    new = changed(replace(reference, name="new"), (4, 0, "Ça"), (15, 5, "manoir"))
    every = [result for system in (old, new) for result in score_system(used, system, french)]
    return used, to_judge(every, {})


def test_a_campaign_is_as_pearmut_loads_it(judged):
    suite, questions = judged
    ours = json.loads(campaign(suite.digest, questions, ["Ada", "Ben"]))
    golden = json.loads((PEARMUT / "campaign.json").read_text("utf-8"))
    assert ours["info"] == golden["info"]
    assert ours["data"] == golden["data"]
    assert ours.keys() == golden.keys()


def annotations(suite, tmp_path, change=lambda log: None):
    (log,) = json.loads((PEARMUT / "annotations.json").read_text("utf-8")).values()
    change(log)
    path = tmp_path / "annotations.json"
    path.write_text(json.dumps({f"protest-{suite.digest}": log}), "utf-8")
    return read_annotations(path, suite.digest, suite.anaphoric)


def test_annotations_of_pearmut(judged, tmp_path):
    suite, questions = judged
    verdicts = annotations(suite, tmp_path)
    assert [(v.annotator, v.pronoun, v.antecedent) for v in verdicts] == [
        ("Ada", "right", "right"), ("Ada", "wrong", None), ("Ada", "right", "wrong"),
        ("Ada", "bad", None), ("Ben", "right", "right"), ("Ben", "right", None),
        ("Ben", "right", "right"), ("Ben", "unclear", "unclear"),
    ]  # fmt: skip
    assert verdicts[1].remark == "a = b c"
    assert [verdict.item for verdict in verdicts[:4]] == [q.item for q in questions]

    def begun_again(log):
        log[4:4] = [{"user_id": "Ada", "annotation": "__RESET__"}, log[0]]

    again = annotations(suite, tmp_path, begun_again)
    assert [verdict.annotator for verdict in again].count("Ada") == 1
