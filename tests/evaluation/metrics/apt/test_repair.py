"""The four steps of the repair, and the points that the paper leaves open."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.inputs.anchors import source_anchors
from crosspro.evaluation.inputs.linked_text import Text, Translation, links_from_pairs, read_text
from crosspro.evaluation.inputs.pronoun_lists import PronounLists, load_lists
from crosspro.evaluation.metrics.apt.cases import Repair, translation_sides
from crosspro.evaluation.metrics.apt.settings import RULE_CHOICES, RepairRules, make_rules

LISTS = load_lists("en-fr")
PAPER = RepairRules()


def text(tmp_path, name, line):
    path = tmp_path / name
    path.write_text(line + "\n", "utf-8")
    problems = []
    found = read_text(path, problems)
    assert problems == []
    return found


def sides(
    tmp_path,
    english,
    french,
    links,
    rules=PAPER,
    lists=LISTS,
):
    source = text(tmp_path, "en", english)
    pairs = [tuple(map(int, link.split("-"))) for link in links.split()]
    translation = Translation("x", text(tmp_path, "fr", french), links_from_pairs("links", [pairs]))
    return translation_sides(source_anchors(source, lists), source, translation, lists, rules)


def test_the_example_of_the_paper(tmp_path):
    """000 Table 1: the range is [sain qu' il purifie l'], the candidates il and l'."""
    english = "The system is so healthy that it purifies the water ."
    french = "Le système est si sain qu' il purifie l' eau ."
    links = "0-0 1-1 2-2 3-3 4-4 5-5 7-7 8-8 9-9 10-10"
    for rules in (RepairRules(), make_rules(["ambiguous=any"])):
        (side,) = sides(tmp_path, english, french, links, rules)
        assert (side.positions, side.labels, side.repair) == ((6,), ("il",), Repair.MOVED)
        assert side.repaired


def test_a_linked_pronoun_is_kept(tmp_path):
    (side,) = sides(tmp_path, "it rains", "il pleut", "0-0 1-1")
    assert (side.positions, side.repair) == ((0,), Repair.KEPT)


def test_one_of_several_words_is_picked(tmp_path):
    (side,) = sides(tmp_path, "it rains", "quand il pleut", "0-0 0-1 0-2 1-2")
    assert (side.positions, side.words, side.repair) == ((1,), ("il",), Repair.PICKED)


def test_a_scored_pronoun_is_picked_before_another(tmp_path):
    (side,) = sides(tmp_path, "it is", "le cela", "0-0 0-1")
    assert side.words == ("cela",)


def test_links_to_no_pronoun_are_moved(tmp_path):
    (side,) = sides(tmp_path, "when it rains we stay", "Quand Il pleut", "0-0 1-2 2-2")
    assert (side.positions, side.labels) == ((1,), ("il",))


def test_nothing_in_the_range_leaves_the_links(tmp_path):
    (side,) = sides(tmp_path, "when it rains", "quand pleut souvent", "0-0 1-1 2-1")
    assert (side.positions, side.labels, side.repair) == ((1,), ("OTHER",), Repair.KEPT)
    (side,) = sides(tmp_path, "when it rains", "quand pleut souvent", "0-0 2-1")
    assert (side.positions, side.labels) == ((), ())


def test_a_part_of_a_word(tmp_path):
    (side,) = sides(tmp_path, "says it ,", "vrai , dit-il ,", "0-2 2-3")
    assert (side.words, side.labels) == (("dit-il",), ("il",))
    (side,) = sides(tmp_path, "says it ,", "vrai , lui-même ,", "0-2 2-3")
    assert side.labels == ()


@pytest.mark.parametrize(
    ("rule", "positions"),
    [("missing_marker=other", ()), ("missing_marker=further", (1,)), ("missing_marker=skip", ())],
)
def test_no_marker_on_either_side(tmp_path, rule, positions):
    english, french = "so well it really rains", "bien il pleut vraiment"
    (side,) = sides(tmp_path, english, french, "0-0 4-2", make_rules([rule]))
    assert side.positions == positions


@pytest.mark.parametrize(
    ("rule", "positions"), [("missing_marker=other", (0,)), ("missing_marker=skip", ())]
)
def test_a_pronoun_at_the_beginning_has_one_marker(tmp_path, rule, positions):
    (side,) = sides(tmp_path, "it rains", "il pleut", "1-1", make_rules([rule]))
    assert side.positions == positions


@pytest.mark.parametrize(("rule", "position"), [("ties=left", 1), ("ties=right", 2)])
def test_ties(tmp_path, rule, position):
    (side,) = sides(tmp_path, "a it b", "x il elle y", "0-0 2-3", make_rules([rule]))
    assert side.positions == (position,)


@pytest.mark.parametrize(("rule", "positions"), [("crossed=span", (2,)), ("crossed=skip", ())])
def test_crossed_markers(tmp_path, rule, positions):
    (side,) = sides(tmp_path, "a it b", "v w il x y", "0-3 2-1", make_rules([rule]))
    assert side.positions == positions


@pytest.mark.parametrize(
    ("rule", "positions"), [("marker_links=all", (5,)), ("marker_links=inner", ())]
)
def test_a_marker_with_several_links(tmp_path, rule, positions):
    english, french = "a it b", "u v w x y il z"
    (side,) = sides(tmp_path, english, french, "0-0 2-1 2-6", make_rules([rule]))
    assert side.positions == positions


@pytest.mark.parametrize(("rule", "positions"), [("shared=refuse", ()), ("shared=allow", (1,))])
def test_the_word_of_another_pronoun(tmp_path, rule, positions):
    found = sides(tmp_path, "a it b it", "x il y z", "0-0 2-2 3-1", make_rules([rule]))
    assert [side.positions for side in found] == [positions, (1,)]


def test_the_word_of_a_pronoun_that_is_not_scored(tmp_path):
    assert sides(tmp_path, "a it b she", "x elle y z", "0-0 2-2 3-1")[0].positions == ()


def test_two_pronouns_do_not_get_one_word(tmp_path):
    found = sides(tmp_path, "a it b it c", "x il y z", "0-0 2-2 4-2")
    assert [side.positions for side in found] == [(1,), ()]


def test_articles_are_told_from_pronouns_by_their_links(tmp_path):
    article = sides(tmp_path, "I give it more volume", "Je monte le son", "0-0 1-1 4-3")
    assert article[0].positions == ()
    pronoun = sides(
        tmp_path, "I will use it now", "je vais l' utiliser maintenant", "0-0 1-1 2-3 4-4"
    )
    assert pronoun[0].words == ("l'",)
    assert pronoun[0].labels == ("OTHER",)
    refused = make_rules(["ambiguous=refuse"])
    assert (
        sides(tmp_path, "use it now", "l' utiliser maintenant", "0-1 2-2", refused)[0].positions
        == ()
    )


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
    def made(words):
        raw = " ".join(words).encode()
        return Text("x", [raw], np.array([len(words)]))

    inside = [(s, t) for s, t in pairs if s < len(source) and t < len(target)]
    lists: PronounLists = replace(LISTS, ambiguous=("le",))
    translation = Translation("x", made(target), links_from_pairs("x", [inside]))
    anchors = source_anchors(made(source), lists)
    before = translation_sides(anchors, made(source), translation, lists, None)
    after = translation_sides(anchors, made(source), translation, lists, rules)
    for old, new in zip(before, after, strict=True):
        assert all(0 <= position < len(target) for position in new.positions)
        if new.repair is Repair.MOVED:
            assert not set(new.positions) & set(old.positions)
        else:
            assert set(new.positions) <= set(old.positions)
