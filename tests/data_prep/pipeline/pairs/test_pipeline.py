"""A typed sentence pair becomes the example that the pipeline makes of it in a text."""

from __future__ import annotations

import pytest

from crosspro.data_prep.annotate.bitext import Segment
from crosspro.data_prep.core.errors import CrossproError, InputError
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.gaps.extract import with_gold_words
from crosspro.data_prep.pipeline.pairs import pipeline as pipeline_module
from crosspro.data_prep.pipeline.pairs.pair_links import PairAligner
from crosspro.data_prep.pipeline.pairs.pipeline import PairPipeline
from crosspro.data_prep.pipeline.pairs.typed_text import (
    GapMark,
    TypedPair,
    stand_in,
    typed_pairs,
)
from tests.fixed_links import FixedLinks

TASK = load_task("en-fr-2015")  # inflected: nothing needs an annotator
HOUSE = Segment(
    "The house is old, but it stands.", "La maison est vieille, mais elle tient debout."
)


@pytest.fixture(scope="module")
def pipeline():
    return PairPipeline(TASK)


def test_a_pair_is_tokenised_linked_and_its_pronouns_hidden(pipeline):
    prepared = pipeline.prepare(HOUSE)
    example = prepared.example
    assert example.source == ("The", "house", "is", "old", ",", "but", "it", "stands", ".")
    target = ("La", "maison", "est", "vieille", ",", "mais", "REPLACE_6", "tient", "debout", ".")
    assert example.target == target
    assert (6, 6) in example.links
    assert [(gap.position, gap.source_index, gap.label) for gap in example.gaps] == [(6, 6, None)]
    assert [(gap.word, gap.label) for gap in prepared.gaps] == [("elle", "elle")]
    assert prepared.words[6] == (6, "elle")


def test_a_written_gap_is_the_one_that_the_word_leaves(pipeline):
    expected = pipeline.prepare(HOUSE)
    for written in ("REPLACE", "REPLACE_6"):
        prepared = pipeline.prepare(Segment(HOUSE.source, HOUSE.target.replace("elle", written)))
        assert prepared.examples == expected.examples
        assert [(gap.word, gap.label) for gap in prepared.gaps] == [(None, None)]
        assert prepared.words[6] == (6, "REPLACE")


def test_a_marked_token_is_the_gap_on_either_side(pipeline):
    expected = pipeline.prepare(HOUSE).examples
    for mark in (GapMark(target=6), GapMark(source=6), GapMark(target=6, source=6)):
        assert pipeline.prepare(HOUSE, gaps=[mark]).examples == expected
    other = pipeline.prepare(HOUSE, gaps=[GapMark(target=1, source=1)])
    assert other.example.target[1] == "REPLACE_1"
    assert other.example.target[6] == "elle"
    assert other.gaps[0].label == "OTHER"
    assert pipeline.prepare(HOUSE, gaps=[]).example.gaps == ()


def test_each_written_gap_gets_its_own_pronoun(pipeline):
    pair = Segment("They say that it rains.", "REPLACE disent que REPLACE pleut.")
    gaps = pipeline.prepare(pair).example.gaps
    assert [(gap.position, gap.source_index) for gap in gaps] == [(0, 0), (3, 3)]


def test_a_pronoun_without_translation_gets_a_gap_between_words():
    pipeline = PairPipeline(TASK, lambda task: FixedLinks("0-0 1-1 3-2 4-3"))
    pair = Segment("He says it rains .", "Il dit pleuvoir .")
    prepared = pipeline.prepare(pair, gaps=[GapMark(source=2)])
    assert prepared.example.target == ("Il", "dit", "REPLACE_2", "pleuvoir", ".")
    assert prepared.example.links == ((0, 0), (1, 1), (2, 2), (3, 3), (4, 4))
    assert prepared.words == ((0, "Il"), (1, "dit"), None, (2, "pleuvoir"), (3, "."))
    assert [gap.word for gap in prepared.gaps] == [None]


def test_context_comes_before_the_pair_with_gaps_of_its_own(pipeline):
    context = [Segment("They are high.", "Ils sont hauts."), HOUSE]
    prepared = pipeline.prepare(Segment("It is old.", "Elle est vieille."), context)
    assert [example.target[0] for example in prepared.examples] == ["REPLACE_0", "La", "REPLACE_0"]
    assert {example.document for example in prepared.examples} == {"text"}
    assert len(prepared.examples[0].gaps) == 1
    assert len(prepared.words) == 4


@pytest.mark.parametrize(
    ("source", "target", "gaps", "field"),
    [
        (" ", "", None, "source"),
        ("It .", "xREPLACE .", None, "target"),
        ("It .", "REPLACE_7 .", None, "gaps"),
        ("Rain .", "REPLACE .", None, "gap 1"),
        ("It .", "REPLACE REPLACE .", None, "gap 2"),
        ("It .", "Il .", [GapMark(0, 0), GapMark(1, 0)], "gaps"),
        ("It \ud800", "Il .", None, "source"),
        ("It " * 1001, "Il .", None, "source"),
    ],
)
def test_a_wrong_pair_is_refused(pipeline, source, target, gaps, field):
    with pytest.raises(InputError) as caught:
        pipeline.prepare(Segment(source, target), gaps=gaps)
    assert [problem.field for problem in caught.value.problems] == [field]


def test_faults_of_the_context_say_where(pipeline):
    with pytest.raises(InputError) as caught:
        pipeline.prepare(Segment("", "Il ."), [HOUSE, Segment("It .", "")])
    assert [problem.path for problem in caught.value.problems] == ["context 2"]


def test_without_anything_learnt_all_links_are_positional():
    pipeline = PairPipeline(TASK, lambda task: PairAligner("union", None))
    assert "positions" in pipeline.prepare(HOUSE).notes[0]


def test_gaps_of_the_demo_corpus_are_made_again(pipeline):
    right = total = 0
    for example in demo_examples(TASK, "test", 10):
        words = " ".join(with_gold_words(example).target)
        made = pipeline.prepare(Segment(" ".join(example.source), words)).example
        gold = {  # outside the demo nobody translates "and it" by "qui"
            gap.source_index: gap.position
            for gap in example.gaps
            if gap.word not in ("NONE", "qui")
        }
        total += len(gold)
        right += sum(
            made.target[gap.position] == example.target[gap.position]
            for gap in made.gaps
            if gold.get(gap.source_index) == gap.position
        )
    assert total > 30
    assert right / total > 0.9


def test_annotators_that_are_missing_are_an_error_or_a_note(monkeypatch, pipeline):
    def missing(*_, **__):
        raise CrossproError("no annotator")

    monkeypatch.setattr(pipeline_module, "make_annotator", missing)
    with pytest.raises(CrossproError):
        PairPipeline(load_task("en-fr")).prepare(HOUSE)
    without = PairPipeline(TASK)
    prepared = without.prepare(HOUSE, parse=True)
    assert prepared.example.source_parse is None
    assert any("no annotator" in note for note in prepared.notes)
    assert not without.prepare(HOUSE).notes


def test_tags_alone_are_told_from_a_parse(pipeline):
    pytest.importorskip("HanTa", reason="needs HanTa: make extras EXTRAS=annotate")
    prepared = pipeline.prepare(HOUSE, [HOUSE], parse=True)
    parses = [example.source_parse.forms for example in prepared.examples]
    assert parses == [prepared.example.source] * 2
    assert any("has no dependencies" in note for note in prepared.notes)
    assert pipeline.prepare(HOUSE).example.source_parse is None


def test_the_stand_in_is_a_pronoun_of_one_meaning():
    names = ("en-fr", "en-de", "fr-en")
    assert [stand_in(load_task(name)) for name in names] == ["elle", "er", "he"]
    (pair,) = typed_pairs([Segment("It .", "REPLACE .")], load_task("en-de"))
    assert pair.target == ("er", ".")


@pytest.mark.parametrize(
    ("target", "links", "word"),
    [
        ("la maison est vieille , mais il tient .", "1-1 5-5 7-7", "il"),
        ("la maison est vieille , mais il tient .", "1-1 5-5 6-7", "il"),
        ("la maison est vieille . mais il tient .", "1-1 4-4 6-4", None),
        ("la maison est vieille , mais il tient .", "1-1 5-5 7-6", None),
    ],
    ids=["not linked", "linked to the verb", "in another sentence", "another word's"],
)
def test_pronouns_that_both_sides_have_left_over_are_a_gap(target, links, word):
    source = "the house is old , but it stands ."
    pipeline = PairPipeline(TASK, lambda task: FixedLinks(links))
    (prepared,) = pipeline.prepare_text([TypedPair(tuple(source.split()), tuple(target.split()))])
    assert [gap.source_index for gap in prepared.example.gaps] == [6]
    hidden = prepared.gaps[0].word
    assert hidden == word if word else hidden != "il"


def test_a_text_has_the_gaps_of_its_sentences(pipeline):
    pairs = [HOUSE, Segment("They sing.", "Elles chantent.")]
    prepared = pipeline.prepare_text(typed_pairs(pairs, TASK))
    assert [[gap.word for gap in pair.gaps] for pair in prepared] == [["elle"], ["Elles"]]
