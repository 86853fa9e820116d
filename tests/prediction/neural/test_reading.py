"""From examples to arrays: fields, vocabularies, contexts, sub-word units, lexicons."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.example import AnnotatedSentence, Gap, Token
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.lexicon.lexicon import Entry, Lexicon
from crosspro.prediction.neural.reading.encoding import UNKNOWN_LABEL, Encoder
from crosspro.prediction.neural.reading.fields import (
    CHARACTER,
    LEMMA,
    LEMMA_TAG,
    PRONOUN,
    SOURCE,
    TAG,
    Field,
    Reads,
)
from crosspro.prediction.neural.reading.lexicon_fields import (
    SOURCE_NOUN,
    TARGET_NOUN,
    agreement,
    lexicons_for,
    noun,
    source_words_of_units,
    target_words_of_units,
)
from crosspro.prediction.neural.reading.subwords import load_units, split_example, train_units
from tests.examples import example_of
from tests.prediction.neural.small import TASK

READER = Encoder((SOURCE, CHARACTER, LEMMA, PRONOUN))
EXAMPLE = example_of(
    ("They", "work"),
    ("REPLACE_0", "travailler|VER", ".|SENT"),
    ((0, 0), (1, 1)),
    (Gap(0, 0, "ils", "ils"),),
    source_parse=AnnotatedSentence(
        (Token("They", "they", "PRON", head=1, deprel="nsubj"), Token("work", "work", "VERB"))
    ),
)
CUT = example_of(("▁lit", "tle", "▁house"), ("▁mai|NOM", "son|NOM", "REPLACE_0", "▁a|VER"), (), ())
LEXICON = Lexicon.of(
    [
        Entry("maison", "NOUN", "Fem", "Sing", 9),
        Entry("maisons", "NOUN", "Fem", "Plur", 9),
        Entry("petit", "ADJ", "Masc", "Sing", 5),
        Entry("est", "NOUN", "Masc", "Sing", 1),
        Entry("est", "X", None, None, 99),
        Entry("livre", "NOUN", "Masc", "Sing", 3),
        Entry("livre", "NOUN", "Fem", "Sing", 3),
    ]
)


def letters(word):
    return [word] if word.startswith("REPLACE") else list(word)


def pairs(word):
    return (
        [word] if word.startswith("REPLACE") else [word[i : i + 2] for i in range(0, len(word), 2)]
    )


def test_fields_say_what_a_token_becomes():
    example = example_of(
        ("It", "Works"), ("REPLACE_0", "marcher|VER"), ((0, 0), (1, 0)), (Gap(0, 0, "il"),)
    )
    inflected = replace(example, lemmas=("REPLACE_0", "marche"), tags=None)
    expected = {
        SOURCE: ["it", "works"],
        PRONOUN: ["it works"],
        LEMMA: ["<gap>", "marcher"],
        TAG: ["<gap>", "VER"],
        LEMMA_TAG: ["<gap>|<gap>", "marcher|VER"],
    }
    for field, words in expected.items():
        assert [field.read(token, True, {}) for token in field.tokens(example)] == words
    for field, words in {LEMMA: ["<gap>", "marche"], TAG: ["<gap>", ""]}.items():
        assert [field.read(token, False, {}) for token in field.tokens(inflected)] == words


def test_a_field_that_leaves_tokens_out_is_refused(train):
    short = Field("short", "source", lambda example: example.source[1:])
    with pytest.raises(ValueError, match=r"field short"):
        Encoder((short,)).fit_and_encode(train, TASK)


def test_labels_are_those_of_the_task(train):
    encoder, text = READER.fit_and_encode(train, TASK)
    gold = [TASK.class_index[gap.label] for example in train for gap in example.gaps]
    assert text.label.tolist() == gold
    blind = [replace(e, gaps=tuple(replace(g, label=None) for g in e.gaps)) for e in train]
    assert set(encoder.encode(blind, TASK).label) == {UNKNOWN_LABEL}
    assert len(encoder.encode([*blind, *train], TASK).labelled(READER.fields)) == len(gold)


def test_context_reaches_back_inside_a_document_only(train):
    _, near = READER.fit_and_encode(train, TASK)
    far = near.with_context(3)
    assert (far.target.low <= near.target.low).all()
    assert (far.target.low < near.target.low).any()
    first = [i for i, e in enumerate(train) if i == 0 or e.document != train[i - 1].document]
    in_first = np.isin(near.positions["sentence"], first)
    starts = near.positions["target_starts"][first]
    assert set(far.target.low[in_first]) <= set(starts)


def test_gaps_links_tags_and_heads_move_with_the_units():
    split = split_example(EXAMPLE, pairs, letters)
    assert split.source == ("Th", "ey", "wo", "rk")
    assert split.target[:2] == ("REPLACE_0", "t|VER")
    assert len(split.target) == 1 + len("travailler") + 1
    assert split.gaps == (Gap(0, 0, "ils", "ils"),)
    assert split.links == ((0, 0), (1, 0), (2, 1), (3, 1))
    assert [token.head for token in split.source_parse.tokens] == [2, 2, -1, -1]
    assert [token.tag for token in split.source_parse.tokens] == ["PRON", "PRON", "VERB", "VERB"]
    later = replace(
        EXAMPLE.with_target(("travailler|VER", "REPLACE_0", ".|SENT")),
        gaps=(Gap(1, 0, "ils", "ils"),),
        links=((0, 1), (1, 0)),
    )
    split = split_example(later, pairs, pairs)
    assert split.target[split.gaps[0].position] == "REPLACE_0"


def test_units_depend_on_the_text_alone_and_capitals_change_no_cut(tmp_path):
    examples = demo_examples(TASK, "train", 20)
    units = train_units(examples, 200, lowercase=True)
    assert units == train_units(examples, 200, lowercase=True)
    units.save(tmp_path)
    assert load_units(tmp_path) == units
    small = replace(EXAMPLE, source=("they", "work"))
    folded, as_is = (units.split([EXAMPLE], lowercase)[0].source for lowercase in (True, False))
    assert folded == units.split([small], True)[0].source
    assert folded != as_is
    cut = units.cut("source", lowercase=True)
    assert sum(len(cut(word)) for word in EXAMPLE.source) == len(folded)
    with pytest.raises(InputError):
        train_units(examples, 10, lowercase=True)


def test_words_are_looked_up_whole_by_tag_or_by_what_they_mostly_are():
    expected = {
        "maison|": "noun Fem Sing",
        "maison|NOM": "noun Fem Sing",
        "maison|VER": "",
        "petit|": "other Masc Sing",
        "est|": "",
        "est|NOM": "noun Masc Sing",
        "livre|NOM": "noun ? Sing",
        "jamais|ADV": "",
    }
    assert {token: agreement(token, LEXICON) for token in expected} == expected
    assert agreement(" maison|", LEXICON) == "noun Fem Sing"  # another unit of the word
    assert list(source_words_of_units(CUT)) == ["little|", " little|", "house|"]
    target = ["maison|NOM", " maison|NOM", "REPLACE_0|", "a|VER"]
    assert list(target_words_of_units(CUT)) == target
    odd = example_of(("a\u00a0b", "c▁d"), ("10\u00a0000|NUM", "REPLACE_0"), (), ())
    assert list(source_words_of_units(odd)) == ["a\u00a0b|", "c▁d|"]
    assert list(target_words_of_units(odd)) == ["10\u00a0000|NUM", "REPLACE_0|"]


def test_nouns_are_known_by_their_tag_or_by_the_lexicon_and_stand_at_their_first_unit():
    nouns = {
        "maison|NOM": "Fem ?",  # a lemma hides the number
        "maisons|": "Fem Plur",
        "livre|": "? Sing",
        "chose|NOM": "? ?",
        "chose|": "",
        "petit|": "",
        "maison|VER": "",
        "|": "",
    }
    assert {token: noun(token, LEXICON) for token in nouns} == nouns
    assert noun(" maison|NOM", LEXICON) == noun(" maison|", LEXICON) == ""
    assert noun("maison|NOM", None) == "? ?"
    assert noun("maison|", None) == ""
    gap = Entry("REPLACE_0", "NOUN", None, None, 1)
    assert noun("REPLACE_0|", Lexicon.of([gap])) == ""  # a gap is no noun of any lexicon
    assert set(nouns.values()) <= set(TARGET_NOUN.closed) == set(SOURCE_NOUN.closed)


def test_lexicons_are_induced_for_languages_with_gender_and_english_has_a_list_of_nouns():
    french = ["la fin est ici", "la maison est ici", "la place est ici", "une fin"] * 4
    english = ["the place is old", "a place is here", "the house is old"] * 4
    lines = {"fr": french, "en": english}
    reads = Reads((), lexicons={"source": "induced", "target": "induced"}, nouns=True)

    def lexicons(side, language, task="en-fr"):
        text = {side: (language, (line.split() for line in lines[language]))}
        return lexicons_for(reads, load_task(task), text)

    assert lexicons("target", "fr")["target"].gender("fin") == "Fem"
    assert lexicons("source", "en")["source"].is_noun("house")
    assert not lexicons("target", "en")  # tags tell nouns there
    assert not lexicons_for(
        replace(reads, nouns=False), TASK, {"source": ("en", (e.split() for e in english))}
    )
