"""An installed wheel works away from the checkout, with its task files, configs and figures."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile

import pytest

from tests.conftest import GOLDEN, ROOT


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    copy = folder / "source"
    tracked = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT,
                             capture_output=True, text=True)  # fmt: skip
    if tracked.returncode != 0:
        pytest.skip("not a git checkout")
    for name in tracked.stdout.splitlines():
        if not name.startswith("tests/") and (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            (copy / name).write_bytes((ROOT / name).read_bytes())
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation",
         "--disable-pip-version-check", "-w", folder, copy],
        check=True, capture_output=True,
    )  # fmt: skip
    (wheel,) = folder.glob("crosspro-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def call(installed, folder, *arguments):
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    return subprocess.run([sys.executable, "-m", *map(str, arguments)], capture_output=True,
                          text=True, cwd=folder, env=environment)  # fmt: skip


def test_its_own_files_are_used(installed, tmp_path):
    code = "import conf, evaluation; print(conf.__file__, evaluation.__file__)"
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                            cwd=tmp_path, env=environment, check=True).stdout  # fmt: skip
    assert output.count(str(installed)) == 2


def test_train_and_evaluate(installed, tmp_path):
    trained = call(installed, tmp_path, "train", "task=de-en", "data.documents.train=5",
                   "data.documents.dev=2", "data.documents.test=2", "resamples=10")  # fmt: skip
    assert trained.returncode == 0, trained.stderr
    case = GOLDEN / "scorer" / "26"
    scored = call(installed, tmp_path, "scripts.crosspro", "evaluate", case / "gold.tsv",
                  case / "pred.tsv", "-t", "en-fr", "--with-published", 2017,
                  "--layout", "html", "-o", tmp_path / "page.html")  # fmt: skip
    assert scored.returncode == 0, scored.stderr
    assert (tmp_path / "page.html").stat().st_size > 10_000
