"""The review server in a real browser: a verdict by keyboard is stored, and there after a kill."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

from crosspro.evaluation.people.verdicts import VerdictStore
from crosspro.evaluation.protest.suite import read_suite
from tests.browser.legible import hard_to_read
from tests.scripts.protest.conftest import BUILD, FOLDER, OWN_LINKS, protest

ATTACK = "<img/src=x/onerror=window.owned=1>"
SECONDS = 30


@contextmanager
def review_server(folder):
    """A server that is a process of its own and is killed, and the links of its visitors."""
    line = (f"review serve {folder}/suite.jsonl --candidate {folder}/new.fr {OWN_LINKS} "
            f"--verdicts {folder}/v.sqlite --judge Ada --port 0 --matches")  # fmt: skip
    command = [sys.executable, "-m", "crosspro.scripts.cli", "protest", *line.split()]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        yield dict(server.stdout.readline().strip().split(": ", 1) for _ in range(2))
    finally:
        server.send_signal(signal.SIGKILL)
        server.communicate(timeout=SECONDS)


@pytest.fixture
def page(chromium):
    """A page on which every error and everything that is loaded from elsewhere is a failure."""
    context = chromium.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    faults = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda log: faults.append(log.text) if log.type == "error" else None)
    page.on("request", lambda sent: None if sent.url.startswith(("http://127.0.0.1", "data:"))
            else faults.append(sent.url))  # fmt: skip
    yield page
    context.close()
    assert faults == []


def test_verdicts_by_keyboard_survive_a_kill(page, tmp_path, pictures):
    for package in ("fastapi", "uvicorn", "python_multipart"):
        pytest.importorskip(package, reason="needs the extra `review`")
    protest(f"{BUILD} -o {tmp_path}/suite.jsonl")
    text = (FOLDER / "text.fr").read_text("utf-8").replace("Il est rouge", "Elle est rouge")
    (tmp_path / "new.fr").write_text(text.replace("aime .", f"aime {ATTACK}"), "utf-8")
    store = VerdictStore(tmp_path / "v.sqlite", read_suite(tmp_path / "suite.jsonl").digest)

    def stored(*expected):
        """Wait until the last verdict is this one."""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            verdicts = store.verdicts()
            last = verdicts[-1] if verdicts else None
            if last and (last.annotator, last.pronoun, last.antecedent, last.remark) == expected:
                return
            page.wait_for_timeout(50)
        pytest.fail(f"not stored: {expected}, but {store.verdicts()}")

    def looked_at(name):
        for width in (1280, 400):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert hard_to_read(page) == []
            if pictures is not None:
                page.screenshot(path=pictures / f"review-{name}-{width}.png", full_page=True)

    with review_server(tmp_path) as links:
        page.goto(links["Ada"])
        looked_at("home")
        page.goto(links["Ada"] + "question/0")
        page.keyboard.press("1")
        page.keyboard.press("w")
        stored("Ada", "right", "wrong", "")
        page.keyboard.press("r")
        page.keyboard.type(f"it is {ATTACK} 12")
        stored("Ada", "right", "wrong", f"it is {ATTACK} 12")
        assert ATTACK in page.locator(".texts").inner_text()
        assert page.evaluate("window.owned") is None
        looked_at("question")
    with review_server(tmp_path) as links:
        page.goto(links["Ada"] + "question/0")
        assert page.locator("input:checked").count() == 2
        assert page.locator("textarea").input_value() == f"it is {ATTACK} 12"
        for key in ("2", "q"):
            page.keyboard.press(key)
        stored("Ada", "wrong", "right", f"it is {ATTACK} 12")
        page.goto(links["researcher"])
        looked_at("overview")
