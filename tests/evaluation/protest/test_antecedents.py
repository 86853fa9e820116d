"""Antecedents in chains, heads of noun phrases, and their projection."""

from __future__ import annotations

import pytest

from crosspro.data_prep.formats.conllu import read_conllu
from crosspro.data_prep.formats.mmax import Markable, MmaxDocument
from crosspro.evaluation.protest.antecedents import (
    Antecedent,
    Chains,
    head_translation,
    is_group_noun,
    noun_phrase_heads,
)
from crosspro.evaluation.protest.categories import NoCategory
from tests.conftest import SHARED_DATA


@pytest.mark.parametrize(
    ("phrase", "heads"),
    [
        ("a bicycle", "bicycle"),
        ("the old house", "house"),
        ("my mother 's house", "house"),
        ("my mother 's", "mother"),
        ("the president of the United States", "president"),
        ("a lot of people", "people"),
        ("all of the children", "children"),
        ("these kinds of transformations", "transformations"),
        ("the people who live there", "people"),
        ("people living in cities", "people"),
        ("children born with dwarfism", "children"),
        ("the tall building", "building"),
        ("the thing I did", "thing"),
        ("my mother and my brother", "mother brother"),
        ("men and women", "men women"),
        ("a big and heavy machine", "machine"),
        ("chapter 7", "chapter"),
        ("the people here", "people"),
        ("Paris", "Paris"),
        ("this", "this"),
        ("`` that lamp ''", "lamp"),
        ("the plan , which failed", "plan"),
    ],
)
def test_heads_of_noun_phrases(phrase, heads, english):
    words = phrase.split()
    found = noun_phrase_heads(words, english.heads)
    assert [words[at] for at in found] == heads.split()


def test_a_phrase_without_words_has_no_head(english):
    assert noun_phrase_heads(["--", "..."], english.heads) == ()
    assert noun_phrase_heads([], english.heads) == ()


def test_rules_against_gold_trees(english):
    """Share of noun phrases of UD English-EWT whose head is found; most others are names."""
    path = SHARED_DATA / "ud" / "en_ewt-ud-test.conllu.xz"
    if not path.is_file():
        pytest.skip("the UD trees are not here")
    right = total = 0
    for tree in read_conllu(path):
        for phrase, head in noun_phrases(tree.words):
            total += 1
            right += head in noun_phrase_heads(phrase, english.heads)
    assert total > 2000
    assert right / total > 0.9


def noun_phrases(tree):
    """Contiguous phrases of at least two words under a noun that is an argument or adjunct."""
    roles = ("nsubj", "nsubj:pass", "obj", "obl", "iobj", "nmod")
    children: dict[int, list[int]] = {}
    for at, token in enumerate(tree, start=1):
        children.setdefault(token.head, []).append(at)
    for at, token in enumerate(tree, start=1):
        if token.upos not in ("NOUN", "PROPN") or token.deprel not in roles:
            continue
        inside, todo = {at}, [at]
        while todo:
            above = todo.pop()
            for below in children.get(above, []):
                outer = above == at and tree[below - 1].deprel in ("case", "punct", "cc:preconj")
                if not outer and below not in inside:
                    inside.add(below)
                    todo.append(below)
        places = sorted(inside)
        if 2 <= len(places) <= 25 and places[-1] - places[0] + 1 == len(places):
            yield [tree[place - 1].form for place in places], places.index(at)


def test_the_antecedent_is_the_nearest_mention_that_is_no_pronoun(documents, english):
    first, second = documents
    chains = Chains(second, english)
    pronouns = [m for m in second.markables if m.attributes.get("coref_class") == "set_1"][1:]
    for pronoun in pronouns:  # the second one follows another pronoun
        assert chains.antecedent(pronoun) == Antecedent((2, 3, 4), (4,))
    (rain,) = [m for m in first.markables if m.attributes.get("type") == "pleonastic"]
    assert Chains(first, english).antecedent(rain) == NoCategory("no antecedent in its chain")


def document(*mentions):
    """A document of ten words with markables (words, attributes), all in one chain."""
    marked = [
        Markable(f"m{n}", words, {"coref_class": "set_1"} | attributes, n)
        for n, (words, attributes) in enumerate(mentions)
    ]
    words = ("the", "red", "car", "of", "Anna", "it", "it", "it", "was", "empty")
    names = tuple(f"word_{n}" for n in range(1, 11))
    return MmaxDocument("x", "x", words, names, (tuple(range(10)),), tuple(marked))


PRONOUN = ((5,), {"mention": "pronoun"})


@pytest.mark.parametrize(
    ("other", "found"),
    [
        (((0, 1, 2, 3, 4), {"mention": "np"}), Antecedent((0, 1, 2, 3, 4), (2,))),
        (((0, 1, 2, 3, 4), {"mention": "np", "head": "word_5"}), Antecedent((0, 1, 2, 3, 4), (4,))),
        (((0, 1, 2, 3, 4), {"mention": "np", "head": "Red"}), Antecedent((0, 1, 2, 3, 4), (1,))),
        (((0, 1, 2), {"mention": "np", "head": "nowhere"}), Antecedent((0, 1, 2), (2,))),
        (((6,), {"mention": "pronoun"}), NoCategory("linked to another pronoun")),
        (((0, 1, 2), {"mention": "clause"}), NoCategory("antecedent is no noun phrase")),
        (((8, 9), {"mention": "np"}), NoCategory("antecedent follows")),
        (((4, 5, 6), {"mention": "np"}), NoCategory("antecedent follows")),
    ],
)
def test_what_an_antecedent_may_be(other, found, english):
    own = document(PRONOUN, other)
    assert Chains(own, english).antecedent(own.markables[0]) == found


@pytest.mark.parametrize("word", ["company", "Companies", "families", "team", "teams", "churches"])
def test_group_nouns(word, english):
    assert is_group_noun(word, english)
    assert not is_group_noun("bicycle", english)


def test_heads_are_projected_without_articles_clitics_and_punctuation(french):
    target = ["La", "voiture", ",", "l'auto", "rouge", "d'", "Anna"]
    links = [(0, 0), (0, 1), (0, 2), (1, 3), (1, 5), (2, 9)]
    assert head_translation([0], links, target, french) == ((1,), ("voiture",))
    assert head_translation([1], links, target, french) == ((3,), ("auto",))
    assert head_translation([7], links, target, french) == ((), ())
