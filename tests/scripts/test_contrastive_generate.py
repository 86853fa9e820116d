"""`crosspro contrastive generate`."""

from __future__ import annotations

import json
import lzma
import re

import pytest

from tests.conftest import GOLDEN, SHARED_DATA
from tests.evaluation.metrics.expected_forms.context_sets import ctxpro_instance, written
from tests.scripts.run import crosspro, each

CASES = GOLDEN / "ctxpro"


def case(language):
    folder = CASES / language
    return ("contrastive", "generate", folder / "set.json", "--candidate",
            folder / f"parts.{language}", "-l", language)  # fmt: skip


@pytest.mark.parametrize(
    ("language", "match", "accuracy"),
    [
        ("fr", "released", 100 * 65 / 120),
        ("fr", "words", 100 * 70 / 120),
        ("de", "released", 100 * 52 / 90),
        ("de", "words", 100 * 52 / 90),
    ],
)
def test_accuracy_on_the_case_of_ctxpro(language, match, accuracy):
    options = ("--match", match, "--layout", "json", "--resamples", "0")
    (system,) = json.loads(crosspro(*case(language), *options).stdout)["systems"]
    assert system["scores"]["accuracy"]["value"] == pytest.approx(accuracy)


def test_tables_details_and_page(tmp_path):
    detail, page = tmp_path / "d.tsv", tmp_path / "p.html"
    options = ("--detail", detail, "--html", page, "--resamples", "20")
    result = crosspro(*case("fr"), *options)
    assert result.code == 0
    text = result.stdout.decode()
    assert re.search(r"total +120 +58\.33 \[", text)
    assert "gender feminine" in text
    assert len(detail.read_text("utf-8").splitlines()) == 121
    assert "FR_GENDER.ELLE" in page.read_text("utf-8")


def test_the_scored_part(tmp_path):
    path = written(tmp_path, "set.json", [ctxpro_instance()] * 2)
    output = written(tmp_path, "out", "elle || il\nIl dort || ça\n")
    call = ("contrastive", "generate", path, "--candidate", output, "-l", "fr", "--layout", "csv",
            "--resamples", "0", "--separator", "||")  # fmt: skip
    assert ",total,2,1,0,1,0,50,,," in crosspro(*call, "--part", "1").stdout.decode()
    assert ",total,2,0,0,1,1,0,,," in crosspro(*call).stdout.decode()
    assert crosspro(*call, "--part", "3").code == crosspro(*call, "--part", "0").code == 2
    assert crosspro(*call, "--part", "3", "--lenient").code == 0


def test_what_must_be_given():
    call = case("fr")
    assert crosspro(*call[:5]).code == crosspro(*call[:3], *call[5:]).code == 2


def test_faults_are_named(tmp_path):
    bad = written(tmp_path, "set.json", [{"expected": 1}, 2])
    call = ("contrastive", "generate", bad, "--candidate", CASES / "fr" / "out.fr", "-l", "fr")
    shown = crosspro(*call).stderr.decode()
    assert "instance 1, expected" in shown
    assert "instance 2" in shown
    output = tmp_path / "out"
    output.write_bytes(b"\xff\n")
    good = written(tmp_path, "good.json", [ctxpro_instance()])
    call = ("contrastive", "generate", good, "--candidate", output, "-l", "fr")
    assert f"{output}:1" in crosspro(*call).stderr.decode()


@pytest.mark.skipif(not SHARED_DATA.is_dir(), reason="the real corpora are not here")
def test_references_of_contrapro_have_their_pronouns(tmp_path):
    """Real German subtitles: a reference is right, and its contrastive errors are not."""
    rows = []
    with lzma.open(
        SHARED_DATA / "contrastive" / "contrapro.en-de.tsv.xz", "rt", encoding="utf-8"
    ) as lines:
        for line in list(lines)[:1500]:
            rows.append(line.rstrip("\n").split("\t"))
    sets, references, errors = [], [], []
    for name, _, source, _, reference, *wrong in rows:
        pairs = list(zip(reference.split(), wrong[0].split(), strict=False))
        word = next((a for a, b in pairs if a != b), "").strip(".,!?:;…\"-'")
        if word.lower() not in ("er", "sie", "es"):
            continue
        sets.append({
            "src pronoun": "it", "ref pronoun": word, "src segment": source,
            "ref segment": reference, "document id": name,
            "errors": [{"contrastive": one} for one in wrong],
        })  # fmt: skip
        references.append(reference)
        errors.append(wrong[0])
    assert len(sets) > 1300
    path = written(tmp_path, "set.json", sets)
    files = [written(tmp_path, name, "".join(f"{one}\n" for one in lines))
             for name, lines in (("right", references), ("wrong", errors))]  # fmt: skip
    call = (
        "contrastive",
        "generate",
        path,
        *each("--candidate", *files),
        "-l",
        "de",
        "--layout",
        "json",
    )
    found = json.loads(crosspro(*call, "--resamples", "0").stdout)
    right, wrong = (one["scores"]["accuracy"]["value"] for one in found["systems"])
    assert right == 100
    assert wrong < 20
