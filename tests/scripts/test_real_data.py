"""The program that makes the data of RESULTS.md, on a tiny bitext."""

from __future__ import annotations

import lzma

import pytest
from typer.testing import CliRunner

from crosspro.data_prep.formats.links import read_links
from crosspro.scripts.reproduce.real_data import app

TEXT = {
    "en": ("It works .", "They sleep .", "It is red ."),
    "fr": ("Il marche .", "Elles dorment .", "Elle est rouge ."),
    "de": ("Es geht .", "Sie schlafen .", "Sie ist rot ."),
}
CORPORA = {
    "train": ("talks", "subtitles"),
    "dev": ("ted_dev2010",),
    "test": ("ted_tst2014", "opensubs_contrastive", "contrapro"),
}


@pytest.fixture
def bitext(tmp_path):
    for other in ("fr", "de"):
        for split, names in CORPORA.items():
            folder = tmp_path / "bitext" / f"en-{other}" / split
            folder.mkdir(parents=True)
            for name in names:
                for suffix, lines in (("en", TEXT["en"]), (other, TEXT[other])):
                    text = "".join(f"{line}\n" for line in lines)
                    if name in ("opensubs_contrastive", "contrapro"):
                        text = text.replace(" .", " nevermore .")
                    (folder / f"{name}.{suffix}.xz").write_bytes(lzma.compress(text.encode()))
                ids = lzma.compress(b"a\textra\na\nb\n")
                (folder / f"{name}.doc-ids.xz").write_bytes(ids)
    return tmp_path / "bitext"


def make(bitext, output, *tasks):
    chosen = [word for task in tasks for word in ("--task", task)]
    made = CliRunner().invoke(app, [str(output), "--corpora", str(bitext.parent), *chosen])
    assert made.exit_code == 0, made.output


def test_a_task_is_made_without_what_is_for_tests_only(bitext, tmp_path):
    folder = bitext / "en-fr" / "test"
    for suffix, text in (
        ("en", "They nevermore!\nIt is red.\n"),
        ("fr", "Elles nevermore\nElle est rouge.\n"),
    ):
        (folder / f"opensubs_contrastive.{suffix}.xz").write_bytes(lzma.compress(text.encode()))
    (folder / "opensubs_contrastive.doc-ids.xz").write_bytes(lzma.compress(b"1\tctx\n1\tcur\n"))
    output = tmp_path / "out"
    make(bitext, output, "en-fr-2015")
    made = {
        path.name: lzma.decompress(path.read_bytes()).splitlines()
        for path in (output / "en-fr-2015").glob("*.xz")
    }
    names = ("train.talks", "train.subtitles", "dev.ted_dev2010", "test.ted_tst2014")
    assert {name for name in made if ".data" in name} == {f"{name}.data.xz" for name in names}
    first = made["train.talks.data.xz"][0]
    assert first.startswith(b"il\tIl\tIt works .\tREPLACE_0 marche .\t0-0")
    for path in output.rglob("*"):
        if path.is_file() and path.suffix != ".xz":
            assert b"nevermore" not in path.read_bytes(), path
    compared = ("train.talks.data.xz", "train.talks.doc-ids.xz", "dev.ted_dev2010.data.xz")
    assert [len(made[name]) for name in compared] == [2, 2, 3], "left out of training text alone"
    assert len((output / "joined.en-fr.fr").read_text("utf-8").splitlines()) == 2 * 2 + 2 * 3


@pytest.mark.slow
def test_both_directions_share_the_joined_text_and_symmetric_links(bitext, tmp_path):
    pytest.importorskip("HanTa")
    output = tmp_path / "out"
    make(bitext, output, "en-de", "de-en")
    there, back = (
        list(read_links(output / f"joined.en-de.{way}.links")) for way in ("en-de", "de-en")
    )
    assert any(there)
    assert [{(t, s) for s, t in line} for line in there] == [set(line) for line in back]
    line = lzma.decompress((output / "de-en" / "train.talks.data.xz").read_bytes()).splitlines()[1]
    assert line.startswith(b"they\tthey|PRON\tSie schlafen .\tREPLACE_0 sleep|VERB")
