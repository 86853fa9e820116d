"""Scores of systems: automatic, silver and human parts, ranges, intervals, tests, outputs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crosspro.evaluation.evaluation import evaluate
from crosspro.evaluation.protest.match import score_system
from crosspro.evaluation.protest.metric import STATUSES, Protest, ProtestSettings, ScoredSystems
from crosspro.evaluation.protest.silver import Alternative
from crosspro.evaluation.protest.suite import Translation
from crosspro.evaluation.report.page import evaluation_page
from crosspro.evaluation.resampling import Resampling
from tests.evaluation.protest.tokens import HOUSE, RAIN, by_name, changed, judgement

PLAN = Resampling(200, 1)


@pytest.fixture
def good(suite, reference, french):
    return score_system(suite, replace(reference, name="good"), french)


@pytest.fixture
def bad(suite, reference, french):
    """Four tokens of 15 do not match: two with the house, the rain, the event."""
    output = changed(replace(reference, name="bad"), (15, 5, "manoir"), (4, 0, "Ça"), (6, 0, "Il"))
    return score_system(suite, output, french)


@pytest.fixture
def evaluated(suite, french):
    def evaluation(plan=None, judgements=None, silver=None, used=suite, **results):
        data = ScoredSystems(used, french, results, silver or {}, judgements or {})
        return evaluate(Protest(ProtestSettings()), data, plan)

    return evaluation


def values(evaluation, place=0):
    return [score.value for score in evaluation.candidates[place].scores.values()]


def counts(evaluation, *statuses):
    return [evaluation.candidates[0].total.counts[status] for status in statuses]


def test_what_nobody_has_judged_is_a_range_that_verdicts_fill(evaluated, bad):
    evaluation = evaluated(bad=bad)
    assert values(evaluation) == pytest.approx([100 * 11 / 15] * 2)
    assert counts(evaluation, "open") == [4]
    results = by_name(bad)
    verdicts = (
        judgement(results[RAIN], "right")
        | judgement(results[HOUSE], "wrong", "right")
        | judgement(results["talk1:word_37"], "conflict")
    )
    evaluation = evaluated(bad=bad, judgements=verdicts)
    assert counts(evaluation, "right", "wrong", "conflict", "open") == [1] * 4
    assert values(evaluation) == pytest.approx([100 * 11 / 15, 100 * 12 / 15])
    assert "to 93.3" in str(evaluation)


def test_silver_is_apart(suite, reference, french, evaluated):
    output, silver = changed(reference, (4, 0, "Ça")), {RAIN: [Alternative(("ça",))]}
    results = score_system(suite, output, french, silver)
    evaluation = evaluated(x=results, silver=silver)
    assert counts(evaluation, "automatic", "silver") == [14, 1]
    assert values(evaluation) == pytest.approx([100 * 14 / 15, 100])


@pytest.mark.parametrize(
    ("pronoun", "antecedent", "needs", "status"),
    [
        ("right", "wrong", "pronoun", "right"),
        ("right", "wrong", "both", "wrong"),
        ("wrong", "right", "both", "wrong"),
        ("right", "unclear", "both", "unclear"),
        ("right", "conflict", "both", "conflict"),
        ("right", "conflict", "pronoun", "right"),
        ("unclear", "right", "pronoun", "unclear"),
        ("bad", None, "both", "unclear"),
        ("right", "right", "both", "right"),
    ],
)
def test_what_people_must_find_right(bad, pronoun, antecedent, needs, status):
    result = by_name(bad)[HOUSE]
    (verdict,) = judgement(result, pronoun, antecedent).values()
    status_of = Protest(ProtestSettings(needs)).status
    match = replace(result, outcome="match")
    assert status_of(result, verdict) == status_of(match, verdict) == status
    assert status_of(match, None) == "automatic"


def test_verdicts_about_another_output_do_not_count(evaluated, good, bad):
    (verdict,) = judgement(by_name(bad)[RAIN], "right").values()
    evaluation = evaluated(bad=bad, judgements={(RAIN, "old"): verdict})
    assert counts(evaluation, "right") == [0]
    assert len(evaluation.warnings) == 2  # and not all is judged
    assert len(evaluated(good=good, judgements={(RAIN, "old"): verdict}).warnings) == 0


def test_the_page_has_every_token_with_its_marks(suite, reference, french, evaluated):
    tokens = tuple(
        replace(token, references=(Translation(), *token.references)) for token in suite.tokens
    )
    two = replace(suite, references=suite.references * 2, tokens=tokens)
    output = changed(replace(reference, name="x"), (15, 5, "manoir"), (4, 0, "<!--"))
    results = score_system(two, output, french)
    verdict = judgement(by_name(results)[RAIN], "wrong")
    evaluation = evaluated(used=two, judgements=verdict, **{"</script>": results})
    assert "<!--" not in evaluation_page(evaluation).partition("<body")[2]
    items = evaluation.items
    examples = evaluation.metric.examples(items, range(items.size))
    for example, token, result in zip(examples.examples, tokens, results, strict=True):
        (shown,) = example["candidates"]
        assert list(STATUSES)[shown.verdict] == items.values[0][tokens.index(token)].status
        lines = [examples.lines[number] for number in example["lines"]]
        assert [line["number"] for line in lines] == suite.context(token)
        assert [mark.kind for mark in shown.marks] == ["pronoun", "head"][: 1 + token.anaphoric]
        words = lines[shown.marks[0].line]["candidates"][0].split(" ")
        assert tuple(words[at] for at in shown.marks[0].target) == result.words
    notes = {example["name"]: example["candidates"][0].note for example in examples.examples}
    assert notes[RAIN] == "pronoun differs; A"
    assert "head differs" in notes[HOUSE]
