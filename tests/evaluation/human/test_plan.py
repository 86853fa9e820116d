"""Plans: everything is asked, as often as wanted, in an order that comes from the seed."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crosspro.data_prep.core.errors import InputError
from crosspro.evaluation.human.campaign import (
    CHECK,
    PlanSettings,
    chosen_questions,
    make_plan,
    reference_checks,
    share_with,
)
from tests.evaluation.human.sets import make_set

KEYS = [(f"t{number}", "d") for number in range(60)]


def keys_of(work):
    return [one.key for one in work if one.kind == "item"]


def test_identical_translations_are_one_question_and_matches_come_by_share():
    items = make_set(10)
    questions = items.questions.values()
    assert len(items.items) == 30
    assert len(questions) == 20
    assert next(iter(questions)).systems == ("good", "copy")
    for share, count in ((0, 10), (0.5, 15), (1, 20)):
        assert len(chosen_questions(questions, PlanSettings(matches=share))) == count


@pytest.mark.parametrize("names", [["A"], ["A", "B"], ["A", "B", "C"], list("ABCDEFG")])
@pytest.mark.parametrize("overlap", [0, 0.25, 1])
def test_overlap_and_equal_loads(names, overlap):
    plan = make_plan(KEYS, names, PlanSettings(overlap=overlap))
    counts = Counter(key for work in plan.values() for key in keys_of(work))
    assert set(counts) == set(KEYS)
    shared = round(overlap * len(KEYS)) if len(names) > 1 else 0
    assert Counter(counts.values())[2] == shared
    loads = [len(work) for work in plan.values()]
    assert max(loads) - min(loads) <= (1 if overlap < 1 else len(names))
    pairs = Counter(
        pair
        for key in counts
        for pair in combinations([name for name in names if key in keys_of(plan[name])], 2)
    )
    if shared >= len(list(combinations(names, 2))):
        assert len(pairs) == len(list(combinations(names, 2)))


@pytest.mark.parametrize(("people", "judges"), [(20, 5), (100, 5), (100, 50), (11, 4), (7, 3)])
@pytest.mark.parametrize("overlap", [0.2, 1])
def test_groups_of_many_judges_are_drawn_and_not_listed(people, judges, overlap):
    keys = [(f"t{number}", "d") for number in range(1000)]
    names = [f"judge {number}" for number in range(people)]
    settings = PlanSettings(overlap=overlap, judges=judges)
    plan = make_plan(keys, names, settings)
    counts = Counter(key for work in plan.values() for key in keys_of(work))
    assert (
        Counter(counts.values())
        == Counter({judges: round(overlap * 1000), 1: 1000 - round(overlap * 1000)}) - Counter()
    )
    assert all(len(set(keys_of(work))) == len(work) for work in plan.values())
    loads = [len(work) for work in plan.values()]
    assert max(loads) - min(loads) <= 1
    assert plan == make_plan(keys, names, settings)
    if people == 100 and overlap == 1:
        own = set(keys_of(plan["judge 0"]))
        partners = [name for name in names if own & set(keys_of(plan[name]))]
        assert len(partners) > 80  # groups are mixed


def test_plans_that_no_machine_holds_are_refused():
    names = [f"judge {number}" for number in range(1000)]
    keys = [(f"t{number}", "d") for number in range(10_000)]
    with pytest.raises(InputError, match=r"assignments: expected at most 5,000,000 .*10,000,000"):
        make_plan(keys, names, PlanSettings(overlap=1, judges=1000))


@given(st.integers(0, 1000))
def test_a_plan_is_the_same_again_and_differs_between_seeds(seed):
    settings = PlanSettings(seed=seed)
    plan = make_plan(KEYS, ["A", "B"], settings)
    assert plan == make_plan(KEYS, ["A", "B"], settings)
    assert plan != make_plan(KEYS, ["A", "B"], PlanSettings(seed=seed + 1))
    assert keys_of(plan["A"]) != sorted(keys_of(plan["A"]))


def test_a_newcomer_takes_over_an_equal_part_of_what_is_not_done():
    settings = PlanSettings(overlap=0.2)
    plan = make_plan(KEYS, ["A", "B"], settings)
    done = {name: set(keys_of(plan[name])[:10]) for name in plan}
    new = share_with("C", plan, done, settings)
    assert set(new) == {"A", "B", "C"}
    before = Counter(key for work in plan.values() for key in keys_of(work))
    after = Counter(key for work in new.values() for key in keys_of(work))
    assert before == after
    for name in "AB":
        assert done[name] <= set(keys_of(new[name]))
        kept = [one for one in plan[name] if one in new[name]]
        assert kept == new[name]  # in the order that it had
    assert 10 <= len(keys_of(new["C"])) <= 20


def test_attention_checks_are_spread_and_know_their_answer():
    items = make_set(8)
    checks = reference_checks(items, 6, seed=1)
    assert len(checks.questions) == 6
    assert {one.item.system for one in checks.items} == {CHECK}
    right = [one for one in checks.items if one.answer.pronoun == ("right",)]
    assert len(right) == 3
    for one in checks.items:
        line = checks.lines[one.pronoun.line]
        shown = line.candidates[CHECK].words
        assert (shown == line.references[0]) == (one in right)
    assert reference_checks(items, 6, seed=1) == checks
    plan = make_plan(KEYS, ["A"], PlanSettings(checks=5), list(checks.questions))
    assert Counter(one.kind for one in plan["A"]) == {"item": 60, "check": 3}


@pytest.mark.parametrize("overlap", [0, 0.25, 1])
def test_ranked_questions_come_in_their_order_and_everybody_has_some_of_all(overlap):
    ranks = {key: place for place, key in enumerate(reversed(KEYS))}
    plan = make_plan(KEYS, ["A", "B", "C"], PlanSettings(overlap=overlap), (), ranks)
    assert {key for work in plan.values() for key in keys_of(work)} == set(KEYS)
    for work in plan.values():
        own = [ranks[key] for key in keys_of(work)]
        assert own == sorted(own)
        assert own[0] < 20
        assert own[-1] >= 40


def test_who_joins_takes_ranked_questions_from_first_to_last():
    ranks = {key: place for place, key in enumerate(KEYS)}
    plan = make_plan(KEYS, ["A"], PlanSettings(), (), ranks)
    done = {"A": set(KEYS[:10])}
    joined = share_with("B", plan, done, PlanSettings(), (), ranks)
    own = [ranks[key] for key in keys_of(joined["B"])]
    assert own == list(range(11, 60, 2))
    assert sorted(own + [ranks[key] for key in keys_of(joined["A"])]) == list(range(60))
