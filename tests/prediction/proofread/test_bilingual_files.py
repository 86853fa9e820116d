"""PO, XLIFF and TMX: what is text, what is left out, and what is refused."""

from __future__ import annotations

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.prediction.proofread.formats import read_translation
from crosspro.prediction.proofread.text import FilePlace
from tests.prediction.proofread.samples import BY_NAME, FOLDER, assert_placed, refused, rows

EN_DE = ("en", "de")


def read(path, content, languages=EN_DE):
    path.write_text(content, encoding="utf-8", newline="")
    text = read_translation(path, languages=languages)
    assert text.source is text.target
    assert_placed(text)
    return text


def texts(text):
    return [row[1:] for row in rows(text)]


def faults(path, content, languages=EN_DE):
    """Lines and fields."""
    path.write_text(content, encoding="utf-8")
    return [place[1:] for place in refused(path, languages=languages)]


# PO


def test_strings_of_several_lines_and_escapes_have_their_places():
    text = BY_NAME["editor"].read()
    second = text.segments[1].target
    start = second.text.index("Er")
    assert text.target.place(*second.span(start, start + 2)) == FilePlace(24, 1, 3)
    first = text.segments[0].target
    assert first.text == 'Die Datei "%s" wurde geändert. Sie speichern?'
    start = first.text.index("Sie")
    mended = text.target.mended([first.edit(start, start + 3, "Es")])
    assert 'msgstr "Die Datei \\"%s\\" wurde geändert.\\nEs speichern?"' in mended
    quote = first.text.index('"')
    assert 'Datei „%s\\"' in text.target.mended([first.edit(quote, quote + 1, "„")])
    assert 'Datei \\"\\"%s' in text.target.mended([first.edit(quote, quote, '"')])


def test_forms_of_a_plural(tmp_path):
    forms = 'msgid "a"\nmsgid_plural "b"\n'
    text = read(tmp_path / "x.po", f'{forms}msgstr[1] "y"\nmsgstr[0] "x"\nmsgstr[2] "z"\n')
    assert texts(text) == [("a", "x"), ("b", "y"), ("b", "z")]
    text = read(tmp_path / "x.po", f'{forms}msgstr[0] "x"\n')
    assert texts(text) == [("b", "x")]


def test_comments_of_obsolete_entries_are_theirs(tmp_path):
    old = '#: old.c:1\n#, fuzzy\n#~ msgid "It"\n#~ msgstr "Es"\n\n'
    text = read(tmp_path / "x.po", f'{old}msgid "It"\nmsgstr "Er"\n')
    assert rows(text) == [("", "It", "Er")]


def test_faults_of_a_catalogue_are_told_at_once(tmp_path):
    content = 'msgid "a"\n\nmsgid "b"\nmsgstr "c\nwords\nmsgid "d"\nmsgid "e"\nmsgstr "f"\n'
    path = tmp_path / "x.po"
    assert faults(path, content) == [(line, "syntax") for line in range(3, 8)]
    assert faults(path, 'msgid "a"\n') == [(1, "msgstr")]
    assert faults(path, "# nothing\n") == [(None, "file")]


def test_a_name_with_a_line_break_stays_on_the_line_of_its_fault(tmp_path):
    path = tmp_path / "a\n::error::x.po"
    path.write_text('msgid "a"\n', "utf-8")
    with pytest.raises(InputError) as error:
        read_translation(path, languages=EN_DE)
    assert len(str(error.value).splitlines()) == 1


def test_a_catalogue_of_another_language_is_refused():
    for languages in (("en", "fr"), ("de", "en")):
        faults = refused(FOLDER / "editor.de.po", languages=languages)
        assert faults == [("editor.de.po", 3, "Language")]
    assert rows(read_translation(FOLDER / "editor.de.po")) == rows(BY_NAME["editor"].read())


# XLIFF


def unit(target, source="It"):
    return (
        '<xliff version="1.2"><file original="a" source-language="en" target-language="de"><body>'
        f'<trans-unit id="1"><source>{source}</source><target>{target}</target></trans-unit>'
        "</body></file></xliff>"
    )


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        ("Er<x id='1'/>ist da", "Er ist da"),
        ("Er <x id='1'/> ist l'<x id='2'/>x", "Er  ist l'x"),
        ("E<g id='1'>r</g> ist<bx id='2'/> da<ex id='2'/>", "Er ist da"),
        (
            "Er<it id='1' pos='open'>&lt;br></it>ist <ph id='2'>{0}<sub>sie</sub></ph> da",
            "Er ist  da",
        ),
        ("Er <mrk mtype='term'>ist</mrk> <mrk mtype='x-sdl-deleted'>nicht</mrk>da", "Er ist da"),
        ("\n    Er\n    ist <!-- sie -->da <?es ist?>\n  ", "Er ist da"),
        ("Er &amp; <![CDATA[<sie>]]> &#8211; &quot;", 'Er & <sie> – "'),
        ("<![CDATA[]]>", ""),
        ("", ""),
    ],
)
def test_inline_elements(written, read_as, tmp_path):
    assert texts(read(tmp_path / "x.xlf", unit(written))) == [("It", read_as)]


def test_a_word_with_a_tag_in_it_is_not_replaced(tmp_path):
    text = read(tmp_path / "x.xlf", unit("E<g id='1'>r</g> ist"))
    target = text.segments[0].target
    assert not target.stands_together(0, 2)
    assert target.stands_together(3, 6)


def test_edits_beside_entities(tmp_path):
    text = read(tmp_path / "x.xlf", unit("&lt;Er&gt; l&apos;a &amp;er"))
    target = text.segments[0].target
    assert target.text == "<Er> l'a &er"
    edits = [target.edit(1, 3, "Sie"), target.edit(5, 7, "la "), target.edit(10, 12, "A&B")]
    assert "<target>&lt;Sie&gt; la a &amp;A&amp;B</target>" in text.target.mended(edits)


def test_text_in_cdata_is_put_as_it_is(tmp_path):
    text = read(tmp_path / "x.xlf", unit("<![CDATA[Er & sie]]>"))
    edit = text.segments[0].target.edit(0, 2, "R&D")
    assert "<![CDATA[R&D & sie]]>" in text.target.mended([edit])


def test_marks_that_do_not_match_are_one_segment(tmp_path):
    marked = "<mrk mtype='seg' mid='{}'>{}</mrk>"
    source = marked.format(1, "It.") + " " + marked.format(2, "She.")
    text = read(tmp_path / "x.xlf", unit(marked.format(1, "Es. Sie."), source))
    assert texts(text) == [("It. She.", "Es. Sie.")]
    text = read(
        tmp_path / "x.xlf", unit(marked.format(2, "Sie.") + marked.format(1, "Es."), source)
    )
    assert texts(text) == [("It.", "Es."), ("She.", "Sie.")]


def test_prefixes_and_files_of_one_name(tmp_path):
    unit = "<y:trans-unit><y:source>{}</y:source></y:trans-unit>"
    file = f"<y:file original='a'><y:body>{unit}</y:body></y:file>"
    content = f"<y:xliff xmlns:y='urn:x'>{file.format('A')}{file.format('B')}</y:xliff>"
    assert rows(read(tmp_path / "x.xlf", content)) == [("a", "A", ""), ("a (2)", "B", "")]


def test_other_languages_are_refused():
    both = refused(FOLDER / "manual.de.xlf", languages=("de", "fr"))
    assert both[0][1:] == (4, "source language")
    assert (25, "target language") in [place[1:] for place in both]
    other = refused(FOLDER / "museum.fr.xliff", languages=("fr", "en"))
    assert other[0][2] == "source language"


@pytest.mark.parametrize(
    ("content", "line", "field"),
    [
        ("<xliff>\n<file></xliff>", 2, "XML"),
        ("<!DOCTYPE xliff [<!ENTITY e 'It'>]>\n<xliff>&e;</xliff>", 1, "DTD"),
        ("<!DOCTYPE xliff SYSTEM 'x' [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><xliff/>", 1, "DTD"),
        ("<xliff>&nbsp;</xliff>", 1, "XML"),
        ("<xliff>" + "<g>" * 999, 1, "XML"),
        ("<html/>", 1, "format"),
        ("<xliff/>", None, "file"),
    ],
)
def test_what_is_refused_in_xml(content, line, field, tmp_path):
    assert (line, field) in faults(tmp_path / "x.xlf", content)


# TMX


def memory(*units):
    return f"<tmx version='1.4'><header srclang='en'/><body>{''.join(units)}</body></tmx>"


def tu(**variants):
    return (
        "<tu>"
        + "".join(
            f"<tuv xml:lang='{tag.replace('_', '-')}'><seg>{text}</seg></tuv>"
            for tag, text in variants.items()
        )
        + "</tu>"
    )


def test_languages_of_a_memory(tmp_path):
    path = tmp_path / "x.tmx"
    both = memory(tu(en_US="colour", EN="color", de="Farbe"), tu(fr="couleur"), tu(de_AT="Er"))
    assert texts(read(path, both)) == [("color", "Farbe"), ("", "Er")]
    assert [field for _, field in faults(path, both, ("en", "es"))] == ["languages"]
    assert [field for _, field in faults(path, both, None)] == ["languages"]
    assert texts(read(path, memory(tu(de="Er", en="He")), None)) == [("He", "Er")]
    assert faults(path, memory())


def test_entities_of_the_dtd_of_a_memory():
    text = BY_NAME["letters.fr"].read()
    target = text.segments[0].target
    assert target.text.startswith("La lettre est arrivée\u00a0;")
    start = target.text.index("l'")
    assert target.stands_together(start, start + 2)
    mended = text.target.mended([target.edit(start, start + 2, "l’")])
    assert "arriv&#xE9;e&nbsp;; je <hi>l’</hi>ai lu" in mended
