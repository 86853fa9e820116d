"""Adapters stand outside: the core imports none of them, and each imports its own tool alone."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest

from tests.conftest import ROOT

ADAPTERS = sorted((ROOT / "integrations").rglob("*.py"))
CORE = ("baselines", "crosspro", "data_prep", "evaluation", "prediction", "scripts")
TOOLS = {"datatrove", "django", "lm_eval", "opusfilter", "weblate"}
LONGEST = 150


def imported(path):
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def test_the_core_imports_no_adapter_and_no_tool():
    for folder in CORE:
        for path in (ROOT / folder).rglob("*.py"):
            text = path.read_text("utf-8")
            if not any(name in text for name in ("integrations", *TOOLS)):
                continue
            for module in imported(path):
                assert not module.startswith("crosspro.integrations"), path
                assert module.partition(".")[0] not in TOOLS, path


@pytest.mark.parametrize("path", ADAPTERS, ids=lambda path: path.stem)
def test_an_adapter_is_small_and_knows_one_tool(path):
    assert len(path.read_text("utf-8").splitlines()) <= LONGEST
    modules = set(imported(path))
    assert len({one.partition(".")[0] for one in modules} & TOOLS - {"django"}) <= 1
    others = {one for one in modules if one.startswith("crosspro.integrations.")}
    assert not others, f"{path} needs {others}"


def test_the_room_itself_needs_no_tool():
    code = f"import sys, crosspro.integrations; sys.exit(bool({TOOLS!r} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
