"""The four steps of the repair, and the points that the paper leaves open."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.inputs.anchors import source_anchors
from crosspro.evaluation.inputs.pronoun_lists import PronounLists
from crosspro.evaluation.metrics.apt.cases import Repair, translation_sides
from crosspro.evaluation.metrics.apt.settings import RULE_CHOICES, RepairRules, make_rules
from tests.evaluation.metrics.apt.texts import LISTS, text, translation

PAPER = RepairRules()


def sides(english, french, links, rules=PAPER):
    source, translated = text([english]), translation("x", [french], [links])
    return translation_sides(source_anchors(source, LISTS), source, translated, LISTS, rules)


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
    assert side.repaired == (side.repair is MOVED)


def test_the_example_of_the_paper():
    """000 Table 1: the range is [sain qu' il purifie l'], the candidates il and l'."""
    english = "The system is so healthy that it purifies the water ."
    french = "Le système est si sain qu' il purifie l' eau ."
    links = "0-0 1-1 2-2 3-3 4-4 5-5 7-7 8-8 9-9 10-10"
    for rules in (PAPER, make_rules(["ambiguous=any"])):
        (side,) = sides(english, french, links, rules)
        assert (side.positions, side.labels, side.repair) == ((6,), ("il",), MOVED)


NO_MARKER = ("so well it really rains", "bien il pleut vraiment", "0-0 4-2")
FIRST = ("it rains", "il pleut", "1-1")
CROSSED = ("a it b", "v w il x y", "0-3 2-1")
TIED = ("a it b", "x il elle y", "0-0 2-3")
SEVERAL = ("a it b", "u v w x y il z", "0-0 2-1 2-6")


@pytest.mark.parametrize(
    ("rule", "texts", "positions"),
    [
        ("missing_marker=other", NO_MARKER, ()),
        ("missing_marker=further", NO_MARKER, (1,)),
        ("missing_marker=skip", NO_MARKER, ()),
        ("missing_marker=other", FIRST, (0,)),
        ("missing_marker=skip", FIRST, ()),
        ("ties=left", TIED, (1,)),
        ("ties=right", TIED, (2,)),
        ("crossed=span", CROSSED, (2,)),
        ("crossed=skip", CROSSED, ()),
        ("marker_links=all", SEVERAL, (5,)),
        ("marker_links=inner", SEVERAL, ()),
        ("ambiguous=refuse", ("use it now", "l' utiliser maintenant", "0-1 2-2"), ()),
        ("shared=refuse", ("a it b it", "x il y z", "0-0 2-2 3-1"), ()),
        ("shared=allow", ("a it b it", "x il y z", "0-0 2-2 3-1"), (1,)),
        ("shared=refuse", ("a it b she", "x elle y z", "0-0 2-2 3-1"), ()),  # she is not scored
    ],
)
def test_points_that_the_paper_leaves_open(rule, texts, positions):
    assert sides(*texts, make_rules([rule]))[0].positions == positions


def test_two_pronouns_do_not_get_one_word():
    found = sides("a it b it c", "x il y z", "0-0 2-2 4-2")
    assert [side.positions for side in found] == [(1,), ()]


def test_rules_that_do_not_exist():
    with pytest.raises(InputError) as caught:
        make_rules(["ties=middle", "colour=red"])
    assert len(caught.value.problems) == 2


LETTERS = st.lists(
    st.sampled_from(["it", "they", "il", "le", "a", "dit-il"]), min_size=1, max_size=6
)
RULES = st.builds(RepairRules, **{name: st.sampled_from(v) for name, v in RULE_CHOICES.items()})


@given(LETTERS, LETTERS, st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5))), RULES)
def test_any_links_give_positions_inside(source, target, pairs, rules):
    inside = [(s, t) for s, t in pairs if s < len(source) and t < len(target)]
    lists: PronounLists = replace(LISTS, ambiguous=("le",))
    english = text([" ".join(source)])
    translated = translation("x", [" ".join(target)], [inside])
    anchors = source_anchors(english, lists)
    before = translation_sides(anchors, english, translated, lists, None)
    after = translation_sides(anchors, english, translated, lists, rules)
    for old, new in zip(before, after, strict=True):
        assert all(0 <= position < len(target) for position in new.positions)
        if new.repair is Repair.MOVED:
            assert not set(new.positions) & set(old.positions)
        else:
            assert set(new.positions) <= set(old.positions)
