"""`crosspro protest` called in the test process, a suite that it built, and an output to score."""

from __future__ import annotations

import io
import json
import sys
from unittest import mock

import pytest

from crosspro.scripts.main import run
from crosspro.scripts.protest import app
from tests.conftest import GOLDEN
from tests.scripts.run import Outcome

FOLDER = GOLDEN / "protest"
TEXT = (
    "--source",
    FOLDER / "text.en",
    "--reference",
    FOLDER / "text.fr",
    "--doc-ids",
    FOLDER / "text.doc-ids",
)
LINKS = ("--links", FOLDER / "text.links")
OWN_LINKS = ("--candidate-links", FOLDER / "text.links")


def protest(*arguments: object) -> Outcome:
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with mock.patch.multiple(sys, stdout=out, stderr=err):
        try:
            run(app, [str(argument) for argument in arguments], "crosspro protest")
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    return Outcome(code, out.buffer.getvalue(), err.buffer.getvalue())


def signatures(*arguments):
    result = protest("score", *arguments, "--layout", "json", "--resamples", 0)
    assert result.code == 0, result.stderr
    scores = json.loads(result.stdout)["systems"][0]["scores"]
    return [score["signature"] for score in scores.values()]


@pytest.fixture
def suite(tmp_path):
    path = tmp_path / "suite.jsonl"
    result = protest("build", "--annotation", FOLDER / "en", *TEXT, *LINKS, "-o", path)
    assert result.code == 0, result.stderr
    return path


@pytest.fixture
def wrong(tmp_path):
    """An output with three mismatches."""
    text = (FOLDER / "text.fr").read_text("utf-8")
    for old, new in (("Il pleut", "Ça pleut"), ("maison", "manoir")):
        assert old in text
        text = text.replace(old, new)
    path = tmp_path / "wrong.fr"
    path.write_text(text, "utf-8")
    return path
