"""The commands as a user calls them."""

from __future__ import annotations

import json

import pytest

from tests.conftest import GOLDEN
from tests.scripts.run import crosspro

CASE = GOLDEN / "scorer" / "en-fr_basic"


def test_check_accepts_and_refuses(tmp_path):
    good = crosspro("check", CASE / "gold.tsv", "--task", "en-fr")
    assert good.code == 0
    assert b" 8 " in good.stdout
    assert b"ok, 8 good lines, 10 gaps" in good.stderr
    unequal = GOLDEN / "scorer" / "more_labels_than_placeholders" / "gold.tsv"
    assert crosspro("check", unequal, "--task", "en-fr").code == 1
    assert crosspro("check", unequal, "--task", "en-fr", "--lenient").code == 0


def test_check_lists_every_problem(tmp_path):
    path = tmp_path / "x.data"
    path.write_bytes(b"bad\n\xff\t\ta\tb\t0-9\nil\t\tit\tREPLACE_0\t0-0\n")
    result = crosspro("check", path, "--task", "en-fr")
    assert result.code == 1
    lines = result.stdout.decode().splitlines()
    assert [line.split(": ")[0].rpartition(":")[2] for line in lines] == ["1", "2", "2", "2", "2"]


@pytest.mark.parametrize("layout", ["table", "json"])
def test_evaluate_writes_every_layout(tmp_path, layout):
    output = tmp_path / "out"
    result = crosspro("evaluate", CASE / "gold.tsv", CASE / "pred.tsv", "--task", "en-fr",
                      "--lenient", "--layout", layout, "-o", output, "--resamples", 50)  # fmt: skip
    assert result.code == 0, result.stderr
    assert result.stdout == b""
    assert "62.5" in output.read_text("utf-8")


def test_figures_of_the_2015_files(discomt2015):
    """The fine and coarse figures of the `*.scores.txt` files, by document."""
    names = [
        discomt2015 / f"{name}.TEDdev.data.xz" for name in ("baseline", "submission.whatelles")
    ]
    result = crosspro("evaluate", discomt2015 / "TEDdev.en-fr.data.xz", *names, "--task",
                      "en-fr-2015", "--doc-ids", discomt2015 / "TEDdev.en-fr.doc-ids.xz",
                      "--layout", "json")  # fmt: skip
    candidates = json.loads(result.stdout)["candidates"]
    totals = {each["name"].split(".")[0]: each["scores"] for each in candidates}
    expected = {"macro_f1": (46.96, 54.73), "accuracy": (65.46, 78.31),
                "coarse_macro_f1": (53.61, 62.99), "coarse_accuracy": (67.07, 80.19)}  # fmt: skip
    for metric, (baseline, participant) in expected.items():
        assert totals["baseline"][metric]["value"] == pytest.approx(baseline, abs=0.005)
        assert totals["submission"][metric]["value"] == pytest.approx(participant, abs=0.005)
    assert "|by:document|" in result.stdout.decode()


def test_demo_writes_well_formed_files(tmp_path):
    assert crosspro("demo", "--task", "es-en", "-o", tmp_path, "--documents", 10).code == 0
    assert crosspro("check", tmp_path / "test.data", "--task", "es-en").code == 0
