"""`crosspro gap-filling` as a user calls it, to Table 5 of the APT paper."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest

from tests.scripts.apt_files import APT, options
from tests.scripts.run import crosspro

FILES = (*options(), "--candidate-links", APT / "ref.align", "--candidate", APT / "ref.fr")


@pytest.fixture
def drawn(tmp_path):
    sheet, key = tmp_path / "sheet.tsv", tmp_path / "key.tsv"
    result = crosspro("gap-filling", "draw", *FILES, "-o", sheet, "--key", key)
    assert result.code == 0, result.stderr
    assert b"40 gaps of 2 systems" in result.stderr
    return sheet, key


def filled(sheet, key):
    """Annotators accept what the reference has."""
    keys = list(csv.DictReader(io.StringIO(key.read_text("utf-8")), delimiter="\t"))
    reference = {
        (row["line"], row["position"]): row["output"] for row in keys if row["system"] == "ref.fr"
    }
    rows = list(csv.DictReader(io.StringIO(sheet.read_text("utf-8")), delimiter="\t"))
    known = {"il", "elle", "ils", "elles", "ce", "c'", "ça", "cela", "on"}
    for row, one in zip(rows, keys, strict=True):
        words = set(re.split("[ -]", reference[one["line"], one["position"]].lower())) & known
        row["accepted"] = " ".join(sorted(words)) or "other"
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, rows[0], delimiter="\t", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    sheet.write_text(buffer.getvalue(), "utf-8")


def test_from_output_to_scores_and_table_5(drawn, tmp_path):
    sheet, key = drawn
    filled(sheet, key)
    judged = tmp_path / "judged.csv"
    call = ("gap-filling", "score", sheet, "--key", key)
    result = crosspro(*call, "--judged", judged, "--signatures")
    assert result.code == 0, result.stderr
    text = result.stdout.decode()
    assert "accuracy with other" in text
    assert "Paired differences" in text
    assert "metric:gap-filling|pronouns:en-fr-" in text
    content = json.loads(crosspro(*call, "--layout", "json").stdout)
    machine, reference = content["systems"]
    assert reference["scores"]["accuracy"]["value"] == 1
    assert reference["scores"]["f"]["value"] == 1
    assert machine["scores"]["accuracy"]["value"] < 1
    rows = crosspro(*call, "--layout", "csv").stdout.decode().splitlines()
    assert rows[0] == "system,accuracy,accuracy_without_other,precision,lenient_recall,f"
    cases = json.loads(crosspro("correlate", "cases", judged, "--layout", "json").stdout)
    (found,) = cases["systems"]
    assert found["counts"]["examples"] == 40
    assert found["groups"][0]["scores"]["incorrect_share"]["value"] == 0


def test_what_people_wrote_is_not_replaced(drawn):
    sheet, key = drawn
    filled(sheet, key)
    before = sheet.read_bytes()
    result = crosspro("gap-filling", "draw", *FILES, "-o", sheet, "--key", key)
    assert result.code == 2
    assert b"never replaced" in result.stderr
    assert sheet.read_bytes() == before


def test_what_is_refused(drawn, tmp_path):
    sheet, key = drawn
    score = ("gap-filling", "score")
    empty = crosspro(*score, sheet, "--key", key)
    assert empty.code == 2
    assert b"at least one gap that is filled in" in empty.stderr
    assert b"'system' among them" in crosspro(*score, sheet).stderr
    both = crosspro(*score, sheet, "--key", tmp_path / "no.key", "--pronouns", "xx").stderr
    assert b"pronouns: name: expected one of" in both
    assert b"no.key" in both
    table = tmp_path / "t.csv"
    table.write_text("system,output,accepted\na,il,il\n")
    assert crosspro(*score, table).code == 0
    judged = crosspro(*score, table, "--judged", tmp_path / "j.csv")
    assert judged.code == 2
    assert b"the key has no cases" in judged.stderr
    draw = ("gap-filling", "draw", "-o", tmp_path / "s", "--key", tmp_path / "k")
    assert b"missing --source" in crosspro(*draw).stderr
    nothing = crosspro(*draw, *FILES, "--pronouns", "fr-en")
    assert nothing.code == 2
