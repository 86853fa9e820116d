"""Shells complete commands, options and their values."""

from __future__ import annotations

import pytest

from crosspro.data_prep.core.task import task_names
from crosspro.scripts.main import COMMANDS
from tests.scripts.run import crosspro


@pytest.fixture
def complete(monkeypatch):
    """What is offered for the last of some words, as the script for bash asks."""

    def ask(*words):
        monkeypatch.setenv("_CROSSPRO_COMPLETE", "complete_bash")
        monkeypatch.setenv("COMP_WORDS", "\n".join(words))
        monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
        found = crosspro()
        assert found.code == 0, found.stderr
        return found.stdout.decode().split()

    return ask


def test_words_are_completed(complete):
    assert complete("crosspro", "") == list(COMMANDS)
    assert complete("crosspro", "ev") == ["evaluate"]
    assert complete("crosspro", "evaluate", "gold", "--dou") == []
    assert complete("crosspro", "evaluate", "gold", "--doc") == ["--doc-ids"]
    assert complete("crosspro", "evaluate", "--task", "") == task_names()
    assert complete("crosspro", "check", "-t", "es") == ["es-en", "es-en-text"]
    assert complete("crosspro", "evaluate", "--layout", "m") == ["markdown"]
    assert complete("crosspro", "protest", "b") == ["build"]
    assert complete("crosspro", "contrastive", "b") == ["build"]
    assert complete("crosspro", "check", "x") == []  # a file
    assert complete("crosspro", "train", "--c") == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_gets_a_script(shell, monkeypatch):
    monkeypatch.setenv("_CROSSPRO_COMPLETE", f"source_{shell}")
    result = crosspro()
    assert result.code == 0, result.stderr
    assert f"complete_{shell}" in result.stdout.decode()
