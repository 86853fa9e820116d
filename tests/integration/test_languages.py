"""docs/tutorials/add-language.md, followed as a reader would: files, commands, outputs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from crosspro.evaluation.inputs.pronoun_lists import lists_names, load_lists
from crosspro.evaluation.protest.language import shipped_languages
from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "tutorials" / "add-language.md").read_text("utf-8")
PROGRAMS = ("cp", "sed", "crosspro")
LEFT_OUT = "…"


def steps() -> list[tuple[str, str]]:
    """The code blocks of the page: files to write, commands to run, and what they print."""
    found = []
    for kind, text in re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL):
        if kind == "yaml":
            found.append(("file", text))
        else:
            commands = text.split()[0] in PROGRAMS
            found.append(("commands" if commands else "output", text))
    return found


def run(commands: str, folder: Path) -> str:
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    result = subprocess.run(
        ["bash", "-ec", commands], cwd=folder, capture_output=True, text=True,
        env={**os.environ, "PATH": programs, "COLUMNS": "80"},
    )  # fmt: skip
    assert result.returncode == 0, f"{commands}\n{result.stderr}"
    return result.stdout


def matches(shown: str, printed: str) -> bool:
    """Whether a command printed what the page shows; a line … stands for any lines."""
    parts = re.split(rf"^{LEFT_OUT}\n", shown, flags=re.MULTILINE)
    pattern = r"(?:.*\n)*".join(re.escape(part) for part in parts)
    return re.fullmatch(pattern, printed) is not None


@pytest.fixture(scope="module")
def followed(tmp_path_factory):
    """The folder of a reader who did all of it, and what was printed where the page shows it."""
    folder = tmp_path_factory.mktemp("reader")
    (folder / "tests").symlink_to(ROOT / "tests")
    (folder / "my").mkdir()
    printed, outputs = "", []
    for number, (kind, text) in enumerate(steps()):
        if kind == "file":
            name = re.match(r"# ([\w-]+\.yaml): ", text)
            assert name, text
            (folder / "my" / name[1]).write_text(text, "utf-8")
        elif kind == "commands":
            printed = run(text, folder if number == 0 else folder / "my")
        else:
            outputs.append((text, printed))
    return folder / "my", outputs


def test_the_pair_is_a_new_one():
    assert "en-pt" not in lists_names()
    assert "pt" not in shipped_languages()


def test_commands_print_what_the_page_shows(followed):
    _, outputs = followed
    assert len(outputs) == 5
    for shown, printed in outputs:
        assert shown.count("\n") > 3
        assert matches(shown, printed), f"{shown}\n----\n{printed}"


def test_the_lists_of_the_page_are_read_as_they_are_written(followed):
    folder, _ = followed
    lists, heir = load_lists(folder / "en-pt.yaml"), load_lists(folder / "en-pt-you.yaml")
    assert lists.name == "en-pt"
    assert lists.label("nela") == "ela"
    assert frozenset(("isso", "isto")) in lists.probabilities
    assert (heir.name, heir.target_language) == ("en-pt-you", "pt")
    assert heir.target_pronouns == (*lists.target_pronouns, "você", "vocês", "tu")
    assert heir.identical == lists.identical


def test_what_is_left_out_may_be_anything():
    assert matches("a\n…\nd\n", "a\nb\nc\nd\n")
    assert matches("a\n…\n", "a\n")
    assert not matches("a\n…\nd\n", "a\nb\n")
    assert not matches("a.\n", "ab\n")
