"""Files of the right format that are not what the user thinks: an error or a clear warning."""

from __future__ import annotations

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.shared_task import write_examples
from crosspro.data_prep.pipeline.sets.splits import file_splits
from tests.conftest import GOLDEN
from tests.sample import sample_path
from tests.scripts.run import crosspro

GOLD = GOLDEN / "scorer" / "en-fr_random" / "gold.tsv"
SUBMISSION = GOLDEN / "scorer" / "en-fr_random" / "pred.tsv"


@pytest.fixture
def inflected(tmp_path):
    path = tmp_path / "inflected.data"
    line = "elle\telle\tThe car is red and it runs .\tla voiture est rouge et REPLACE_5 .\t0-0\n"
    path.write_text(line * 10, "utf-8")
    return path


@pytest.fixture
def lemmatised(tmp_path, en_fr):
    path = tmp_path / "lemmatised.data"
    write_examples(path, demo_examples(en_fr, "train", 3))
    return path


def test_the_form_of_the_target_is_that_of_the_task(inflected, lemmatised, en_fr):
    for path, right, wrong in (
        (inflected, "en-fr-2015", "en-fr"),
        (lemmatised, "en-fr", "en-fr-2015"),
    ):
        assert crosspro("check", path, "--task", right).code == 0
        assert crosspro("check", path, "--task", wrong).code == 1
        assert crosspro("check", path, "--task", wrong, "--lenient").code == 0
    names = (inflected.name,) * 3
    with pytest.raises(InputError):
        file_splits(en_fr, inflected.parent, *names)
    assert file_splits(en_fr, inflected.parent, *names, lenient=True).train


def test_prepare_refuses_exchanged_sides(tmp_path):
    sides = ("--source", sample_path("sample.fr"), "--target", sample_path("sample.en"))
    result = crosspro("prepare", "--task", "en-fr-text", *sides, "-o", tmp_path / "out")
    assert result.code == 2
    assert str(sample_path("sample.fr")) in result.stderr.decode()
    assert not list(tmp_path.iterdir())


def test_a_submission_before_gold_is_refused(tmp_path):
    path = tmp_path / "submission"
    labels = (line.partition("\t")[0] for line in SUBMISSION.read_text("utf-8").splitlines())
    path.write_text("".join(f"{label}\n" for label in labels), "utf-8")
    assert crosspro("evaluate", GOLD, path, "--task", "en-fr", "--resamples", 0).code == 0
    result = crosspro("evaluate", path, GOLD, "--task", "en-fr", "--resamples", 0)
    assert result.code == 2
    assert str(path) in result.stderr.decode()


def test_a_binary_file_is_one_fault(tmp_path):
    path = tmp_path / "noise"
    path.write_bytes(bytes(range(256)) * 50)
    for command in (("check", path), ("evaluate", path, GOLD)):
        result = crosspro(*command, "--task", "en-fr")
        message = (result.stdout + result.stderr).decode()
        assert result.code
        assert str(path) in message and len(message.splitlines()) <= 2
