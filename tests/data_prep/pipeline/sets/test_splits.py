"""Data of a run from a folder of files."""

from __future__ import annotations

import lzma

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.shared_task import (
    format_example,
    read_examples,
    write_doc_ids,
    write_examples,
)
from crosspro.data_prep.pipeline.sets.splits import file_splits


@pytest.fixture
def folder(tmp_path, en_fr):
    for name in ("train.ted", "train.news", "dev", "test.2016", "test.2017"):
        examples = demo_examples(en_fr, name.split(".")[0], 3)
        write_examples(tmp_path / f"{name}.data.xz", examples)
        if name != "dev":
            write_doc_ids(tmp_path / f"{name}.doc-ids", examples)
    return tmp_path


PATTERNS = ("train*.data", "dev*.data", "test*.data")


def test_files_are_joined_by_split_and_tests_kept_apart(folder, en_fr):
    splits = file_splits(en_fr, folder, *PATTERNS)
    assert len(splits.train) == 2 * len(demo_examples(en_fr, "train", 3))
    assert set(splits.test) == {"test.2016", "test.2017"}
    assert splits.train[0].document == "train-00000"
    assert splits.dev[0].document is None


def test_all_problems_of_all_files_are_raised(folder, en_fr):
    (folder / "dev.data.xz").unlink()
    (folder / "train.bad.data").write_text("x\n", encoding="utf-8")
    (folder / "test.2017.doc-ids").write_text("a\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        file_splits(en_fr, folder, *PATTERNS)
    fields = [problem.field for problem in caught.value.problems]
    assert fields == ["dev", "columns", "doc-ids"]
    assert "train.news.data.xz" in str(caught.value)


def test_two_tests_of_one_name_are_refused(folder, en_fr):
    packed = (folder / "test.2016.data.xz").read_bytes()
    (folder / "test.2016.data").write_bytes(lzma.decompress(packed))
    with pytest.raises(InputError):
        file_splits(en_fr, folder, *PATTERNS)


def blind(path, en_fr, name):
    # A blind file has the documents of the whole one.
    whole = next(path.glob(f"{name.removesuffix('.blind')}.data*"), None)
    examples = read_examples(whole, en_fr) if whole else demo_examples(en_fr, "train", 3)
    lines = ["\t\t" + format_example(example).split("\t", 2)[2] + "\n" for example in examples]
    (path / f"{name}.data").write_text("".join(lines), encoding="utf-8")


def test_blind_files_are_for_tests(folder, en_fr):
    before = file_splits(en_fr, folder, *PATTERNS)
    for name in ("train.ted.blind", "dev.blind", "test.2016.blind"):
        blind(folder, en_fr, name)
    after = file_splits(en_fr, folder, *PATTERNS)
    assert (after.train, after.dev) == (before.train, before.dev)
    assert set(after.test) == {"test.2016", "test.2016.blind", "test.2017"}


def test_a_blind_file_that_is_named_for_training_is_refused_by_name(folder, en_fr):
    blind(folder, en_fr, "train.blind")
    blind(folder, en_fr, "dev.other")
    with pytest.raises(InputError) as caught:
        file_splits(en_fr, folder, "train*blind.data", "dev*.data", "test*.data")
    assert [problem.path for problem in caught.value.problems] == [
        str(folder / "train.blind.data"),
        str(folder / "dev.other.data"),
    ]


def test_there_may_be_no_test(folder, en_fr):
    splits = file_splits(en_fr, folder, "train*.data", "dev*.data", None)
    assert splits.train
    assert splits.test == {}
    assert {file.split for file in splits.files} == {"train", "dev"}


def test_an_empty_file_is_no_data(folder, en_fr):
    (folder / "train.none.data").touch()
    with pytest.raises(InputError, match=r"train.none.data: file"):
        file_splits(en_fr, folder, *PATTERNS)
