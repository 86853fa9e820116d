"""Which model reads a translation, by what names and files say of their languages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.task import load_task
from crosspro.prediction.proofread.bundled import check_languages, model_for
from crosspro.prediction.proofread.files import File, Lines, open_translation
from crosspro.prediction.proofread.text import text_of_lines

TMX = '<tmx version="1.4"><header srclang="EN-us"/><body><tu>{}</tu></body></tmx>'


@pytest.mark.parametrize(
    ("source", "target", "model"),
    [
        ("book.en", "book.de", "en-de"),
        ("talk.fr.srt", "talk.en.srt", "fr-en"),
        ("wmt.en-de.src.en", "wmt.en-de.System_1.de", "en-de"),
        ("en/talk.txt", "es/talk.txt", "en-es"),
        ("text_es.txt.gz", "text_en.txt.gz", "es-en"),
        ("source.txt", "target.txt", None),
        ("book.en", "output", None),
        ("book.de", "book.fr", None),
    ],
)
def test_names_say_languages(source, target, model):
    translation = Lines(File(source, b"x\n"), File(target, b"x\n"))
    if model is not None:
        assert model_for(translation) == model
        return
    with pytest.raises(InputError, match=f"{target}: languages"):
        model_for(translation)


@pytest.mark.parametrize(
    ("name", "content", "model"),
    [
        ("a.po", 'msgid ""\nmsgstr ""\n"Language: fr_CA\\n"\n', "en-fr"),
        ("de.po", 'msgid "x"\nmsgstr "y"\n', "en-de"),
        (
            "a.po",
            'msgid ""\nmsgstr ""\n"X-Source-Language: de\\n"\n"Language: en\\n"\n',
            "de-en",
        ),
        ("a.xlf", "<xliff><file source-language='fr-FR' target-language=\"en\"/></xliff>", "fr-en"),
        ("a.xliff", '<xliff srcLang="en" trgLang="es-419"/>', "en-es"),
        ("a.tmx", TMX.format('<tuv xml:lang="en-GB"/><tuv xml:lang="de"/>'), "en-de"),
        ("a.tmx", TMX.format('<tuv creationid="x" lang="FR"/>'), "en-fr"),
    ],
)
def test_files_state_languages(name, content, model, tmp_path):
    (tmp_path / name).write_text(content, "utf-8")
    assert model_for(open_translation(tmp_path / name)) == model


def test_a_missing_file_is_no_matter_of_languages(tmp_path):
    with pytest.raises(InputError, match=r"no\.txt: file"):
        open_translation(tmp_path / "no.txt", Path(__file__))
    with pytest.raises(InputError, match="translation"):
        open_translation(Path(__file__))


def test_another_language_is_a_warning_in_short_texts_and_refused_in_long_ones():
    english = ["He said that it was the one that they had seen with her and that was all."]
    german = ["Er sagte, dass es das war, was sie mit ihr gesehen hatten, und das war alles."]
    task = load_task("en-de-text")
    assert check_languages(text_of_lines(english, german), task) == []
    (problem,) = check_languages(text_of_lines(english, english), task)
    assert (problem.path, problem.field) == ("translation", "language")
    with pytest.raises(InputError, match="translation: language"):
        check_languages(text_of_lines(english * 200, english * 200), task)


def test_names_of_files_that_say_another_language_are_a_warning():
    task = load_task("en-de-text")
    named = replace(text_of_lines(["It."], ["Es."]), source_name="a.de", target_name="de/a.txt")
    assert [problem.path for problem in check_languages(named, task)] == ["a.de"]
