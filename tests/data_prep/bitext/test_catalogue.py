"""gettext catalogues: .po and .mo, plural forms, languages, encodings, faults."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.data_prep.bitext.catalogue import read_catalogue, scan_mo
from crosspro.data_prep.bitext.segment import Segment
from crosspro.data_prep.core.errors import CrossproError, InputError
from tests.conftest import GOLDEN
from tests.data_prep.bitext.compiled import compile_catalogue

HEADER = 'msgid ""\nmsgstr "Language: {}\\nContent-Type: text/plain; charset={}\\n"\n\n'
ENTRY = 'msgid "It rains."\nmsgstr "Il pleut."\n'


def write(tmp_path, content: str | bytes, name: str = "x.po"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def read(*paths, source="en", target="fr", **options):
    return list(read_catalogue(*paths, source_language=source, target_language=target, **options))


def test_fuzzy_messages_on_request():
    path = GOLDEN / "bitext" / "game.fr.po"
    assert len(read(path, fuzzy=True)) == len(read(path)) + 1


def test_the_header_decides_the_direction(tmp_path):
    path = write(tmp_path, HEADER.format("fr_CA", "UTF-8") + ENTRY)
    assert read(path)[0].source == "It rains."
    assert read(path, source="fr", target="en")[0].source == "Il pleut."
    with pytest.raises(InputError, match=r"Language: expected en or de, found fr_CA"):
        read(path, source="en", target="de")


@pytest.mark.parametrize(
    ("name", "source", "target", "first"),
    [
        ("fr.po", "fr", "de", "Il pleut."),
        ("x.po", "fr", "en", "Il pleut."),
        ("x.po", "en", "fr", "It rains."),
    ],
)
def test_without_a_header_the_name_or_english_decides(tmp_path, name, source, target, first):
    path = write(tmp_path, ENTRY, name)
    assert read(path, source=source, target=target)[0].source == first


def test_two_catalogues_of_the_same_messages(tmp_path):
    french = write(tmp_path, HEADER.format("fr", "UTF-8") + ENTRY + '\nmsgid "a"\nmsgstr "A"\n')
    german = write(tmp_path, ENTRY.replace("Il pleut", "Es regnet"), "de.po")
    assert read(french, german, source="fr", target="de") == [
        Segment("Il pleut.", "Es regnet.", None, 4)
    ]
    with pytest.raises(InputError, match="Language: expected es, found fr"):
        read(french, german, source="es", target="de")


def test_the_charset_of_the_header_is_used(tmp_path):
    text = HEADER.format("fr", "ISO-8859-1") + 'msgid "summer"\nmsgstr "été"\n'
    path = write(tmp_path, ("# François\n" + text).encode("latin-1"))
    assert read(path)[0].target == "été"
    wrong = write(tmp_path, text.replace("ISO-8859-1", "UTF-8").encode("latin-1"))
    with pytest.raises(InputError, match=r"x.po:4: encoding: expected UTF-8 as the header says"):
        read(wrong)
    for name in ("klingon", "uu"):
        with pytest.raises(InputError, match=f"charset: expected a known encoding, found '{name}'"):
            read(write(tmp_path, HEADER.format("fr", name) + ENTRY))


def test_escapes_and_references(tmp_path):
    entry = '#: \u2068a file.c\u2069:3 b.c:4\nmsgid "a\\tb \\\\ \\"c\\" \\x41\\102"\nmsgstr "x"\n'
    (segment,) = read(write(tmp_path, entry))
    assert segment.source == 'a b \\ "c" AB'
    assert segment.document == "a file.c"


def test_languages_without_plural_forms(tmp_path):
    entry = 'msgid "%d cat"\nmsgid_plural "%d cats"\nmsgstr[0] "neko %d"\n'
    assert read(write(tmp_path, entry), target="ja") == [Segment("%d cats", "neko %d", None, 1)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('msgid "a\nmsgstr "b"\n', "x.po:1: syntax"),
        (ENTRY + 'msgid "c"\n', "x.po:3: msgstr: expected msgstr in every entry"),
        (ENTRY + "\nnonsense\n", "x.po:4: syntax: expected a comment, or msgid"),
        (ENTRY + '\n"stray"\n', "x.po:4: syntax"),
        (ENTRY + 'msgid x\n"y"\n', "x.po:3: syntax"),
        ('msgstr "b"\n', "x.po:1: msgid: expected msgid in every entry"),
        ('msgid "a"\nmsgid_plural "b"\nmsgid_plural "c"\nmsgstr "b"\n', "x.po:3: syntax"),
        (HEADER.format("fr", "UTF-8"), "x.po: file: expected at least one segment"),
    ],
)
def test_faults_have_lines(tmp_path, text, message):
    with pytest.raises(InputError) as caught:
        read(write(tmp_path, text))
    assert str(caught.value).replace(f"{tmp_path}/", "").startswith(message)


@pytest.mark.parametrize("order", ["<", ">"])
def test_compiled_plural_forms(tmp_path, order):
    messages = {"%d wolf\0%d wolves": "%d loup\0%d loups", "it": "ça"}
    path = write(tmp_path, compile_catalogue(messages, order), "fr.mo")
    texts = [(segment.source, segment.target) for segment in read(path)]
    assert texts == [("%d wolf", "%d loup"), ("%d wolves", "%d loups"), ("it", "ça")]


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda raw: raw[:40], "strings inside the 40 bytes"),
        (lambda raw: b"\0" + raw, "a gettext .mo file"),
        (lambda raw: raw[:4] + b"\0\0\x09\0" + raw[8:], "revision: expected 0 or 1, found 9"),
        (lambda raw: raw.replace("ça".encode(), b"\xe7a "), "encoding: expected utf-8"),
    ],
)
def test_damaged_compiled_catalogues(tmp_path, damage, message):
    path = write(tmp_path, damage(compile_catalogue({"it": "ça", "a": "b"})), "fr.mo")
    with pytest.raises(InputError, match=message):
        read(path)


@given(st.binary(max_size=120))
def test_random_compiled_catalogues_raise_nothing_else(tmp_path_factory, raw):
    path = tmp_path_factory.mktemp("mo") / "x.mo"
    path.write_bytes(b"\xde\x12\x04\x95\0\0\0\0" + raw)
    try:
        list(scan_mo(path))
    except CrossproError as error:
        assert str(error)


def test_the_same_as_msgfmt_compiles(tmp_path):
    if shutil.which("msgfmt") is None:
        pytest.skip("gettext's msgfmt is not here")
    source = GOLDEN / "bitext" / "game.fr.po"
    subprocess.run(["msgfmt", "-o", tmp_path / "x.mo", source], check=True)
    compiled = {(s.source, s.target) for s in read(tmp_path / "x.mo")}
    assert compiled == {(s.source, s.target) for s in read(source)}
