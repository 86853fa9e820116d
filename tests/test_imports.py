"""Imports point one way, and the light packages stay light."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

OWN = {"baselines", "conf", "data_prep", "evaluation", "prediction", "scripts", "train"}
ALLOWED = {
    "conf": {"conf"},
    "data_prep": {"conf", "data_prep"},
    "evaluation": {"conf", "data_prep", "evaluation"},
    "prediction": {"data_prep", "evaluation", "prediction"},
    "baselines": {"data_prep", "evaluation", "baselines", "prediction.system"},
    "scripts": OWN,
}


def imported_modules(path: Path) -> set[str]:
    modules = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            modules.add(node.module or "")
    return modules


@pytest.mark.parametrize("package", ALLOWED)
def test_imports_point_one_way(package):
    for path in (ROOT / package).rglob("*.py"):
        for module in imported_modules(path):
            if module.partition(".")[0] in OWN:
                permitted = any(
                    module == name or module.startswith(f"{name}.") for name in ALLOWED[package]
                )
                assert permitted, f"{path.relative_to(ROOT)} imports {module}"


def modules_after(code: str) -> set[str]:
    listing = f"{code}\nimport sys\nprint(*sys.modules)"
    result = subprocess.run(
        [sys.executable, "-c", listing], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return {name.partition(".")[0] for name in result.stdout.split()}


@pytest.mark.parametrize("package", ["data_prep", "evaluation"])
def test_light_packages_import_neither_torch_nor_scikit_learn(package):
    names = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for path in (ROOT / package).rglob("*.py")
    ]
    assert not modules_after(f"import {', '.join(names)}") & {
        "torch",
        "sklearn",
        "pytorch_lightning",
    }


def test_the_system_interface_imports_no_torch():
    assert "torch" not in modules_after("import prediction.system, prediction.output")


def test_only_training_imports_lightning():
    assert "pytorch_lightning" not in modules_after("import train, prediction.neural")


def test_help_imports_neither_torch_nor_numpy():
    code = (
        "import sys; sys.argv = ['crosspro', '--help']\n"
        "from scripts.crosspro import main\n"
        "import contextlib, io\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit): main()"
    )
    assert not modules_after(code) & {"torch", "numpy", "sklearn", "hydra"}
