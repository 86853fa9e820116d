"""Shells complete commands, options and their values."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from crosspro.data_prep.core.task import task_names
from crosspro.scripts.main import COMMANDS
from tests.scripts.run import crosspro

ASK = """
{script}
COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
_crosspro; printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.fixture(scope="module")
def complete():
    script = crosspro("completion", "bash").stdout.decode()

    def ask(*words):
        written = " ".join(f"'{word}'" for word in words)
        text = ASK.format(script=script, words=written)
        found = subprocess.run(["bash", "-c", text], capture_output=True, text=True, check=True)
        return found.stdout.split()

    return ask


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not here")
def test_bash_completes(complete):
    assert complete("crosspro", "") == list(COMMANDS)
    assert complete("crosspro", "ev") == ["evaluate"]
    assert complete("crosspro", "evaluate", "gold", "--dou") == []
    assert complete("crosspro", "evaluate", "gold", "--doc") == ["--doc-ids"]
    assert complete("crosspro", "evaluate", "--task", "") == task_names()
    assert complete("crosspro", "check", "-t", "es") == ["es-en"]
    assert complete("crosspro", "evaluate", "--layout", "m") == ["markdown"]
    assert complete("crosspro", "protest", "b") == ["build"]
    assert complete("crosspro", "check", "x") == []  # a file


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_gets_every_command(shell):
    result = crosspro("completion", shell)
    assert result.code == 0, result.stderr
    text = result.stdout.decode()
    assert all(name in text for name in COMMANDS)
    assert "with-published" in text
    assert "en-fr-2015" in text
