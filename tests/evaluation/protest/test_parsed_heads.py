"""Heads of antecedents from a parse of the source."""

from __future__ import annotations

import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.example import AnnotatedSentence, Token
from crosspro.data_prep.formats.conllu import read_conllu
from crosspro.evaluation.protest.antecedents import Chains, ParsedHeads, read_source_parse
from crosspro.evaluation.protest.suite import Place
from tests.conftest import SHARED_DATA
from tests.evaluation.protest.test_antecedents import PRONOUN, document, noun_phrases


def sentence(*rows):
    """Tokens from `word head relation tag`; heads count from 1."""
    cells = [row.split() for row in rows]
    return AnnotatedSentence(
        tuple(
            Token(word, word, tag, upos=tag, head=int(head) - 1, deprel=relation)
            for word, head, relation, tag in cells
        )
    )


PHRASES = (
    sentence("a 2 det DET", "lot 0 root NOUN", "of 4 case ADP", "people 2 nmod NOUN"),
    sentence(
        "my 2 nmod:poss PRON", "mother 0 root NOUN", "and 5 cc CCONJ", "my 5 nmod:poss PRON",
        "brother 2 conj NOUN",
    ),
    sentence("the 2 det DET", "rich 0 root ADJ", "eat 2 acl:relcl VERB"),
    sentence("San 0 root PROPN", "Francisco 1 flat PROPN"),
    sentence("big 3 amod ADJ", "old 4 amod ADJ", "houses 0 root NOUN", "x 3 dep X"),
    sentence("a 2 dep X", "b 1 dep X"),  # no tree
    sentence("a 0 _ X", "b 0 _ X"),
)  # fmt: skip


def parsed(line):
    tokens = PHRASES[line].tokens
    if all(token.deprel == "_" for token in tokens):
        return AnnotatedSentence(tuple(Token(t.form, t.lemma, t.tag) for t in tokens))
    return PHRASES[line]


@pytest.mark.parametrize(
    ("line", "words", "heads"),
    [
        (0, (0, 1, 2, 3), (1,)),
        (0, (3,), (3,)),
        (1, (0, 1, 2, 3, 4), (1, 4)),
        (1, (3, 4), (4,)),
        (2, (0, 1, 2), (1,)),
        (3, (0, 1), (0,)),
        (4, (1, 2), (2,)),  # both have heads outside: the noun counts
        (5, (0, 1), ()),
        (6, (0, 1), ()),
    ],
)
def test_the_word_that_governs_a_mention(line, words, heads):
    places = [Place(line, (at,)) for at in range(len(PHRASES[line].tokens))]
    found = ParsedHeads(places, [parsed(number) for number in range(len(PHRASES))])
    assert found.heads(words) == heads


def test_words_that_are_not_in_the_text():
    """Words 0 and 2 of the document are words 1 and 0 of the line; word 1 is nowhere."""
    found = ParsedHeads([Place(0, (1,)), None, Place(0, (0,))], [PHRASES[3]])
    assert found.heads((0, 1, 2)) == (2,)
    assert found.heads((1,)) == ()


def test_annotation_goes_before_the_parse_and_the_parse_before_rules(english):
    words = ("the", "red", "car", "of", "Anna")
    tree = AnnotatedSentence(
        tuple(Token(w, w, "NOUN", upos="NOUN", head=h, deprel="dep")
              for w, h in zip(words, (4, 4, 4, 4, -1), strict=True))
    )  # fmt: skip
    places = [Place(0, (at,)) if at < 5 else None for at in range(10)]
    for attributes, head in (({}, 4), ({"head": "word_2"}, 1)):
        mention = ((0, 1, 2, 3, 4), {"mention": "np"} | attributes)
        text = document(mention, PRONOUN)
        chains = Chains(text, english, ParsedHeads(places, [tree]))
        assert chains.antecedent(text.markables[1]).heads == (head,)
    assert Chains(text, english).antecedent(text.markables[1]).heads == (1,)


def test_heads_of_gold_trees():
    """Every noun phrase of UD English-EWT has the head that its tree says."""
    path = SHARED_DATA / "ud" / "en_ewt-ud-test.conllu.xz"
    if not path.is_file():
        pytest.skip("the UD trees are not here")
    total = 0
    for tree in read_conllu(path):
        tokens = tuple(
            Token(w.form, w.lemma, w.upos, upos=w.upos, head=w.head - 1, deprel=w.deprel)
            for w in tree.words
        )
        places = [Place(0, (at,)) for at in range(len(tokens))]
        heads = ParsedHeads(places, [AnnotatedSentence(tokens)])
        forms = list(tree.forms)
        for phrase, head in noun_phrases(tree.words):
            first = next(n for n in range(len(forms)) if forms[n : n + len(phrase)] == phrase)
            if forms.count(phrase[0]) == 1:
                total += 1
                assert first + head in heads.heads(range(first, first + len(phrase)))
    assert total > 1000


ROWS = "1\tIt\tit\tPRON\t_\t_\t2\tnsubj\t_\t_\n2\truns\trun\tVERB\t_\t_\t0\troot\t_\t_\n\n"


def test_a_parse_must_have_the_words_of_every_line(tmp_path):
    path = tmp_path / "p.conllu"
    lines = [("It", "runs"), (), ("It", "runs")]
    path.write_text(ROWS * 2)
    found = read_source_parse(path, "en", lines)
    assert [len(one.tokens) for one in found] == [2, 0, 2]
    path.write_text(ROWS * 2 + ROWS)
    with pytest.raises(InputError) as error:
        read_source_parse(path, "en", lines)
    (problem,) = error.value.problems
    assert (problem.field, problem.found) == ("sentences", "3")
    path.write_text(ROWS.replace("runs", "ran") * 2)
    with pytest.raises(InputError) as error:
        read_source_parse(path, "en", lines)
    assert len(error.value.problems) == 2
    path.write_text(ROWS.replace("\t2\tnsubj", "\t_\t_").replace("\t0\troot", "\t_\t_") * 2)
    with pytest.raises(InputError, match=path.name):
        read_source_parse(path, "en", lines)
    path.write_text(ROWS.replace("\tit\t", "\t") * 2)
    with pytest.raises(InputError, match=f"{path.name}:1"):
        read_source_parse(path, "en", lines)
