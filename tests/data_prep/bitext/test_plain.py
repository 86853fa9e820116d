"""Plain parallel files: documents, blank lines, and what is wrong with them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.data_prep.bitext.read import read_bitext
from crosspro.data_prep.bitext.segment import Segment, same_language
from crosspro.data_prep.core.errors import InputError


def read_plain(source, target, doc_ids=None, **options):
    return read_bitext(
        source,
        target,
        source_language="en",
        target_language="fr",
        doc_ids=doc_ids,
        format="plain",
        **options,
    )


@pytest.fixture
def files(tmp_path):
    def write(first: bytes | str, second: bytes | str, ids: str | None = None):
        paths = [tmp_path / "x.en", tmp_path / "x.fr"]
        for path, text in zip(paths, (first, second), strict=True):
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        if ids is not None:
            paths.append(tmp_path / "x.doc-ids")
            paths[-1].write_text(ids, encoding="utf-8")
        return paths

    return write


def test_documents_by_id(files):
    segments = list(read_plain(*files("a\nb\nc\n", "A\nB\nC\n", "t1\tx\nt1\n\n")))
    assert [segment.document for segment in segments] == ["t1", "t1", None]


def test_documents_by_blank_lines(files):
    paths = files("\na\nb\n\n\nc\n", "\nA\nB\n\n\nC\n")
    segments = list(read_plain(*paths, blank_line_documents=True))
    assert segments == [
        Segment("a", "A", "1", 2),
        Segment("b", "B", "1", 3),
        Segment("c", "C", "2", 6),
    ]
    assert {segment.document for segment in read_plain(*paths)} == {None}


def test_windows_files(files):
    (segment,) = read_plain(*files(b"\xef\xbb\xbfIt rains.\r\n", "Il pleut. \r\n"))
    assert (segment.source, segment.target) == ("It rains.", "Il pleut.")


def test_unequal_files_say_both_counts(files):
    with pytest.raises(InputError, match=r"x\.fr: lines: .*x\.en"):
        list(read_plain(*files("a\nb\nc\n", "A\nB\n")))


def test_document_ids_of_another_length(files):
    with pytest.raises(InputError, match=r"x.doc-ids: doc-ids"):
        list(read_plain(*files("a\nb\n", "A\nB\n", "1\n2\n3\n")))


def test_a_fault_has_its_line(files):
    with pytest.raises(InputError, match=r"x\.en:2: encoding"):
        list(read_plain(*files(b"a\n\xe9t\xe9\n", "A\nB\n")))


def test_segments_without_translation(files):
    paths = files("a\n\nc\n\n", "A\nB\n\n\n")
    with pytest.raises(InputError) as caught:
        list(read_plain(*paths))
    places = [(problem.path[-4:], problem.line) for problem in caught.value.problems]
    assert places == [("x.en", 2)]
    assert list(read_plain(*paths, missing="skip")) == [Segment("a", "A", None, 1)]


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_files_without_text(files, text):
    with pytest.raises(InputError):
        list(read_plain(*files(text, text)))


def test_a_damaged_document_file(files):
    paths = files("a\n", "A\n", "x\n")
    paths[2].write_bytes(b"\xff\n")
    with pytest.raises(InputError, match=r"x.doc-ids:1: encoding"):
        list(read_plain(*paths))


line = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cs", "Cc", "Zl", "Zp"]), max_size=8
)


@given(st.lists(st.tuples(line, line), min_size=1, max_size=8))
def test_every_pair_of_texts_is_read_in_its_place(tmp_path_factory, pairs):
    folder = tmp_path_factory.mktemp("pairs")
    pairs = [(f"a{first}", f"b{second}") for first, second in pairs]
    for name, side in (("x", 0), ("y", 1)):
        text = "".join(f"{pair[side]}\n" for pair in pairs)
        (folder / name).write_text(text, encoding="utf-8")
    segments = list(read_plain(folder / "x", folder / "y"))
    assert [(s.source, s.target) for s in segments] == [(a.strip(), b.strip()) for a, b in pairs]
    assert [s.line for s in segments] == list(range(1, len(pairs) + 1))


@pytest.mark.parametrize(
    ("tag", "wanted", "same"),
    [
        ("en", "en", True),
        ("EN_us", "en", True),
        ("eng", "en", True),
        ("en", "en-GB", False),
        ("fr-CA", "fr", True),
        ("frr", "fr", False),
        ("pt-br", "pt-BR", True),
    ],
)
def test_language_tags(tag, wanted, same):
    assert same_language(tag, wanted) is same
