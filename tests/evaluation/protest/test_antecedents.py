"""Antecedents in chains, their heads by parse and by word lists, and their projection."""

from __future__ import annotations

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.example import AnnotatedSentence, Token
from crosspro.data_prep.formats.mmax import Markable, MmaxDocument
from crosspro.evaluation.protest.antecedents import (
    Antecedent,
    Chains,
    ParsedText,
    noun_phrase_heads,
    read_source_parse,
)
from crosspro.evaluation.protest.categories import LeftOutError
from crosspro.evaluation.protest.suite import Place


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
    assert [words[at] for at in noun_phrase_heads(words, english)] == heads.split()


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


ROWS = "1\tIt\tit\tPRON\t_\t_\t2\tnsubj\t_\t_\n2\truns\trun\tVERB\t_\t_\t0\troot\t_\t_\n\n"


def test_a_parse_must_have_the_words_of_every_line(tmp_path):
    path = tmp_path / "p.conllu"
    lines = [("It", "runs"), (), ("It", "runs")]
    path.write_text(ROWS * 2)
    assert [len(parse.tokens) for parse in read_source_parse(path, "en", lines)] == [2, 0, 2]
    unparsed = ROWS.replace("\t2\tnsubj", "\t_\t_").replace("\t0\troot", "\t_\t_")
    for content in (ROWS, ROWS * 3, ROWS.replace("runs", "ran") * 2, unparsed * 2):
        path.write_text(content)
        with pytest.raises(InputError, match=path.name):
            read_source_parse(path, "en", lines)


# Chains -------------------------------------------------------------------------------------------


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
    if heads is None:
        with pytest.raises(LeftOutError):
            chains.antecedent(text.markables[0])
    else:
        expected = heads[parsed] if isinstance(heads, dict) else heads
        assert chains.antecedent(text.markables[0]) == Antecedent(words, expected)
