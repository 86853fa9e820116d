"""Two directions of links made one (Koehn et al. 2005): intersection to union, and what is between.

`forward` are links found from source to target, `backward` those of the other direction, both as
(source, target). The grow-diag family starts with the intersection and adds neighbours from the
union; `final` then adds links of words that have none.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from data_prep.errors import choices, input_error
from data_prep.example import Link

_NEIGHBOURS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


def intersection(forward: Collection[Link], backward: Collection[Link]) -> set[Link]:
    """Links of both directions."""
    return set(forward) & set(backward)


def union(forward: Collection[Link], backward: Collection[Link]) -> set[Link]:
    """Links of either direction."""
    return set(forward) | set(backward)


def grow_diag(forward: Collection[Link], backward: Collection[Link]) -> set[Link]:
    """The intersection and those neighbours from the union that link a word without a link."""
    both = union(forward, backward)
    links = intersection(forward, backward)
    sources, targets = {s for s, _ in links}, {t for _, t in links}
    grown = True
    while grown:
        grown = False
        for source, target in sorted(links):
            for down, right in _NEIGHBOURS:
                new = source + down, target + right
                if new in links or new not in both:
                    continue
                if new[0] not in sources or new[1] not in targets:
                    links.add(new)
                    sources.add(new[0])
                    targets.add(new[1])
                    grown = True
    return links


def _final(links: set[Link], directions: Iterable[Collection[Link]], both_free: bool) -> set[Link]:
    sources, targets = {s for s, _ in links}, {t for _, t in links}
    for direction in directions:
        for source, target in sorted(direction):
            free = (source not in sources, target not in targets)
            if (source, target) not in links and (all(free) if both_free else any(free)):
                links.add((source, target))
                sources.add(source)
                targets.add(target)
    return links


def grow_diag_final(forward: Collection[Link], backward: Collection[Link]) -> set[Link]:
    """grow-diag, then links of which at least one word has none."""
    return _final(grow_diag(forward, backward), (forward, backward), both_free=False)


def grow_diag_final_and(forward: Collection[Link], backward: Collection[Link]) -> set[Link]:
    """grow-diag, then links of which neither word has one."""
    return _final(grow_diag(forward, backward), (forward, backward), both_free=True)


SYMMETRISATIONS: dict[str, Callable[[Collection[Link], Collection[Link]], set[Link]]] = {
    "intersection": intersection,
    "union": union,
    "grow-diag": grow_diag,
    "grow-diag-final": grow_diag_final,
    "grow-diag-final-and": grow_diag_final_and,
}


def symmetrise(
    forward: Collection[Link], backward: Collection[Link], name: str
) -> tuple[Link, ...]:
    """The links of both directions by a named rule, in order."""
    if name not in SYMMETRISATIONS:
        raise input_error("settings", "symmetrisation", choices(SYMMETRISATIONS), repr(name))
    return tuple(sorted(SYMMETRISATIONS[name](forward, backward)))
