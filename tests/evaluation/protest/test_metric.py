"""Scores of systems: automatic, silver and human parts, ranges, intervals, tests, outputs."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from crosspro.evaluation.core.evaluation import evaluate
from crosspro.evaluation.core.statistics import Resampling
from crosspro.evaluation.output.page import evaluation_page
from crosspro.evaluation.output.records import csv_report, detail_tsv, json_report
from crosspro.evaluation.output.tables import Style
from crosspro.evaluation.output.text import text_report
from crosspro.evaluation.protest.match import Alternative, ScoredSystems, score_system
from crosspro.evaluation.protest.metric import STATUSES, Protest, ProtestSettings
from crosspro.evaluation.protest.suite import ReferenceWords
from tests.evaluation.protest.tokens import HOUSE, RAIN, by_name, changed, judgement
from tests.evaluation.report.reading import check_page

PLAN = Resampling(200, 1)


@pytest.fixture
def good(suite, reference, french):
    return score_system(suite, replace(reference, name="good"), french, repair=True)


@pytest.fixture
def bad(suite, reference, french):
    """Four tokens of 15 do not match: two with the house, the rain, the event."""
    output = changed(replace(reference, name="bad"), (15, 5, "manoir"), (4, 0, "Ça"), (6, 0, "Il"))
    return score_system(suite, output, french, repair=True)


@pytest.fixture
def evaluated(suite, french):
    def evaluation(plan=None, judgements=None, silver=None, used=suite, **results):
        data = ScoredSystems(used, french, results, silver or {}, judgements or {})
        return evaluate(Protest(ProtestSettings()), data, plan)

    return evaluation


def values(system):
    return [score.value for score in system.scores.values()]


def test_the_reference_scores_100_percent(evaluated, good):
    evaluation = evaluated(PLAN, good=good)
    (system,) = evaluation.systems
    for score in system.scores.values():
        assert (score.value, score.low, score.high) == (1, 1, 1)
    assert system.facts["at_most"] == 1
    assert evaluation.comparisons == ()


def test_what_nobody_has_judged_is_a_range_that_verdicts_fill(evaluated, bad):
    (system,) = evaluated(bad=bad).systems
    assert values(system) == pytest.approx([11 / 15, 11 / 15])
    assert (system.facts["at_most"], system.total.counts["open"]) == (1, 4)
    results = by_name(bad)
    known = (
        judgement(results[RAIN], "right")
        | judgement(results[HOUSE], "wrong", "right")
        | judgement(results["talk1:word_37"], "conflict")
    )
    (system,) = evaluated(bad=bad, judgements=known).systems
    assert [system.total.counts[one] for one in ("right", "wrong", "conflict", "open")] == [1] * 4
    assert values(system) == pytest.approx([11 / 15, 12 / 15])
    assert system.facts["at_most"] == pytest.approx(14 / 15)


def test_silver_is_apart(suite, reference, french, evaluated):
    output, silver = changed(reference, (4, 0, "Ça")), {RAIN: [Alternative(("ça",))]}
    results = score_system(suite, output, french, silver, repair=True)
    (system,) = evaluated(x=results, silver=silver).systems
    assert (system.total.counts["automatic"], system.total.counts["silver"]) == (14, 1)
    assert values(system) == pytest.approx([14 / 15, 1])
    automatic, both = (score.signature for score in system.scores.values())
    assert "|silver:1." in both
    assert "silver" not in automatic


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
        ("right", "right", "both", "right"),
    ],
)
def test_what_people_must_find_right(bad, pronoun, antecedent, needs, status):
    result = by_name(bad)[HOUSE]
    (said,) = judgement(result, pronoun, antecedent).values()
    status_of = Protest(ProtestSettings(needs)).status
    assert status_of(result, said) == status
    match = replace(result, outcome="match")
    assert status_of(match, said) == status
    assert status_of(match, None) == "automatic"


def test_a_match_that_people_find_wrong_counts_only_in_the_automatic_score(evaluated, good):
    (system,) = evaluated(good=good, judgements=judgement(by_name(good)[RAIN], "wrong")).systems
    assert values(system) == pytest.approx([1, 14 / 15])
    assert [system.total.counts[one] for one in ("matches", "automatic", "wrong")] == [15, 14, 1]


def test_verdicts_about_another_output_do_not_count(evaluated, bad):
    rain = by_name(bad)[RAIN]
    old = replace(rain, item=replace(rain.item, digest="old"))
    evaluation = evaluated(bad=bad, judgements=judgement(old, "right"))
    assert evaluation.systems[0].total.counts["right"] == 0
    assert evaluation.warnings == ("bad: 1 verdicts are about another output and do not count",)


def test_two_systems_are_compared(evaluated, good, bad):
    evaluation = evaluated(PLAN, good=good, bad=bad, judgements=judgement(bad[0], "right"))
    first = evaluation.comparisons[0]
    assert (first.first, first.second) == ("good", "bad")
    assert first.difference == pytest.approx(4 / 15)
    assert 0 < first.p_randomisation <= 1
    unjudged, few = evaluation.warnings
    assert unjudged.startswith("bad: not all is judged")
    assert few.startswith("2 documents are few")
    assert evaluated(PLAN, a=good, b=good).comparisons[0].p_bootstrap == 1


def test_one_document_is_resampled_by_token(suite, evaluated, good):
    single = replace(suite, tokens=tuple(t for t in suite.tokens if t.document == "talk1"))
    results = [result for result in good if result.token.document == "talk1"]
    (system,) = evaluated(PLAN, used=single, x=results).systems
    assert "|by:token|" in system.scores["automatic"].signature


def test_categories_have_intervals_where_there_are_two_documents(suite, evaluated, bad):
    (system,) = evaluated(PLAN, bad=bad).systems
    categories = [one for one in system.groups if one.breakdown]
    for one in categories:
        documents = {t.document for t in suite.tokens if t.category == one.group}
        for measure, score in one.scores.items():
            assert score.value == pytest.approx(one.counts["automatic"] / one.counts["tokens"])
            assert (score.low is None) == (len(documents) == 1)
            assert score.signature == system.scores[measure].signature
    assert {one.group for one in categories} == {token.category for token in suite.tokens}


def test_signatures_tell_verdicts_apart(evaluated, bad):
    result = by_name(bad)[RAIN]
    found = [
        evaluated(bad=bad, judgements=judgement(result, said)).signatures[1]
        for said in ("right", "wrong")
    ]
    assert all("|verdicts:1." in text for text in found)
    assert found[0] != found[1]


def test_outputs_agree(evaluated, good, bad):
    evaluation = evaluated(PLAN, good=good, bad=bad)
    text = text_report(evaluation, Style(signatures=True))
    assert "protest-automatic|" not in text_report(evaluation)
    assert "73.3 to 100.0" in text
    assert "protest-automatic|suite:" in text
    assert "| automatic matches |" in text_report(evaluation, Style(markdown=True))
    system = json.loads(json_report(evaluation))["systems"][1]
    assert system["scores"]["automatic"]["value"] == pytest.approx(11 / 15)
    assert system["groups"][0]["group"] == "anaphoric_intra_subject_it"
    assert csv_report(evaluation).splitlines()[2] == "bad,0.733333,0.733333"
    rows = [line.split("\t") for line in detail_tsv(evaluation).splitlines()]
    assert len(rows) == 31
    assert {len(row) for row in rows} == {12}


# The page -----------------------------------------------------------------------------------------


@pytest.fixture
def hostile(suite, reference, french):
    name = "</script>"
    output = changed(replace(reference, name=name), (15, 5, "manoir"), (4, 0, "<!--"))
    return {name: score_system(suite, output, french, repair=True)}


def test_page_has_every_token_status_and_signature(evaluated, good, hostile):
    said = judgement(by_name(hostile["</script>"])[RAIN], "wrong")
    evaluation = evaluated(Resampling(50, 1), judgements=said, good=good, **hostile)
    page = evaluation_page(evaluation)
    data, elements = check_page(page)
    assert len(data["examples"]) == 15
    assert data["candidates"] == ["good", "</script>"]
    for number, own in enumerate(evaluation.scored.items):
        statuses = [
            list(STATUSES)[one["candidates"][number]["verdict"]] for one in data["examples"]
        ]
        assert statuses == [one.status for one in own]
    assert all(signature in page for signature in evaluation.signatures)
    by_token = {one["name"]: one["candidates"][1] for one in data["examples"]}
    assert by_token[RAIN]["note"] == "pronoun differs; A"
    assert "head differs" in by_token[HOUSE]["note"]
    assert by_token[RAIN]["word"] == "OTHER"
    assert elements.tags.count("script") == 2
    assert "Only 4 of 15 pronouns are here" in evaluation_page(evaluation, 4)


def test_pronoun_head_and_repair_are_marked(suite, evaluated, good):
    data, _ = check_page(evaluation_page(evaluated(good=good)))
    tokens = by_name(good)
    repaired = 0
    for example in data["examples"]:
        result = tokens[example["name"]]
        lines = [data["lines"][row] for row in example["lines"]]
        assert [line["number"] for line in lines] == suite.context(result.token)
        marks = example["candidates"][0]["marks"]
        kinds = ["pronoun"] if result.head is None else ["pronoun", "head"]
        assert [mark["kind"] for mark in marks] == kinds
        for mark, ours in zip(marks, example["references"][0], strict=True):
            output = lines[mark["line"]]["candidates"][0].split(" ")
            reference = lines[mark["line"]]["references"][0].split(" ")
            assert [output[at] for at in mark["target"]] == [reference[at] for at in ours["target"]]
        repaired += marks[0]["repaired"]
        assert data["groups"][example["group"]]
    assert repaired == 1


def test_several_references(suite, reference, french, evaluated):
    tokens = tuple(
        replace(token, references=(ReferenceWords(), *token.references)) for token in suite.tokens
    )
    two = replace(suite, references=(suite.references[0],) * 2, tokens=tokens)
    results = score_system(two, reference, french, repair=True)
    data, _ = check_page(evaluation_page(evaluated(used=two, one=results)))
    for example in data["examples"]:
        assert len(example["references"]) == 2
        assert len(data["lines"][example["lines"][0]]["references"]) == 2
        made = example["candidates"][0]
        assert made["reference"] == made["word"]  # the pronoun of the reference that matched
