"""Files of review items: what is written is read, what is wrong is said; items of all metrics."""

from __future__ import annotations

import json
import random

import pytest

from crosspro.data_prep.core.errors import CrossproError, InputError
from crosspro.evaluation.human.items import items_text, read_items
from tests.conftest import GOLDEN, ROOT
from tests.evaluation.human.sets import doubted_set, make_set
from tests.scripts.apt_files import options
from tests.scripts.run import crosspro


def test_round_trip(tmp_path):
    path = tmp_path / "items.jsonl"
    for items in (make_set(4), make_set(2, ("good",), anaphoric=False), doubted_set([0.2, 0.9])):
        path.write_text(items_text(items), "utf-8")
        assert read_items(path) == items


def records(tmp_path, change):
    found = [json.loads(line) for line in items_text(make_set(2)).splitlines()]
    change(found)
    path = tmp_path / "items.jsonl"
    path.write_text("".join(f"{json.dumps(one)}\n" for one in found), "utf-8")
    return path


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda r: r[0].update(format="x"), "format: expected 'crosspro-review', version 1"),
        (lambda r: r[1].update(line=3), "line: expected 0"),
        (lambda r: r[1].update(references=1), "references: expected a list of texts"),
        (lambda r: r[1]["candidates"]["good"].update(links="9-0"), "links: expected links below"),
        (lambda r: r[5].update(system="none"), "system: expected a candidate of line 1"),
        (lambda r: r[5]["pronoun"].update(candidate=[9]), "pronoun.candidate: expected positions"),
        (lambda r: r[5]["pronoun"].update(line=99), "pronoun.line: expected a line below 4"),
        (lambda r: r[5].update(matches="yes"), "matches: expected true or false"),
        (lambda r: r[5].update(answer={"pronoun": "maybe"}), "answer.pronoun: expected one of"),
        (lambda r: r[5].update(suggested=[1]), "suggested: expected an object with what a model"),
        (lambda r: r[5].update(suggested={"wrong": 2}), "suggested.wrong: expected a probability"),
        (
            lambda r: r[5].update(suggested={"wrong": 0.1, "pronoun": "x"}),
            "suggested.pronoun: expected one of",
        ),
        (lambda r: r.append(r[-1]), "item: expected each token once for each system"),
        (lambda r: r.__delitem__(slice(1, None)), "items: expected at least one item"),
    ],
)
def test_what_is_wrong_is_said(tmp_path, change, message):
    with pytest.raises(InputError, match=message):
        read_items(records(tmp_path, change))


def test_answers_are_needed_where_they_are_asked_for(tmp_path):
    def answered(found):
        for one in found[5:]:
            one["answer"] = {"pronoun": "right", "antecedent": ["right", "unclear"]}

    path = records(tmp_path, answered)
    assert read_items(path, answers=True).items[0].answer.antecedent == ("right", "unclear")
    with pytest.raises(InputError, match="answer: expected an object"):
        read_items(records(tmp_path, lambda r: None), answers=True)


def test_damaged_files_raise_nothing_else(tmp_path):
    content = items_text(make_set(2))
    generator = random.Random(1)
    path = tmp_path / "items.jsonl"
    for _ in range(200):
        at = generator.randrange(len(content))
        path.write_text(content[:at] + generator.choice('"}]0-,x\n') + content[at + 1 :], "utf-8")
        try:
            read_items(path)
        except CrossproError as error:
            assert str(error)


@pytest.mark.parametrize("command", ["apt", "autoprf"])
def test_metrics_over_linked_text_write_items(command, tmp_path):
    path = tmp_path / "items.jsonl"
    result = crosspro(command, *options(), "--items", path, "--resamples", 0)
    assert result.code == 0, result.stderr
    found = read_items(path)
    assert found.items
    assert {one.matches for one in found.items} == {True, False}
    for one in found.items:
        line = found.lines[one.pronoun.line]
        candidate = line.candidates[one.item.system]
        words = [candidate.words[at] for at in one.pronoun.candidate]
        assert one.item.pronoun == " ".join(words)
        assert [line.source[at].lower() for at in one.pronoun.source] == [one.group]


def test_contrastive_sets_write_items(tmp_path):
    path, case = tmp_path / "items.jsonl", GOLDEN / "contrastive" / "small_set"
    line = ("contrastive", case / "test.json", case / "scores", "--resamples", 0)
    result = crosspro(*line, "--items", path)
    assert result.code == 0, result.stderr
    found = read_items(path)
    for one in found.items:
        text = found.lines[one.pronoun.line]
        same = text.candidates[one.item.system].words == text.references[0]
        assert one.matches == same


def test_the_tutorial_of_the_documentation_is_one(tmp_path):
    text = (ROOT / "docs" / "guides" / "review.md").read_text("utf-8")
    path = tmp_path / "tutorial.jsonl"
    start = text.index('{"format": "crosspro-review"')
    path.write_text(text[start : text.index("```", start)], "utf-8")
    (one,) = read_items(path, answers=True).items
    assert (one.item.pronoun, one.item.head) == ("Il", "maison")
    assert one.answer.pronoun == ("wrong",)
