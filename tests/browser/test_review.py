"""The review server in a real browser: verdicts by keyboard, stored, and there after a restart."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import contextmanager

import pytest

from crosspro.evaluation.people.verdicts import VerdictStore
from crosspro.evaluation.protest.suite import read_suite
from tests.browser.legible import hard_to_read
from tests.browser.test_hostile_text import NAME, RUN
from tests.scripts.protest.conftest import BUILD, FOLDER, OWN_LINKS, protest


@contextmanager
def review_server(folder):
    """A server that is a process of its own, and its links by the names of visitors."""
    line = (f"review serve {folder}/suite.jsonl --candidate {folder}/new.fr {OWN_LINKS} "
            f"--verdicts {folder}/v.sqlite --judge Ada --port 0 --matches")  # fmt: skip
    command = [sys.executable, "-m", "crosspro.scripts.cli", "protest", *line.split()]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        yield dict(server.stdout.readline().strip().split(": ", 1) for _ in range(2))
    finally:
        server.send_signal(signal.SIGKILL)
        server.communicate(timeout=20)


@pytest.fixture
def page(chromium):
    """A page on which every error and everything that is loaded from elsewhere is a failure."""
    context = chromium.new_context(viewport={"width": 1280, "height": 640})
    page = context.new_page()
    wrong = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    page.on("request", lambda sent: None if "127.0.0.1" in sent.url or sent.url == "data:," else
            wrong.append(sent.url))  # fmt: skip
    yield page
    context.close()
    assert wrong == []


def test_verdicts_by_keyboard_survive_a_kill(page, tmp_path):
    for package in ("fastapi", "uvicorn", "python_multipart"):
        pytest.importorskip(package, reason="needs the extra `review`")
    protest(f"{BUILD} -o {tmp_path}/suite.jsonl")
    attack = NAME.replace(" ", "/")
    text = (FOLDER / "text.fr").read_text("utf-8").replace("Il est rouge", "Elle est rouge")
    (tmp_path / "new.fr").write_text(text.replace("aime .", f"aime {attack}"), "utf-8")
    with review_server(tmp_path) as links:
        page.goto(links["Ada"])
        assert hard_to_read(page) == []
        page.get_by_role("link", name="Begin").click()
        page.wait_for_url("**/question/0")
        page.keyboard.press("1")
        page.keyboard.press("w")
        page.locator("output", has_text="saved").wait_for()
        page.keyboard.press("r")
        page.keyboard.type(f"it is {attack} 12")
        page.keyboard.press("Escape")
        remark = f"it is {attack} 12"
        digest = read_suite(tmp_path / "suite.jsonl").digest
        store = VerdictStore(tmp_path / "v.sqlite", digest)
        for _ in range(200):
            if store.verdicts()[-1].remark == remark:
                break
            page.wait_for_timeout(100)
        assert attack in page.locator(".texts").inner_text()
        assert page.evaluate("window.owned") is None, RUN
        for size in (1280, 400):
            page.set_viewport_size({"width": size, "height": 640})
            assert page.evaluate("document.documentElement.scrollWidth") <= size
            assert hard_to_read(page) == []
    last = VerdictStore(tmp_path / "v.sqlite", digest).verdicts()[-1]
    assert (last.pronoun, last.antecedent, last.remark) == ("right", "wrong", remark)
    with review_server(tmp_path) as links:
        page.goto(links["Ada"] + "question/0")
        assert page.locator("input:checked").count() == 2
        for key in ("2", "q", "n"):
            page.keyboard.press(key)
        page.wait_for_url("**/question/1")
        page.goto(links["researcher"])
        assert hard_to_read(page) == []
    verdicts = VerdictStore(tmp_path / "v.sqlite", digest).verdicts()
    assert (verdicts[-1].pronoun, verdicts[-1].antecedent) == ("wrong", "right")
