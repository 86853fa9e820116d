"""The HTML page of a PROTEST evaluation."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crosspro.evaluation.core.statistics import Resampling
from crosspro.evaluation.protest.match import score_system
from crosspro.evaluation.protest.report import protest_page
from crosspro.evaluation.protest.results import STATUSES, ProtestSettings, evaluate_systems
from crosspro.evaluation.protest.suite import ReferenceWords
from tests.evaluation.output.reading import check_page
from tests.evaluation.protest.tokens import HOUSE, RAIN, by_name, changed, judgement


@pytest.fixture
def results(suite, reference, french):
    good = replace(reference, name="good")
    bad = changed(replace(reference, name="</script>"), (15, 5, "manoir"), (4, 0, "<!--"))
    return {one.name: score_system(suite, one, french, repair=True) for one in (good, bad)}


def page_of(suite, results, lists, judgements=None, plan=Resampling(50, 1), **options):  # noqa: B008
    evaluation = evaluate_systems(suite, results, judgements or {}, ProtestSettings("fr"), plan)
    return evaluation, protest_page(evaluation, lists, **options)


def test_page_has_every_token_status_and_signature(suite, results, french):
    said = judgement(by_name(results["</script>"])[RAIN], "wrong")
    evaluation, page = page_of(suite, results, french, said)
    data, elements = check_page(page)
    assert len(data["examples"]) == 15
    assert data["candidates"] == ["good", "</script>"]
    for number, system in enumerate(evaluation.systems):
        statuses = [STATUSES[one[5][number][0]] for one in data["examples"]]
        assert statuses == [one.status for one in system.tokens]
        for score in system.scores.values():
            assert score.signature in page
    by_token = {one[0]: one for one in data["examples"]}
    assert by_token[RAIN][5][1][3] == "pronoun differs; A"
    assert "head differs" in by_token[HOUSE][5][1][3]
    assert data["words"][by_token[RAIN][5][1][2]] == "OTHER"
    assert "At most, if all that is to be judged is right: &lt;/script&gt;" in page
    assert elements.tags.count("script") == 4


def test_pronoun_head_and_repair_are_marked(suite, results, french):
    data, _ = check_page(page_of(suite, results, french)[1])
    tokens = by_name(results["good"])
    repaired = 0
    for name, _, group, rows, references, candidates in data["examples"]:
        result = tokens[name]
        lines = [data["lines"][row] for row in rows]
        assert [line[0] for line in lines] == suite.context(result.token)
        marks = candidates[0][4]
        assert [mark[1] for mark in marks] == ([0] if result.head is None else [0, 1])
        for mark, ours in zip(marks, references[0], strict=True):
            output = data["texts"][lines[mark[0]][4][0][0]].split(" ")
            reference = data["texts"][lines[mark[0]][3][0][0]].split(" ")
            assert [output[at] for at in mark[4]] == [reference[at] for at in ours[4]]
        repaired += marks[0][2]
        assert data["groups"][group]
    assert repaired == 1


def test_own_tokenisation_of_the_source_is_kept(suite, reference, french):
    source = [tuple(f"_{word}" for word in line) for line in reference.source]
    own = replace(reference, source=source)
    data, _ = check_page(
        page_of(suite, {"own": score_system(suite, own, french, repair=True)}, french)[1]
    )
    for _, _, source_text, _, ((_, _, own_source),) in data["lines"]:
        words = data["texts"][source_text].split(" ")
        assert data["texts"][own_source].split(" ") == [f"_{word}" for word in words]


def test_several_references(suite, reference, french):
    tokens = tuple(
        replace(token, references=(ReferenceWords(), *token.references)) for token in suite.tokens
    )
    two = replace(suite, references=(suite.references[0],) * 2, tokens=tokens)
    results = {"one": score_system(two, reference, french, repair=True)}
    data, _ = check_page(page_of(two, results, french, plan=None)[1])
    for _, _, _, rows, references, candidates in data["examples"]:
        assert len(references) == 2
        assert len(data["lines"][rows[0]][3]) == 2
        assert candidates[0][1] == candidates[0][2]  # the pronoun of the reference that matched


def test_a_cut_page_says_so(suite, results, french):
    page = page_of(suite, results, french, max_examples=4)[1]
    assert "Only 4 of 15 pronouns are here" in page
