"""Reading, checking and writing five-column files."""

from __future__ import annotations

import gzip
import lzma

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.data_prep.core.errors import InputError, Problem
from crosspro.data_prep.core.example import Gap, split_tag
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.shared_task import (
    document_columns,
    document_runs,
    format_example,
    other_form,
    read_doc_ids,
    read_examples,
    scan,
    task_of_file,
    write_examples,
)
from tests.conftest import GOLDEN
from tests.examples import example_of

GOOD = (
    "elle\telle|PRO\tThe car is red and it is fast .\tle|DET voiture|NOM REPLACE_5 .|.\t0-0 1-1\n"
)
BLIND = "\t\tIt rains .\tREPLACE_0 pleuvoir|VER .|.\t0-0 1-1 2-2\n"
EMPTY = "\t\tThank you .\tmerci|NOM .|.\t0-0 2-1\n"


def problems(text: str, tmp_path, task, **options):
    path = tmp_path / "x.data"
    path.write_text(text, encoding="utf-8", errors="surrogateescape", newline="")
    return [item for item in scan(path, task, **options) if isinstance(item, Problem)]


def test_an_example_has_what_its_line_says(tmp_path, en_fr):
    path = tmp_path / "x.data"
    path.write_text(GOOD, encoding="utf-8")
    (example,) = read_examples(path, en_fr)
    assert example.source[5] == "it"
    assert example.gaps == (Gap(2, 5, "elle", "elle|PRO"),)
    assert example.links == ((0, 0), (1, 1))
    assert example.lemmas == ("le", "voiture", "REPLACE_5", ".")
    assert example.tags == ("DET", "NOM", None, ".")
    assert example.document is None


@pytest.mark.parametrize(
    ("token", "parts"),
    [("être|VER", ("être", "VER")), ("||PUN", ("|", "PUN")), ("a|b|NOM", ("a|b", "NOM")),
     ("mot", ("mot", None)), ("mot|", ("mot", ""))],
)  # fmt: skip
def test_the_last_bar_separates_lemma_and_tag(token, parts):
    assert split_tag(token) == parts


@pytest.mark.parametrize(
    ("text", "suffix"),
    [(GOOD, ".gz"), (BLIND, ".xz"), (EMPTY, ""), (GOOD + EMPTY + BLIND, ""), ("", "")],
)
def test_reading_and_writing_is_byte_identical(tmp_path, en_fr, text, suffix):
    path = tmp_path / f"x.data{suffix}"
    opener = {"": open, ".gz": gzip.open, ".xz": lzma.open}[suffix]
    with opener(path, "wb") as handle:
        handle.write(text.encode())
    copy = tmp_path / f"y.data{suffix}"
    write_examples(copy, read_examples(path, en_fr))
    with opener(copy, "rb") as handle:
        assert handle.read() == text.encode()


def test_doc_ids_have_columns_and_runs(tmp_path):
    (tmp_path / "ids.xz").write_bytes(lzma.compress(b"a\tcur\r\na\r\nb\na\r\r\n"))
    ids = list(read_doc_ids(tmp_path / "ids.xz"))
    assert ids == ["a", "a", "b", "a"]
    assert document_runs(ids) == [("a", 2), ("b", 1), ("a", 1)]
    assert document_columns("a\r\tcur\r\r") == ["a", "cur"]


def test_the_form_of_a_file_is_seen(tmp_path, en_fr, en_fr_2015):
    path = tmp_path / "x.data"
    write_examples(path, demo_examples(en_fr, "dev", 3))
    assert other_form(path, en_fr) is None
    assert other_form(path, en_fr_2015).field == "target"
    assert task_of_file(path).tagged
    write_examples(path, demo_examples(en_fr_2015, "dev", 3))
    assert other_form(path, en_fr).field == "target"
    assert not task_of_file(path).tagged


@pytest.mark.parametrize("ids", ["a\n", "a\na\na\n"])
def test_document_ids_of_another_length(tmp_path, en_fr, ids):
    (tmp_path / "d").write_text(ids, encoding="utf-8")
    (problem,) = problems(GOOD + EMPTY, tmp_path, en_fr, doc_ids=tmp_path / "d")
    assert problem.field == "doc-ids"


@pytest.mark.parametrize(
    ("line", "field"),
    [("elle\telle\tit\tREPLACE_0\n", "columns"), ("\n", "columns"),
     ("a\tb\tc\td\te\tf\n", "columns"), (GOOD.replace("elle\t", "xx\t", 1), "classes"),
     (GOOD.replace("elle\t", "elle il\t", 1), "classes"),
     (GOOD.replace("elle\t", "elle \t", 1), "classes"),
     (GOOD.replace("elle\t", "c\u0327a\t", 1), "classes"),
     (GOOD.replace("elle|PRO", "elle|PRO x|X"), "words"),
     (GOOD.replace("REPLACE_5", "REPLACE_9"), "target"),
     (GOOD.replace("REPLACE_5", "REPLACE_x"), "target"),
     (GOOD.replace("REPLACE_5", "REPLACE_05"), "target"), (GOOD.replace("1-1", "9-1"), "links"),
     (GOOD.replace("1-1", "1-4"), "links"), (GOOD.replace("1-1", "1:1"), "links"),
     (GOOD.replace("1-1", "01-1"), "links"), (GOOD.replace("1-1", "１-1"), "links"),
     (GOOD.replace("0-0 1-1", "0-0  1-1"), "links"),
     (GOOD.replace("The car", "The  car"), "source"), ("\t\t\tmot|NOM\t\n", "source"),
     (GOOD.replace("\n", "\r\n"), "line end"), (GOOD.replace("car", "\udce7t"), "encoding")],
)  # fmt: skip
def test_each_fault_is_named(tmp_path, en_fr, line, field):
    (problem,) = [p for p in problems(EMPTY + line, tmp_path, en_fr) if p.line == 2]
    assert problem.field == field
    assert str(problem).startswith(f"{tmp_path / 'x.data'}:2: {field}: expected ")


def test_all_problems_are_raised_and_no_later_example_is_yielded(tmp_path, en_fr):
    path = tmp_path / "x.data"
    path.write_text(GOOD + "bad\n" + GOOD + "worse\n", encoding="utf-8")
    read = []
    with pytest.raises(InputError) as caught:
        for example in read_examples(path, en_fr):
            read.append(example)
    assert len(read) == 1
    assert [problem.line for problem in caught.value.problems] == [2, 4]


def test_many_problems_are_counted(tmp_path, en_fr):
    path = tmp_path / "x.data"
    path.write_text("bad\n" * 5000, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        list(read_examples(path, en_fr))
    assert caught.value.total == 5000
    assert len(caught.value.problems) == 1000
    assert len(str(caught.value).splitlines()) == 21


@pytest.mark.parametrize(
    ("case", "accepted"),
    [("en-fr_basic", True), ("fr-en_surface_forms", True), ("es-en_perfect", True),
     ("extra_prediction_lines", True), ("crlf", True), ("de-en_random", True),
     ("more_labels_than_placeholders", True), ("gold_with_four_columns", False),
     ("blank_last_line", False)],
)  # fmt: skip
def test_lenient_reading_accepts_what_the_scorer_accepts(case, accepted):
    folder = GOLDEN / "scorer" / case
    task = load_task((folder / "pair").read_text().strip())
    if not accepted:
        with pytest.raises(InputError):
            list(read_examples(folder / "gold.tsv", task, lenient=True))
        return
    examples = list(read_examples(folder / "gold.tsv", task, lenient=True))
    assert len(examples) == (folder / "gold.tsv").read_bytes().count(b"\n")


@pytest.mark.parametrize("name", ["x.data.gz", "x.data.xz", "none.data"])
def test_damaged_archives_and_missing_files_are_input_errors(tmp_path, en_fr, name):
    path = tmp_path / name
    if name != "none.data":
        write_examples(path, demo_examples(en_fr, "dev", 1))
        path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(InputError, match=name):
        list(read_examples(path, en_fr))


def test_official_files_survive_byte_for_byte(discomt2015, en_fr_2015, tmp_path):
    for name in ("TEDdev.en-fr", "DiscoMT2015.test.en-fr.gold", "DiscoMT2015.test.en-fr.blind"):
        path = discomt2015 / f"{name}.data.xz"
        write_examples(tmp_path / "copy", read_examples(path, en_fr_2015))
        assert (tmp_path / "copy").read_bytes() == lzma.decompress(path.read_bytes())


TASK = load_task("en-fr")
word = st.text(
    st.characters(codec="utf-8", exclude_characters=" \t\n\r", exclude_categories=["Cs"]),
    min_size=1, max_size=6,
).filter(lambda text: not text.startswith("REPLACE_"))  # fmt: skip


@st.composite
def well_formed(draw):
    source = draw(st.lists(word, min_size=1, max_size=6))
    target = draw(st.lists(word, min_size=1, max_size=6))
    labelled = draw(st.booleans())
    gaps = []
    for position in range(len(target)):
        if draw(st.booleans()):
            index = draw(st.integers(0, len(source) - 1))
            target[position] = f"REPLACE_{index}"
            label = draw(st.sampled_from(sorted(TASK.class_index))) if labelled else None
            gaps.append(Gap(position, index, label, draw(word) if labelled else None))
    pair = st.tuples(st.integers(0, len(source) - 1), st.integers(0, len(target) - 1))
    links = draw(st.lists(pair, max_size=8))
    return example_of(tuple(source), tuple(target), tuple(links), tuple(gaps))


@given(st.lists(well_formed(), max_size=4))
def test_what_is_written_is_read_again(tmp_path_factory, examples):
    path = tmp_path_factory.mktemp("round") / "x.data"
    write_examples(path, examples)
    assert list(read_examples(path, TASK)) == examples
    again = "".join(format_example(example) + "\n" for example in examples)
    assert path.read_bytes() == again.encode()
