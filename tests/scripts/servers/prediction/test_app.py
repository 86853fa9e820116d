"""The page and its interface over HTTP: answers, faults as JSON, and texts that attack."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

pytest.importorskip("fastapi", reason="the extra review is not installed (fastapi)")
pytest.importorskip("httpx", reason="tests of the page need httpx")

from fastapi.testclient import TestClient

from crosspro.baselines.majority import Majority
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.shared_task import format_example
from crosspro.data_prep.pipeline.pairs.pipeline import PairPipeline
from crosspro.prediction.evidence import Evidence, EvidenceTable
from crosspro.scripts.servers.prediction.app import Turns, guarded, make_app
from crosspro.scripts.servers.prediction.desk import Desk
from tests.scripts.servers.prediction.conftest import HOUSE, WORDS, fitted

SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'&"


@pytest.fixture(scope="module")
def client(desk):
    guard = guarded(make_app(desk))
    return TestClient(guard, "http://127.0.0.1:8080", raise_server_exceptions=False)


def predict(client, **request):
    return client.post("/api/predict", json={"task": "en-fr-2015", **request})


def problems(answer):
    found = answer.json()["problems"]
    assert found
    return " ".join(one["message"] for one in found)


def test_the_page_and_its_parts_are_there_and_load_nothing_from_elsewhere(client):
    for path, kind in (("/", "html"), ("/style.css", "css"), ("/script.js", "javascript")):
        answer = client.get(path)
        assert answer.status_code == 200
        assert kind in answer.headers["content-type"]
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert "http://" not in answer.text
        assert "https://" not in answer.text
    page = client.get("/").text
    assert " style=" not in page
    assert " onclick" not in page
    script = client.get("/script.js").text
    for way in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
        assert way not in script


def test_the_interface_is_described(client):
    found = client.get("/openapi.json").json()
    assert set(found["paths"]) == {
        "/api/systems", "/api/examples/{task}/{name}", "/api/predict", "/api/explain",
    }  # fmt: skip
    asked = found["components"]["schemas"]["PairRequest"]["properties"]["source"]
    assert asked["maxLength"] == 2000
    assert client.get("/docs").status_code == 404
    for path, name in (
        ("systems", "Systems"),
        ("predict", "Prediction"),
        ("explain", "Explanation"),
    ):
        (operation,) = found["paths"][f"/api/{path}"].values()
        answers = {
            status: answer["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
            for status, answer in operation["responses"].items()
        }
        assert answers.pop("200") == f"{name}Answer"
        assert set(answers.values()) == {"ProblemsAnswer"}
        assert set(answers) == {"403", "413", "422", "429", "503"}


def test_answers_are_what_the_description_says(client):
    from crosspro.scripts.servers.prediction.api import (
        ExampleAnswer,
        ExplanationAnswer,
        PredictionAnswer,
        ProblemsAnswer,
        SystemsAnswer,
    )

    described = client.get("/api/systems").json()
    SystemsAnswer.model_validate(described)
    offered = {
        task["name"]: [one["name"] for one in task["examples"]] for task in described["tasks"]
    }
    asked = [{"task": "en-fr-2015", "text": HOUSE}]
    for task, names in offered.items():
        for name in (names[0], names[-1]):
            example = client.get(f"/api/examples/{task}/{name}").json()
            ExampleAnswer.model_validate(example)
            if task == "en-fr-2015" or "lines" in example:
                asked.append({"task": task, "example": name})
    for request in asked:
        PredictionAnswer.model_validate(client.post("/api/predict", json=request).json())
        ExplanationAnswer.model_validate(client.post("/api/explain", json=request).json())
    for request in ({}, {"task": "x", "text": HOUSE}, {"task": "en-fr-2015", "lines": ["x"]}):
        answer = client.post("/api/predict", json=request)
        assert answer.status_code == 422
        ProblemsAnswer.model_validate(answer.json())
    elsewhere = client.get("/api/systems", headers={"host": "evil.example"})
    assert elsewhere.status_code == 403
    ProblemsAnswer.model_validate(elsewhere.json())


def test_a_pair_is_predicted_and_explained(client):
    answer = predict(client, text=HOUSE)
    assert answer.status_code == 200
    (gap,) = answer.json()["gaps"]
    assert {one["system"] for one in gap["predictions"]} == {"ngram", "majority"}
    asked = {"task": "en-fr-2015", "text": HOUSE, "gap": 1}
    why = client.post("/api/explain", json=asked).json()
    assert why["explanations"][0]["explanation"]["chosen"] == gap["predictions"][0]["label"]


def test_a_gap_is_marked_and_examples_are_lines(client):
    marked = {**HOUSE, "gaps": [{"target": 1, "source": 1}], "context": [HOUSE]}
    answer = predict(client, text=marked).json()
    assert [gap["position"] for gap in answer["gaps"]] == [1]
    assert len(answer["sentences"]) == 2
    tasks = client.get("/api/systems").json()["tasks"]
    first = tasks[0]["examples"][0]["name"]
    content = client.get(f"/api/examples/{tasks[0]['name']}/{first}").json()
    by_lines = predict(client, lines=content["lines"]).json()
    assert by_lines["gaps"] == predict(client, example=first).json()["gaps"]


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({}, "expected one of text, lines and example, found 0"),
        ({"text": HOUSE, "example": "x"}, "found 2"),
        ({"text": {"source": "It ."}}, "text.target: Field required"),
        ({"text": {**HOUSE, "x": 1}}, "text.x: Extra inputs are not permitted"),
        ({"text": {**HOUSE, "source": "x" * 2001}}, "text.source: String should have at most 2000"),
        ({"text": {**HOUSE, "context": [HOUSE] * 21}}, "text.context: List should have at most 20"),
        ({"text": {**HOUSE, "gaps": [{"target": -1}]}}, "text.gaps.0.target"),
        ({"text": {**HOUSE, "gaps": [{"target": True}]}}, "text.gaps.0.target"),
        ({"text": {**HOUSE, "gaps": [{"target": 10**30}]}}, "gaps"),
        ({"text": {"source": " ", "target": ""}}, "source"),
        ({"lines": []}, "lines: List should have at least 1"),
        ({"lines": ["x" * 10_001]}, "lines.0: String should have at most 10000"),
        ({"lines": ["\t\tIt .\tREPLACE_0 ."]}, "expected 5 (classes"),
        ({"systems": ["anaphora"], "text": HOUSE}, "a system of en-fr and not of en-fr-2015"),
        ({"task": "xx", "text": HOUSE}, "task"),
        ({"task": "en-fr", "text": HOUSE}, "expected the"),
    ],
)
def test_wrong_requests_are_answered_with_problems(client, request_, message):
    answer = predict(client, **request_)
    assert answer.status_code == 422
    assert message in problems(answer)


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b'"x"', b"\xff\xfe", b"[" * 50_000])
def test_what_is_no_request_is_answered_with_problems(client, body):
    headers = {"content-type": "application/json"}
    answer = client.post("/api/predict", content=body, headers=headers)
    assert answer.status_code in (400, 422)
    assert problems(answer)


@pytest.mark.parametrize("path", ["/x", "/page/script.js", "/..%2fapp.py", "/api/examples/../../x"])
def test_there_are_no_other_files(client, path):
    answer = client.get(path)
    assert answer.status_code == 404
    assert answer.json() == {"problems": [{"message": "there is nothing here"}]}
    for name in ("..%2f..%2fx", "%00", SCRIPT.replace("/", "%2f").replace("#", "")):
        assert client.get(f"/api/examples/en-fr-2015/{name}").status_code in (404, 422)


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH"])
def test_other_methods_are_refused(client, method):
    headers = {"content-type": "application/json"}
    answer = client.request(method, "/api/predict", content=b"{}", headers=headers)
    assert answer.status_code == 405
    assert problems(answer)


def test_scripts_in_every_field_come_back_as_json_only(client):
    pair = {"source": f"It {SCRIPT}", "target": f"Il {SCRIPT}"}
    line = format_example(demo_examples(WORDS, "test", 1)[0]).replace(" .", f" {SCRIPT}", 1)
    for request in (
        {"text": pair},
        {"text": {**pair, "context": [pair], "links": SCRIPT}},
        {"lines": [line, SCRIPT]},
        {"example": SCRIPT},
        {"task": SCRIPT, "text": pair},
        {"systems": [SCRIPT], "text": pair},
        {SCRIPT: 1},
    ):
        answer = predict(client, **request)
        assert answer.status_code in (200, 422)
        assert answer.headers["content-type"] == "application/json"
        assert answer.headers["x-content-type-options"] == "nosniff"
        json.loads(answer.content)


@pytest.mark.parametrize(
    "text", ["\x00", "\u202e it", "\ud800", "\ufeffIt", "It\u2028.", "\U0001f600"]
)
def test_odd_characters_break_nothing(client, text):
    body = json.dumps({"task": "en-fr-2015", "text": {"source": f"It {text}", "target": text}})
    headers = {"content-type": "application/json"}
    answer = client.post("/api/predict", content=body, headers=headers)
    assert answer.status_code in (200, 422)
    json.loads(answer.content)


def test_the_longest_request_is_answered(client):
    """Within the limits nothing is too much: all sentences as long as they may be."""
    long = {"source": "it " * 200, "target": "il " * 200}
    answer = predict(client, text={**long, "context": [long] * 20})
    assert answer.status_code == 200
    assert len(answer.json()["gaps"]) == 200


class Broken(Majority):
    """A system with a fault of its own."""

    def predict(self, examples):
        raise RuntimeError("a secret path")


def test_a_fault_of_ours_is_not_told_to_the_world():
    desk = Desk({"broken": fitted(Broken(), WORDS)}, {"en-fr-2015": PairPipeline(WORDS)}, {})
    guard = guarded(make_app(desk))
    client = TestClient(guard, "http://127.0.0.1:8080", raise_server_exceptions=False)
    answer = predict(client, text=HOUSE)
    assert answer.status_code == 500
    assert "secret" not in answer.text
    assert problems(answer)


class Unbounded(Majority):
    """A system whose reasons have no bounds."""

    def evidence(self, question):
        rows = (("x", float("-inf")), ("y", 1.0))
        return Evidence("how", (EvidenceTable("Table", ("feature", "value"), rows),))


def test_infinite_numbers_are_told_as_text():
    desk = Desk({"one": fitted(Unbounded(), WORDS)}, {"en-fr-2015": PairPipeline(WORDS)}, {})
    client = TestClient(guarded(make_app(desk)), "http://127.0.0.1:8080")
    why = client.post("/api/explain", json={"text": HOUSE}).json()["explanations"][0]
    assert why["explanation"]["evidence"]["tables"][0]["rows"] == [["x", "-inf"], ["y", 1.0]]


class Slow(Majority):
    """A system that answers when it may."""

    def __init__(self):
        self.begun, self.may_end = threading.Event(), threading.Event()

    def predict(self, examples):
        self.begun.set()
        self.may_end.wait(60)
        return super().predict(examples)


def test_one_request_is_answered_a_few_wait_and_others_are_sent_away():
    slow = fitted(Slow(), WORDS)
    desk = Desk({"slow": slow}, {"en-fr-2015": PairPipeline(WORDS)}, {})
    desk.warm()
    slow.begun.clear()
    app = make_app(desk, Turns(0.2, most_waiting=1))
    client = TestClient(guarded(app), "http://127.0.0.1:8080")
    with ThreadPoolExecutor() as pool:
        first = pool.submit(predict, client, text=HOUSE)
        assert slow.begun.wait(60)
        waiting = predict(client, text=HOUSE)
        assert (waiting.status_code, waiting.headers["retry-after"]) == (503, "2")
        slow.may_end.set()
        assert first.result().status_code == 200
    assert predict(client, text=HOUSE).status_code == 200
    full = make_app(desk, Turns(60, most_waiting=-1))
    client = TestClient(guarded(full), "http://127.0.0.1:8080")
    assert predict(client, text=HOUSE).status_code == 503
