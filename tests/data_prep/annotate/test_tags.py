"""Tag tables as the papers say, lemmas of pronouns, and tokens from what a backend says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.data_prep.annotate.tags import (
    LONGEST,
    Assembler,
    TagConverter,
    presentable,
    pronoun_lemma,
    read_table,
)
from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.task import OTHER, load_task, task_names
from tests.conftest import ROOT

UPOS = (
    "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN",
    "PUNCT", "SCONJ", "SYM", "VERB", "X", "CONJ",
)  # fmt: skip
"""The universal tags; CONJ is that of version 1."""
UNIVERSAL = {"VERB", "NOUN", "PRON", "ADJ", "ADV", "ADP", "CONJ", "DET", "NUM", "PRT", "X", "."}
FRENCH = {
    "ABR", "ADJ", "ADV", "DET", "INT", "KON", "NAM", "NOM", "NUM", "PRON", "PRP", "PUN", ".",
    "SYM", "VER",
}  # fmt: skip


@pytest.mark.parametrize(
    "name", [path.stem for path in (ROOT / "data_prep/annotate/tables").glob("*-*.tsv")]
)
def test_tables_lead_into_their_tagset(name):
    rows = list(read_table(name, 2))
    assert {coarse for _, coarse in rows} <= (UNIVERSAL if name.endswith("universal") else FRENCH)
    assert len({tag for tag, _ in rows}) == len(rows)


def test_every_tag_of_universal_dependencies_and_fifteen_french_ones_are_listed():
    for tagset in ("universal", "treetagger-fr"):
        converter = TagConverter("ud", tagset, "fr")
        assert all(map(converter.knows, UPOS))
    table = dict(read_table("treetagger-fr-treetagger-fr", 2))
    assert set(table.values()) == FRENCH
    assert len(table) == len(FRENCH) == 15


@pytest.mark.parametrize(
    ("scheme", "tagset", "language", "tag", "word", "coarse"),
    [("treetagger-fr", "treetagger-fr", "fr", "VER:futu", "ira", "VER"),
     ("treetagger-fr", "treetagger-fr", "fr", "PUN:cit", '"', "PUN"),
     ("treetagger-fr", "universal", "fr", "DET:ART", "le", "DET"),
     ("treetagger-fr", "treetagger-fr", "fr", "PRO:PER", "il", "PRON"),
     ("treetagger-fr", "treetagger-fr", "fr", "SENT", "?", "."),
     ("ud", "treetagger-fr", "fr", "DET", "Cette", "PRON"),
     ("ud", "treetagger-fr", "fr", "PUNCT", ",", "PUN"),
     ("ud", "universal", "de", "SCONJ", "weil", "CONJ"),
     ("ud", "universal", "en", "SCONJ", "because", "ADP"),
     ("ud", "universal", "en", "PART", "to", "PRT"),
     ("ud", "universal", "en", "PART", "not", "ADV"),
     ("stts", "universal", "de", "PAV", "darauf", "PRON"),
     ("stts", "universal", "de", "VAFIN", "hat", "VERB"),
     ("stts", "universal", "de", "$.", ".", "."),
     ("ptb", "universal", "en", "MD", "can", "VERB"),
     ("ptb", "universal", "en", "IN/that", "that", "ADP"),
     ("ptb", "universal", "en", ":", ";", "."), ("c5", "universal", "en", "CJT", "that", "ADP"),
     ("c5", "universal", "en", "DTQ", "what", "PRON"),
     ("c5", "universal", "en", "DTQ", "which", "DET"),
     ("c5", "none", "en", "VVZ", "goes", "VVZ"), ("stts", "universal", "de", "QQQ", "?", "X")],
)  # fmt: skip
def test_conversions(scheme, tagset, language, tag, word, coarse):
    assert TagConverter(scheme, tagset, language)(tag, word) == coarse


@pytest.mark.parametrize(("scheme", "tagset"), [("stts", "treetagger-fr"), ("ud", "penn")])
def test_a_conversion_that_there_is_not(scheme, tagset):
    with pytest.raises(InputError, match="tagset"):
        TagConverter(scheme, tagset, "de")


@pytest.mark.parametrize(("model", "scheme"), [("ger", "stts"), ("en", "c5")])
def test_every_tag_of_hanta_is_listed(model, scheme):
    tagger = pytest.importorskip("HanTa.HanoverTagger").HanoverTagger(f"morphmodel_{model}.pgz")
    converter = TagConverter(scheme, "universal", model)
    tags = {tagger.int2tag[tag] for tag in tagger.LP_wtag if tag > 3}
    if scheme == "stts":
        tags = {t if t[0] == "$" else t.translate(str.maketrans("", "", "()")) for t in tags}
    assert tags - {"NNA", "NNI", "END"} and not {
        tag for tag in tags - {"NNA", "NNI", "END"} if not converter.knows(tag)
    }


@pytest.mark.parametrize("name", task_names())
def test_pronouns_of_the_tasks_stay_in_their_class_but_for_the_number_in_french(name):
    task = load_task(name)
    singular = {"ils": "il", "elles": "elle"}
    if not task.tagged:
        pytest.skip("the target of this task is not lemmatised")
    for label, forms in task.forms.items():
        for form in forms if label != OTHER else ():
            for written in (form, form.capitalize(), form.upper()):
                lemma = pronoun_lemma(written, "PRON", task.target_language)
                assert lemma is not None, f"{form} is not in the table"
                assert task.class_of(lemma) == singular.get(label, label)


@pytest.mark.parametrize(
    ("language", "form", "tag", "lemma"),
    [("fr", "ils", "PRON", "il"), ("fr", "elles", "PRON", "elle"), ("fr", "ces", "DET", "ce"),
     ("fr", "Cela", "PRON", "cela"), ("fr", "c’", "PRON", "ce"), ("fr", "les", "PRON", "le"),
     ("fr", "la", "NOM", None), ("fr", "en", "PRON", "en"), ("fr", "en", "PRP", None),
     ("fr", "s'", "KON", "si"), ("fr", "entre", "PRP", "entre"), ("fr", "entre", "VER", None),
     ("fr", "des", "PRP", "du"), ("fr", "des", "DET", "un"), ("en", "I", "PRON", "I"),
     ("en", "them", "PRON", "them"), ("en", "mine", "NOUN", None), ("de", "Sie", "PRON", "sie"),
     ("es", "la", "PRON", "lo"), ("es", "la", "DET", "el"), ("it", "la", "DET", None)],
)  # fmt: skip
def test_lemmas_of_pronouns(language, form, tag, lemma):
    assert pronoun_lemma(form, tag, language) == lemma


def test_the_table_of_lemmas_says_nothing_twice():
    rows = [row[:3] for row in read_table("lemmas", 4)]
    assert len(rows) == len(set(rows))
    assert {row[0] for row in rows} == {"en", "fr", "de", "es"}


def test_the_fine_tag_goes_before_the_universal_one():
    assembler = Assembler("de", "universal", "stts")
    assert assembler.token("darauf", "darauf", "PROAV", "ADV").tag == "PRON"
    assert assembler.token("darauf", "darauf", "???", "ADV").tag == "ADV"
    assert assembler.token("darauf", "darauf", None, "ADV").tag == "ADV"
    assert assembler.token("darauf", "darauf").tag == "X"


def test_pronouns_get_the_lemma_of_the_table():
    token = Assembler("fr", "treetagger-fr", "ud").token("Elles", "lui", "PRON", "PRON")
    assert (token.form, token.lemma, token.tag) == ("Elles", "elle", "PRON")
    assert Assembler("fr", "none", "ud").token("la", "la", "DET", "DET").lemma == "le"


def test_long_words_are_their_own_lemmas():
    word = "x" * (LONGEST + 1)
    assert Assembler("en", "universal").token(word, "y", None, "NOUN").lemma == word
    assert len(presentable(word)) == LONGEST


@given(st.text(max_size=200), st.text(max_size=20), st.sampled_from(["VVZ", "", "NP0"]))
def test_forms_stay_and_lemmas_are_one_word(form, lemma, tag):
    token = Assembler("en", "universal", "c5").token(form, lemma, tag)
    assert token.form == form
    assert token.tag
    assert " " not in token.lemma
    shown = presentable(form)
    assert shown and not any(character.isspace() for character in shown)
    assert len(shown) <= LONGEST
