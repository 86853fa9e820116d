"""The page of `crosspro serve` and its interface: answers, faults as one line, hostile text."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("fastapi", reason="the extra review is not installed (fastapi)")
pytest.importorskip("httpx", reason="tests of the page need httpx")

from fastapi.testclient import TestClient

from crosspro.baselines.majority import Majority
from crosspro.baselines.ngram_system import NGramSystem
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.pipeline.pairs.pipeline import PairPipeline
from crosspro.prediction.pair_prediction import Predictor
from crosspro.scripts.servers.prediction.app import guarded, make_app

TASK = load_task("en-fr-2015")
HOUSE = {
    "source": "The house is old, but it stands.",
    "target": "La maison est vieille, mais elle tient debout.",
}
SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'&"


def fitted(system):
    system.fit(TASK, demo_examples(TASK, "train", 12), demo_examples(TASK, "dev", 4))
    return Predictor(system.name, system, PairPipeline(TASK))


class Broken(Majority):
    """A system with an error of its own."""

    def unadjusted(self, examples):
        raise RuntimeError("broken")


@pytest.fixture(scope="module")
def predictors():
    return {"ngram": fitted(NGramSystem(order=3)), "majority": fitted(Majority()),
            "broken": fitted(Broken())}  # fmt: skip


@pytest.fixture(scope="module")
def client(predictors):
    guard = guarded(make_app(predictors))
    return TestClient(guard, "http://127.0.0.1:8080", raise_server_exceptions=False)


def predict(client, **request):
    return client.post("/api/predict", json={"model": "ngram", **HOUSE, **request})


def problem(answer):
    (result,) = answer.json()["problems"]
    assert "\n" not in result["message"]
    return result["message"]


def test_the_page_allows_its_own_scripts_alone(client):
    page = client.get("/")
    policy = page.headers["content-security-policy"]
    assert page.headers["x-content-type-options"] == "nosniff"
    assert "default-src 'none'" in policy
    assert policy.count("'sha256-") == 2
    for elsewhere in ("http://", "https://", " style=", " onclick", "innerHTML", "eval("):
        assert elsewhere not in page.text
    models = page.text.partition('id="models">')[2].partition("</script>")[0]
    assert set(json.loads(models)) == {"ngram", "majority", "broken"}


def test_a_pair_is_predicted(client):
    result = predict(client, context=[["The house is here.", "La maison est ici."]]).json()
    (gap,) = result["gaps"]
    assert gap["hidden"] == "elle"
    assert sum(gap["probabilities"].values()) == pytest.approx(1)
    assert [line["source"][-1] for line in result["lines"]] == ["."]


def test_the_example_can_be_predicted(client):
    pair = client.get("/api/example/ngram").json()
    assert predict(client, **pair).json()["gaps"]


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"model": "x"}, "model"),
        ({"source": None}, "source"),
        ({"source": "x" * 2001}, "source"),
        ({"context": [["a", "b"]] * 21}, "context"),
        ({"context": [["a"]]}, "context"),
        ({"colour": "red"}, "colour"),
        ({"source": " "}, "source"),
        ({"source": "Rain.", "target": "Pluie."}, "target"),
        ({"source": "it " * 600}, "tokens"),
        ({"target": f"REPLACE {SCRIPT}", "source": SCRIPT}, "gap"),
        ({"model": "\x1b[31m" + SCRIPT}, "model"),
    ],
)
def test_wrong_requests_are_answered_with_one_line(client, request_, message):
    answer = predict(client, **request_)
    assert answer.status_code == 422
    assert message in problem(answer)
    assert "\x1b" not in answer.text


def test_other_faults_are_one_line_too(client, monkeypatch):
    assert predict(client, model="broken").status_code == 500
    assert problem(predict(client, model="broken"))
    assert problem(client.get("/nowhere"))
    assert client.post("/api/predict", content=b"{").status_code == 415
    headers = {"content-type": "application/json"}
    assert client.post("/api/predict", content=b"{", headers=headers).status_code == 422
    big = json.dumps({"model": "x" * (1 << 19)}).encode()
    assert client.post("/api/predict", content=big, headers=headers).status_code == 413
    assert client.post("/api/predict", json=HOUSE, headers={"host": "x.org"}).status_code == 403
