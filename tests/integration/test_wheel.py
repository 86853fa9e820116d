"""An installed wheel is one package that works beside a user's own modules of any name."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path

import pytest

from tests.conftest import GOLDEN, ROOT

FOLDERS = ("baselines", "conf", "data_prep", "evaluation", "models", "prediction",
           "scripts")  # fmt: skip
LEFT_OUT = ("integrations/", "scripts/reproduce/")


def tracked() -> list[str]:
    listing = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT,
                             capture_output=True, text=True)  # fmt: skip
    if listing.returncode != 0:
        pytest.skip("not a git checkout")
    return [name for name in listing.stdout.splitlines() if (ROOT / name).is_file()]


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """A copy of the project as it is checked out."""
    copy = tmp_path_factory.mktemp("source") / "crosspro"  # as a clone is called
    for name in tracked():
        if not name.startswith("tests/"):
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            (copy / name).write_bytes((ROOT / name).read_bytes())
    return copy


@pytest.fixture(scope="module")
def wheel(source, tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation",
         "--disable-pip-version-check", "-w", folder, source],
        check=True, capture_output=True,
    )  # fmt: skip
    (path,) = folder.glob("crosspro-*-py3-none-any.whl")
    return path


def environment(folder: Path) -> Path:
    """A new environment: this one's packages can be imported in it, its crosspro cannot."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    (site,) = folder.glob("lib/python*/site-packages")
    packages = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (site / "packages.pth").write_text("".join(f"{folder}\n" for folder in packages), "utf-8")
    return folder / "bin"


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    programs = environment(tmp_path_factory.mktemp("environment"))
    subprocess.run(
        [sys.executable, "-m", "pip", "--python", programs / "python", "install", "--quiet",
         "--no-deps", "--no-index", "--disable-pip-version-check", wheel],
        check=True, capture_output=True,
    )  # fmt: skip
    return programs


@pytest.fixture
def place(tmp_path):
    """A user's folder whose names are those of our own folders."""
    for name in (*FOLDERS, "train", "crosspro_notes"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('the wrong module')\n", "utf-8")
    for name in ("scripts", "conf", "evaluation"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise SystemExit('wrong')\n", "utf-8")
    return tmp_path


def call(*command: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    environment["PYTHONPATH"] = str(cwd)  # as if the user worked on a project there
    return subprocess.run([*map(str, command)], capture_output=True, text=True, cwd=cwd,
                          env=environment)  # fmt: skip


def test_it_holds_the_package_and_nothing_else(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    folders = tuple(f"{folder}/" for folder in FOLDERS)
    wanted = {f"crosspro/{name}" for name in tracked() if name.startswith(folders)}
    wanted = {name for name in wanted if not name.removeprefix("crosspro/").startswith(LEFT_OUT)}
    assert names == wanted | {name for name in tracked() if name.startswith("crosspro/")}
    assert names >= {"crosspro/__init__.py", "crosspro/py.typed"}


def test_every_package_is_listed():
    with (ROOT / "pyproject.toml").open("rb") as handle:
        listed = tomllib.load(handle)["tool"]["setuptools"]["packages"]
    packages = {
        f"crosspro.{name.removesuffix('/__init__.py').replace('/', '.')}"
        for name in tracked()
        if name.startswith(FOLDERS) and name.endswith("/__init__.py")
        and not name.startswith(LEFT_OUT)
    }  # fmt: skip
    assert set(listed) == packages | {"crosspro"}


@pytest.mark.slow
def test_evaluate_and_train_beside_modules_of_the_same_names(installed, place):
    where = call(installed / "python", "-c", "import crosspro; print(crosspro.__file__)", cwd=place)
    assert str(installed.parent) in where.stdout
    trained = call(installed / "crosspro", "train", "task=de-en", "data.documents.train=5",
                   "data.documents.dev=2", "data.documents.test=2", "resamples=10",
                   cwd=place)  # fmt: skip
    assert trained.returncode == 0, trained.stderr
    case = GOLDEN / "scorer" / "en-fr_random"
    scored = call(installed / "crosspro", "evaluate", case / "gold.tsv", case / "pred.tsv",
                  "--lenient", "-t", "en-fr", "--html", place / "page.html", cwd=place)  # fmt: skip
    assert scored.returncode == 0, scored.stderr
    assert (place / "page.html").stat().st_size > 10_000
