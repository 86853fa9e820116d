"""What the released Java tool of AutoPRF prints, and where it stops."""

from __future__ import annotations

import numpy as np
import pytest

from crosspro.evaluation.released.autoprf import java_float, java_split, run_released
from tests.conftest import GOLDEN

CASES = sorted(path.name for path in (GOLDEN / "autoprf").iterdir())


@pytest.mark.parametrize("verbosity", [0, 1, 2])
@pytest.mark.parametrize("name", CASES)
def test_golden_output(name, verbosity, monkeypatch):
    folder = GOLDEN / "autoprf" / name
    monkeypatch.chdir(folder)
    result = run_released("ref", "cand", "docs", verbosity)
    assert result.stdout == (folder / f"expected_v{verbosity}.txt").read_text("utf-8")
    assert result.status == int((folder / "exit").read_text("utf-8"))
    assert result.stderr == (folder / "stderr.txt").read_text("utf-8")


SMALL = {
    "ref_en": "it a b\nit c\n",
    "ref_fr": "il x y\nz w\n",
    "ref_en_fr.alig": "0-0\n0-0\n",
    "cand_en": "it a b\nit c\n",
    "cand_fr": "il x\nz w v\n",
    "cand_en_fr.alig": "0-0\n0-0\n",
    "docs": "0\n",
}


def write(folder, files):
    for name, content in files.items():
        side, _, rest = name.partition("_")
        (folder / (f"{side}.{rest.replace('_', '-')}" if rest else side)).write_text(
            content, "utf-8"
        )


@pytest.mark.parametrize(
    ("changes", "status", "expected"),
    [
        ({}, 0, "2/   2   1.0000"),
        # A target link beyond the sentence reads into the next one.
        ({"cand_en_fr.alig": "0-0\n0-2\n"}, 0, "1/   2   0.5000"),
        ({"cand_fr": "il x\nz\n", "cand_en_fr.alig": "0-0\n0-1\n"}, 1, ""),
        ({"cand_en_fr.alig": "0-0\n0-3\n"}, 1, ""),  # no target was as long so far
        ({"cand_en_fr.alig": "0-0\n2-1 0-0\n"}, 0, "2/   2   1.0000"),  # dropped
        ({"cand_en_fr.alig": "0-0 3-0\n0-0\n"}, 1, ""),  # no source was as long so far
        ({"cand_en_fr.alig": "0-0\n"}, 1, ""),
        ({"cand_en_fr.alig": "0-0\n0-0\n\n0-0\n"}, 0, "2/   2   1.0000"),  # more lines are ignored
        ({"cand_en_fr.alig": "0\n0-0\n"}, 1, ""),
        ({"cand_en_fr.alig": "0-0  1-1\n0-0\n"}, 1, ""),  # two spaces
        ({"cand_en_fr.alig": "0-0 \n0-0  \n"}, 0, "2/   2   1.0000"),
        ({"docs": ""}, 1, ""),
        ({"docs": "x\n"}, 1, ""),
        ({"docs": "3\n"}, 1, ""),
        ({"cand_en_fr.alig": "\n\n"}, 0, "TOTAL         0/   0   NaN      0/   0   NaN   NaN"),
    ],
)
def test_links_and_documents_as_the_java_tool_takes_them(
    tmp_path, monkeypatch, changes, status, expected
):
    write(tmp_path, SMALL | changes)
    monkeypatch.chdir(tmp_path)
    result = run_released("ref", "cand", "docs")
    assert result.status == status, result.stderr
    assert expected in result.stdout
    assert bool(result.stderr) == bool(status)


def test_examples_before_the_tool_stops_are_printed(tmp_path, monkeypatch):
    write(tmp_path, SMALL | {"cand_fr": "il x\nz\n", "cand_en_fr.alig": "0-0\n0-1\n"})
    monkeypatch.chdir(tmp_path)
    result = run_released("ref", "cand", "docs", 2)
    assert result.stdout == "\n*it* a b\nil x y\nil x\nit ||| il ||| il\n"


def test_a_missing_file(tmp_path):
    result = run_released(str(tmp_path / "a"), str(tmp_path / "b"), str(tmp_path / "c"))
    assert result.status == 1
    assert "a.en: file: expected a readable file" in result.stderr


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (1 / 32, "0.0313"),
        (3 / 32, "0.0938"),
        (1 / 3, "0.3333"),
        (float("nan"), "NaN"),
        (1, "1.0000"),
    ],
)
def test_java_rounds_half_up(value, shown):
    assert java_float(np.float32(value)) == shown


@pytest.mark.parametrize(
    ("line", "tokens"),
    [("", [""]), (" ", []), ("a b ", ["a", "b"]), (" a", ["", "a"]), ("a  b", ["a", "", "b"])],
)
def test_java_split(line, tokens):
    assert java_split(line) == tokens
