"""Which lexicon a setting gives to a side: a package, one that is learnt, or none."""

from __future__ import annotations

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.lexicon import load
from crosspro.data_prep.lexicon.lexicon import Entry, Lexicon
from crosspro.data_prep.lexicon.load import Package, side_lexicon
from crosspro.prediction.system import load_system
from tests.integration.training import composed, made

KEY = "system.lexicon"


def found(setting, task, side):
    rules = load_task(task)
    return side_lexicon(setting, KEY, rules, side, demo_examples(rules, "train", 100))


@pytest.fixture
def nothing_installed(monkeypatch):
    monkeypatch.setattr(Package, "path", lambda package: None)


@pytest.fixture
def installed(monkeypatch):
    """Only german-nouns is, and it has one noun."""
    nouns = Lexicon.of([Entry("Katze", "NOUN", "Fem")])
    monkeypatch.setattr(Package, "path", lambda package: package.comma or None)
    monkeypatch.setattr(
        load, "load_lexicon", lambda name, key: nouns if name == "german-nouns" else 1 / 0
    )


def test_auto_takes_the_package_of_the_language_where_it_is_installed(installed):
    assert found("auto", "en-de", "target").name == "german-nouns"
    assert found("auto", "de-en", "source").lexicon.gender("Katze") == "Fem"
    assert found("auto", "en-fr", "target").missing  # its package is not


def test_auto_learns_from_inflected_text_where_nothing_is_installed(nothing_installed):
    french = found("auto", "fr-en", "source")
    assert french.name == "induced"
    assert {entry.gender for entry in french.lexicon} >= {"Masc", "Fem"}
    assert found("auto", "en-fr-2015", "target").name == "induced"
    lemmas = found("auto", "en-fr", "target")
    assert (lemmas.name, lemmas.lexicon, lemmas.missing) == (None, None, True)


def test_english_has_numbers_by_form_and_genders_by_list(nothing_installed):
    source = found("auto", "en-fr", "source").lexicon
    numbers = {entry.number for entry in source if entry.category == "NOUN"}
    assert numbers == {"Sing", "Plur"}
    target = found("auto", "de-en", "target").lexicon
    told = [(word, target.gender(word)) for word in ("woman", "women", "king", "table")]
    assert told == [("woman", "Fem"), ("women", "Fem"), ("king", "Masc"), ("table", None)]


def test_a_mapping_has_lexicons_of_its_languages_only(nothing_installed):
    assert found({"de": "auto"}, "en-de", "target").missing
    french = found({"de": "auto"}, "en-fr", "target")
    assert (french.name, french.missing) == (None, False)


def test_what_cannot_be_learnt_is_refused():
    with pytest.raises(InputError, match=r"system\.lexicon"):
        found("induced", "en-de", "target")


def test_a_system_trains_and_is_loaded_without_packages(nothing_installed, tmp_path):
    task = load_task("en-de")
    system = made("system=cuni_linear", "task=en-de")
    train = demo_examples(task, "train", 20)
    system.fit(task, train, train)
    assert any("no lexicon" in warning for warning in system.report.warnings)
    system.save(tmp_path)
    assert load_system(tmp_path).predict(train) == pytest.approx(system.predict(train), abs=1e-6)


@pytest.mark.parametrize("name", ["cuni_linear", "uedin_maxent", "uedin_crf"])
def test_the_papers_systems_take_the_package_of_german_nouns(name, installed):
    """CUNI and UEDIN had the genders of German nouns (003 §5.1, §5.5)."""
    settings = composed(f"system={name}", "task=en-de")["system"]
    assert found(settings["lexicon"], "en-de", "target").name == "german-nouns"
