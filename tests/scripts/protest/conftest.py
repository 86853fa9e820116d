"""`crosspro protest` called in the test process, a suite that it built, and an output to score."""

from __future__ import annotations

import json

import pytest

from tests.conftest import GOLDEN
from tests.scripts.run import Outcome, crosspro

FOLDER = GOLDEN / "protest"
REFERENCE = FOLDER / "text.fr"
SIDES = f"--source {FOLDER}/text.en --reference {REFERENCE}"
TEXT = f"{SIDES} --doc-ids {FOLDER}/text.doc-ids"
LINKS = f"--links {FOLDER}/text.links"
OWN_LINKS = f"--candidate-links {FOLDER}/text.links"
ANNOTATION = f"build --annotation {FOLDER}/en"
BUILD = f"{ANNOTATION} {TEXT} {LINKS}"


def outcome(line: str) -> Outcome:
    """What a command does, whose words are separated by spaces."""
    return crosspro("protest", *line.split())


def protest(line: str) -> tuple[str, str]:
    """What a command that succeeds prints, and what it says beside it."""
    found = outcome(line)
    assert found.code == 0, found.stderr
    return found.stdout.decode(), found.stderr.decode()


def refused(line: str) -> str:
    """What a command says that prints nothing."""
    found = outcome(line)
    assert (found.code, found.stdout) == (2, b""), line
    return found.stderr.decode()


def scores(suite, *outputs, options=""):
    """The systems of the JSON of a score."""
    candidates = " ".join(f"--candidate {output} {OWN_LINKS}" for output in outputs)
    path = suite.with_name("scores.json")
    protest(f"score {suite} {candidates} --json {path} {options}")
    return json.loads(path.read_text("utf-8"))["candidates"]


def replaced(path, *pairs):
    """The reference with other words."""
    text = REFERENCE.read_text("utf-8")
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    path.write_text(text, "utf-8")
    return path


@pytest.fixture
def suite(tmp_path):
    path = tmp_path / "suite.jsonl"
    protest(f"{BUILD} -o {path}")
    return path


@pytest.fixture
def wrong(tmp_path):
    """An output with three mismatches."""
    return replaced(tmp_path / "wrong.fr", ("Il pleut", "Ça pleut"), ("maison", "manoir"))
