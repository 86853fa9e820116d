"""The command that aligns text and evaluates links."""

from __future__ import annotations

import lzma

import pytest

from tests.data_prep.align.corpora import SOURCE, TARGET
from tests.scripts.run import crosspro


@pytest.fixture
def files(tmp_path):
    for name, text in (("s", SOURCE), ("t", TARGET)):
        (tmp_path / name).write_text("".join(" ".join(line) + "\n" for line in text), "utf-8")
    (tmp_path / "gold").write_text("0-0 1-1 2-2 3-3\n" * 3 + "0-0 1-1\n" * 2 + "0-0 1-1\n", "utf-8")
    return tmp_path


def align(files, *options):
    return crosspro("align", "--source", files / "s", "--target", files / "t", *options)


def test_links_are_written(files):
    result = align(files, "-o", files / "links.xz")
    assert (result.code, result.stdout) == (0, b"")
    lines = lzma.decompress((files / "links.xz").read_bytes()).decode().splitlines()
    assert lines[0] == "0-0 1-1 2-2 3-3"
    assert len(lines) == 6


def test_segments_beyond_the_limits_are_counted(files):
    for name, text, unequal in (("long.en", SOURCE, 1), ("long.fr", TARGET, 10)):
        words = [word for line in text for word in line]
        lines = [*text * 5, words * 8, words[:unequal]]
        (files / name).write_text("".join(" ".join(line) + "\n" for line in lines), "utf-8")
    texts = ("--source", files / "long.en", "--target", files / "long.fr", "-o", files / "made")
    result = crosspro("align", *texts)
    assert result.code == 0, result.stderr
    assert "2 too long" in result.stderr.decode()
    assert all((files / "made").read_text("utf-8").splitlines()[30:])


def test_evaluation_has_a_row_for_each_symmetrisation(files):
    options = ("--evaluate", files / "gold", "--task", "en-fr")
    result = align(files, *options)
    lines = result.stdout.decode().splitlines()
    assert " ".join(lines[0].split()) == "links P R F1 P pronouns R pronouns F1 pronouns"
    assert [line.split()[0] for line in lines[2:]] == [
        "grow-diag-final-and",
        "grow-diag",
        "grow-diag-final",
        "union",
        "intersection",
    ]


def test_given_links_are_evaluated(files):
    result = align(files, "--evaluate", files / "gold", "--links", files / "gold")
    assert result.stdout.decode().splitlines()[-1].split() == ["gold", "1.000", "1.000", "1.000"]


def test_a_prior_is_saved_and_used(files):
    assert align(files, "--save-prior", files / "prior.npz").code == 0
    options = ("--prior", files / "prior.npz", "-o", files / "links")
    assert align(files, *options).code == 0
    assert (files / "links").read_text("utf-8").startswith("0-0 1-1 2-2 3-3\n")


def test_unequal_empty_and_bad_files_are_named(files):
    (files / "t").write_text("x\n", "utf-8")
    unequal = align(files, "-o", files / "links")
    assert unequal.code == 2
    (files / "t").write_bytes(b"")
    assert align(files, "-o", files / "links").code == 2
    (files / "t").write_bytes(b"\xff\n")
    assert f"{files / 't'}:1: ".encode() in align(files, "-o", files / "links").stderr
