"""`crosspro serve`: what it says before it begins, that it answers, and that it ends."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request

import pytest

from crosspro.baselines.majority import Majority
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from tests.conftest import ROOT

PAIR = {"source": "It is old.", "target": "Elle est vieille."}


def request_of(run):
    return {"model": str(run), **PAIR}


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "majority"
    task = load_task("en-fr-2015")
    system = Majority()
    system.fit(task, demo_examples(task, "train", 3), demo_examples(task, "dev", 2))
    system.save(folder)
    return folder


@pytest.fixture
def extra():
    pytest.importorskip("uvicorn", reason="the extra review is not installed (uvicorn)")
    pytest.importorskip("fastapi", reason="the extra review is not installed (fastapi)")


def start(*arguments):
    """A server on a free port: the process and the address that it prints."""
    code = "from crosspro.scripts.cli import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, "serve", *map(str, arguments), "--port", "0"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT, env=os.environ,
    )  # fmt: skip
    return process, process.stdout.readline().strip()


def post(address, body, **headers):
    request = urllib.request.Request(  # noqa: S310 - the address is that of our own server
        f"{address}api/predict", json.dumps(body).encode("utf-8"),
        {"content-type": "application/json", **headers},
    )  # fmt: skip
    try:
        with urllib.request.urlopen(request) as answer:  # noqa: S310
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def test_it_takes_a_free_port_answers_and_ends_with_ctrl_c(extra, run_folder):
    process, address = start(run_folder)
    try:
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", address), process.stderr.read()
        status, answer = post(address, request_of(run_folder))
        assert status == 200
        assert answer["gaps"][0]["hidden"] == "Elle"
        status, answer = post(address, request_of(run_folder), host="evil.example")
        assert (status, list(answer)) == (403, ["problems"])
        status, answer = post(address, request_of(run_folder), origin="http://evil.example")
        assert status == 403
    finally:
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 0
    assert errors.splitlines()[-1] == "stopped"
    assert "Traceback" not in errors
