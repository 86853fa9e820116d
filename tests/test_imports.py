"""Imports point one way, and light packages stay light."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from crosspro.data_prep.core.errors import TRAINING
from tests.conftest import ROOT

# Which rooms each room may import from; a room inside another is not part of that one. Folders that
# do not exist do no harm.
FLOOR = {"conf", "data_prep.core"}
CORPORA = {
    f"data_prep.{path.parent.name}"
    for path in (ROOT / "data_prep").glob("*/__init__.py")
    if path.parent.name not in ("core", "pipeline")
}
DATA_PREP = {*FLOOR, *CORPORA, "data_prep.pipeline"}
SHARED = {"published", "report"}
METRICS = {
    f"metrics.{path.parent.name}"
    for path in (ROOT / "evaluation" / "metrics").glob("*/__init__.py")
}
EVALUATION: dict[str, set[str]] = {
    "report": set(),
    "published": {"report"},
    **dict.fromkeys(METRICS, SHARED),
    "people": {"report"},
    "protest": {*SHARED, "people", "correlation"},
    "correlation": {*SHARED, "metrics.apt"},
}
IN_EVALUATION = {f"evaluation.{room}" for room in EVALUATION}
ALLOWED: dict[str, set[str]] = {
    "conf": set(),
    "data_prep.core": FLOOR,
    **{room: {*FLOOR, *CORPORA} for room in CORPORA},
    "data_prep.pipeline": DATA_PREP,
    **{
        f"evaluation.{room}": {*DATA_PREP, *(f"evaluation.{other}" for other in others)}
        for room, others in EVALUATION.items()
    },
    "prediction": {*DATA_PREP, *IN_EVALUATION},
    "baselines": {*DATA_PREP, *IN_EVALUATION, "prediction"},
    "prediction.neural": {*DATA_PREP, *IN_EVALUATION, "prediction"},
    "prediction.proofread": {*DATA_PREP, *IN_EVALUATION, "prediction"},
    "scripts.servers": {
        *DATA_PREP, "evaluation.protest", "evaluation.people", "evaluation.report", "prediction",
    },
}  # fmt: skip
ALLOWED["scripts"] = {*ALLOWED}


def imported_modules(path: Path) -> set[str]:
    modules = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            modules.add(node.module or "")
    return modules


def room_of(module: str) -> str | None:
    """The innermost room that holds a module (its name without `crosspro.`)."""
    holding = [room for room in ALLOWED if f"{module}.".startswith(f"{room}.")]
    return max(holding, key=len, default=None)


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@pytest.mark.parametrize("room", sorted(ALLOWED))
def test_imports_point_one_way(room):
    for path in (ROOT / room.replace(".", "/")).rglob("*.py"):
        if room_of(module_of(path)) != room:
            continue
        for module in imported_modules(path):
            assert module.partition(".")[0] not in ALLOWED, f"{path}: {module} without crosspro."
            imported = room_of(module.removeprefix("crosspro."))
            if module.startswith("crosspro.") and imported not in (None, room):
                assert imported in ALLOWED[room], f"{path.relative_to(ROOT)} imports {module}"


def test_rooms_form_no_circle():
    known: set[str] = set()
    while waiting := {room for room in ALLOWED if room not in known}:
        ready = {room for room in waiting if ALLOWED[room] - {room} - CORPORA <= known}
        assert ready, f"a circle among {waiting}"
        known |= ready


def test_corpora_form_no_circle():
    arrows = {
        (room, room_of(module.removeprefix("crosspro.")))
        for room in CORPORA
        for path in (ROOT / room.replace(".", "/")).rglob("*.py")
        for module in imported_modules(path)
    }
    arrows = {(one, other) for one, other in arrows if other in CORPORA and one != other}
    while ends := {other for _, other in arrows} - {one for one, _ in arrows}:
        arrows = {(one, other) for one, other in arrows if other not in ends}
    assert not arrows


def modules_after(code: str) -> set[str]:
    listing = f"{code}\nimport sys\nprint(*sys.modules)"
    result = subprocess.run(
        [sys.executable, "-c", listing], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return {*result.stdout.split()}


def packages_after(code: str) -> set[str]:
    return {name.partition(".")[0] for name in modules_after(code)}


@pytest.mark.parametrize("package", ["data_prep", "evaluation"])
def test_light_packages_import_nothing_that_learning_needs(package):
    paths = (path for path in (ROOT / package).rglob("*.py") if path.name != "__main__.py")
    names = ", ".join(f"crosspro.{module_of(path)}" for path in paths)
    assert not packages_after(f"import {names}") & TRAINING


def test_the_system_interface_imports_no_torch():
    modules = "system", "output", "runs", "fit_and_score"
    names = ", ".join(f"crosspro.prediction.{name}" for name in modules)
    assert not packages_after(f"import {names}") & TRAINING


def test_scoring_files_imports_no_systems():
    names = modules_after("import crosspro.scripts.evaluate")
    assert not [name for name in names if name.startswith("crosspro.prediction")]


def test_help_imports_neither_torch_nor_numpy():
    code = "import sys; sys.argv = ['crosspro', '--help']\nfrom crosspro.scripts.cli import main\n"
    code += "main()"
    assert not packages_after(code) & {"torch", "numpy", "sklearn", "hydra"}
