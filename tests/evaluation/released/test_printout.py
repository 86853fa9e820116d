"""The printouts of the released scripts."""

from __future__ import annotations

import json

import pytest

from crosspro.evaluation.metrics.contrastive.formats import read_json
from crosspro.evaluation.released.contrastive.printout import released_printout
from tests.conftest import GOLDEN
from tests.evaluation.metrics.contrastive.instances import BLOCK, instance

CASE = GOLDEN / "contrastive" / "small_set"


def printout(tmp_path, content, scores, maximise=False):
    path = tmp_path / "scores"
    path.write_text("".join(f"{score}\n" for score in scores))
    return released_printout(tmp_path / "set.json", json.loads(json.dumps(content)), path, maximise)


@pytest.mark.parametrize("which", ["min", "max", "short"])
def test_the_released_printouts(which):
    scores = CASE / ("scores_short" if which == "short" else "scores")
    path = CASE / "test.json"
    found = released_printout(path, read_json(path), scores, maximise=which == "max")
    assert found.text == (CASE / f"expected_{which}.txt").read_text("utf-8")
    assert (found.failure is not None) == ((CASE / f"exit_{which}").read_text().strip() != "0")


def test_short_and_bad_scores_say_where(tmp_path):
    assert printout(tmp_path, [instance()], [1]).failure.endswith(
        "scores:2: score: expected a number, found the end of the file"
    )
    assert printout(tmp_path, [instance()], [1, "x"]).failure.endswith(
        ":2: score: expected a number, found 'x'"
    )


def test_scores_beyond_the_set_are_ignored(tmp_path):
    assert printout(tmp_path, [instance()], [1, 2, "x"]).failure is None


def test_null_stops_the_script_in_the_middle(tmp_path):
    """The script has printed the total and the categories when it sorts true, false and null."""
    mixed = [instance(intrasegmental=None), instance()]
    found = printout(tmp_path, mixed, [1, 2, 1, 2])
    assert found.text == (
        "total : 2 2 1.0\n\nstatistics by error category\nit:er : 2 2 1.0\n\n"
        "statistics by intrasegmental\n"
    )
    expected = "set.json: instance 1, intrasegmental: expected true or false, found 'null'"
    assert found.failure.endswith(expected)
    alone = printout(tmp_path, mixed[:1], [1, 2])
    assert alone.failure is None
    assert "\nNone : 1 1 1.0 \n" in alone.text


@pytest.mark.parametrize(
    "bad", [instance(**{"ante distance": None}), instance(errors=...), {}, 3, None]
)
def test_what_the_script_cannot_read(tmp_path, bad):
    found = printout(tmp_path, [bad], [1, 2])
    assert (found.text, found.failure is None) == ("", False)
    lines = found.failure.splitlines()
    assert all("set.json: instance 1" in line or "scores:" in line for line in lines)


def test_every_instance_that_stops_the_script_is_named(tmp_path):
    content = [instance(**{"ante distance": None}), instance(), instance(**{"src pronoun": None})]
    lines = printout(tmp_path, content, [1, 2] * 3).failure.splitlines()
    assert [line.rpartition("set.json: ")[2] for line in lines] == [
        "instance 1, ante distance: expected a number, found 'null'",
        "instance 3, src pronoun: expected text, found 'null'",
    ]


@pytest.mark.parametrize(
    "block",
    [
        3,
        {},
        {"trg": 3},
        {"trg": [3]},
        {"trg": [{}]},
        {"trg": [{"type": "m.sg", "correct": []}]},
        {"trg": [{"type": "x", "correct": [], "incorrect": []}]},
    ],
)
def test_blocks_that_stop_the_script_are_named(tmp_path, block):
    found = printout(tmp_path, {"1": BLOCK, "2": block}, range(9))
    assert found.text == ""
    assert "set.json: block 2" in found.failure
    assert "Error" not in found.failure


def test_an_empty_set_and_unknown_distances(tmp_path):
    assert "expected at least one instance" in printout(tmp_path, [], []).failure
    found = printout(tmp_path, [instance(**{"ante distance": -1})], [2, 1])
    assert "\n-1 : 0 1 0.0 \n" in found.text
    assert found.text.endswith("ante distance -1 :\nit:er 1 \n")


def test_discevalmt_anaphora(tmp_path):
    found = printout(tmp_path, {"2": BLOCK, "1": BLOCK}, [1, 2, 1, 2, 1, 2, 2, 2])
    assert found.failure is None
    assert found.text == (
        "Distribution of pronoun types (in examples): \n"
        "\tm.sg\ttotal: 0\n\t\t\t: correct: 0, semi-correct: 0\n"
        "\tf.sg\ttotal: 0\n\t\t\t: correct: 0, semi-correct: 0\n"
        "\tm.pl\ttotal: 2\n\t\t\t: correct: 2, semi-correct: 0\n"
        "\tf.pl\ttotal: 2\n\t\t\t: correct: 0, semi-correct: 2\n"
        "----------------\nNumber correct of each type:\n"
        "\tm.sg\tTotal correct: 0\n\t\t\t: correct: 0 correct, 0 semi-correct\n"
        "\t\t\t: incorrect: 0 correct, 0 semi-correct\n"
        "\tf.sg\tTotal correct: 0\n\t\t\t: correct: 0 correct, 0 semi-correct\n"
        "\t\t\t: incorrect: 0 correct, 0 semi-correct\n"
        "\tm.pl\tTotal correct: 2\n\t\t\t: correct: 2 correct, 0 semi-correct\n"
        "\t\t\t: incorrect: 0 correct, 0 semi-correct\n"
        "\tf.pl\tTotal correct: 1\n\t\t\t: correct: 0 correct, 1 semi-correct\n"
        "\t\t\t: incorrect: 0 correct, 1 semi-correct\n"
        "----------------\n"
        "How many example blocks (of 4 contrastive pairs) are systematically right?\n"
        "Number of examples where all right: 1\n\tCorresponds to examples:['1']\n"
        "\n-------- Summary ---------\nOverall precision = 3/4 = 0.75\n"
    )


def test_discevalmt_lexical_choice(tmp_path):
    content = {
        "1": {"type": "repet", "examples": [1, 2]},
        "2": {"type": "disambig", "examples": [1, 2]},
    }
    found = printout(tmp_path, content, [2, 1, 2, 1, 2, 1, 1, 2], maximise=True)
    assert found.text == (
        "Total correct: 3\nTotal incorrect: 1\n\n"
        "Number of example blocks entirely correct: 1\n"
        "Number of example blocks not entirely correct: 3\n\n"
        "--------- By type of example -----------\n"
        "Repet: Total: 2, #correct: 2, #incorrect: 0\n"
        "Disambig: Total: 2, #correct: 1, #incorrect: 1\n"
        "\n--------- Summary ---------\nTotal precision = 3/4 = 0.75\n\n"
    )
    wrong = printout(tmp_path, {"1": {"type": "x", "examples": [1]}}, [1, 2])
    assert wrong.failure == "x is not a real type"
