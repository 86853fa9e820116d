"""Candidate nouns before a gap: exact lists of hand-written documents, and properties."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.data_prep.core.example import AnnotatedSentence, Gap, Mention, Token
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.lexicon.antecedents import (
    NOUN_TAGS,
    Candidate,
    NounFinder,
    nearest_agreeing,
    pronoun_chains,
)
from crosspro.data_prep.lexicon.lexicon import Entry, Lexicon
from tests.examples import example_of

LEXICON = Lexicon.of(
    [
        Entry("voisine", "NOUN", "Fem", "Sing"),
        Entry("livre", "NOUN", "Masc", "Sing"),
        Entry("fleurs", "NOUN", "Fem", "Plur"),
        Entry("fleur", "NOUN", "Fem", "Sing"),
        Entry("table", "NOUN", "Fem", "Sing"),
    ]
)


def antecedent_candidates(
    document, index, gap, sentences_back=None, lexicon=None, source_lexicon=None
):
    finder = NounFinder(document, lexicon, source_lexicon)
    target = finder.before(index, gap, "target", sentences_back)
    return [*target, *finder.before(index, gap, "source", sentences_back)]


def example(source, target, links, *gaps, document="d", tagged=True, **more):
    """An example from text; links are written as in the file."""
    pairs = tuple(tuple(map(int, link.split("-"))) for link in links.split())
    target = tuple(target.split())
    made = tuple(
        Gap(place, int(token.removeprefix("REPLACE_")))
        for place, token in enumerate(target)
        if token.startswith("REPLACE_")
    )
    plain = example_of(tuple(source.split()), target, pairs, made, document, tagged)
    return replace(plain, **more)


FIRST = example(
    "The neighbour reads books .",
    "le|DET voisine|NOM lire|VER un|DET livre|NOM .|SENT",
    "0-0 1-1 2-2 3-4 4-5",
)
SECOND = example(
    "On the table they lie .",
    "sur|PRP le|DET table|NOM REPLACE_3 être|VER un|DET livre|NOM",
    "0-0 1-1 2-2 3-3 4-4",
)
GAP = SECOND.gaps[0]


def parse(*words):
    """Tokens `form/UPOS/features/head`."""
    tokens = []
    for word in words:
        form, upos, features, head = word.split("/")
        tokens.append(Token(form, form.lower(), upos, upos, None, int(head), "dep", features))
    return AnnotatedSentence(tuple(tokens))


PARSED = parse(
    "The/DET//1", "neighbour/NOUN/Number=Sing/2", "reads/VERB//-1", "books/NOUN/Number=Plur/2",
    "./PUNCT//2",
)  # fmt: skip


def test_lemmatised_data_without_a_parse():
    assert antecedent_candidates([FIRST, SECOND], 1, GAP, 3, LEXICON) == [
        Candidate("target", 0, 1, 2, "table", "table", "NOM", "Fem", None),
        Candidate("target", 1, 5, 4, "livre", "livre", "NOM", "Masc", None),
        Candidate("target", 1, 8, 1, "voisine", "voisine", "NOM", "Fem", None),
        Candidate("source", 0, 1, 2, "table", "table", "", None, None),
        Candidate("source", 1, 5, 3, "books", "books", "", None, None),
        Candidate("source", 1, 7, 1, "neighbour", "neighbour", "", None, None),
    ]


def test_a_parse_of_the_source_gives_the_number_that_lemmas_hide():
    document = [replace(FIRST, source_parse=PARSED), SECOND]
    found = antecedent_candidates(document, 1, GAP, 3, LEXICON)
    assert [(one.word, one.number) for one in found] == [
        ("table", None), ("livre", "Plur"), ("voisine", "Sing"),
        ("table", None), ("books", "Plur"), ("neighbour", "Sing"),
    ]  # fmt: skip
    assert found[4].lemma == "books"
    assert found[4].tag == "NOUN"


def test_inflected_data_has_nouns_by_the_lexicon_or_by_a_parse():
    text = "la voisine lit des fleurs . REPLACE_0"
    inflected = example("it", text, "", tagged=False)
    gap = inflected.gaps[0]
    found = antecedent_candidates([inflected], 0, gap, lexicon=LEXICON)
    assert [(one.word, one.gender, one.number) for one in found] == [
        ("fleurs", "Fem", "Plur"), ("voisine", "Fem", "Sing"),
    ]  # fmt: skip
    assert antecedent_candidates([inflected], 0, gap) == []
    parsed = parse(
        "la/DET//1", "voisine/NOUN/Gender=Fem|Number=Sing/2", "lit/NOUN/Gender=Masc/-1",
        "des/DET//4", "fleurs/X//2", "./PUNCT//2", "REPLACE_0/PRON//2",
    )  # fmt: skip
    found = antecedent_candidates([replace(inflected, target_parse=parsed)], 0, gap)
    assert [(one.word, one.gender, one.number, one.tag) for one in found] == [
        ("lit", "Masc", None, "NOUN"), ("voisine", "Fem", "Sing", "NOUN"),
    ]  # fmt: skip


def test_a_lexicon_of_the_source_finds_its_nouns():
    french = example(
        "la voisine arrive . elle rit", "the neighbour|NOUN REPLACE_4", "1-1", tagged=False
    )
    found = antecedent_candidates([french], 0, french.gaps[0], source_lexicon=LEXICON)
    assert [(one.side, one.word, one.gender) for one in found] == [("source", "voisine", "Fem")]


def test_documents_and_the_limit_end_the_search():
    third = replace(SECOND, document="e")
    assert {one.sentences for one in antecedent_candidates([FIRST, third], 1, GAP)} == {0}
    assert {one.sentences for one in antecedent_candidates([FIRST, SECOND], 1, GAP, 0)} == {0}
    nowhere = [replace(FIRST, document=None), replace(SECOND, document=None)]
    assert {one.sentences for one in antecedent_candidates(nowhere, 1, GAP)} == {0}


def test_chains_mark_candidates_on_both_sides():
    chains = (Mention("c", "source", 0, 1), Mention("x", "source", 3, 3))
    document = [
        replace(FIRST, chains=chains),
        replace(SECOND, chains=(Mention("c", "source", 3, 3), Mention("y", "source", 0, 5))),
    ]
    assert pronoun_chains(document[1], GAP) == {"c"}
    found = antecedent_candidates(document, 1, GAP)
    assert [(one.side, one.word) for one in found if one.in_chain] == [
        ("target", "voisine"), ("source", "neighbour"),
    ]  # fmt: skip
    by_target = [replace(FIRST, chains=(Mention("z", "target", 3, 4),)),
                 replace(SECOND, chains=(Mention("z", "target", 3, 3),))]  # fmt: skip
    found = antecedent_candidates(by_target, 1, GAP)
    assert [(one.side, one.word) for one in found if one.in_chain] == [("target", "livre")]


def test_the_head_of_a_mention_is_its_candidate_where_a_parse_is_known():
    source = "the lid of the box broke . it fell"
    parsed = parse(
        "the/DET//1", "lid/NOUN//5", "of/ADP//4", "the/DET//4", "box/NOUN//1", "broke/VERB//-1",
        "./PUNCT//5", "it/PRON//8", "fell/VERB//5",
    )  # fmt: skip
    chains = (Mention("c", "source", 0, 4), Mention("c", "source", 7, 7))
    one = example(source, "REPLACE_7 tomber|VER", "", chains=chains, source_parse=parsed)
    found = antecedent_candidates([one], 0, one.gaps[0])
    assert [(c.word, c.in_chain) for c in found] == [("box", False), ("lid", True)]


def test_the_nearest_agreeing_noun():
    found = antecedent_candidates([FIRST, SECOND], 1, GAP, 3, LEXICON)
    assert nearest_agreeing(found).word == "table"
    assert nearest_agreeing(found, "Masc").word == "livre"
    assert nearest_agreeing(found, "Fem", "Plur").word == "table"
    assert nearest_agreeing(found, "Neut") is None
    known = [replace(one, number="Sing") for one in found]
    assert nearest_agreeing(known, "Fem", "Plur") is None


@pytest.fixture(scope="module")
def demo(en_fr):
    return [*demo_examples(en_fr, "dev", 4), *demo_examples(load_task("en-de"), "dev", 4)]


@given(st.data())
def test_candidates_stand_before_the_gap_nearest_first(demo, data):
    index = data.draw(st.integers(0, len(demo) - 1).filter(lambda i: demo[i].gaps))
    gap = data.draw(st.sampled_from(demo[index].gaps))
    back = data.draw(st.none() | st.integers(0, 5))
    found = antecedent_candidates(demo, index, gap, back, LEXICON)
    for side in ("target", "source"):
        own = [one for one in found if one.side == side]
        assert [one.tokens for one in own] == sorted({one.tokens for one in own})
        for one in own:
            home = demo[index - one.sentences]
            assert one.tokens > 0
            assert home.document == demo[index].document
            assert one.sentences <= (len(demo) if back is None else back)
            words = home.lemmas if side == "target" else home.source
            assert words[one.index] == one.word
    target = [one for one in found if one.side == "target"]
    assert all(one.tag in NOUN_TAGS for one in target)
    within = antecedent_candidates(demo, index, gap, 0, LEXICON)
    assert within == [one for one in found if one.sentences == 0]
