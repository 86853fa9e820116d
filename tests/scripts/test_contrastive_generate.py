"""`crosspro contrastive generate`, and what `contrastive text --translate` writes for it."""

from __future__ import annotations

import json
import lzma
import re

import pytest

from tests.conftest import GOLDEN, SHARED_DATA
from tests.evaluation.metrics.expected_forms.context_sets import (
    ctxpro_instance,
    tsv_row,
    written,
)
from tests.scripts.run import crosspro

CASES = GOLDEN / "ctxpro"


def case(language):
    folder = CASES / language
    return ("contrastive", "generate", folder / "set.json", "--candidate",
            folder / f"out.{language}", "-l", language)  # fmt: skip


@pytest.mark.parametrize("language", ["fr", "de"])
@pytest.mark.parametrize("layout", ["default", "complete", "pretty"])
def test_legacy_is_what_ctxpro_prints(language, layout):
    pytest.importorskip("sentence_splitter")
    result = crosspro(*case(language), "--legacy", "--layout", layout)
    assert result.code == 0
    assert result.stdout == (CASES / language / f"expected.{layout}.txt").read_bytes()
    if layout == "default":
        assert crosspro(*case(language), "--legacy").stdout == result.stdout


def test_legacy_says_beside_its_numbers_what_they_are_without_faults(tmp_path):
    pytest.importorskip("sentence_splitter")
    detail = tmp_path / "differences.tsv"
    result = crosspro(*case("fr"), "--legacy", "--detail", detail)
    assert result.stdout == (CASES / "fr" / "expected.default.txt").read_bytes()
    assert b"ctxpro: 65/120, 54.2; without its faults" in result.stderr
    assert b"70/120, 58.3; 5 instances differ" in result.stderr
    rows = [line.split("\t") for line in detail.read_text("utf-8").splitlines()[1:]]
    assert [row[:2] for row in rows] == [
        ["20", "il"], ["24", "la"], ["28", "lui"], ["31", "ils"], ["61", "elle"]
    ]  # fmt: skip
    assert {tuple(row[2:5]) for row in rows} == {("wrong", "right", "form joined to a word")}


def test_what_makes_a_difference_to_ctxpro_is_named(tmp_path):
    pytest.importorskip("sentence_splitter")
    instances = [
        ctxpro_instance(expected="la"),
        ctxpro_instance(expected="elle", **{"src segment": "One. It sleeps."}),
    ]
    path = written(tmp_path, "set.json", json.dumps(instances))
    output = written(tmp_path, "out.fr", "Il l'a vu.\nElle vient. Il dort.\n")
    detail = tmp_path / "differences.tsv"
    call = ("contrastive", "generate", path, "--candidate", output, "-l", "fr", "--legacy")
    assert crosspro(*call, "--detail", detail).stdout == b"50.0\n"
    rows = [line.split("\t") for line in detail.read_text("utf-8").splitlines()[1:]]
    assert [row[2:5] for row in rows] == [
        ["right", "wrong", "punctuation deleted"],
        ["wrong", "right", "another sentence"],
    ]
    short = written(tmp_path, "short.fr", "Il l'a vu.\n")
    result = crosspro(*call[:4], short, *call[5:])
    assert (result.code, result.stdout) == (0, b"100.0\n")
    assert b"expected 2 lines" in result.stderr


def test_legacy_is_what_the_script_of_contrapro_prints(tmp_path):
    pytest.importorskip("sacremoses")
    path = written(tmp_path, "x.tsv", f"{tsv_row()}\n{tsv_row(distance=3, output='Il.')}\n")
    call = ("contrastive", "generate", path, "-l", "fr", "--legacy")
    assert crosspro(*call).stdout == b"50.0\n"
    assert crosspro(*call, "--layout", "complete", "--max-distance", 2).stdout == b"1 1 100.0\n"
    assert crosspro(*call, "--layout", "pretty").code == 2
    assert crosspro(*call, "--candidate", path).code == 2


def test_legacy_says_beside_the_number_of_contrapro_what_it_is_without_faults(tmp_path):
    pytest.importorskip("sacremoses")
    rows = (tsv_row(), tsv_row(output=""), tsv_row(output="Il dort. <eos> Et puis."), tsv_row())
    path = written(tmp_path, "x.tsv", "".join(f"{row}\n" for row in rows))
    detail = tmp_path / "d.tsv"
    call = ("contrastive", "generate", path, "-l", "fr", "--legacy", "--layout", "complete")
    result = crosspro(*call, "--detail", detail)
    assert (result.code, result.stdout) == (0, b"3 4 75.0\n")
    told = b"ContraPro's script: 3/4, 75.0; without its faults: 2/4, 50.0; rows that differ: 1"
    assert told in result.stderr
    (line,) = detail.read_text("utf-8").splitlines()[1:]
    assert line.split("\t")[:5] == [
        "2", "Elle", "right", "wrong",
        "the translation is empty, and the row before is counted again",
    ]  # fmt: skip


def test_corrected_numbers_of_the_case_of_ctxpro(tmp_path):
    detail, page = tmp_path / "d.tsv", tmp_path / "p.html"
    options = ("--payload", "sentence", "--detail", detail, "--html", page, "--resamples", "20")
    result = crosspro(*case("fr"), *options)
    assert result.code == 0
    text = result.stdout.decode()
    assert re.search(r"total +120 +58\.33 \[", text)  # ctxpro: 54.2
    assert "gender feminine" in text
    assert b"5 empty translations" in result.stderr
    assert len(detail.read_text("utf-8").splitlines()) == 121
    assert "FR_GENDER.ELLE" in page.read_text("utf-8")
    german = crosspro(*case("de"), "--payload", "sentence", "--layout", "json", "--resamples", "0")
    assert json.loads(german.stdout)["systems"][0]["scores"]["accuracy"]["value"] == pytest.approx(
        100 * 52 / 90
    )


def test_what_is_written_to_be_translated_can_be_scored(tmp_path):
    around = {"src context": ["A.", "B."], "ref context": ["a.", "b."]}
    after = {"src following": ["C."], "ref following": ["c."]}
    sets = [ctxpro_instance(**around, **after), ctxpro_instance(**after)]
    path = written(tmp_path, "set.json", sets)
    prefix = tmp_path / "x"
    call = ("contrastive", "text", path, "-o", prefix, "--translate")
    assert crosspro(*call).code == 0
    read = {end: (tmp_path / f"x.{end}").read_text() for end in ("src", "trg", "parts")}
    assert read["src"] == "A. <eos> B. <eos> It sleeps. <eos> C.\nIt sleeps. <eos> C.\n"
    assert read["trg"] == "a. <eos> b. <eos> Elle dort. <eos> c.\nElle dort. <eos> c.\n"
    assert read["parts"] == "3\n1\n"
    score = ("contrastive", "generate", path, "--candidate", tmp_path / "x.trg", "-l", "fr",
             "--layout", "csv")  # fmt: skip
    result = crosspro(*score, "--parts", tmp_path / "x.parts", "--resamples", "0")
    assert ",total,2,2,0,0,0,100,,," in result.stdout.decode()
    assert ",total,2,0,0,0,2,0,,," in crosspro(*score, "--resamples", "0").stdout.decode()
    fewer = crosspro(*call, "--context", 1, "--following", 0, "--separator", "<SEP>")
    assert fewer.code == 0
    assert (tmp_path / "x.src").read_text() == "B. <SEP> It sleeps.\nIt sleeps.\n"
    assert crosspro(*call[:-1], "--context", 1).code == 2
    clash = written(tmp_path, "other.json", [ctxpro_instance(**{"src segment": "It <EOS> x"})])
    result = crosspro("contrastive", "text", clash, "-o", prefix, "--translate")
    assert b"instance 1: expected a source without '<eos>', found one with it" in result.stderr


def test_following_sentences_are_kept_by_build(tmp_path):
    source = written(tmp_path, "s", "It sleeps.\nB.\nC.\nIt sleeps.\n")
    target = written(tmp_path, "t", "Il dort.\nb.\nc.\nElle dort.\n")
    ids = written(tmp_path, "d", "x\nx\ny\ny\n")
    output = tmp_path / "set.json"
    result = crosspro("contrastive", "build", "--source", source, "--target", target, "--doc-ids",
                      ids, "--following", 3, "-o", output)  # fmt: skip
    assert result.code == 0
    found = json.loads(output.read_text())
    assert [one["src following"] for one in found] == [["B."], []]
    assert [one["ref following"] for one in found] == [["b."], []]


def test_filters(tmp_path):
    rows = [tsv_row(distance=n, pronoun=form, output=form)
            for n, form in ((0, "il"), (1, "elle"), (5, "il"))]  # fmt: skip
    path = written(tmp_path, "x.tsv", "\n".join(rows) + "\n")
    call = ("contrastive", "generate", path, "-l", "fr", "--layout", "csv", "--resamples", "0")
    for options, number in (
        ((), 3),
        (("--only", "Il"), 2),
        (("--min-distance", 1), 2),
        (("--max-distance", 4, "--only", "il"), 1),
    ):
        assert f",total,{number},{number},0,0,0,100," in crosspro(*call, *options).stdout.decode()
    assert b"at least one that is asked for" in crosspro(*call, "--only", "sie").stderr


@pytest.mark.parametrize(
    "options",
    [
        ("--layout", "pretty"),
        ("--part", "0"),
        ("--share", "1"),
        ("--share", "0"),
        ("--separator", " "),
        ("--part", "1", "--parts", "x"),
        ("--legacy", "--layout", "csv"),
        ("--legacy", "--resamples", "5"),
        ("--max-examples", "3"),
        ("--layout", "json", "--signatures"),
    ],
)
def test_options_that_say_nothing_together_are_refused(options):
    assert crosspro(*case("fr"), *options).code == 2


def test_what_must_be_given():
    call = case("fr")
    assert b"missing --language" in crosspro(*call[:5]).stderr
    assert b"give a file of translations" in crosspro(*call[:3], *call[5:]).stderr


def test_all_faults_at_once(tmp_path):
    bad = written(tmp_path, "set.json", [{"expected": 1}, 2])
    output = tmp_path / "out"
    output.write_bytes(b"\xff\n")
    shown = crosspro(
        "contrastive", "generate", bad, "--candidate", output, "-l", "fr"
    ).stderr.decode()
    assert "instance 1, expected" in shown
    assert "instance 2" in shown
    assert f"{output}:1: encoding" in shown


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
    call = ("contrastive", "generate", path, "--candidate", *files, "-l", "de", "--layout", "json")
    found = json.loads(crosspro(*call, "--resamples", "0").stdout)
    right, wrong = (one["scores"]["accuracy"]["value"] for one in found["systems"])
    assert right == 100
    assert wrong < 20
