"""Symmetrisation: the standard algorithms, and what must hold for them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from crosspro.data_prep.align.symmetrise import SYMMETRISATIONS
from crosspro.data_prep.core.task import SYMMETRISATIONS as NAMES

SIZE = 8
NEIGHBOURS = [(-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)]
sides = st.lists(st.one_of(st.none(), st.integers(0, SIZE - 1)), max_size=SIZE)


def as_links(forward, backward):
    """Links as models make them: each target word has one source word, and the other way round."""
    links = {(source, target) for target, source in enumerate(forward) if source is not None}
    return links, {(source, target) for source, target in enumerate(backward) if target is not None}


def grow_in_a_matrix(forward, backward, final=None):
    """The published pseudo-code word for word, over a whole matrix, target positions outside."""
    links, both = forward & backward, forward | backward

    def free(source, target):
        return (
            all(source != link[0] for link in links),
            all(target != link[1] for link in links),
        )

    added = True
    while added:
        added = False
        for target in range(SIZE):
            for source in range(SIZE):
                if (source, target) not in links:
                    continue
                for down, right in NEIGHBOURS:
                    new = (source + right, target + down)
                    if new in both and new not in links and any(free(*new)):
                        links.add(new)
                        added = True
    if final is not None:
        for direction in (forward, backward):
            for target in range(SIZE):
                for source in range(SIZE):
                    if (source, target) in direction - links and final(free(source, target)):
                        links.add((source, target))
    return links


@given(sides, sides)
def test_the_grow_diag_family_is_that_of_the_pseudo_code(forward, backward):
    left, right = as_links(forward, backward)
    for name, final in (
        ("grow-diag", None),
        ("grow-diag-final", any),
        ("grow-diag-final-and", all),
    ):
        expected = grow_in_a_matrix(set(left), set(right), final)
        assert SYMMETRISATIONS[name](left, right) == expected


@given(sides, sides)
def test_all_lie_between_intersection_and_union(forward, backward):
    left, right = as_links(forward, backward)
    results = {name: SYMMETRISATIONS[name](left, right) for name in SYMMETRISATIONS}
    assert results["intersection"] == left & right
    assert results["union"] == left | right
    for links in results.values():
        assert results["intersection"] <= links <= results["union"]
    assert results["grow-diag"] <= results["grow-diag-final-and"]
    assert results["grow-diag"] <= results["grow-diag-final"]
    for name in SYMMETRISATIONS:
        assert SYMMETRISATIONS[name](left, left) == left


def test_every_name_of_the_tasks_is_known():
    assert set(SYMMETRISATIONS) == set(NAMES)
