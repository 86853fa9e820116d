"""Reading, checking and writing CoNLL-U."""

from __future__ import annotations

import gzip
import lzma

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.formats.conllu import (
    UPOS,
    ConlluSentence,
    ConlluWord,
    Contraction,
    format_sentence,
    read_conllu,
)
from tests.conftest import SHARED_DATA
from tests.data_prep.formats.conllu_sample import SAMPLE, write_conllu


def write(tmp_path, text: str | bytes):
    path = tmp_path / "x.conllu"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def fault(tmp_path, text):
    with pytest.raises(InputError) as caught:
        list(read_conllu(write(tmp_path, text)))
    (problem,) = caught.value.problems
    return problem


def test_sentences_have_words_ranges_and_documents(tmp_path):
    first, second, third = read_conllu(write(tmp_path, SAMPLE))
    assert first.forms == ("Il", "parle", "de", "le", "chien", ".")
    assert first.contractions == (Contraction(3, 4, "du", "SpaceAfter=Yes"),)
    assert [s.document for s in (first, second, third)] == ["park", "park", "mer"]
    assert [s.line for s in (first, second, third)] == [1, 13, 16]
    assert first.words[0].head == 2
    assert second.words[0].head is None


def test_ranges_do_not_overlap(tmp_path):
    line = "3-4\tdu\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=Yes\n"
    assert line in SAMPLE
    assert fault(tmp_path, SAMPLE.replace(line, line * 2)).field == "ID"


def test_written_words_join_contractions(tmp_path):
    first = next(iter(read_conllu(write(tmp_path, SAMPLE))))
    words = first.written()
    assert [word.form for word in words] == ["Il", "parle", "du", "chien", "."]
    assert [word.head for word in words] == [2, 0, 4, 2, 2]
    assert (words[2].upos, words[2].deprel) == ("ADP", "case")


def test_writing_gives_what_was_read_but_empty_nodes(tmp_path):
    text = "".join(map(format_sentence, read_conllu(write(tmp_path, SAMPLE))))
    without_empty_node = "\n".join(
        line for line in SAMPLE.split("\n") if not line.startswith("5.1")
    )
    assert text == without_empty_node + "\n"


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz"])
def test_compressed_files(tmp_path, suffix):
    sentences = list(read_conllu(write(tmp_path, SAMPLE)))
    path = tmp_path / f"y.conllu{suffix}"
    write_conllu(path, sentences)
    opener = {"": open, ".gz": gzip.open, ".xz": lzma.open}[suffix]
    with opener(path, "rb") as handle:
        assert handle.read().decode().startswith("# newdoc id = park\n")
    assert [s.words for s in read_conllu(path)] == [s.words for s in sentences]


GOOD = "1\tNon\tnon\tINTJ\t_\t_\t0\troot\t_\t_"


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ("1\tNon", "columns"),
        (GOOD.replace("1\t", "2\t", 1), "ID"),
        (GOOD.replace("1\t", "x\t", 1), "ID"),
        (GOOD.replace("1\t", "2-3\t", 1), "ID"),
        (GOOD.replace("1\t", "1-1\t", 1), "ID"),
        (GOOD.replace("1\t", "1-x\t", 1), "ID"),
        (GOOD.replace("Non", ""), "FORM"),
        (GOOD.replace("INTJ", "JJ"), "UPOS"),
        (GOOD.replace("\t0\t", "\tx\t"), "HEAD"),
        (GOOD.replace("\t0\t", "\t1\t"), "HEAD"),
        (GOOD.replace("\t0\t", "\t9\t"), "HEAD"),
        (GOOD.replace("\t0\t", "\t" + "9" * 5000 + "\t"), "HEAD"),
        (GOOD.replace("1\t", "1-" + "9" * 5000 + "\t", 1), "ID"),
        (GOOD.replace("1\t", "1-2\t", 1) + "\n" + GOOD, "ID"),
    ],
)
def test_each_fault_is_named(tmp_path, line, field):
    problem = fault(tmp_path, f"{GOOD}\n\n{line}\n\n{GOOD}\n")
    assert (problem.field, problem.line) == (field, 3)


def test_bytes_that_are_not_utf8(tmp_path):
    problem = fault(tmp_path, GOOD.encode() + b"\n2\t\xff\n\n" + GOOD.encode())
    assert (problem.field, problem.line) == ("encoding", 2)


@pytest.mark.parametrize("text", ["", "\n\n", "# only = comments\n"])
def test_nothing(tmp_path, text):
    assert list(read_conllu(write(tmp_path, text))) == []


def test_a_last_line_without_its_end_and_windows_line_ends(tmp_path):
    assert len(list(read_conllu(write(tmp_path, GOOD)))) == 1
    for end in ("\r\n", "\r\r\n"):
        (sentence,) = read_conllu(write(tmp_path, f"{GOOD}{end}{end}"))
        assert sentence.words[0].misc == "_"


cells = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=8)


@st.composite
def sentences(draw):
    length = draw(st.integers(1, 6))
    words = tuple(
        ConlluWord(
            draw(cells),
            draw(cells),
            draw(st.sampled_from(UPOS)),
            draw(cells),
            draw(cells),
            draw(st.none() | st.integers(0, length).filter(lambda head, own=number: head != own)),
            draw(cells),
            draw(cells),
            draw(cells),
        )
        for number in range(1, length + 1)
    )
    contractions = ()
    if length > 1 and draw(st.booleans()):
        first = draw(st.integers(1, length - 1))
        contractions = (Contraction(first, draw(st.integers(first + 1, length)), draw(cells)),)
    return ConlluSentence(words, contractions)


@given(st.lists(sentences(), max_size=4))
def test_what_is_written_is_read(tmp_path_factory, written):
    path = tmp_path_factory.getbasetemp() / "written.conllu"
    write_conllu(path, written)
    read = list(read_conllu(path))
    assert [(s.words, s.contractions) for s in read] == [(s.words, s.contractions) for s in written]
    for sentence in read:
        assert all(0 <= (word.head or 0) <= len(sentence.written()) for word in sentence.written())


def test_treebanks_are_read_whole():
    path = SHARED_DATA / "ud" / "en_ewt-ud-dev.conllu.xz"
    if not path.is_file():
        pytest.skip("the treebanks are not here")
    found = list(read_conllu(path))
    assert len(found) == 2001
    assert sum(len(sentence.words) for sentence in found) == 25_147
