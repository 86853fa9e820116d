"""Which model reads a translation, by what names and files say of their languages."""

from __future__ import annotations

from pathlib import Path

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.prediction.proofread.languages import model_for
from tests.conftest import GOLDEN

TMX = '<tmx version="1.4"><header srclang="EN-us"/><body><tu>{}</tu></body></tmx>'


@pytest.mark.parametrize(
    ("source", "target", "model"),
    [
        ("book.en", "book.de", "en-de"),
        ("talk.fr.srt", "talk.en.srt", "fr-en"),
        ("wmt.en-de.src.en", "wmt.en-de.System_1.de", "en-de"),
        ("en/talk.txt", "es/talk.txt", "en-es"),
        ("text_es.txt.gz", "text_en.txt.gz", "es-en"),
    ],
)
def test_names_say_languages(source, target, model):
    assert model_for(Path(source), Path(target)) == Path(model)


@pytest.mark.parametrize(
    ("name", "content", "model"),
    [
        ("a.po", 'msgid ""\nmsgstr ""\n"Language: fr_CA\\n"\n', "en-fr"),
        ("de.po", 'msgid "x"\nmsgstr "y"\n', "en-de"),
        ("a.po", '"X-Source-Language: de\\n"\n"Language: en\\n"\n', "de-en"),
        ("a.xlf", "<file source-language='fr-FR' target-language=\"en\">", "fr-en"),
        ("a.xliff", '<xliff srcLang="en" trgLang="es-419">', "en-es"),
        ("a.tmx", TMX.format('<tuv xml:lang="en-GB"/><tuv xml:lang="de"/>'), "en-de"),
        ("a.tmx", TMX.format('<tuv creationid="x" lang="FR"/>'), "en-fr"),
    ],
)
def test_files_state_languages(name, content, model, tmp_path):
    (tmp_path / name).write_text(content, "utf-8")
    assert model_for(tmp_path / name, None) == Path(model)


def test_a_name_that_two_files_share(tmp_path):
    for name in ("talk.en", "talk.fr"):
        (tmp_path / name).write_text("x\n")
    with pytest.raises(InputError, match="en-fr, fr-en"):
        model_for(tmp_path / "talk", None)
    with pytest.raises(InputError, match="other"):
        model_for(tmp_path / "other", None)


@pytest.mark.parametrize(
    "files", [("source.txt", "target.txt"), ("book.en", "output"), ("book.de", "book.fr")]
)
def test_what_is_not_known_is_asked_for(files):
    with pytest.raises(InputError) as error:
        model_for(*map(Path, files))
    (fault,) = error.value.problems
    assert (fault.path, fault.field) == (files[1], "languages")


def test_several_languages_need_a_choice():
    with pytest.raises(InputError, match="en-de, en-fr"):
        model_for(GOLDEN / "proofread" / "letters.tmx", None)


def test_a_text_without_its_translation_is_told(tmp_path):
    (tmp_path / "book.fr").write_text("Elle dort.\n", "utf-8")
    with pytest.raises(InputError, match="translation"):
        model_for(tmp_path / "book.fr", None)
