"""Checking and counting files from the command line."""

from __future__ import annotations

import pytest

from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.shared_task import write_doc_ids, write_examples
from tests.data_prep.pipeline.sets.test_cues import with_links, without_links
from tests.scripts.run import crosspro


@pytest.fixture(scope="module")
def folder(tmp_path_factory, en_fr_2015):
    """`good` has a link at every gap, `leaky` none at the gaps for nothing."""
    place = tmp_path_factory.mktemp("check")
    for name, split, change in (
        ("good", "train", with_links),
        ("leaky", "train", lambda example: without_links(with_links(example))),
        ("test", "test", with_links),
    ):
        examples = [change(example) for example in demo_examples(en_fr_2015, split, 100)]
        write_examples(place / f"{name}.data", examples)
        write_doc_ids(place / f"{name}.doc-ids", examples)
    return place


def check(*arguments):
    return crosspro("check", "--task", "en-fr-2015", *arguments)


def test_labels_that_links_give_away_are_a_warning_and_with_strict_a_problem(folder):
    good, leaky = check(folder / "good.data"), check(folder / "leaky.data")
    assert (good.code, leaky.code) == (0, 0)
    assert b"warning" not in good.stderr
    assert f"warning: {folder / 'leaky.data'}: ".encode() in leaky.stderr
    assert check(folder / "good.data", "--strict").code == 0
    strict = check(folder / "leaky.data", "--strict")
    assert strict.code == 1
    assert strict.stdout.startswith(f"{folder / 'leaky.data'}: links: ".encode())


def test_counts_of_several_files_stand_side_by_side(folder):
    files = (folder / "good.data", folder / "test.data")
    result = check(*files)
    assert result.code == 0
    lines = result.stdout.decode().splitlines()
    sizes = {line.split()[0]: line.split()[1:] for line in lines if ".data " in line}
    segments = {path.name: len(path.read_bytes().splitlines()) for path in files}
    for name, size in segments.items():
        assert sizes[name][:2] == ["100", f"{size:,}"]
    other = next(line.split() for line in lines if line.startswith("OTHER"))
    assert len(other) == 5


def test_a_faulty_file_has_no_counts(folder, tmp_path):
    (tmp_path / "bad.data").write_text("bad\n", "utf-8")
    result = check(tmp_path / "bad.data", folder / "good.data")
    assert result.code == 1
    assert result.stdout.count(b"\n") == 1


def test_shared_text_is_found_by_id_and_by_words(folder):
    apart = check(folder / "test.data", "--against", folder / "good.data")
    same = check(folder / "test.data", "--against", folder / "test.data")
    assert (apart.code, same.code) == (0, 1)
    assert b"(100.0%)" in same.stdout
    assert b"test-00000" in same.stdout
