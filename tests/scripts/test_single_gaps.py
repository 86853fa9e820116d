"""Single gaps for development: one pronoun is asked for, all others have their words."""

from __future__ import annotations

import lzma
import sys
from unittest import mock
from zlib import crc32

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.formats.shared_task import read_examples
from crosspro.scripts.main import run as command
from crosspro.scripts.reproduce.single_gaps import app, split

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
    own, other = name(True), name(False)
    (tmp_path / "train.film.data").write_text(LINES + LINES, "utf-8")
    documents = [own] * 4 + [other] * 4
    (tmp_path / "train.film.doc-ids").write_text("\n".join(documents) + "\n", "utf-8")
    return tmp_path / "train.film.data"


def run(data, task="en-fr-2015", **options):
    folder = data.parent / "out"
    split(data, task, folder, **options)
    return folder


def test_each_gap_is_a_document_with_the_line_before(data):
    folder = run(data, classes=["elle", "il"])
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


def test_other_documents_are_learnt_from(data, capsys):
    folder = run(data)
    assert "note: 5 gaps of dev stand in lines of train, too" in capsys.readouterr().err
    assert (folder / "train.film.data").read_text("utf-8") == LINES
    assert set((folder / "train.film.doc-ids").read_text("utf-8").split()) == {name(False)}
    assert (folder / "unseen.film.data").read_text("utf-8") == LINES
    assert set((folder / "unseen.film.doc-ids").read_text("utf-8").split()) == {name(True)}
    dev = list(read_examples(folder / "dev.film.data", TASK))
    assert [gap.label for one in dev for gap in one.gaps] == ["elle", "elle", "il", "OTHER", "elle"]


def test_without_context_there_is_the_sentence_alone(data, capsys):
    with lzma.open(data.with_name("train.film.data.xz"), "wt", encoding="utf-8") as file:
        file.write(LINES + "il\til\tIt rains\tREPLACE_0 pleut\t0-0 1-1\n")
    (data.parent / "train.film.doc-ids").write_text(
        f"{name(True)}\n" * 4 + f"{name(False)}\n", "utf-8"
    )
    data.unlink()
    folder = run(data.with_name("train.film.data.xz"), context=0)
    assert [len(one.gaps) for one in read_examples(folder / "dev.film.data", TASK)] == [1] * 5
    assert "note" not in capsys.readouterr().err


def test_a_line_without_words_is_no_context(data):
    lines = "OTHER\tNONE\tIt .\tREPLACE_0\t\n" + LINES.splitlines(keepends=True)[1]
    data.write_text(lines + LINES, "utf-8")
    ids = f"{name(True)}\n" * 2 + f"{name(False)}\n" * 4
    (data.parent / "train.film.doc-ids").write_text(ids, "utf-8")
    folder = run(data, classes=["elle"])
    (only,) = read_examples(folder / "dev.film.data", TASK)
    assert only.target == ("REPLACE_0", "brûle", ".")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"classes": ["er"]}, "--classes: expected one of"),
        ({"classes": ["on"]}, "expected some to learn from, and some with gaps to ask"),
        ({"task": "en-fr"}, "--task: expected one whose target is inflected, found en-fr"),
        ({"parts": 10**6}, "expected some to learn from, and some with gaps to ask"),
    ],
)
def test_what_cannot_be_is_said(options, message, data):
    with pytest.raises(InputError, match=message):
        run(data, **options)
    assert not (data.parent / "out").exists()


def test_a_folder_with_files_is_no_output(data):
    with pytest.raises(InputError, match="a new or an empty folder"):
        split(data, "en-fr-2015", data.parent)


def test_all_problems_of_a_file_are_told(data):
    data.write_text(LINES.replace("elle il\telle il", "elle il\t") + LINES, "utf-8")
    ids = ["a", "b", "a", "b", "c", "c", "c", "c"]
    (data.parent / "train.film.doc-ids").write_text("\n".join(ids) + "\n", "utf-8")
    with pytest.raises(InputError) as caught:
        run(data)
    told = str(caught.value)
    assert "train.film.data:3: gaps: expected a label and a word for each" in told
    assert "expected the lines of a document together, found 'a' again" in told.replace('"', "'")


def test_documents_must_be_known(data):
    (data.parent / "train.film.doc-ids").unlink()
    with pytest.raises(InputError, match="expected a file of doc-ids beside it, found none"):
        run(data)


def test_it_is_a_command(data):
    given = ["single_gaps", str(data), "--task", "en-fr-2015", "-o", str(data.parent / "out")]
    with mock.patch.object(sys, "argv", given), pytest.raises(SystemExit) as ended:
        command(app)
    assert ended.value.code in (None, 0)
    assert (data.parent / "out/dev.film.data").is_file()
