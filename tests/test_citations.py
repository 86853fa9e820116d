"""What a user reads cites papers by name and year, never by the numbers that our sources have."""

from __future__ import annotations

import ast
import re

import pytest

from crosspro.scripts.main import COMMANDS
from tests.conftest import ROOT
from tests.scripts.run import crosspro

NUMBER = re.compile(r"(?<![\w.,\\])00[0-4](?![\w]|[.,]\d)")
ROOMS = ("baselines", "conf", "crosspro", "data_prep", "evaluation", "prediction", "scripts")
TEXTS = sorted(
    path
    for pattern in ("docs/**/*.md", "conf/**/*.yaml", "evaluation/**/*.yaml", "data_prep/**/*.md")
    for path in ROOT.glob(pattern)
)
MODULES = sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_documents_and_settings(path):
    assert not NUMBER.findall(path.read_text("utf-8"))


@pytest.mark.parametrize("name", COMMANDS)
def test_help(name):
    assert not NUMBER.findall(crosspro(name, "--help").stdout.decode())


def test_messages_and_options():
    found = []
    for path in MODULES:
        tree = ast.parse(path.read_text("utf-8"))
        comments = {
            id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)
        }  # docstrings, which readers of the code have the papers for
        found += [
            f"{path}:{node.lineno}: {node.value}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
            if id(node) not in comments and NUMBER.search(node.value)
        ]
    assert not found
