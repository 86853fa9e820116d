"""The WinoMT example of docs/guides/contrastive.md comes from a script, with its figures."""

from __future__ import annotations

import json
import re

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.scripts.reproduce.winomt import (
    SYSTEMS,
    make_instances,
    scored,
    write_language,
)
from tests.conftest import ROOT, SHARED_DATA
from tests.scripts.run import crosspro

ROWS = (
    "female\t1\tThe clerk left because she was ill.\tclerk",
    "male\t4\tThe guard left because he was ill.\tguard",
    "male\t4\tThe guard left because his cat was ill.\tguard",
    "neutral\t1\tThe guard left because he was ill.\tguard",
    "female\t1\tThe clerk thinks she knows that he left.\tclerk",
)


def test_sentences_with_one_pronoun_become_instances():
    found = list(make_instances(ROWS, ("il", "elle")))
    assert [one["expected"] for one in found] == ["elle", "il"]
    assert found[0] == {
        "src pronoun": "she",
        "expected": "elle",
        "rule": "female",
        "document id": "clerk",
        "src segment": "The clerk left because she was ill.",
    }


def test_a_folder_that_report_reads(tmp_path):
    winomt = tmp_path / "winomt"
    winomt.mkdir()
    (winomt / "winomt.en.tsv").write_text("".join(f"{row}\n" for row in ROWS), "utf-8")
    for system in SYSTEMS:
        rows = ("the clerk  left because she was ill. ||| Elle est partie.\n", "x ||| y\n")
        (winomt / f"{system}.en-fr.tsv").write_text("".join(rows), "utf-8")
    files = write_language(winomt, "fr", tmp_path / "fr")
    assert files.outputs[0].path.read_text("utf-8") == "Elle est partie.\n\n"
    result = crosspro("report", tmp_path / "fr", "--resamples", 0)
    assert result.code == 0, result.stderr
    content = json.loads((tmp_path / "fr/report/report.json").read_bytes())
    assert [one["value"] for one in content["scores"]] == [50] * 4
    (winomt / "bing.en-fr.tsv").unlink()
    with pytest.raises(InputError, match=r"bing\.en-fr\.tsv"):
        write_language(winomt, "fr", tmp_path / "fr")


@pytest.mark.parametrize("language", ["fr", "de", "es"])
def test_the_figures_of_the_documentation(language, tmp_path):
    winomt = SHARED_DATA / "winomt"
    if not winomt.is_dir():
        pytest.skip("the outputs of WinoMT are not here")
    evaluation = scored(write_language(winomt, language, tmp_path), language)
    whole = (ROOT / "docs" / "guides" / "contrastive.md").read_text("utf-8")
    text = whole.partition("### An example: four commercial systems")[2].partition("\n## ")[0]
    total = [one.scores["accuracy"] for one in evaluation.systems]
    assert evaluation.scored.size == 1815
    if language != "fr":
        shown = ", ".join(f"{score.value:.1f}" for score in total)
        assert f"({shown})" in " ".join(text.split())
        return
    rows = {
        name: re.findall(r"\d+\.\d\d \[\d+\.\d\d, \d+\.\d\d\]", line)
        for line in text.splitlines()
        if (name := line[:20].strip())
    }
    assert rows["total"] == [str(score) for score in total]
    for name in ("right", "right beside a rival", "rival instead", "neither"):
        shares = [one.scores[name.replace(" ", "_")] for one in evaluation.systems]
        assert rows[name] == [str(share) for share in shares]
