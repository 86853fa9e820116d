"""Translations are read from files of every format with the place of each character.

Whatever is mended, nothing else in a file changes.
"""

from __future__ import annotations

import codecs
import gzip
import lzma
import tempfile
from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from crosspro.data_prep.core.errors import InputError
from crosspro.prediction.proofread.formats import mended, read_translation
from crosspro.prediction.proofread.text import Edit, FilePlace, WrittenFile
from tests.prediction.proofread.samples import (
    BY_NAME,
    FOLDER,
    SAMPLES,
    assert_placed,
    edited,
    refused,
    rows,
    spliced,
    words_of,
)

PRONOUNS = ("er", "sie", "es", "ihn", "Er", "elle", "l’", "ça", "eux-mêmes", "Ils", "ce")
samples = pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)


def write(folder, **files):
    for name, content in files.items():
        raw = content if isinstance(content, bytes) else content.encode()
        (folder / name.replace("__", ".")).write_bytes(raw)


@samples
def test_a_sample_is_read_as_written_down(sample):
    expected = (FOLDER / f"{sample.name}.tsv").read_text(encoding="utf-8")
    text = sample.read()
    assert "".join("\t".join(row) + "\n" for row in rows(text)) == expected
    assert_placed(text)


@samples
def test_places_are_what_users_split(sample):
    text = sample.read()
    content = (FOLDER / sample.files[-1]).read_text(encoding="utf-8")
    for number, start, end in words_of(text):
        target = text.segments[number].target
        line, first, last = text.target.place(*target.span(start, end))
        shown = content.split("\n")[line - 1][first:last]
        assert shown == target.text[start:end] or ("&" in shown and ";" in shown)


ENDINGS = {"lf": b"\n", "crlf": b"\r\n", "cr": b"\r"}


def variant(raw, ending, encoding, final):
    raw = raw.replace(b"\n", ENDINGS[ending])
    if not final:
        raw = raw.rstrip(b"\r\n")
    if encoding == "bom":
        return codecs.BOM_UTF8 + raw
    if encoding == "utf-16-le":
        return codecs.BOM_UTF16_LE + raw.decode().encode(encoding)
    if encoding == "utf-16-be":
        return codecs.BOM_UTF16_BE + raw.decode().encode(encoding)
    return raw


@pytest.mark.parametrize("encoding", ["utf-8", "bom", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("ending", ENDINGS)
@samples
def test_encodings_and_line_ends_do_not_matter(sample, ending, encoding, tmp_path):
    for final in (True, False):
        for name, content in sample.contents().items():
            kept = name.endswith("doc-ids")
            changed = content if kept else variant(content, ending, encoding, final)
            (tmp_path / name).write_bytes(changed)
        text = sample.read(tmp_path)
        assert rows(text) == rows(sample.read())
        assert_placed(text)
        raw = (tmp_path / sample.files[-1]).read_bytes()
        assert mended(text, []) == raw
        words = words_of(text)
        edits, _ = edited(text, [(words[0], "XXX"), (words[-1], "y")])
        assert mended(text, edits) == spliced(raw, text.target, edits) != raw


@given(data=st.data())
def test_an_edit_changes_its_bytes_and_is_read_again(data):
    sample = data.draw(st.sampled_from(SAMPLES))
    ending = data.draw(st.sampled_from(list(ENDINGS)))
    encoding = data.draw(st.sampled_from(["utf-8", "bom", "utf-16-le"]))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, content in sample.contents().items():
            kept = file.endswith("doc-ids")
            (folder / file).write_bytes(
                content if kept else variant(content, ending, encoding, final=True)
            )
        text = sample.read(folder)
        words = data.draw(st.lists(st.sampled_from(words_of(text)), unique=True, max_size=6))
        changes = [(word, data.draw(st.sampled_from(PRONOUNS))) for word in words]
        edits, expected = edited(text, changes)
        path = folder / sample.files[-1]
        raw = path.read_bytes()
        assert mended(text, edits) == spliced(raw, text.target, edits)
        path.write_bytes(mended(text, edits))
        again = sample.read(folder)
        assert [one.target.text for one in again.segments] == expected
        assert [one.source.text for one in again.segments] == [
            one.source.text for one in text.segments
        ]


TEXTS = st.text(
    st.sampled_from("abé ß\t'\"\\&<>;#{}/|~[]%…\u00a0\u2019😀n-x"), min_size=1, max_size=30
).filter(lambda text: text == text.strip() and text)


def xliff_of(pairs):
    body = "".join(
        f"<trans-unit id='{i}'><source>{escape(first)}</source><target>{escape(second)}</target>"
        "</trans-unit>"
        for i, (first, second) in enumerate(pairs)
    )
    return f"<xliff version='1.2'><file original='x'><body>{body}</body></file></xliff>"


def tmx_of(pairs):
    body = "".join(
        f"<tu><tuv xml:lang='en'><seg>{escape(first)}</seg></tuv><tuv xml:lang='de'><seg>"
        f"<![CDATA[{second}]]></seg></tuv></tu>"
        for first, second in pairs
    )
    return f"<tmx version='1.4'><header srclang='en'/><body>{body}</body></tmx>"


def po_of(pairs):
    def string(text):
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t") + '"'

    return "".join(
        f'msgctxt "{i}"\nmsgid {string(first)}\nmsgstr ""\n{string(second)}\n\n'
        for i, (first, second) in enumerate(pairs)
    )


WRITERS = {"x.xlf": xliff_of, "x.tmx": tmx_of, "x.po": po_of}


@given(st.sampled_from(list(WRITERS)), st.lists(st.tuples(TEXTS, TEXTS), min_size=1), TEXTS)
def test_any_text_is_read_and_any_text_can_be_put(name, pairs, new):
    pairs = [pair for pair in pairs if "]]>" not in pair[1]]
    assume(pairs and "]]>" not in new)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_text(WRITERS[name](pairs), encoding="utf-8")
        text = read_translation(path, languages=("en", "de"))
        assert [row[1:] for row in rows(text)] == pairs
        assert_placed(text)
        last = text.segments[-1].target
        edits = [last.edit(0, len(last.text), new)]
        path.write_bytes(mended(text, edits))
        again = read_translation(path, languages=("en", "de"))
        assert [row[2] for row in rows(again)] == [*(second for _, second in pairs[:-1]), new]


# Plain lines


def test_only_line_feeds_end_lines(tmp_path):
    write(
        tmp_path, a="It\u2028is.\nShe\x0cis.\r\nIt\ris.", b="Es\u2028ist.\nSie\x0cist.\r\nEs\rist."
    )
    text = read_translation(tmp_path / "a", tmp_path / "b")
    assert [row[2] for row in rows(text)] == ["Es ist.", "Sie ist.", "Es ist."]
    assert text.target.place(*text.segments[2].target.span(3, 7)) == FilePlace(3, 3, 7)
    assert_placed(text)


def test_empty_lines_are_kept(tmp_path):
    write(tmp_path, a="It is.\n\nShe.\n", b="\n\nSie.\n")
    text = read_translation(tmp_path / "a", tmp_path / "b")
    assert [row[2] for row in rows(text)] == ["", "", "Sie."]


def test_files_of_other_lengths_are_refused_in_one_message(tmp_path):
    write(tmp_path, a="It is.\n", b="Es ist.\nSie.\n", ids="1\n1\n1\n")
    faults = refused(tmp_path / "a", tmp_path / "b", doc_ids=tmp_path / "ids")
    assert faults == [("b", None, "lines"), ("ids", None, "doc-ids")]


def test_two_names_have_a_beginning_in_common():
    text = read_translation(FOLDER / "dog", languages=("en", "de"))
    assert rows(text) == rows(BY_NAME["dog"].read())
    subtitles = read_translation(FOLDER / "harbour", languages=("en", "de"))
    assert rows(subtitles) == rows(BY_NAME["harbour"].read())
    assert refused(FOLDER / "cat", languages=("en", "de")) == [("cat", None, "file")]


def test_compressed_files(tmp_path):
    sample = BY_NAME["dog"]
    (tmp_path / "dog.en.gz").write_bytes(gzip.compress((FOLDER / "dog.en").read_bytes()))
    (tmp_path / "dog.de.xz").write_bytes(lzma.compress((FOLDER / "dog.de").read_bytes()))
    text = read_translation(
        tmp_path / "dog.en.gz", tmp_path / "dog.de.xz", doc_ids=FOLDER / "dog.doc-ids"
    )
    assert rows(text) == rows(sample.read())
    edits, _ = edited(text, [(words_of(text)[6], "Er")])
    raw = (FOLDER / "dog.de").read_bytes()
    assert mended(text, edits) == raw.replace(b"Es war", b"Er war")


def test_every_line_that_is_not_utf8_is_named(tmp_path):
    write(tmp_path, a=b"It\nA\nB\n", b=b"\xc9s\nb\n\xe9t\n")
    faults = refused(tmp_path / "a", tmp_path / "b")
    assert faults == [("b", 1, "encoding"), ("b", 3, "encoding")]


def test_what_is_no_text_is_refused(tmp_path):
    write(tmp_path, a="It\n", b="Es\n".encode("utf-16-le"), c=bytes(range(256)) * 9, d="")
    for name in ("b", "c", "d", "none"):
        assert name in {file for file, *_ in refused(tmp_path / "a", tmp_path / name)}


# Names and contents


def test_files_that_do_not_go_together_are_refused(tmp_path):
    dog, po = FOLDER / "dog.en", FOLDER / "editor.de.po"
    assert refused(dog) == [("dog.en", None, "target")]
    assert refused(po, dog) == [("dog.en", None, "target")]
    subtitles = FOLDER / "harbour.de.srt"
    assert refused(dog, subtitles) == [("harbour.de.srt", None, "format")]
    assert refused(po, doc_ids=FOLDER / "dog.doc-ids") == [("dog.doc-ids", None, "doc-ids")]
    for name in ("x.pot", "x.mo"):
        assert refused(tmp_path / name) == [(name, None, "format")]


@pytest.mark.parametrize(
    ("file", "name", "field"),
    [
        ("harbour.de.srt", "x.de", "format"),
        ("garden.fr.vtt", "x.de", "format"),
        ("garden.fr.vtt", "x.srt", "format"),
        ("harbour.de.srt", "x.vtt", "format"),
        ("dog.de", "x.vtt", "format"),
        ("dog.de", "x.srt", "cue"),
        ("editor.de.po", "x.de", "format"),
        ("manual.de.xlf", "x.de", "format"),
        ("letters.tmx", "x.de", "format"),
    ],
)
def test_content_of_another_format_is_told(file, name, field, tmp_path):
    (tmp_path / name).write_bytes((FOLDER / file).read_bytes())
    source = (
        FOLDER
        / {"de": "dog.en", "srt": "harbour.en.srt", "vtt": "garden.en.vtt"}[name.rpartition(".")[2]]
    )
    assert refused(source, tmp_path / name)[0] == (name, 1, field)


@pytest.mark.parametrize(
    ("file", "name", "line", "field"),
    [
        ("letters.tmx", "x.xlf", 1, "format"),
        ("manual.de.xlf", "x.tmx", 1, "format"),
        ("dog.de", "x.xliff", 1, "XML"),
        ("dog.de", "x.po", 6, "syntax"),
    ],
)
def test_content_of_another_format_in_one_file_is_told(file, name, line, field, tmp_path):
    (tmp_path / name).write_bytes((FOLDER / file).read_bytes())
    assert (name, line, field) in refused(tmp_path / name, languages=("en", "de"))


# Encodings that are declared


def test_declared_encodings_are_kept(tmp_path):
    xliff = xliff_of([("It is.", "Es heißt „so“.")]).encode("cp1252")
    write(tmp_path, x__xlf=b"<?xml version='1.0' encoding='windows-1252'?>" + xliff)
    po = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=ISO-8859-1\\n"\n\n'
    write(tmp_path, x__po=(po + po_of([("It is.", "Es heißt so.")])).encode("latin-1"))
    for name in ("x.xlf", "x.po"):
        text = read_translation(tmp_path / name, languages=("en", "de"))
        edits, _ = edited(text, [(words_of(text)[0], "Ér")])
        assert mended(text, edits) == (tmp_path / name).read_bytes().replace(b"Es", b"\xc9r")
        with pytest.raises(InputError):
            mended(text, [Edit(0, 0, "😀")])


def test_what_is_ascii_is_not_the_utf16_that_it_declares(tmp_path):
    declared = "<?xml version='1.0' encoding='utf-16'?>" + xliff_of([("It é.", "Es é.")])
    write(tmp_path, x__xlf=declared)
    assert rows(read_translation(tmp_path / "x.xlf")) == [("x", "It é.", "Es é.")]


def test_unknown_encodings_are_refused(tmp_path):
    for encoding in ("utf-7", "rot13", "nothing", "shift_jis"):
        write(tmp_path, x__xlf=f"<?xml version='1.0' encoding='{encoding}'?><xliff/>")
        assert refused(tmp_path / "x.xlf") == [("x.xlf", 1, "encoding")]


def test_edits_that_overlap_are_refused():
    with pytest.raises(ValueError, match="overlap"):
        mended(BY_NAME["dog"].read(), [Edit(0, 3, "x"), Edit(2, 4, "y")])


def test_a_word_over_two_lines_has_the_place_of_its_first_part():
    file = WrittenFile("a.po", 'msgstr "E"\n"s bellt"\n')
    assert file.place(8, 13) == FilePlace(1, 8, 10)
    assert file.place(8, 9) == FilePlace(1, 8, 9)
    assert file.place(10, 10) == FilePlace(1, 10, 10)
