"""What `crosspro` shows by itself: lines that work as they are printed, and what is installed."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib

import pytest

from crosspro.scripts.doctor import BRINGS
from crosspro.scripts.overview import EXAMPLES, SAID, first_lines
from tests.conftest import ROOT
from tests.scripts.run import crosspro

LINES = [line.strip() for line in first_lines().splitlines() if line.startswith("  crosspro ")]
EXPECTED = {
    "predict": "La tasse est tombée, mais elle ne s'est pas cassée.",
    "proofread": "“lampe” is feminine",
    "evaluate": "429 gaps in 24 documents",
    "report": "careless",
}


def test_without_arguments_there_are_five_lines_to_copy():
    assert crosspro().stdout.decode() == f"{first_lines()}\n"
    assert [line.split()[1] for line in LINES] == [*EXPECTED, "serve"]
    assert LINES[0] in EXAMPLES.splitlines()


@pytest.mark.parametrize("line", LINES[:-1], ids=[*EXPECTED])
def test_a_line_works_as_it_is_printed_in_an_empty_folder(line, tmp_path):
    program = f"'{sys.executable}' -m crosspro.scripts.main"
    command = ["/bin/sh", "-c", line.replace("crosspro", program, 1)]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    name = line.split()[1]
    assert ran.returncode == (name == "proofread"), ran.stderr  # 1: it has found something
    assert EXPECTED[name] in ran.stdout
    written = [path.name for path in tmp_path.iterdir()]
    assert sorted(written) == (["report", "report.cache"] if name == "report" else [])


def test_a_folder_of_ones_own_comes_before_the_sample(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert crosspro("stats", "sample/gold.data", "-t", "en-fr-text").code == 0
    (tmp_path / "sample").mkdir()
    (tmp_path / "sample/gold.data").write_text("no example\n", "utf-8")
    assert crosspro("stats", "sample/gold.data", "-t", "en-fr-text").code == 2
    away = crosspro("stats", "sample/../sample/other.data", "-t", "en-fr-text")
    assert away.code == 2 and b"other.data" in away.stderr


def test_the_overview_needs_no_typer():
    code = "import sys\nfrom crosspro.scripts.entry import main\nmain()\nassert 'typer' not in "
    for arguments in SAID:
        told = [sys.executable, "-c", f"{code}sys.modules", *arguments]
        ran = subprocess.run(told, capture_output=True, text=True, cwd=ROOT)
        assert (ran.returncode, ran.stderr) == (0, "")


def test_doctor_says_what_is_there_and_how_to_get_the_rest():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert {*BRINGS} == {*settings["project"]["optional-dependencies"]}
    parts = json.loads(crosspro("doctor", "--layout", "json").stdout)
    kinds = {part["kind"] for part in parts}
    assert kinds == {"program", "extra", "model", "language", "machine"}
    extras = {part["name"]: part for part in parts if part["kind"] == "extra"}
    assert [*extras] == [*BRINGS]
    assert extras["dev"]["present"] and "pytest" in extras["dev"]["found"]
    for part in parts:
        if part["kind"] == "extra":
            assert part["present"] or f"crosspro[{part['name']}]" in part["install"]
    table = crosspro("doctor").stdout.decode()
    for part in parts:
        assert part["name"] in table


def test_doctor_imports_none_of_what_it_looks_for():
    heavy = "torch", "spacy", "pytorch_lightning", "sklearn", "fastapi"
    code = (
        "import sys\nfrom crosspro.scripts.main import main\nsys.argv[1:] = ['doctor']\n"
        f"try:\n    main()\nfinally:\n    assert not {{*{heavy}}} & {{*sys.modules}}"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert ran.returncode == 0, ran.stderr
