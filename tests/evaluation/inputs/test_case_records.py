"""What `apt --detail FILE.json` wrote is read back, and everything wrong with it is told."""

from __future__ import annotations

import json

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.core.evaluation import evaluate
from crosspro.evaluation.inputs.case_records import read_case_records
from crosspro.evaluation.metrics import make_metric
from crosspro.evaluation.output.records import detail_json
from tests.evaluation.metrics.apt.texts import mt_input


@pytest.fixture
def content():
    evaluation = evaluate(make_metric("apt", repair=False), mt_input())
    return json.loads(detail_json(evaluation))


def read(tmp_path, content):
    path = tmp_path / "cases.json"
    path.write_text(json.dumps(content), "utf-8")
    return read_case_records(path)


def test_what_was_written_is_read(content, tmp_path):
    records = read(tmp_path, content)
    assert [one.case for one in records] == [1, 2, 3, 4, 5, 6, 3]
    first, missing = records[0], records[3]
    assert (first.system, first.place, first.pronoun) == ("cand", (0, 0), "it")
    assert (first.reference.labels, first.candidate.words) == (("ce",), ("ce",))
    assert first.source == ("it", "x")
    assert missing.candidate.positions == ()


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("case", 7, "case: expected a case from 1 to 6, found '7'"),
        ("case", True, "case: expected a case from 1 to 6, found 'true'"),
        ("sentence", -1, "sentence: expected a number from 0, found '-1'"),
        ("position", 9, "position: expected a position below 2, the words of the source, found 9"),
        ("system", " ", "system: expected a text, found '\" \"'"),
        ("candidate", None, "candidate: expected positions, words and labels, found nothing"),
        ("sentences", [], "sentences: expected source, reference and candidate, found '[]'"),
    ],
)
def test_a_fault(field, value, told, content, tmp_path):
    content[1][field] = value
    with pytest.raises(InputError) as error:
        read(tmp_path, content)
    (problem,) = error.value.problems
    assert f"occurrence 2, {told}" in str(problem)


def test_faults_of_all_occurrences(content, tmp_path):
    content[0]["candidate"]["positions"] = [5]
    content[1]["reference"]["labels"] = "ce"
    content[2] = 3
    content[3]["sentences"]["source"] = None
    content[5]["sentence"] = content[4]["sentence"]
    with pytest.raises(InputError) as error:
        read(tmp_path, content)
    assert [problem.field for problem in error.value.problems] == [
        "occurrence 1, candidate.positions",
        "occurrence 2, reference.labels",
        "occurrence 3, object",
        "occurrence 4, sentences.source",
        "occurrence 6, position",
    ]


@pytest.mark.parametrize("text", ["", "[]", "{}", "3", "[", "\ud800"])
def test_no_list_of_occurrences(text, tmp_path):
    path = tmp_path / "x.json"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(InputError, match=r"x\.json"):
        read_case_records(path)
