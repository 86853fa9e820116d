"""The files of the IWSLT campaigns: pairing, and faults with their lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.data_prep.bitext.xml_corpora import read_iwslt, read_train_tags
from crosspro.data_prep.core.errors import CrossproError, InputError

DOC = '<x>\n<doc docid="1">\n<seg id="1">a</seg>\n<seg id="2">b</seg>\n</doc>\n</x>\n'
TAGS = "<url>u</url>\n<talkid>1</talkid>\na\nb\n"


def problem(tmp_path, first: str, second: str, reader=read_iwslt, **options) -> str:
    for name, text in (("x.en.xml", first), ("x.fr.xml", second)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        list(reader(tmp_path / "x.en.xml", tmp_path / "x.fr.xml", **options))
    return str(caught.value).replace(f"{tmp_path}/", "")


def test_broken_xml_has_a_line(tmp_path):
    found = problem(tmp_path, DOC, DOC.replace("</seg>\n</doc>", "\n</doc>"))
    assert found.startswith("x.fr.xml:5: XML:")


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        (
            'docid="1"',
            'docid="2"',
            "x.fr.xml:2: document:",
        ),
        (
            '<seg id="2">b</seg>',
            "",
            "x.en.xml:4: segment:",
        ),
        (
            ">b<",
            "> <",
            "x.fr.xml:4: segment:",
        ),
        (
            'id="2"',
            'id="1"',
            "x.fr.xml:4: segment:",
        ),
        (
            '<doc docid="1">',
            "<p>",
            "x.fr.xml:3: segment:",
        ),
        (
            "<x>",
            '<!DOCTYPE x [<!ENTITY a "aaaa">]><x>',
            "x.fr.xml:1: entity:",
        ),
    ],
)
def test_faults_of_the_translation(tmp_path, old, new, found):
    changed = DOC.replace(old, new).replace("</doc>" if new == "<p>" else "\0", "</p>")
    assert problem(tmp_path, DOC, changed).startswith(found)


def test_documents_that_one_file_lacks(tmp_path):
    more = DOC.replace("</x>", '<doc docid="9">\n<seg id="1">z</seg></doc></x>')
    assert problem(tmp_path, more, DOC).startswith("x.en.xml:6: document:")
    assert problem(tmp_path, DOC, more).startswith("x.fr.xml:6: document:")


def test_segments_without_translation_can_be_skipped(tmp_path):
    (tmp_path / "a").write_text(DOC, encoding="utf-8")
    (tmp_path / "b").write_text(DOC.replace(">b<", "><"), encoding="utf-8")
    (segment,) = read_iwslt(tmp_path / "a", tmp_path / "b", missing="skip")
    assert segment.source == "a"


def test_training_talks_of_unequal_length(tmp_path):
    found = problem(tmp_path, TAGS, TAGS.replace("b\n", ""), read_train_tags)
    assert found.startswith("x.en.xml:4: segment:")
    other = problem(tmp_path, TAGS, TAGS.replace(">1<", ">2<"), read_train_tags)
    assert other.startswith("x.fr.xml:1: ")
    assert problem(tmp_path, "a\n" + TAGS, TAGS, read_train_tags).startswith("x.en.xml:1: ")


def test_training_talks_in_document_tags(tmp_path):
    text = '<doc docid="7" genre="x">\n<url>u</url>\na\n</doc>\n<doc docid="8">\nb\n</doc>\n'
    (tmp_path / "a").write_text(text, encoding="utf-8")
    segments = list(read_train_tags(tmp_path / "a", tmp_path / "a"))
    assert [(segment.document, segment.line) for segment in segments] == [("7", 3), ("8", 6)]


@given(
    st.sampled_from([DOC, TAGS]),
    st.lists(st.tuples(st.integers(0, 90), st.binary(max_size=4)), max_size=4),
)
def test_mutated_files_raise_nothing_else(tmp_path_factory, text, edits):
    raw = text.encode()
    for place, replacement in edits:
        raw = raw[:place] + replacement + raw[place + 1 :]
    folder = tmp_path_factory.mktemp("mutants")
    (folder / "a").write_bytes(raw)
    (folder / "b").write_bytes(text.encode())
    for reader in (read_iwslt, read_train_tags):
        try:
            list(reader(folder / "a", folder / "b"))
        except CrossproError as error:
            assert str(error)
