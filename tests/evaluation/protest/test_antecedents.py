"""Antecedents in chains, their heads by parse and by word lists, and their projection."""

from __future__ import annotations

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.example import AnnotatedSentence, Token
from crosspro.data_prep.formats.conllu import read_conllu
from crosspro.data_prep.formats.mmax import Markable, MmaxDocument
from crosspro.evaluation.protest.antecedents import (
    Antecedent,
    Chains,
    ParsedText,
    head_translation,
    noun_phrase_heads,
    read_source_parse,
)
from crosspro.evaluation.protest.categories import NoCategory
from crosspro.evaluation.protest.suite import Place
from tests.conftest import SHARED_DATA


@pytest.mark.parametrize(
    ("phrase", "heads"),
    [
        ("a bicycle", "bicycle"),
        ("my mother 's house", "house"),
        ("my mother 's", "mother"),
        ("the president of the United States", "president"),
        ("a lot of people", "people"),
        ("all of the children", "children"),
        ("these kinds of transformations", "transformations"),
        ("the people who live there", "people"),
        ("the tall building", "building"),
        ("the thing I did", "thing"),
        ("my mother and my brother", "mother brother"),
        ("men and women", "men women"),
        ("that company or is that society", "company"),
        ("chapter 7", "chapter"),
        ("the people here", "people"),
        ("this", "this"),
        ("`` that lamp ''", "lamp"),
        ("the plan , which failed", "plan"),
        ("-- ...", ""),
        ("", ""),
    ],
)
def test_heads_of_noun_phrases(phrase, heads, english):
    words = phrase.split()
    assert [words[at] for at in noun_phrase_heads(words, english.heads)] == heads.split()


@pytest.fixture(scope="module")
def noun_phrases():
    """Noun phrases of UD English-EWT: the tree, the words' positions, and the head's."""
    path = SHARED_DATA / "ud" / "en_ewt-ud-test.conllu.xz"
    if not path.is_file():
        pytest.skip("the UD trees are not here")
    phrases = []
    for tree in read_conllu(path):
        phrases += [(tree.words, *phrase) for phrase in phrases_of(tree.words)]
    assert len(phrases) > 2000
    return phrases


def phrases_of(tree):
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
            yield [place - 1 for place in places], at - 1


def test_word_lists_against_gold_trees(noun_phrases, english):
    right = 0
    for tree, places, head in noun_phrases:
        words = [tree[place].form for place in places]
        right += head - places[0] in noun_phrase_heads(words, english.heads)
    assert right / len(noun_phrases) > 0.9


def test_a_parse_gives_the_heads_of_its_trees(noun_phrases):
    for tree, places, head in noun_phrases:
        tokens = tuple(
            Token(w.form, w.lemma, w.upos, upos=w.upos, head=w.head - 1, deprel=w.deprel)
            for w in tree
        )
        spots = [Place(0, (at,)) for at in range(len(tokens))]
        assert head in ParsedText([AnnotatedSentence(tokens)], spots).heads(places)


def sentence(text):
    """Tokens from `word/head/relation/tag`; heads count from 1, and 0 is the root."""
    cells = [token.split("/") for token in text.split()]
    return AnnotatedSentence(
        tuple(
            Token(word, word, tag, upos=tag, head=int(head) - 1, deprel=relation)
            for word, head, relation, tag in cells
        )
    )


@pytest.mark.parametrize(
    ("text", "words", "heads"),
    [
        ("a/2/det/DET lot/0/root/NOUN of/4/case/ADP people/2/nmod/NOUN", (0, 1, 2, 3), (1,)),
        ("a/2/det/DET lot/0/root/NOUN of/4/case/ADP people/2/nmod/NOUN", (3,), (3,)),
        ("men/0/root/NOUN and/3/cc/CCONJ women/1/conj/NOUN", (0, 1, 2), (0, 2)),
        ("men/0/root/NOUN and/3/cc/CCONJ women/1/conj/NOUN", (1, 2), (2,)),
        ("the/2/det/DET rich/0/root/ADJ eat/2/acl:relcl/VERB", (0, 1, 2), (1,)),
        ("old/3/amod/ADJ houses/0/root/NOUN x/2/dep/X", (0, 1), (1,)),  # the noun counts
        ("a/2/dep/X b/1/dep/X", (0, 1), ()),  # no tree
    ],
)
def test_the_word_that_governs_a_mention(text, words, heads):
    parsed = sentence(text)
    places = [Place(0, (at,)) for at in range(len(parsed.tokens))]
    assert ParsedText([parsed], places).heads(words) == heads


def test_words_that_are_not_in_the_text():
    """Words 0 and 2 of the document are words 1 and 0 of the line; word 1 is nowhere."""
    parsed = ParsedText(
        [sentence("San/0/root/PROPN Francisco/1/flat/PROPN")],
        [Place(0, (1,)), None, Place(0, (0,))],
    )
    assert parsed.heads((0, 1, 2)) == (2,)
    assert parsed.heads((1,)) == ()


ROWS = "1\tIt\tit\tPRON\t_\t_\t2\tnsubj\t_\t_\n2\truns\trun\tVERB\t_\t_\t0\troot\t_\t_\n\n"


def test_a_parse_must_have_the_words_of_every_line(tmp_path):
    path = tmp_path / "p.conllu"
    lines = [("It", "runs"), (), ("It", "runs")]
    path.write_text(ROWS * 2)
    assert [len(one.tokens) for one in read_source_parse(path, "en", lines)] == [2, 0, 2]
    unparsed = ROWS.replace("\t2\tnsubj", "\t_\t_").replace("\t0\troot", "\t_\t_")
    for content in (ROWS, ROWS * 3, ROWS.replace("runs", "ran") * 2, unparsed * 2):
        path.write_text(content)
        with pytest.raises(InputError, match=path.name):
            read_source_parse(path, "en", lines)


# Chains -------------------------------------------------------------------------------------------


def test_the_antecedent_is_the_nearest_mention_that_is_no_pronoun(documents, english):
    first, second = documents
    chains = Chains(second, english)
    pronouns = [m for m in second.markables if m.attributes.get("coref_class") == "set_1"][1:]
    for pronoun in pronouns:  # the second one follows another pronoun
        assert chains.antecedent(pronoun) == Antecedent((2, 3, 4), (4,))
    (rain,) = [m for m in first.markables if m.attributes.get("type") == "pleonastic"]
    assert isinstance(Chains(first, english).antecedent(rain), NoCategory)


WORDS = ("the", "red", "car", "of", "Anna", "it", "it", "it", "was", "empty")


def document(*mentions):
    """A document with markables (words, attributes), all in one chain."""
    marked = [
        Markable(f"m{n}", words, {"coref_class": "set_1"} | attributes, n)
        for n, (words, attributes) in enumerate(mentions)
    ]
    names = tuple(f"word_{n}" for n in range(1, 11))
    return MmaxDocument("x", "x", WORDS, names, (tuple(range(10)),), tuple(marked))


PHRASE = (0, 1, 2, 3, 4)
PARSE = sentence("the/5/dep/X red/5/dep/X car/5/dep/X of/5/dep/X Anna/0/root/NOUN")


@pytest.mark.parametrize("parsed", [False, True])
@pytest.mark.parametrize(
    ("words", "attributes", "heads"),
    [
        (PHRASE, {"mention": "np"}, {False: (2,), True: (4,)}),
        (PHRASE, {"mention": "np", "head": "word_5"}, (4,)),
        (PHRASE, {"mention": "np", "head": "Red"}, (1,)),
        ((0, 1, 2), {"mention": "np", "head": "nowhere"}, {False: (2,), True: (0, 1, 2)[:1]}),
        ((6,), {"mention": "pronoun"}, None),
        ((0, 1, 2), {"mention": "clause"}, None),
        ((8, 9), {"mention": "np"}, None),
        ((4, 5, 6), {"mention": "np"}, None),
    ],
)
def test_annotated_heads_go_before_parsed_ones_and_these_before_lists(
    words, attributes, heads, parsed, english
):
    text = document(((5,), {"mention": "pronoun"}), (words, attributes))
    places = [Place(0, (at,)) if at < 5 else None for at in range(10)]
    chains = Chains(text, english, ParsedText([PARSE], places) if parsed else None)
    found = chains.antecedent(text.markables[0])
    if heads is None:
        assert isinstance(found, NoCategory)
    else:
        assert found == Antecedent(words, heads[parsed] if isinstance(heads, dict) else heads)


def test_heads_are_projected_without_articles_clitics_and_punctuation(french):
    target = ["La", "voiture", ",", "l'auto", "rouge", "d'", "Anna"]
    links = [(0, 0), (0, 1), (0, 2), (1, 3), (1, 5), (2, 9)]
    assert head_translation([0], links, target, french) == ((1,), ("voiture",))
    assert head_translation([1], links, target, french) == ((3,), ("auto",))
    assert head_translation([7], links, target, french) == ((), ())
