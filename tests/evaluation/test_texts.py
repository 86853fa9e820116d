"""Texts: lengths and languages are checked where files and lists come in."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.texts import (
    find_files,
    load_texts,
    make_texts,
)

ENGLISH = ["It was here and they were not there , which was what she said ."]
FRENCH = ["Il était là et elles ne le sont pas , ce qui est dans la maison pour nous ."]
GERMAN = ["Es war nicht da und sie sind auch nicht hier , was das für uns ist ."]


def fault(error):
    (problem,) = error.value.problems
    return Path(problem.path).name, problem.line, problem.field


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "outputs").mkdir()
    for name, lines in {
        "source.en": ENGLISH * 3, "reference.fr": FRENCH * 3, "outputs/A.fr": FRENCH * 3,
        "outputs/B.fr": FRENCH * 3, "doc-ids": ["a", "a", "b"],
    }.items():  # fmt: skip
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return tmp_path


def load(folder, **changes):
    return load_texts(replace(find_files(folder), **changes))


def test_a_folder(folder):
    texts = load(folder)
    assert (texts.size, texts.languages, list(texts.candidates)) == (3, ("en", "fr"), ["A", "B"])
    assert texts.documents == ["a", "a", "b"]
    assert texts.document_of_line == [0, 0, 1]
    assert make_texts([], ["x"] * 3, {"A": ["x"] * 3}, ["a", "b", "a"]).document_of_line == [
        0,
        1,
        2,
    ]


@pytest.mark.parametrize("name", ["source.en", "reference.fr", "outputs/B.fr", "doc-ids"])
def test_a_file_of_another_length(folder, name):
    with (folder / name).open("a") as lines:
        lines.write("more\n")
    with pytest.raises(InputError) as caught:
        load(folder)
    # The first text decides: where the source is too long, the next file is too short.
    assert fault(caught) == (("reference.fr" if "source" in name else Path(name).name), 4, "lines")


def test_files_of_a_folder_that_are_not_clear(folder):
    (folder / "outputs" / "A.links").write_text("0-0\n" * 3)
    assert list(find_files(folder).candidate_links) == ["A"]
    (folder / "outputs" / "B.fr.links").write_text("0-0\n" * 3)
    (folder / "reference.links").write_text("0-0\n" * 3)
    files = find_files(folder)
    assert files.links == folder / "reference.links"
    assert [path.name for path in files.candidate_links.values()] == ["A.links", "B.fr.links"]
    (folder / "other.src").write_text("x\n")
    with pytest.raises(InputError):
        find_files(folder)


def test_another_language_gives_a_warning_and_in_long_texts_an_error():
    def texts(times, candidate=GERMAN, **options):
        lines = ENGLISH * times, FRENCH * times, {"A": candidate * times}
        return make_texts(*lines, **{"languages": ("en", "fr"), **options})

    assert len(texts(10).warnings) == 1
    assert texts(10, languages=("", "")).warnings == ()
    with pytest.raises(InputError) as caught:
        texts(200)
    assert fault(caught)[2] == "language"
    assert texts(200, any_language=True).warnings == ()
    quoting = FRENCH * 4 + GERMAN * 3  # of the right language, with much of another
    lines = quoting * 30, quoting * 30, {"A": quoting * 30}
    assert make_texts(*lines, languages=("fr", "fr")).warnings == ()
