"""What commands do to a terminal, and what a terminal does to commands."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from crosspro.data_prep.core.errors import Problem, printable
from crosspro.evaluation.output.tables import markdown_table, text_table
from tests.conftest import ROOT, mostly_slow
from tests.integration.training import SMALL
from tests.scripts.run import crosspro

ENTRY = "from crosspro.scripts.entry import main; main()"

INTERRUPTED = """
import sys
interrupted = sys.argv.pop(1)
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == interrupted:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Finder())
from crosspro.scripts.entry import main
main()
"""


def crosspro_process(*arguments, redirect="", **settings):
    words = " ".join(f"'{one}'" for one in ("-c", ENTRY, *arguments))
    return subprocess.run(
        ["/bin/sh", "-c", f"exec '{sys.executable}' {words} {redirect}"],
        capture_output=True,
        **settings,
    )


def test_what_would_steer_a_terminal_is_shown():
    name = "a\x1b[31mb\x9b2J\u202ec\udcff\r\nd"
    for text in (
        printable(name),
        text_table(("name", "x"), [(name, "1")]),
        markdown_table(("name", "x"), [(name, "1")]),
    ):
        assert not set("\x1b\x9b\u202e\udcff\r") & set(text)
        assert "a\\x1b[31mb\\x9b2J\\u202ec\\udcff\\r\\nd" in text
    assert "\x1b" not in str(Problem("p\x1b[2J", 1, "f", "x", "\x1b]0;t\x07"))
    assert printable("é ü — 漢字\u0301") == "é ü — 漢字\u0301"


def test_messages_about_odd_paths(tmp_path):
    result = crosspro("stats", tmp_path / "no\x1b[2Jfile", "-t", "en-fr")
    assert result.code == 2
    assert b"\x1b" not in result.stderr
    assert b"no\\x1b[2Jfile" in result.stderr


@pytest.mark.parametrize("redirect", [">&-", "2>&-", "<&-", ">&- 2>&- <&-", "> /dev/full"])
def test_closed_and_full_streams(redirect):
    result = crosspro_process("published", "-t", "en-fr", redirect=redirect)
    lost = ">&-" in redirect.replace("2>&-", "") or "full" in redirect
    assert result.returncode == (2 if lost else 0), result.stderr
    assert b"Traceback" not in result.stderr + result.stdout
    assert b"ignored" not in result.stderr
    if lost and "2>&-" not in redirect:
        assert b"crosspro: output: " in result.stderr


def test_output_to_a_file_needs_no_standard_output(tmp_path):
    output = tmp_path / "out"
    result = crosspro_process("published", "-t", "en-fr", "-o", output, redirect=">&-")
    assert result.returncode == 0, result.stderr
    assert output.read_bytes() == crosspro("published", "-t", "en-fr").stdout


def test_a_terminal_that_knows_only_ascii(tmp_path):
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PYTHONUTF8": "0"}
    (tmp_path / "é.data").write_text("x\n")
    result = crosspro_process("check", tmp_path / "é.data", "-t", "en-fr", env=environment)
    assert result.returncode in (1, 2)
    assert b"Traceback" not in result.stderr
    help_text = crosspro_process("--help", env=environment)
    assert (help_text.returncode, help_text.stderr) == (0, b"")


@pytest.mark.parametrize("module", ["typer", "crosspro.scripts.stats", "crosspro.data_prep"])
def test_an_interrupt_while_modules_are_imported(module):
    command = [sys.executable, "-c", INTERRUPTED, module, "stats", "--help"]
    result = subprocess.run(command, capture_output=True)
    assert result.stderr == b""
    assert result.returncode == 128 + signal.SIGINT


DEMO = ("data=demo", *SMALL)


def train_process(*arguments, redirect="", **settings):
    words = " ".join(f"'{one}'" for one in ("train.py", "system=majority", *arguments))
    command = f"'{sys.executable}' {words} {redirect}"
    return subprocess.run(["/bin/sh", "-c", command], capture_output=True, cwd=ROOT, **settings)


@pytest.mark.parametrize(
    "module", mostly_slow(["hydra", "crosspro.scripts.train", "omegaconf"], "hydra")
)
def test_an_interrupt_while_train_is_imported(module):
    start = INTERRUPTED.replace("import main\nmain()", "import train\ntrain()")
    command = [sys.executable, "-c", start, module, "--help"]
    result = subprocess.run(command, capture_output=True)
    assert result.stderr == b""
    assert result.returncode == 128 + signal.SIGINT


def test_training_on_a_terminal_that_knows_only_ascii(tmp_path):
    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    result = train_process(*DEMO, f"hydra.run.dir={tmp_path}/run", env=environment)
    assert result.returncode == 0, result.stderr
    assert b"Traceback" not in result.stderr + result.stdout
    assert b"Logging error" not in result.stderr
    log = (tmp_path / "run/train.log").read_text(encoding="utf-8")
    assert "best possible" in log


@pytest.mark.parametrize(
    ("redirect", "code"), mostly_slow([(">&-", 2), ("| head -1", 0), ("> /dev/full", 2)], ">&-")
)
def test_training_without_somebody_to_read_its_scores(redirect, code, tmp_path):
    result = train_process(*DEMO, f"hydra.run.dir={tmp_path}/run", redirect=redirect)
    assert result.returncode == code, result.stderr
    for trouble in (b"Traceback", b"ignored", b"Error executing"):
        assert trouble not in result.stderr + result.stdout
    if code:
        assert b"output: " in result.stderr
    assert (tmp_path / "run/run.json").is_file()


def test_a_run_is_not_written_over_its_data(tmp_path):
    result = train_process(f"hydra.run.dir={tmp_path}", "data=shared_task", f"data.dir={tmp_path}")
    assert result.returncode == 2
    assert b"hydra.run.dir: expected another folder than data.dir" in result.stderr


def test_numbers_that_are_none(tmp_path):
    for value in ("nan", "inf", "-inf"):
        result = crosspro("fill", tmp_path, "-t", "en-fr", "--lm", "x", "--none-penalty", value)
        assert result.code == 2
        assert b"--none-penalty" in result.stderr
