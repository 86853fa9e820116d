"""The four steps of the repair, the points that the paper leaves open, and the released tool's."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.evaluation.link_repair import Repair
from crosspro.evaluation.metrics.apt.cases import UNLISTED, find_sides
from crosspro.evaluation.pronouns import find_anchors
from tests.evaluation.metrics.apt.texts import LISTS, linked_texts


def sides(english, french, links, heuristics="paper", lists=LISTS):
    words = linked_texts([english], ([french], [links]), {"x": ([french], [links])}).linked
    anchors = find_anchors(words.source, lists)
    return find_sides(anchors, words, words.reference, lists, heuristics)


KEPT, PICKED, MOVED = Repair.KEPT, Repair.PICKED, Repair.MOVED


@pytest.mark.parametrize(
    ("english", "french", "links", "expected"),
    [
        # linked to a pronoun; one of several words; one that is scored before another
        ("it rains", "il pleut", "0-0 1-1", ((0,), ("il",), KEPT)),
        ("it rains", "quand il pleut", "0-0 0-1 0-2 1-2", ((1,), ("il",), PICKED)),
        ("it is", "le cela", "0-0 0-1", ((1,), ("ça",), PICKED)),
        # linked to no pronoun; nothing in the range
        ("when it rains we stay", "Quand Il pleut", "0-0 1-2 2-2", ((1,), ("il",), MOVED)),
        ("when it rains", "quand pleut souvent", "0-0 1-1 2-1", ((1,), ("OTHER",), KEPT)),
        ("when it rains", "quand pleut souvent", "0-0 2-1", ((), (), KEPT)),
        # the last part of a word
        ("says it ,", "vrai , dit-il ,", "0-2 2-3", ((2,), ("il",), MOVED)),
        ("says it ,", "vrai , lui-même ,", "0-2 2-3", ((), (), KEPT)),
        # an article, and a pronoun that looks like one, are told apart by links
        ("I give it more volume", "Je monte le son", "0-0 1-1 4-3", ((), (), KEPT)),
        (
            *("I will use it now", "je vais l' utiliser maintenant", "0-0 1-1 2-3 4-4"),
            ((2,), ("OTHER",), MOVED),
        ),
    ],
)
def test_what_becomes_of_the_links_of_a_pronoun(english, french, links, expected):
    (side,) = sides(english, french, links)
    assert (side.positions, side.labels, side.repair) == expected


def test_the_example_of_the_paper():
    """000 Table 1: the range is [sain qu' il purifie l'], the candidates il and l'."""
    english = "The system is so healthy that it purifies the water ."
    french = "Le système est si sain qu' il purifie l' eau ."
    links = "0-0 1-1 2-2 3-3 4-4 5-5 7-7 8-8 9-9 10-10"
    (side,) = sides(english, french, links)
    assert (side.positions, side.labels, side.repair) == ((6,), ("il",), MOVED)


NO_MARKER = ("so well it really rains", "bien il pleut vraiment", "0-0 4-2")
FIRST = ("it rains", "il pleut", "1-1")
CROSSED = ("a it b", "v w il x y", "0-3 2-1")
TIED = ("a it b", "x il elle y", "0-0 2-3")
SEVERAL = ("a it b", "u v w x y il z", "0-0 2-1 2-6")


@pytest.mark.parametrize(
    ("texts", "positions"),
    [
        (NO_MARKER, ()),
        (FIRST, (0,)),
        (TIED, (1,)),
        (CROSSED, (2,)),
        (SEVERAL, (5,)),
        (("a it b it", "x il y z", "0-0 2-2 3-1"), ()),  # il is linked to the other pronoun
        (("a it b she", "x elle y z", "0-0 2-2 3-1"), ()),  # she is not scored
    ],
)
def test_points_that_the_paper_leaves_open(texts, positions):
    assert sides(*texts)[0].positions == positions


@pytest.mark.parametrize(
    ("texts", "positions", "labels"),
    [
        (("it rains", "pleut il", "0-0 1-0"), (0, 1), ("il",)),
        (("it rains", "pleut il", "1-0"), (), ()),  # no link
        (("it rains", "pleut Il", "0-0"), (0,), ("OTHER",)),  # case matters
        (("it rains", "pleut a-t-il", "0-0"), (0, 1), (UNLISTED,)),
        (("it and they", "pleut et il", "0-0 2-2"), (0,), ("OTHER",)),  # linked to they
        (("x it y", "a b c d il", "1-1"), (1,), ("OTHER",)),  # three words away
    ],
)
def test_the_released_tool_adds_a_pronoun_near_the_links(texts, positions, labels):
    side = sides(*texts, "released")[0]
    assert (side.positions, side.labels) == (positions, labels)


LETTERS = st.lists(
    st.sampled_from(["it", "they", "il", "le", "a", "dit-il"]), min_size=1, max_size=6
)


@given(LETTERS, LETTERS, st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5))))
def test_any_links_give_positions_inside(source, target, pairs):
    inside = [(s, t) for s, t in pairs if s < len(source) and t < len(target)]
    lists = replace(LISTS, ambiguous=("le",))
    texts = " ".join(source), " ".join(target), inside
    before, after = (sides(*texts, heuristics, lists) for heuristics in ("off", "paper"))
    for old, new in zip(before, after, strict=True):
        assert all(0 <= position < len(target) for position in new.positions)
        if new.repair is Repair.MOVED:
            assert not set(new.positions) & set(old.positions)
        else:
            assert set(new.positions) <= set(old.positions)
