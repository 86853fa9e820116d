"""`crosspro pronoun-f1`."""

from __future__ import annotations

import json

import pytest

from tests.scripts.run import crosspro, each


@pytest.fixture
def files(tmp_path):
    texts = {
        "ref": "Elle dort.\nEst-il là ?\n",
        "a": "Elle dort.\nEst-il là ?\n",
        "b": "Il dort.\nEst-elle là ?\n",
        "ids": "x\ny\n",
    }
    for name, content in texts.items():
        (tmp_path / name).write_text(content)
    return tmp_path


def test_tables_and_layouts(files):
    texts = (*each("--candidate", f"best={files / 'a'}", files / "b"), "--reference", files / "ref")
    call = ("pronoun-f1", *texts, "-l", "fr")
    more = ("--doc-ids", files / "ids", "--resamples", 20)
    shown = crosspro(*call, *more)
    text = shown.stdout.decode()
    assert shown.code == 0
    assert "2 lines in 2 documents\n\nbest\n" in text
    assert "gender feminine" in text
    assert "by document" in text
    assert "best - b" in text
    assert "pronoun_f1|language:fr|lines:2|ambiguous:no" in text
    found = json.loads(crosspro(*call, "--layout", "json").stdout)
    assert [one["scores"]["f1"]["value"] for one in found["systems"]] == [100, 0]
    assert crosspro(*call, "--layout", "csv").stdout.startswith(b"system,breakdown,group,")


def test_faults_are_named(files):
    (files / "b").write_text("Il.\n")
    call = ("pronoun-f1", "--candidate", files / "b", "--reference", files / "ref")
    shown = crosspro(*call, "-l", "fr").stderr.decode()
    assert f"{files / 'b'}:2" in shown
    (files / "b").write_text("Il.\nElle.\n")
    assert b"xx" in crosspro(*call, "-l", "xx").stderr


HEADER = "form\tkind\trole\tperson\tnumber\tgender\talso\n"


@pytest.fixture
def italian(tmp_path):
    (tmp_path / "it.tsv").write_text(
        f"# Italian.\n{HEADER}lui\tpersonal\tsubject\t3\tsg\tm\t-\n"
        "lei\tpersonal\tsubject\t3\tsg\tf\t-\nla\tpersonal\tobject\t3\tsg\tf\tarticle\n"
    )
    (tmp_path / "ref").write_text("Lei dorme, dille-lui.\nLa vede.\n")
    (tmp_path / "mt").write_text("Lui dorme.\nLa vede.\n")
    return tmp_path


def test_a_table_of_ones_own(italian):
    call = ("pronoun-f1", "--candidate", italian / "mt", "--reference", italian / "ref",
            "-l", italian / "it.tsv", "--layout", "json")  # fmt: skip
    found = json.loads(crosspro(*call).stdout)
    assert found["systems"][0]["counts"] == {"reference": 1, "candidate": 1, "matched": 0}
    assert "language:it." in found["signature"]
    (italian / "it.clitics.tsv").write_text("after-hyphens\tlui lei\n")
    joined = json.loads(crosspro(*call, "--ambiguous").stdout)
    assert joined["systems"][0]["counts"] == {"reference": 3, "candidate": 2, "matched": 2}
    assert joined["data"]["language"] != found["data"]["language"]


def test_all_faults_of_a_table_are_told(italian):
    call = ("pronoun-f1", "--candidate", italian / "mt", "--reference", italian / "ref")
    path = italian / "it.tsv"
    row = "lui\tpersonal\tsubject\t3\tsg\tm\t-\n"
    path.write_text(f"{row}{row}{row}Lei\tpersonel\tsubject\t4\tsing\tx\t-\nlo\tpersonal\n")
    found = crosspro(*call, "-l", path)
    assert found.code == 2
    told = found.stderr.decode()
    for fault in (
        *(":1: header", ":3: row", ":4: form", ":4: kind", ":4: person", ":4: number"),
        *(":4: gender", ":5: row"),
    ):
        assert f"{path}{fault}" in told
    path.write_text("")
    assert str(path).encode() in crosspro(*call, "-l", path).stderr
    path.write_text(HEADER)
    beside = italian / "it.clitics.tsv"
    beside.write_text("after\tlui\nelided\tl'=la l'\nwhole\n")
    told = crosspro(*call, "-l", path).stderr.decode()
    for fault in (":1: list", ":2: elided", ":3: row"):
        assert f"{beside}{fault}" in told
