"""`crosspro serve`: it answers without torch, begins with an example, and ends with Ctrl-C."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from urllib.request import Request, urlopen

import pytest

from tests.conftest import ROOT

WITHOUT_TORCH = (
    "import sys; sys.modules['torch'] = None; from crosspro.scripts.cli import main; main()"
)


def answer(address, body=None):
    headers = {"content-type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(address, data, headers)) as response:  # noqa: S310 - our own server
        return json.load(response)


def test_the_example_is_predicted_without_torch_and_ctrl_c_ends_it():
    for package in ("uvicorn", "fastapi"):
        pytest.importorskip(package, reason="needs the extra `review`")
    process = subprocess.Popen(
        [sys.executable, "-c", WITHOUT_TORCH, "serve", "en-fr", "--port", "0"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT,
    )  # fmt: skip
    try:
        address = process.stdout.readline().strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/", address), process.stderr.read()
        example = answer(f"{address}api/example/en-fr")
        gaps = answer(f"{address}api/predict", {"model": "en-fr", **example})["gaps"]
        assert gaps[0]["hidden"]
        assert gaps[0]["antecedents"][0]["word"]
    finally:
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 0
    assert errors.splitlines()[-1] == "stopped"
    assert "Traceback" not in errors
