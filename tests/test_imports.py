"""Imports point one way, and the light packages stay light."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from crosspro.data_prep.core.errors import TRAINING
from tests.conftest import ROOT

# Which rooms each room may import from; a room inside another is not part of that one.
FLOOR = {"conf", "data_prep.core"}
CORPORA = {
    f"data_prep.{path.parent.name}"
    for path in (ROOT / "data_prep").glob("*/__init__.py")
    if path.parent.name not in ("core", "pipeline")
}
DATA_PREP = {*FLOOR, *CORPORA, "data_prep.pipeline"}
ALLOWED: dict[str, set[str]] = {
    "conf": {"conf"},
    "data_prep.core": FLOOR,
    **{room: {*FLOOR, *CORPORA} for room in CORPORA},  # one direction among them: see below
    "data_prep.pipeline": DATA_PREP,
    "prediction": {*DATA_PREP, "prediction"},
    "baselines": {*DATA_PREP, "prediction", "baselines"},
    "prediction.neural": {*DATA_PREP, "prediction", "prediction.neural"},
    "prediction.proofread": {*DATA_PREP, "prediction", "prediction.proofread"},
}
# The rooms of evaluation: what the metrics share does not know them, and no metric knows another;
# nothing but commands and the people's own scores depends on the released tools.
SHARED: dict[str, set[str]] = {"core": set(), "output": {"core"}, "inputs": {"core", "output"}}
METRICS = {
    f"metrics.{path.parent.name}"
    for path in (ROOT / "evaluation" / "metrics").glob("*/__init__.py")
}
INNER: dict[str, set[str]] = {
    **SHARED,
    **{metric: set(SHARED) for metric in METRICS},
    "metrics.submissions": {"core", "output", "published"},
    "metrics.expected_forms": {*SHARED, "metrics.contrastive"},
    "released": {*SHARED, *METRICS},
    "published": {"output"},
    "protest": {*SHARED, "human"},
    "correlation": {*SHARED, "published"},
    # People judge what metrics found; PROTEST is scored by their verdicts.
    "human": {*SHARED, *METRICS},
    # A report on a folder has what each of these makes of it.
    "folder_report": {*SHARED, *METRICS},
}
for inner, others in INNER.items():
    ALLOWED[f"evaluation.{inner}"] = {
        *DATA_PREP,
        *(f"evaluation.{other}" for other in {inner, *others}),
    }
for outer in ("prediction", "baselines", "prediction.neural", "prediction.proofread"):
    ALLOWED[outer] |= {f"evaluation.{inner}" for inner in INNER}
SERVED = {"evaluation.protest", "evaluation.human", "evaluation.output", "prediction"}
ALLOWED["scripts.servers"] = {*DATA_PREP, *SERVED, "scripts.servers"}
ALLOWED["scripts"] = {*ALLOWED, "scripts"}
ROOMS = tuple(ALLOWED)


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
    holding = [room for room in ROOMS if f"{module}.".startswith(f"{room}.")]
    return max(holding, key=len, default=None)


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


@pytest.mark.parametrize("room", sorted(ALLOWED))
def test_imports_point_one_way(room):
    for path in (ROOT / room.replace(".", "/")).rglob("*.py"):
        if room_of(module_of(path)) != room:
            continue
        for module in imported_modules(path):
            assert module.partition(".")[0] not in ROOMS, f"{path}: {module} without crosspro."
            imported = room_of(module.removeprefix("crosspro."))
            if module.startswith("crosspro.") and imported is not None:
                assert imported in ALLOWED[room], f"{path.relative_to(ROOT)} imports {module}"


def test_rooms_form_no_circle():
    known: set[str] = set()
    while waiting := {room for room in ALLOWED if room not in known}:
        ready = {room for room in waiting if ALLOWED[room] - {room} - CORPORA <= known}
        assert ready, f"a circle among {waiting}"
        known |= ready


def test_a_class_name_means_one_thing():
    places: dict[str, list[str]] = {}
    for folder in {room.partition(".")[0] for room in ROOMS}:
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    places.setdefault(node.name, []).append(module_of(path))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def modules_after(code: str) -> set[str]:
    listing = f"{code}\nimport sys\nprint(*sys.modules)"
    result = subprocess.run(
        [sys.executable, "-c", listing], capture_output=True, text=True, check=True, cwd=ROOT
    )
    return {name.partition(".")[0] for name in result.stdout.split()}


@pytest.mark.parametrize("package", ["data_prep", "evaluation"])
def test_light_packages_import_nothing_that_learning_needs(package):
    names = [
        f"crosspro.{module_of(path).removesuffix('.__init__')}"
        for path in (ROOT / package).rglob("*.py")
        if path.name != "__main__.py"
    ]
    assert not modules_after(f"import {', '.join(names)}") & TRAINING


def test_the_system_interface_imports_no_torch():
    assert not TRAINING & modules_after(
        "import crosspro.prediction.system, crosspro.prediction.output, "
        "crosspro.prediction.runs, crosspro.prediction.fit_and_score, "
        "crosspro.prediction.output"
    )


def test_only_training_imports_lightning():
    assert "pytorch_lightning" not in modules_after(
        "import crosspro.scripts.train, crosspro.prediction.neural.system"
    )


def test_scoring_files_imports_neither_systems_nor_pages():
    listing = "import crosspro.scripts.evaluate, sys\nprint(*sys.modules)"
    command = [sys.executable, "-c", listing]
    result = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    found = [name for name in result.stdout.split() if name.startswith("crosspro.")]
    assert not [name for name in found if name.endswith(".page") or ".prediction" in name]


def test_commands_import_what_they_use():
    unused = {
        "evaluate": {"published.results", "formats.conllu", "formats.chains"},
        "lm": {"core.yaml_files", "ngram.estimate", "ngram.counting", "ngram.arpa"},
    }
    for command, modules in unused.items():
        code = f"import crosspro.scripts.{command}, sys\nprint(*sys.modules)"
        ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
        assert f"crosspro.scripts.{command}" in ran.stdout.split()
        assert not [name for name in ran.stdout.split() if name.endswith(tuple(modules))]


def test_help_imports_neither_torch_nor_numpy():
    code = (
        "import sys; sys.argv = ['crosspro', '--help']\n"
        "from crosspro.scripts.main import main\n"
        "import contextlib, io\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit): main()"
    )
    assert not modules_after(code) & {"torch", "numpy", "sklearn", "hydra"}


FLOORS = ("conf", "data_prep", "evaluation", "prediction", "baselines", "prediction.neural")
FLOORS = (*FLOORS, "scripts", "crosspro")


def within(module: str, rooms: Iterable[str]) -> str | None:
    """The innermost of some rooms that holds a module (its name without `crosspro.`)."""
    return max(
        (room for room in rooms if f"{module}.".startswith(f"{room}.")), key=len, default=None
    )


def packages() -> set[str]:
    """All folders with code but the tests, by their names without `crosspro.`"""
    found = (path.parent.relative_to(ROOT).parts for path in ROOT.glob("**/__init__.py"))
    return {".".join(parts) for parts in found if parts[0] in {f.partition(".")[0] for f in FLOORS}}


def without_crosspro(imported: str) -> str:
    """The name without `crosspro.`, but for a module of the folder that is itself called so."""
    name = imported.removeprefix("crosspro.")
    return imported if (ROOT / "crosspro" / f"{name}.py").is_file() else name


def imports_between(rooms: Iterable[str]) -> set[tuple[str, str]]:
    """Which room imports from which other; a module in none of them is a room of its own."""
    rooms = set(rooms)
    found = set()
    for folder in {floor.partition(".")[0] for floor in FLOORS}:
        for path in (ROOT / folder).rglob("*.py"):
            module = module_of(path).removesuffix(".__init__")
            for imported in imported_modules(path):
                if imported.startswith("crosspro.") and imported != "crosspro.version":
                    name = without_crosspro(imported)
                    found.add((within(module, rooms) or module, within(name, rooms) or name))
    return {(one, other) for one, other in found if one != other}


def reachable(start: str, arrows: set[tuple[str, str]]) -> set[str]:
    seen, todo = set(), [start]
    while todo:
        here = todo.pop()
        new = {other for one, other in arrows if one == here} - seen
        seen |= new
        todo += new
    return seen


def test_folders_form_no_circle():
    """Folders, and the modules that lie beside them, import each other in one direction."""
    rooms = {name for name in packages() if "." in name}
    arrows = imports_between(rooms)
    for room in {one for one, _ in arrows}:
        assert room not in reachable(room, arrows), f"{room} imports itself through others"


def test_the_picture_of_the_architecture_is_true():
    """Every room is drawn, every drawn arrow is an import, and drawn arrows lead to all imports."""
    picture = ElementTree.parse(ROOT / "docs" / "images" / "architecture.svg")  # noqa: S314 - it is ours
    drawn: dict[str, list[dict[str, str]]] = {}
    for element in picture.iter():
        drawn.setdefault(element.get("class", ""), []).append(element.attrib)
    rooms = {one["id"] for kind in ("floor", "room") for one in drawn[kind]}
    assert rooms == {name for name in packages() if name.count(".") < 2 or "neural" in name}
    arrows = {(one["data-from"], one["data-to"]) for one in drawn["imports"]}
    found = imports_between(FLOORS)
    assert arrows <= found
    for one, other in found:
        assert other in reachable(one, arrows), f"{one} -> {other} is not in the picture"
    for stop in drawn["stop"]:
        assert (ROOT / stop["data-module"]).is_file(), stop["data-module"]
