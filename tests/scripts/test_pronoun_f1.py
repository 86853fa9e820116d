"""`crosspro pronoun-f1`."""

from __future__ import annotations

import json

import pytest

from tests.scripts.run import crosspro


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
    texts = ("--candidate", files / "a", files / "b", "--reference", files / "ref")
    call = ("pronoun-f1", *texts, "-l", "fr")
    more = ("--doc-ids", files / "ids", "--resamples", 20, "--name", "best")
    shown = crosspro(*call, *more, "--signatures")
    text = shown.stdout.decode()
    assert shown.code == 0
    assert "2 lines in 2 documents\n\nbest\n" in text
    assert "gender feminine" in text
    assert "[95% interval by document]" in text
    assert "In total and by pronoun the same word must be there" in text
    assert "By kind, person, number and gender any word that agrees" in text
    assert "best - b" in text
    assert "pronoun_f1|language:fr|lines:2|ambiguous:no" in text
    assert b"2 documents are few" in shown.stderr
    found = json.loads(crosspro(*call, "--layout", "json").stdout)
    assert [one["scores"]["f1"]["value"] for one in found["systems"]] == [100, 0]
    assert crosspro(*call, "--layout", "csv").stdout.startswith(b"system,breakdown,group,")
    assert crosspro(*call, "--layout", "csv", "--signatures").code == 2


def test_faults_are_named(files):
    (files / "b").write_text("Il.\n")
    call = ("pronoun-f1", "--candidate", files / "b", "--reference", files / "ref")
    shown = crosspro(*call, "-l", "fr").stderr.decode()
    assert f"{files / 'b'}:2: lines: expected 2 lines as in {files / 'ref'}, found 1" in shown
    (files / "b").write_text("Il.\nElle.\n")
    assert b"one of de, en, es, fr" in crosspro(*call, "-l", "xx").stderr


def test_output_in_one_line_is_aligned_with_the_reference(files):
    (files / "one").write_text("Elle dort. Est-il là ?\n")
    call = ("pronoun-f1", "--candidate", files / "one", "--reference", files / "ref", "-l", "fr")
    assert b"expected 2 lines" in crosspro(*call).stderr
    found = crosspro(*call, "--align-sentences", "--layout", "json")
    read = json.loads(found.stdout)
    assert read["systems"][0]["scores"]["f1"]["value"] == 100
    assert "sentences:aligned(same-words)" in read["signature"]
    assert read["warnings"][0].startswith("one: sentences aligned, 2 with 2 of the source: 2 one")
    assert b"only with --align-sentences" in crosspro(*call, "--source", files / "ref").stderr
