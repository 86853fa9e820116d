"""crosspro label-it: labels, training, cross-validation."""

from __future__ import annotations

import json

import pytest

from tests.scripts.run import crosspro

TEXT = b"It's raining. The dog ran.\nI saw it.\n"


def table(path, documents=10):
    rows = ["document\tbefore\tsentence\tlabel"]
    for number in range(documents):
        rows += [
            f"d{number}\t\tI have a car and __it__ broke .\tanaphoric",
            f"d{number}\t\tBut __it__ seems that he left .\tpleonastic",
            f"d{number}\tHe left .\tWe told him to do __it__ .\tevent",
        ]
    path.write_text("\n".join(rows) + "\n", "utf-8")
    return path


def test_layouts():
    result = crosspro("label-it", "-", stdin=TEXT)
    assert result.code == 0, result.stderr
    assert result.stdout.decode().splitlines() == [
        "line\ttoken\tword\tlabel\tanaphoric\tpleonastic\tevent",
        "1\t0\tIt\tpleonastic\t0.1\t0.8\t0.1",
        "2\t2\tit\tanaphoric\t0.75\t0.125\t0.125",
    ]
    assert b"labels by hand-written patterns (no trained model was given)" in result.stderr
    assert b"-: 1 pleonastic, 1 anaphoric" in result.stderr
    result = crosspro("label-it", "-", "--layout", "jsonl", stdin=TEXT)
    first = json.loads(result.stdout.splitlines()[0])
    assert first == {
        "line": 1, "token": 0, "word": "It", "label": "pleonastic",
        "anaphoric": 0.1, "pleonastic": 0.8, "event": 0.1,
    }  # fmt: skip
    result = crosspro("label-it", "text", "-", "--layout", "inline", stdin=TEXT)
    assert result.stdout.decode().splitlines() == [
        "It|pleonastic 's raining . The dog ran .", "I saw it|anaphoric ."
    ]  # fmt: skip


def test_tokenised_text_keeps_its_tokens():
    result = crosspro("label-it", "-", "--tokenised", "--layout", "inline", stdin=b"Stop it.\n")
    assert result.stdout == b"Stop it.\n"
    assert b"no it" in result.stderr


def test_train_then_label(tmp_path):
    data, model, output = table(tmp_path / "own.tsv"), tmp_path / "it.json", tmp_path / "out.tsv"
    result = crosspro("label-it", "train", data, "-o", model, "--leave-out", "d3")
    assert result.code == 0, result.stderr
    assert b"left out: 3 of 30" in result.stderr
    assert b"27 examples of 9 documents (annotation: light)" in result.stderr
    result = crosspro("label-it", "-", "--classifier", model, "-o", output, stdin=b"We did it.\n")
    assert result.code == 0, result.stderr
    assert b"labels by a model trained on 27 examples" in result.stderr
    assert output.read_text().splitlines()[1].startswith("1\t2\tit\tevent\t")


def test_evaluate(tmp_path):
    result = crosspro("label-it", "evaluate", table(tmp_path / "own.tsv"), "--resamples", 20)
    assert result.code == 0, result.stderr
    assert "accuracy" in result.stdout.decode()
    assert "100.0 [100.0, 100.0]" in result.stdout.decode()


@pytest.mark.parametrize(
    ("arguments", "fragment"),
    [
        (("train", "none.tsv", "-o", "x.json"), "none.tsv: project: expected a folder"),
        (("-", "--classifier", "none.json"), "none.json: file: expected a readable file"),
    ],
)
def test_what_is_wrong_is_told(arguments, fragment, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = crosspro("label-it", *arguments)
    assert result.code == 2
    assert fragment in result.stderr.decode()
