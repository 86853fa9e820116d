"""Gender and number learnt from text by agreement."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.data_prep.lexicon import induce as module
from crosspro.data_prep.lexicon.induce import (
    LANGUAGES,
    classes_of,
    determiners,
    induce,
    singulars,
)
from crosspro.data_prep.lexicon.lexicon import GENDERS, NUMBERS

FRENCH = """\
la maison brûle .
une maison brûle .
cette maison est belle .
la petite maison brûle .
une petite clé rouille .
la petite clé rouille .
cette petite table tient .
une clé , la table , une table , la clé .
les maisons brûlent .
des maisons , les maisons .
l' école ferme .
l' école , l' école .
le livre , un livre , la livre , une livre .
le bras , les bras , un bras , des bras .
les gens , des gens , les gens .
la France , la France , la France .
une fois .
"""


def learn(text, language="fr"):
    return induce([line.split() for line in text.splitlines()], language)


def test_french(monkeypatch):
    monkeypatch.setattr(module, "MIN_COUNT", 2)
    lexicon = learn(FRENCH)
    found = {e.word: (e.category, e.gender, e.number) for e in lexicon}
    assert found == {
        "maison": ("NOUN", "Fem", "Sing"),
        "maisons": ("NOUN", "Fem", "Plur"),  # its gender from the singular
        "clé": ("NOUN", "Fem", "Sing"),
        "table": ("NOUN", "Fem", "Sing"),
        "petite": ("ADJ", "Fem", "Sing"),
        "école": ("NOUN", None, "Sing"),
        "livre": ("NOUN", None, "Sing"),  # le and la
        "bras": ("NOUN", "Masc", None),  # le and les
        "gens": ("NOUN", None, "Plur"),
        "France": ("PROPN", "Fem", "Sing"),
    }
    counts = {entry.word: entry.count for entry in lexicon}
    assert counts["maison"] == 4  # once with an adjective between
    assert counts["clé"] == 4


def test_least_evidence():
    assert not learn("la maison .\nune maison .").readings("maison")
    mixed = "la tour .\n" * 9 + "le tour .\n"
    assert learn(mixed).gender("tour") == "Fem"
    assert learn(mixed + "le tour .").gender("tour") is None


GERMAN = """\
der Tisch , den Tisch , dem Tisch , einen Tisch .
die Frau , der Frau , eine Frau , einer Frau .
das Haus , dem Haus , ein großes Haus .
die Häuser , der Häuser , den Häuser , den Häuser , die Häuser .
ein kleiner Hund , ein kleiner Hund , dem Hund .
die alten Leute , der Leute , der Leute .
des Abends , des Abends , des Abends .
"""


def test_german():
    found = {e.word: (e.gender, e.number) for e in learn(GERMAN, "de")}
    assert found == {
        "Tisch": ("Masc", "Sing"),
        "Frau": ("Fem", "Sing"),
        "Haus": ("Neut", "Sing"),
        "Häuser": ("Neut", "Plur"),  # the gender of Haus
        "Hund": ("Masc", "Sing"),
        "Abends": (None, "Sing"),
    }


def test_spanish():
    text = "la mesa , una mesa , esta mesa .\nlos libros , unos libros , estos libros ."
    found = {e.word: (e.gender, e.number) for e in learn(text, "es")}
    assert found == {"mesa": ("Fem", "Sing"), "libros": ("Masc", "Plur")}


@pytest.mark.parametrize("language", LANGUAGES)
def test_determiners_agree_with_classes_of_their_language(language):
    for word, classes in determiners(language).items():
        assert word == word.lower()
        assert classes
        assert classes <= set(classes_of(language))


def test_singulars():
    assert list(singulars("maisons", "fr")) == ["maison"]
    assert list(singulars("journaux", "fr")) == ["journau", "journal"]
    assert "canción" not in list(singulars("mesas", "es"))
    assert "canción" in list(singulars("canciones", "es"))
    assert "Haus" in list(singulars("Häuser", "de"))


tokens = st.sampled_from(["la", "le", "les", "l'", "die", "der", "una", "maison", "Haus", "X", "."])


@given(st.lists(st.lists(tokens | st.text(max_size=3))), st.sampled_from(LANGUAGES))
def test_any_text_gives_a_lexicon(sentences, language):
    for entry in induce(sentences * 3, language):
        assert entry.gender in (None, *GENDERS)
        assert entry.number in (None, *NUMBERS)
        assert entry.count >= 1
        assert any(entry.word in sentence for sentence in sentences)
