"""`crosspro protest score` as a user calls it: scores, what signatures tell apart, wrong input."""

from __future__ import annotations

import json
import shutil

import pytest

from tests.scripts.protest.conftest import (
    FOLDER,
    OWN_LINKS,
    REFERENCE,
    protest,
    refused,
    scores,
)


def signature(suite, wrong, options=OWN_LINKS):
    line = f"score {suite} --candidate {wrong} {options} --resamples 0"
    return protest(line)[0].splitlines()[-1]


def test_score_of_the_reference_and_of_every_token(suite, wrong, tmp_path):
    page, path = tmp_path / "page.html", tmp_path / "scores.json"
    line = f"score {suite} --candidate {REFERENCE} {OWN_LINKS} --resamples 20"
    assert protest(f"{line} --html {page} --json {path}")[0] == protest(line)[0]
    content = json.loads(path.read_text("utf-8"))
    assert content["candidates"][0]["scores"]["automatic"]["value"] == 100
    assert len(content["tokens"]) == 14
    assert "<html" in page.read_text("utf-8")


def test_score_makes_links_and_tokenises(suite, tmp_path):
    raw = REFERENCE.read_text("utf-8").replace(" .", ".").replace("' ", "'")
    (tmp_path / "raw.fr").write_text(raw, "utf-8")
    path = tmp_path / "s.json"
    protest(f"score {suite} --candidate {tmp_path}/raw.fr --resamples 0 --json {path}")
    (system,) = json.loads(path.read_text("utf-8"))["candidates"]
    assert system["name"] == "raw"
    assert system["scores"]["automatic"]["value"] > 50


def test_names_of_systems_keep_their_dots_and_differ(suite, wrong, tmp_path):
    both = [shutil.copy(wrong, tmp_path / name) for name in ("sys.v1.fr", "sys.v2.fr")]
    systems = scores(suite, *both, options="--resamples 0")
    assert [system["name"] for system in systems] == ["sys.v1", "sys.v2"]
    for system in systems:
        assert system["scores"]["automatic"]["value"] == pytest.approx(100 * 11 / 14)
    same = f"score {suite} --candidate {wrong} --candidate {wrong} {OWN_LINKS} {OWN_LINKS}"
    refused(same)
    protest(f"{same.replace('--candidate ', '--candidate a=', 1)} --resamples 20")
    refused(f"score {suite} --candidate {wrong} {OWN_LINKS} {OWN_LINKS}")


def test_signatures_say_where_links_and_silver_come_from(suite, wrong, tmp_path):
    silver = tmp_path / "silver.tsv"
    silver.write_text("token\tpronoun\thead\tremark\ntalk1:word_29\tça\t\t\n", "utf-8")
    found = {
        signature(suite, wrong, options)
        for options in (
            OWN_LINKS,
            "",
            "--prior none",
            f"{OWN_LINKS} --silver {silver}",
            f"{OWN_LINKS} --needs both",
        )
    }
    assert len(found) == 5
    refused(f"score {suite} --candidate {wrong} {OWN_LINKS} --prior none")


@pytest.mark.parametrize("fault", ["short", "links", "empty", "none"])
def test_the_file_with_the_fault_is_named_before_any_score(fault, suite, tmp_path):
    path = tmp_path / fault
    links = (FOLDER / "text.links").read_text("utf-8").splitlines()
    links[5] += " 99-99"
    content = {"short": "x\n", "links": "\n".join(links) + "\n", "empty": ""}
    if fault in content:
        path.write_text(content[fault], "utf-8")
    line = {
        "short": f"{suite} --candidate {path}",
        "none": f"{suite} --candidate {path}",
        "links": f"{suite} --candidate {REFERENCE} --candidate-links {path}",
        "empty": f"{path} --candidate {REFERENCE}",
    }[fault]
    message = refused(f"score {line} --json {tmp_path}/report.json")
    assert f"/{fault}:" in message
    assert not (tmp_path / "report.json").exists()


def test_an_output_that_cannot_be_written_stops_everything(suite, wrong, tmp_path):
    silver, page = tmp_path / "s.tsv", tmp_path / "page.html"
    line = f"score {suite} --candidate {wrong} {OWN_LINKS} --save-silver {silver}"
    refused(f"{line} --json {tmp_path}/none/x")
    refused(f"{line} --html {silver}")
    assert not silver.exists()
    assert not page.exists()
