"""Single gaps for development: one pronoun is asked for, all others have their words."""

from __future__ import annotations

from zlib import crc32

import pytest

from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.formats.shared_task import read_examples
from crosspro.scripts.reproduce.single_gaps import split_single_gaps

TASK = load_task("en-fr-2015")
LINES = """\
\t\tA house .\tUne maison .\t0-0 1-1
elle\tElle\tIt burns .\tREPLACE_0 brûle .\t0-0 1-1 2-2
elle il\telle il\tIt falls if it rains\tREPLACE_0 tombe s' REPLACE_3 pleut\t0-0 1-1 2-2 3-3 4-4
OTHER elle\tNONE elle\tNow it is where it was\tici REPLACE_1 là où REPLACE_4 était\t0-0 3-3 5-5
"""


def name(taken):
    """A document that is taken for development, or one that is not."""
    return next(f"d{n}" for n in range(99) if (crc32(f"d{n}".encode()) % 4 == 0) == taken)


@pytest.fixture
def data(tmp_path):
    documents = [name(True)] * 4 + [name(False)] * 4
    (tmp_path / "train.film.data").write_text(LINES + LINES, "utf-8")
    (tmp_path / "train.film.doc-ids").write_text("\n".join(documents) + "\n", "utf-8")
    return tmp_path / "train.film.data"


def run(data, classes=TASK.classes, context=1):
    folder = data.parent / "out"
    split_single_gaps(data, TASK, folder, classes, parts=4, context=context)
    return folder


def test_each_gap_is_a_document_with_the_line_before(data):
    folder = run(data, ["elle", "il"])
    found = (folder / "dev.film.data").read_text("utf-8").splitlines()
    assert found == [
        "\t\tA house .\tUne maison .\t0-0 1-1",
        "elle\tElle\tIt burns .\tREPLACE_0 brûle .\t0-0 1-1 2-2",
        "\t\tIt burns .\tElle brûle .\t0-0 1-1 2-2",
        "elle\telle\tIt falls if it rains\tREPLACE_0 tombe s' il pleut\t0-0 1-1 2-2 3-3 4-4",
        "\t\tIt burns .\tElle brûle .\t0-0 1-1 2-2",
        "il\til\tIt falls if it rains\telle tombe s' REPLACE_3 pleut\t0-0 1-1 2-2 3-3 4-4",
        "\t\tIt falls if it rains\telle tombe s' il pleut\t0-0 1-1 2-2 3-3 4-4",
        "elle\telle\tNow it is where it was\tici là où REPLACE_4 était\t0-0 3-2 5-4",
    ]
    ids = (folder / "dev.film.doc-ids").read_text("utf-8").split()
    assert ids == [f"{name(True)}#{number}" for number in (1, 1, 2, 2, 3, 3, 4, 4)]


def test_other_documents_are_learnt_from(data):
    folder = run(data)
    for part, taken in (("train", False), ("unseen", True)):
        assert (folder / f"{part}.film.data").read_text("utf-8") == LINES
        assert set((folder / f"{part}.film.doc-ids").read_text("utf-8").split()) == {name(taken)}
    dev = list(read_examples(folder / "dev.film.data", TASK))
    assert [gap.label for one in dev for gap in one.gaps] == ["elle", "elle", "il", "OTHER", "elle"]


def test_without_context_there_is_the_sentence_alone(data):
    folder = run(data, context=0)
    assert [len(one.gaps) for one in read_examples(folder / "dev.film.data", TASK)] == [1] * 5
