"""A real browser and a real server; tests skip where there is no browser.

`SCREENSHOTS=docs/images pytest tests/browser` also writes the pictures of the documentation; all
pages in all sizes and colours go into any other folder.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import GOLDEN, ROOT
from tests.scripts.run import crosspro

PROTEST = GOLDEN / "protest"
CHANGES = {
    "old": [("Il est rouge", "Elle est rouge"), ("Elles ont", "Ils ont")],
    "new": [
        ("Il pleut", "Ça pleut"),
        ("la vieille maison", "le vieux manoir"),
        ("Elle se dressait", "Il se dressait"),
        ("qu' il veut", "qu' elle veut"),
    ],
}


@pytest.fixture(scope="module")
def chromium():
    """A browser that is on this machine; none is downloaded.

    While it is open, an event loop runs in this thread, which tests of other modules may not want.
    """
    api = pytest.importorskip(
        "playwright.sync_api", reason="needs playwright: make extras EXTRAS=review,browser"
    )
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("needs a browser: the program chromium")
    api.expect.set_options(timeout=30_000)  # as long as for everything else: slow machines, too
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


class ReviewProcess:
    """A `protest review serve` with its links, by who they are for."""

    def __init__(self, folder: Path, *options: object) -> None:
        self.folder = folder
        self.options = options
        self.start()

    def start(self) -> None:
        line = ["protest", "review", "serve", "--port", 0, "--verdicts", "v.sqlite", *self.options]
        command = [sys.executable, "-m", "crosspro.scripts.main", *map(str, line)]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
        self.process = subprocess.Popen(
            command, cwd=self.folder, stdout=subprocess.PIPE, text=True, env=environment
        )
        self.links: dict[str, str] = {}
        wanted = 1 + self.options.count("--judge")
        while len(self.links) < wanted and (line := self.process.stdout.readline()):
            name, _, link = line.strip().partition(": ")
            self.links[name] = link
        assert len(self.links) == wanted, self.links

    def stop(self) -> None:
        self.process.send_signal(signal.SIGINT)
        self.process.communicate(timeout=20)


@pytest.fixture
def suite(tmp_path) -> Path:
    """A folder with the suite and the two systems of docs/guides/protest.md."""
    for name in ("text.en", "text.fr", "text.doc-ids", "text.links"):
        shutil.copy(PROTEST / name, tmp_path)
    text = (PROTEST / "text.fr").read_text("utf-8")
    for system, changes in CHANGES.items():
        changed = text
        for old, new in changes:
            changed = changed.replace(old, new)
        (tmp_path / f"{system}.fr").write_text(changed, "utf-8")
    files = ("--source", tmp_path / "text.en", "--reference", tmp_path / "text.fr")
    more = ("--doc-ids", tmp_path / "text.doc-ids", "--links", tmp_path / "text.links")
    line = ("protest", "build", "--annotation", PROTEST / "en", *files, *more, "--repair")
    built = crosspro(*line, "-o", tmp_path / "suite.jsonl")
    assert built.code == 0, built.stderr
    return tmp_path


TUTORIAL = """\
{"format": "crosspro-review", "version": 1, "title": "Tutorial", "languages": ["en", "fr"]}
{"line": 0, "document": "d", "source": "It is red .", "references": ["Elle est rouge ."], \
"candidates": {"x": {"text": "Il est rouge .", "links": "0-0 1-1 2-2"}}}
{"item": "t1", "system": "x", "group": "it", "pronoun": {"line": 0, "source": [0], \
"references": [[0]], "candidate": [0]}, "answer": {"pronoun": "wrong", "feedback": "A house."}}
"""
SYSTEMS = ("suite.jsonl", "--candidate", "old.fr", "new.fr",
           "--candidate-links", "text.links", "--candidate-links", "text.links")  # fmt: skip


@pytest.fixture
def review(suite, request) -> Iterator[ReviewProcess]:
    pytest.importorskip("fastapi", reason="needs the extra `review`: make extras EXTRAS=review")
    pytest.importorskip("uvicorn", reason="needs the extra `review`: make extras EXTRAS=review")
    (suite / "guide.md").write_text(
        "# What to look at\n\nJudge the **marked pronoun** in the translation.\n\n"
        "- *right*: it fits the words that this translation uses\n"
        "- *wrong*: it does not\n\nIgnore other mistakes.\n",
        "utf-8",
    )
    (suite / "tutorial.jsonl").write_text(TUTORIAL, "utf-8")
    options = (*SYSTEMS, "--repair", "--judge", "Anna", "--judge", "Ben", "--overlap", 1)
    more = ("--batch", 3, "--instructions", "guide.md", "--title", "Pronouns in two talks")
    served = ReviewProcess(suite, *options, *more, *getattr(request, "param", ()))
    yield served
    served.stop()


@pytest.fixture
def pictures() -> Path | None:
    """Where pictures of pages go, if somewhere."""
    folder = os.environ.get("SCREENSHOTS")
    return None if folder is None else ROOT / folder
