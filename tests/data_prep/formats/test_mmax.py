"""Reading MMAX projects, and naming what is wrong with them."""

from __future__ import annotations

import shutil

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.formats.mmax import read_mmax
from tests.conftest import GOLDEN

PROJECT = GOLDEN / "protest" / "en"
WORDS = "Basedata/001_talk2_words.xml"
COREF = "Markables/001_talk2_coref_level.xml"
SENTENCES = "Markables/001_talk2_sentence_level.xml"


@pytest.fixture
def project(tmp_path):
    return shutil.copytree(PROJECT, tmp_path / "en")


def edit(project, name, old, new):
    path = project / name
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


def problems(path):
    with pytest.raises(InputError) as caught:
        read_mmax(path)
    return caught.value.problems


def test_a_project_has_words_sentences_and_markables():
    first, second = read_mmax(PROJECT)
    assert (first.name, second.name) == ("000_talk1", "001_talk2")
    assert second.words[:6] == ("She", "saw", "the", "old", "house", ".")
    assert second.sentences[1] == tuple(range(6, 12))
    assert second.sentence_of()[6] == 1
    house = second.markables[0]
    assert house.words == (2, 3, 4)
    assert house.attributes == {"mention": "np", "nptype": "antecedent", "coref_class": "set_1"}
    assert house.line == 4
    (rain,) = [m for m in first.markables if m.attributes.get("type") == "pleonastic"]
    assert rain.attributes == {"mention": "pronoun", "type": "pleonastic"}


def test_words_without_a_project_file_are_drafts(project):
    (project / "Basedata" / "002_draft_words.xml").write_text("<words>", "utf-8")
    assert len(read_mmax(project)) == 2


@pytest.mark.parametrize(
    ("name", "old", "new", "line", "field"),
    [(WORDS, '<word id="word_3">the</word>', '<word id="word_3">the', 24, "XML"),
     (WORDS, ">old<", "><", 7, "word"), (WORDS, "word_4", "word_3", 7, "word"),
     (WORDS, ' id="word_4"', "", 7, "word"),
     (WORDS, "<words>", '<!DOCTYPE x [<!ENTITY a "b">]><words>', 3, "XML"),
     (WORDS, 'SYSTEM "words.dtd"', '[<!ENTITY x SYSTEM "file:///etc/passwd">]', 2, "XML"),
     (COREF, 'word_7"', 'word_99"', 5, "span"),
     (COREF, "word_3..word_5", "word_5..word_3", 4, "span"),
     (COREF, ' span="word_7"', "", 5, "span"),
     (COREF, "markable_101", "markable_100", 5, "markable"),
     (COREF, "</markables>", "", 9, "XML"),
     (SENTENCES, "word_1..word_6", "word_1..word_7", 5, "span")],
)  # fmt: skip
def test_each_fault_is_named_with_its_line(project, name, old, new, line, field):
    edit(project, name, old, new)
    problem = problems(project)[0]
    assert (problem.line, problem.field) == (line, field)
    assert str(problem).startswith(f"{project / name}:{line}: {field}: expected ")


def test_missing_files_and_folders(project, tmp_path):
    (project / COREF).unlink()
    (problem,) = problems(project)
    assert problem.field == "coref"
    assert problems(tmp_path / "none")[0].field == "project"
    (tmp_path / "empty").mkdir()
    assert problems(tmp_path / "empty")[0].field == "project"


def test_the_real_corpus_is_well_formed(parcorfull):
    documents = read_mmax(parcorfull / "DiscoMT" / "EN")
    assert len(documents) == 10
    assert sum(len(document.words) for document in documents) == 39761
    assert sum(len(document.sentences) for document in documents) == 1755
    assert sum(len(document.markables) for document in documents) == 3522
