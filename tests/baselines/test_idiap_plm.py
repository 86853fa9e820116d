"""The pronoun language model of gender and number, and its rules."""

from __future__ import annotations

import csv
from dataclasses import replace
from importlib import resources

import numpy as np
import pytest

from crosspro.baselines.idiap_plm import IdiapPLM, gender_numbers, rule_of
from crosspro.data_prep.core.example import AnnotatedSentence, Gap, Token
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.lexicon.lexicon import Entry, Lexicon, write_lexicon
from crosspro.prediction.dev_score import dev_score
from tests.examples import example_of

TASK = load_task("en-fr")
GENDERS = {"m": "Masc", "f": "Fem"}


@pytest.fixture(scope="module")
def data():
    return demo_examples(TASK, "train", 200), demo_examples(TASK, "dev", 40)


@pytest.fixture(scope="module")
def lexicon(tmp_path_factory):
    """The French nouns of the demo corpus."""
    path = tmp_path_factory.mktemp("lexicon") / "fr.tsv"
    things = resources.files("crosspro.data_prep.demo") / "lexicon" / "things.tsv"
    rows = csv.DictReader(things.read_text("utf-8").splitlines(), delimiter="\t")
    write_lexicon(
        path, Lexicon.of(Entry(r["fr_sg"], "NOUN", GENDERS[r["fr_gender"]], "Sing") for r in rows)
    )
    return str(path)


def example(source, target, links=(), **more):
    words = target.split()
    places = [at for at, word in enumerate(words) if word.startswith("REPLACE_")]
    gaps = tuple(Gap(at, int(words[at].removeprefix("REPLACE_"))) for at in places)
    return example_of(tuple(source.split()), tuple(words), tuple(links), gaps, "d", **more)


NOUNS = Lexicon.of([Entry("voiture", "NOUN", "Fem", "Sing"), Entry("chien", "NOUN", "Masc")])


def test_nouns_are_gender_and_number_and_pronouns_themselves():
    one = example(
        "I saw the cars and it saw a dog",
        "je|PRO voir|VER le|DET voiture|NOM et|KON REPLACE_5 voir|VER un|DET chien|NOM chose|NOM",
        [(0, 0), (3, 3), (8, 8)],
    )
    assert list(gender_numbers(one, NOUNS)) == [
        (0, "je"), (3, "Fem.?"), (8, "Masc.?"), (9, "?.?"),
    ]  # fmt: skip
    assert [shown for _, shown in gender_numbers(one, None)] == ["je", "?.?", "?.?", "?.?"]


def test_the_source_is_not_looked_at():
    """Links and parses of the source change nothing: 003 §5.2 has no knowledge of the source."""
    one = example("the data it", "le|DET chien|NOM REPLACE_2 voir|VER", [(1, 1), (2, 2)])
    tokens = [Token(word, word, "NOUN", features="Number=Plur") for word in one.source]
    parsed = replace(one, source_parse=AnnotatedSentence(tuple(tokens)))
    shown = list(gender_numbers(one, NOUNS))
    assert shown == [(1, "Masc.?")]
    assert list(gender_numbers(parsed, NOUNS)) == shown
    assert list(gender_numbers(replace(one, links=()), NOUNS)) == shown
    assert "source_parse" not in IdiapPLM().layers_read


def test_pronouns_are_known_without_tags():
    one = example("she sees the cars", "Elle voit la voiture REPLACE_0 ils", tagged=False)
    shown = [(0, "elle"), (3, "Fem.Sing"), (5, "ils")]
    assert list(gender_numbers(one, NOUNS)) == shown
    tagged = example("she", "elle|ADJ voir|VER REPLACE_0")
    assert list(gender_numbers(tagged, NOUNS)) == []


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("It is said that it rains", "REPLACE_0 dire|VER que|KON", "on"),
        ("It 's often called love", "REPLACE_0 le|PRO appeler|VER", "on"),
        ("It is called love", "REPLACE_0 être|VER appeler|VER", ""),
        ("It is called love", "REPLACE_0 se|PRO appeler|VER", ""),
        ("They say that it rains", "REPLACE_0 dire|VER que|KON", ""),
        ("They saw that", "REPLACE_0 voir|VER", ""),
        ("It is late", "REPLACE_0 être|VER tard|ADV", ""),
        ("It 's here", "qui|PRO REPLACE_0 être|VER", "OTHER"),
        ("They left", "dans|PRP REPLACE_0 .|SENT", "OTHER"),
        ("They left", "et|KON REPLACE_0 le|DET voir|VER", ""),
        ("They left", "et|KON REPLACE_0 un|DET voiture|NOM", "OTHER"),
    ],
)
def test_rules(source, target, expected):
    one = example(source, target)
    assert rule_of(one, one.gaps[0]) == expected


def test_genders_of_nouns_help_it_to_beat_the_majority(data, lexicon):
    """Not by much: it knows neither the source pronoun nor numbers, which lemmas hide."""
    score = dev_score(TASK, data[1], "macro_recall")
    found = {}
    for name in (None, lexicon):
        system = IdiapPLM(order=5, lexicon=name)
        system.fit(TASK, *data)
        found[name] = score(system.predict(data[1]))
    assert found[lexicon] > found[None] > 100 / len(TASK.classes) + 1


def test_what_follows_a_gap_changes_nothing(data, lexicon):
    """The nouns and pronouns before it count, and no others (003 §5.2)."""
    system = IdiapPLM(order=4, lexicon=lexicon, rules=False)
    system.fit(TASK, *data)
    one = example("it sees", "table|NOM REPLACE_0 voir|VER")
    more = example(
        "it sees a dog and it", "table|NOM REPLACE_0 voir|VER il|PRO porte|NOM REPLACE_5"
    )
    first = system.predict([one])[0]
    assert system.predict([more])[0] == pytest.approx(first)
    other = system.predict([example("it sees", "il|PRO REPLACE_0 voir|VER")])[0]
    assert not np.allclose(first, other)


def test_sentences_before_count_in_their_document_only(data, lexicon):
    system = IdiapPLM(order=4, lexicon=lexicon, context=1)
    assert system.context == 1
    system.fit(TASK, *data)
    noun = example("the tables", "table|NOM", [(1, 0)])
    gap = example("they are", "REPLACE_0 être|VER")
    together = system.predict([noun, gap])
    apart = system.predict([replace(noun, document="other"), gap])
    assert not np.allclose(together, apart)
    assert apart == pytest.approx(system.predict([gap]))
