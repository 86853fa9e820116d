"""Translations of every format are read, and decisions written into them."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from crosspro.data_prep.core.errors import CrossproError, InputError
from crosspro.prediction.proofread.files import (
    DecidedPronoun,
    apply_decisions,
    open_translation,
    read_decisions,
    read_text,
)
from crosspro.version import __version__
from tests.conftest import GOLDEN

FOLDER = GOLDEN / "proofread"
SAMPLES = {
    "dog": (("dog.en", "dog.de"), ("en", "de")),
    "harbour": (("harbour.en.srt", "harbour.de.srt"), ("en", "de")),
    "garden": (("garden.fr.vtt", "garden.fr.vtt"), ("fr", "fr")),
    "editor": (("editor.de.po",), ("en", "de")),
    "manual": (("manual.de.xlf",), ("en", "de")),
    "museum": (("museum.fr.xliff",), ("en", "fr")),
    "letters.fr": (("letters.tmx",), ("en", "fr")),
    "letters.de": (("letters.tmx",), ("en", "de")),
}


def opened(name, folder=FOLDER):
    """A sample and its languages."""
    names, languages = SAMPLES[name]
    return open_translation(*(folder / item for item in names)), languages


def segments_of(name, folder=FOLDER, doc_ids=None, by_message=False):
    return read_text(*opened(name, folder), doc_ids, by_message).segments


def decided(segment, start, end, word, replacement):
    return DecidedPronoun(segment, 1, start, end, word, replacement, "word", 0.9)


def lines_of(folder, *contents, names=("a.en", "a.de")):
    paths = [folder / name for name in names[: len(contents)]]
    for path, content in zip(paths, contents, strict=True):
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return paths


def refused(*paths, languages=("en", "de"), **options):
    with pytest.raises(InputError) as error:
        read_text(open_translation(*paths), languages, **options)
    (fault,) = error.value.problems
    return Path(fault.path).name, fault.line, fault.field


@pytest.mark.parametrize("name", SAMPLES)
def test_segments_of_every_format(name):
    doc_ids = FOLDER / "dog.doc-ids" if name == "dog" else None
    rows = [
        (item.document or "", item.source, item.target)
        for item in segments_of(name, doc_ids=doc_ids)
    ]
    expected = [
        (*line.split("\t"), "", "")[:3]
        for line in (FOLDER / f"{name}.tsv").read_text("utf-8").splitlines()
    ]
    if name == "garden":  # of which the English file has one cue more
        rows = [(row[0], expected[number][1], row[2]) for number, row in enumerate(rows)]
    assert [tuple(" ".join(part.split()) for part in row) for row in rows] == [
        tuple(" ".join(part.split()) for part in row) for row in expected
    ]


def test_lines_are_those_of_the_file():
    assert [item.target_line for item in segments_of("harbour")] == [2, 6, 11, 16, 20]
    assert [item.target_line for item in segments_of("manual")] == [9, 20, 20, 28, 32]
    assert [item.source_line for item in segments_of("editor")][:2] == [12, 17]


def test_each_message_of_a_catalogue_is_its_own_document():
    alone = segments_of("editor", by_message=None)
    assert {item.document for item in alone} == {None}
    units = segments_of("manual", by_message=None)
    assert {item.document for item in units} == {None}
    assert {item.document for item in segments_of("manual")} == {"pump.html", "valve.html"}
    assert None not in {item.document for item in segments_of("letters.de", by_message=None)}


@pytest.mark.parametrize("name", SAMPLES)
def test_any_word_of_any_format_can_be_changed(name, tmp_path):
    """Every word of letters that lies in one piece becomes another; nothing else changes."""
    names, _ = SAMPLES[name]
    for item in names:
        (tmp_path / item).write_bytes((FOLDER / item).read_bytes())
    before = segments_of(name)
    texts = [segment.target for segment in before]
    accepted, refusals = [], 0
    for number, text in enumerate(texts):
        for match in reversed(list(re.finditer(r"[^\W\d_]+", text))):
            change = decided(number + 1, *match.span(), match[0], "Ωx")
            try:
                apply_decisions(*opened(name), [change])
            except InputError:
                refusals += 1
                continue
            accepted.append(change)
            texts[number] = texts[number][: match.start()] + "Ωx" + texts[number][match.end() :]
    assert refusals <= (name == "editor")
    assert len(accepted) > 5
    if name == "garden":
        return  # both sides are one file
    (tmp_path / names[-1]).write_bytes(apply_decisions(*opened(name), accepted))
    after = segments_of(name, tmp_path)
    assert [item.target for item in after] == texts
    assert [item.source for item in after] == [item.source for item in before]


@pytest.mark.parametrize(
    "names", [("a.en", "a.de"), ("a.en.srt", "a.de.srt"), ("a.en.vtt", "a.de.vtt")]
)
def test_bytes_that_are_not_changed_stay(names, tmp_path):
    head = "WEBVTT\r\n\r\nNOTE it\r\n\r\n" if names[0].endswith("vtt") else ""
    times = "00:01.000 --> 00:02.000 line:0" if head else "00:00:01,000 --> 00:00:02,000"
    body = "  Es ist <b>da</b>.\r\n"
    cue = body if names[0] == "a.en" else f"{head}1\r\n{times}\r\n{body}\r\n"
    raw = b"\xef\xbb\xbf" + cue.encode()
    paths = lines_of(tmp_path, raw, raw, names=names)
    translation, languages = open_translation(*paths), ("en", "de")
    start = read_text(translation, languages).segments[0].target.index("Es")
    made = apply_decisions(translation, languages, [decided(1, start, start + 2, "Es", "Er")])
    assert made == raw.replace(b"Es", b"Er")


@pytest.mark.parametrize("word", ["a\nb", "a\rb", "\0", "\x1b[2J", "\u2028", "\u202e", "\ud800"])
@pytest.mark.parametrize("name", ["dog", "harbour", "editor", "manual", "letters.de"])
def test_replacements_with_control_characters_are_refused(name, word):
    word_match = next(re.finditer(r"\w+", segments_of(name)[0].target))
    with pytest.raises(InputError, match="replacement"):
        apply_decisions(*opened(name), [decided(1, *word_match.span(), word_match[0], word)])


@pytest.mark.parametrize("word", ["<i>", "a {\\i1}", "-->"])
def test_replacements_that_would_be_read_otherwise_are_refused(word):
    with pytest.raises(InputError, match="replacement"):
        apply_decisions(*opened("harbour"), [decided(1, 0, 3, "Das", word)])


def test_markup_is_escaped_or_refused():
    changed = apply_decisions(*opened("manual"), [decided(1, 0, 3, "Die", "]]><b>")])
    assert b"]]&gt;&lt;b&gt; <g" in changed
    with pytest.raises(InputError, match="text"):
        apply_decisions(*opened("manual"), [decided(1, 0, 9, "Die Pumpe", "Sie")])


def test_a_character_that_the_encoding_lacks_is_refused(tmp_path):
    content = (
        'msgid ""\nmsgstr ""\n"Language: de\\n"\n'
        '"Content-Type: text/plain; charset=iso-8859-1\\n"\n\nmsgid "It"\nmsgstr "Es ä"\n'
    )
    (path,) = lines_of(tmp_path, content.encode("latin-1"), names=("a.po",))
    languages = "en", "de"
    assert read_text(open_translation(path), languages).segments[0].target == "Es ä"
    raw = apply_decisions(open_translation(path), languages, [decided(1, 0, 2, "Es", "Er")])
    assert "Er ä".encode("latin-1") in raw
    with pytest.raises(InputError, match="replacement"):
        apply_decisions(open_translation(path), languages, [decided(1, 0, 2, "Es", "Ω")])


@pytest.mark.parametrize(
    "accepted",
    [
        [(2, 0, 2, "es", "Er")],
        [(0, 0, 2, "Es", "Er")],
        [(9, 0, 2, "Es", "Er")],
        [(2, -3, 2, "Es", "Er")],
        [(2, 0, 400, "Es", "Er")],
        [(2, 0, 2, "Es", "Er"), (2, 0, 2, "Es", "Sie")],
        [(2, 0, 2, "Es", "Er"), (2, 1, 3, "s ", "Sie")],
    ],
)
def test_decisions_that_do_not_fit_are_refused(accepted):
    with pytest.raises(InputError, match=r"dog\.de:1: text"):
        apply_decisions(*opened("dog"), [decided(*item) for item in accepted])


@pytest.mark.parametrize(
    ("text", "word", "replacement", "result"),
    [
        ("Je l'aime.", "l'", "les", "Je les aime."),
        ("Je les aime.", "les", "l'", "Je l'aime."),
        ("Je les vois.", "les", "la", "Je la vois."),
    ],
)
def test_spaces_follow_elision(text, word, replacement, result, tmp_path):
    paths = lines_of(tmp_path, "x\n", f"{text}\n")
    start = text.index(word)
    change = decided(1, start, start + len(word), word, replacement)
    made = apply_decisions(open_translation(*paths), ("en", "fr"), [change])
    assert made.decode() == f"{result}\n"


@pytest.mark.parametrize(
    ("changes", "field"),
    [({"kind": "other"}, "kind"), ({"accepted": [{"line": 2}]}, "accepted.0")],
)
def test_other_files_are_no_decisions(changes, field, tmp_path):
    content = {
        **{"format": 1, "kind": "crosspro-proofread", "crosspro": __version__, "model": "en-de"},
        **{"digest": "", "files": {}, "accepted": [], "kept": []},
    }
    path = tmp_path / "decisions.json"
    path.write_text(json.dumps(content), "utf-8")
    assert read_decisions(path).accepted == ()
    path.write_text(json.dumps({**content, **changes}), "utf-8")
    with pytest.raises(InputError, match=field):
        read_decisions(path)


HEADER = 'msgid ""\nmsgstr ""\n"Language: '
CUE = "1\n00:00:01,000 --> 00:00:02,000\nIt\n\n"
XLIFF = '<xliff><file original="a" target-language="{}">{}</file></xliff>'


@pytest.mark.parametrize(
    ("names", "contents", "fault"),
    [
        (("a.en", "a.de"), ("a\nb\n", "a\n"), ("a.de", None, "lines")),
        (("a.en", "a.de"), ("a\n", ""), ("a.de", None, "lines")),
        (("a.en", "a.de"), ("", ""), ("a.de", None, "file")),
        (("a.en", "a.de"), ("a\nb\n", b"a\n\xe4\n"), ("a.de", 2, "encoding")),
        (("a.srt", "b.srt"), (CUE * 2, CUE), ("b.srt", None, "cues")),
        (("a.srt", "b.srt"), (CUE, "It\n"), ("b.srt", None, "cues")),
        (("a.srt", "b.srt"), (CUE, CUE + "1 --> 2\n"), ("b.srt", 5, "time")),
        (("a.srt", "b.vtt"), (CUE, CUE), ("b.vtt", 1, "format")),
        (("a.srt", "b.txt"), (CUE, "x"), ("b.txt", None, "format")),
        (("a.po", "b.po"), ("", ""), ("b.po", None, "translation")),
        (("a.po",), ('msgid "a"\nmsgstr "b"\nx\n',), ("a.po", None, "file")),
        (("a.po",), (f"{HEADER}fr\\n\"\n",), ("a.po", None, "target language")),
        (("a.xlf",), ("<xliff><file>",), ("a.xlf", 1, "XML")),
        (("a.xlf",), ("<tmx/>",), ("a.xlf", None, "format")),
        (("a.xlf",), (XLIFF.format("fr", ""),), ("a.xlf", None, "target language")),
        (("a.xlf",), (XLIFF.format("de", ""),), ("a.xlf", None, "file")),
        (("a.tmx",), ("<tmx><body><tu/></body></tmx>",), ("a.tmx", None, "languages")),
    ],
)  # fmt: skip
def test_files_that_cannot_be_read_are_named(names, contents, fault, tmp_path):
    assert refused(*lines_of(tmp_path, *contents, names=names)) == fault


def test_an_entity_reads_no_file(tmp_path):
    (tmp_path / "secret").write_text("secret")
    unit = "<trans-unit><source>a</source><target>&x;</target></trans-unit>"
    content = f'<!DOCTYPE xliff [<!ENTITY x SYSTEM "secret">]>{XLIFF.format("de", unit)}'
    (path,) = lines_of(tmp_path, content, names=("a.xlf",))
    (segment,) = read_text(open_translation(path), ("en", "de")).segments
    assert "secret" not in segment.target


def test_documents_of_lines(tmp_path):
    paths = lines_of(tmp_path, "a\nb\n", "a\nb\n")
    ids = tmp_path / "ids"
    ids.write_text("x\n")
    assert refused(*paths, doc_ids=ids) == ("ids", None, "lines")
    assert refused(FOLDER / "editor.de.po", doc_ids=ids) == ("ids", None, "doc-ids")


def test_a_missing_library_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "polib", None)
    with pytest.raises(CrossproError, match=r"polib.*\[formats\]"):
        open_translation(FOLDER / "editor.de.po")
