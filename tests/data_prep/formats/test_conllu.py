"""Reading and checking CoNLL-U."""

from __future__ import annotations

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.formats.conllu import read_conllu
from tests.conftest import SHARED_DATA
from tests.data_prep.formats.conllu_sample import SAMPLE


def write(tmp_path, text: str | bytes):
    path = tmp_path / "x.conllu"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def fault(tmp_path, text):
    with pytest.raises(InputError) as caught:
        list(read_conllu(write(tmp_path, text)))
    (problem,) = caught.value.problems
    return problem.field, problem.line


def test_sentences_have_words_and_ranges(tmp_path):
    first, second, third = read_conllu(write(tmp_path, SAMPLE))
    assert [word.form for word in first.words] == ["Il", "parle", "de", "le", "chien", "."]
    assert first.contractions == {3: (4, "du")}
    assert [s.line for s in (first, second, third)] == [1, 13, 16]
    assert first.words[0].head == 2
    assert second.words[0].head is None
    words = first.written()
    assert [word.form for word in words] == ["Il", "parle", "du", "chien", "."]
    assert [word.head for word in words] == [2, 0, 4, 2, 2]
    assert (words[2].upos, words[2].deprel) == ("ADP", "case")


GOOD = "1\tNon\tnon\tINTJ\t_\t_\t0\troot\t_\t_"


@pytest.mark.parametrize(
    ("line", "field"),
    [("1\tNon", "columns"), (GOOD.replace("1\t", "2\t", 1), "ID"),
     (GOOD.replace("1\t", "2-3\t", 1), "ID"), (GOOD.replace("1\t", "1-1\t", 1), "ID"),
     (GOOD.replace("1\t", "1-" + "9" * 5000 + "\t", 1), "ID"),
     (GOOD.replace("1\t", "1-2\t", 1) + "\n" + GOOD, "ID"), (GOOD.replace("Non", ""), "FORM"),
     (GOOD.replace("\t0\t", "\tx\t"), "HEAD"),
     (GOOD.replace("\t0\t", "\t1\t"), "HEAD"), (GOOD.replace("\t0\t", "\t9\t"), "HEAD"),
     (GOOD.replace("\t0\t", "\t" + "9" * 5000 + "\t"), "HEAD"), (b"1\t\xff", "encoding")],
)  # fmt: skip
def test_each_fault_is_named(tmp_path, line, field):
    line = line if isinstance(line, bytes) else line.encode()
    text = b"\n".join([GOOD.encode(), b"", line, b"", GOOD.encode(), b""])
    assert fault(tmp_path, text) == (field, 3)


def test_ranges_do_not_overlap(tmp_path):
    line = "3-4\tdu\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=Yes\n"
    assert fault(tmp_path, SAMPLE.replace(line, line * 2)) == ("ID", 7)


def test_nothing_a_missing_line_end_and_windows_line_ends(tmp_path):
    assert list(read_conllu(write(tmp_path, "\n\n# only = comments\n"))) == []
    for end in ("", "\r\n", "\r\r\n"):
        (sentence,) = read_conllu(write(tmp_path, f"{GOOD}{end}{end}"))
        assert sentence.words[0].misc == "_"


def test_treebanks_are_read_whole():
    path = SHARED_DATA / "ud" / "en_ewt-ud-dev.conllu.xz"
    if not path.is_file():
        pytest.skip("the treebanks are not here")
    treebank = list(read_conllu(path))
    assert len(treebank) == 2001
    assert sum(len(sentence.words) for sentence in treebank) == 25_147
