"""The hook of pre-commit, and the image of Docker, on translations of a repository."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.conftest import ROOT

PO = """msgid ""
msgstr ""
"Language: de\\n"
"Content-Type: text/plain; charset=UTF-8\\n"

#: a.c:1
msgid "I bought a lamp because it was cheap."
msgstr "Ich habe eine Lampe gekauft, weil {} billig war."
"""


STUB = """#!/bin/sh
for file; do true; done
printf '%s\\n' "$file:1:1: $*"
case "$file" in *right.po) exit 0;; *) exit 1;; esac
"""
"""Called as `crosspro`; the last argument is the file."""


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A translation with a wrong pronoun, and one with a right one."""
    for name, word in (("wrong.po", "er"), ("right.po", "sie")):
        (tmp_path / name).write_text(PO.format(word), "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def hook():
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    return hook


def run(hook, programs, *files):
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        [*shlex.split(hook["entry"]), *files],
        env={**os.environ, "PATH": path}, capture_output=True, text=True,
    )  # fmt: skip


def test_each_file_is_read_and_its_name_is_no_option_and_no_command(hook, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "crosspro").write_text(STUB, "utf-8")
    (tmp_path / "crosspro").chmod(0o755)
    names = ["a.po", "-b.po", "::error::c.po", "d e $(touch made).po"]
    result = run(hook, tmp_path, *names, "right.po")
    assert result.returncode == 1
    assert result.stdout.splitlines() == [
        f"{tmp_path / name}:1:1: proofread -- {tmp_path / name}" for name in (*names, "right.po")
    ]
    assert not (tmp_path / "made").exists()
    assert run(hook, tmp_path, "right.po").returncode == 0
    assert run(hook, tmp_path).returncode == 0


def test_links_out_of_the_repository_are_not_read(hook, tmp_path, monkeypatch):
    repository = tmp_path / "repository"
    repository.mkdir()
    monkeypatch.chdir(repository)
    (tmp_path / "crosspro").write_text(STUB, "utf-8")
    (tmp_path / "crosspro").chmod(0o755)
    (tmp_path / "secret.po").write_text("secret")
    (repository / "right.po").write_text("")
    (repository / "link.po").symlink_to(tmp_path / "secret.po")
    (repository / "right-link.po").symlink_to("right.po")
    result = run(hook, tmp_path, "link.po", "right-link.po")
    assert result.returncode == 1
    assert "secret" not in result.stdout
    assert [line.partition(":")[0] for line in result.stdout.splitlines()] == [
        str(repository / "right-link.po")
    ]


@pytest.mark.slow
@pytest.mark.usefixtures("repository")
def test_the_hook_fails_where_a_pronoun_is_doubtful(hook):
    programs = Path(sys.prefix) / "bin"
    assert run(hook, programs, "right.po").returncode == 0
    result = run(hook, programs, "wrong.po", "right.po")
    assert result.returncode == 1
    assert "er → sie" in result.stdout


def checked(*command):
    program = Path(sys.prefix) / "bin" / command[0]
    if not program.is_file():
        pytest.skip(f"no {command[0]}")
    result = subprocess.run([program, *command[1:]], capture_output=True, text=True, cwd=ROOT)
    assert result.returncode == 0, result.stdout + result.stderr


def test_the_manifest_is_valid():
    checked("pre-commit", "validate-manifest", ".pre-commit-hooks.yaml")
