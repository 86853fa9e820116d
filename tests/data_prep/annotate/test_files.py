"""Annotation from files: CoNLL-U, and what TreeTagger wrote."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.data_prep.annotate.files import (
    ConlluFile,
    TreeTaggerOutput,
    conllu_text,
    treetagger_lemma,
)
from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.example import AnnotatedSentence, Token
from tests.data_prep.formats.conllu_sample import SAMPLE


@pytest.fixture
def sample(tmp_path):
    path = tmp_path / "x.conllu"
    path.write_text(SAMPLE, encoding="utf-8")
    return str(path)


def test_written_words_of_a_parse(sample):
    file = ConlluFile(sample, "fr", "treetagger-fr")
    first, second = file.annotate([["Il", "parle", "du", "chien", "."], ["Oui"]])
    assert first.tagged_lemmas() == ("il|PRON", "parler|VER", "du|PRP", "chien|NOM", ".|.")
    assert [token.head for token in first.tokens] == [1, -1, 3, 1, 1]
    assert (first.tokens[0].deprel, first.tokens[0].feature("Person")) == ("nsubj", "3")
    assert first.parsed and not second.parsed
    assert file.annotate([["Non"]])[0].tokens[0].deprel == "root"
    file.finish()


def test_syntactic_words_of_a_parse(sample):
    (sentence,) = ConlluFile(sample, "fr", "treetagger-fr").annotate(
        [["Il", "parle", "de", "le", "chien", "."]]
    )
    assert sentence.tagged_lemmas()[2:4] == ("de|PRP", "le|DET")


def test_empty_lines_of_the_text_have_no_sentence(sample):
    file = ConlluFile(sample, "fr", "universal")
    found = file.annotate([[], ["Il", "parle", "du", "chien", "."], []])
    assert [len(sentence.tokens) for sentence in found] == [0, 5, 0]


def test_other_words_and_files_of_another_length_are_errors(sample):
    file = ConlluFile(sample, "fr", "universal")
    text = [["Il", "parle", "du", "chien", "."], ["Oui"]]
    file.annotate(text)
    with pytest.raises(InputError, match=r"x.conllu:16: "):
        file.finish()
    file = ConlluFile(sample, "fr", "universal")
    file.annotate(text[:1])
    with pytest.raises(InputError, match=r"x.conllu:13: "):
        file.annotate([["Non"]])
    with pytest.raises(InputError, match=r"x.conllu: "):
        ConlluFile(sample, "fr", "universal").annotate([*text, ["Non"], ["Si"]])


words = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=8)
tokens = st.builds(
    Token, words, words, st.sampled_from(["NOUN", ".", "X"]), st.sampled_from([None, "NOUN"])
)
texts = st.lists(st.lists(tokens, min_size=1, max_size=5), min_size=1, max_size=4)


@given(texts)
def test_our_files_come_back_as_they_were(tmp_path_factory, text):
    sentences = [AnnotatedSentence(tuple(tokens), "stts") for tokens in text]
    forms = [sentence.forms for sentence in sentences]
    folder = tmp_path_factory.getbasetemp()
    lemmas = [sentence.tagged_lemmas() for sentence in sentences]
    (folder / "x.conllu").write_text("".join(map(conllu_text, sentences)), encoding="utf-8")
    read = ConlluFile(str(folder / "x.conllu"), "de", "universal").annotate(forms)
    assert [sentence.tagged_lemmas() for sentence in read] == lemmas
    assert [sentence.forms for sentence in read] == forms
    assert {sentence.scheme for sentence in read} == {"stts"}


@pytest.mark.parametrize(
    ("form", "lemma", "expected"),
    [("suis", "suivre|être", "être"), ("fils", "fil|fils", "fil"), ("Xyz", "<unknown>", "Xyz"),
     ("12", "@card@", "12"), ("|", "|", "|")],
)  # fmt: skip
def test_lemmas_of_treetagger(form, lemma, expected):
    assert treetagger_lemma(form, lemma) == expected


OUTPUT = "<s>\nIch\tPPER\tich\ndenke\tVVFIN\tdenken\ndaran\tPAV\tdaran\n</s>\n\n.\t$.\t.\n"


def treetagger(tmp_path, text, language="de", tagset="universal"):
    path = tmp_path / "x.tt"
    path.write_text(text, encoding="utf-8")
    return TreeTaggerOutput(str(path), language, tagset)


def test_output_of_treetagger(tmp_path):
    file = treetagger(tmp_path, OUTPUT)
    first, second = file.annotate([["Ich", "denke", "daran"], ["."]])
    assert first.tagged_lemmas() == ("ich|PRON", "denken|VERB", "daran|PRON")
    assert second.tagged_lemmas() == (".|.",)
    file.finish()
    file = treetagger(tmp_path, OUTPUT)
    file.annotate([["Ich"]])
    with pytest.raises(InputError, match=r"x.tt:3: word:"):
        file.finish()
    text = "Ils\tPRO:PER\til\ndoivent\tVER:pres\tdevoir\n.\tSENT\t.\n"
    (sentence,) = treetagger(tmp_path, text, "fr", "treetagger-fr").annotate(
        [["Ils", "doivent", "."]]
    )
    assert sentence.tagged_lemmas() == ("il|PRON", "devoir|VER", ".|.")


@pytest.mark.parametrize(
    ("text", "message"),
    [(OUTPUT.replace("Ich\t", "Du\t"), "x.tt:2: word:"),
     (OUTPUT.replace("PPER", "PRO:PER"), "x.tt:2: tag:"),
     (OUTPUT.replace("\tich", ""), "x.tt:2: columns:"), ("", "x.tt: word:")],
)  # fmt: skip
def test_bad_output_of_treetagger(tmp_path, text, message):
    with pytest.raises(InputError, match=message):
        treetagger(tmp_path, text).annotate([["Ich"]])
    with pytest.raises(InputError, match="annotator treetagger"):
        treetagger(tmp_path, text, "es")
