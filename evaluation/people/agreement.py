"""How far annotators agree: equal verdicts, and Cohen's kappa (1960).

Kappa is that of a pair of annotators; for several it is the mean over pairs, weighted by the items
that they share. Decisions do not count.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from crosspro.evaluation.people.verdicts import Judgement

AGREEMENT_HEADING = ("agreement", "judged by several", "equal %", "Cohen's κ")


class Agreement(NamedTuple):
    """The items that several annotators rated, and measures; None where one is not defined."""

    items: int
    equal: float | None
    kappa: float | None


def agreement_table(judgements: Iterable[Judgement]) -> list[tuple[str, ...]]:
    """Agreement of annotators on pronouns and on antecedents."""
    pronouns, antecedents = [], []
    for judgement in judgements:
        verdicts = judgement.by_annotator.items()
        pronouns.append({name: verdict.pronoun for name, verdict in verdicts})
        antecedents.append({n: v.antecedent for n, v in verdicts if v.antecedent is not None})
    rows: list[tuple[str, ...]] = []
    for subject, ratings in (("pronoun", pronouns), ("antecedent", antecedents)):
        items, equal, kappa = agreement(ratings)
        per_cent = "–" if equal is None else f"{100 * equal:.1f}"
        rows.append((subject, str(items), per_cent, "–" if kappa is None else f"{kappa:.2f}"))
    return rows


def agreement(ratings: Iterable[Mapping[str, str]]) -> Agreement:
    """Agreement on items, each with the values of its annotators."""
    shared = [rating for rating in ratings if len(rating) > 1]
    by_annotators: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for rating in shared:
        for first, second in combinations(sorted(rating), 2):
            by_annotators[first, second].append((rating[first], rating[second]))
    pairs = [pair for of_two in by_annotators.values() for pair in of_two]
    equal = sum(first == second for first, second in pairs) / len(pairs) if pairs else None
    kappas = [(cohens_kappa(of_two), len(of_two)) for of_two in by_annotators.values()]
    defined = [(kappa, size) for kappa, size in kappas if kappa is not None]
    total = sum(size for _, size in defined)
    mean = sum(kappa * size for kappa, size in defined) / total if defined else None
    return Agreement(len(shared), equal, mean)


def cohens_kappa(pairs: Sequence[tuple[str, str]]) -> float | None:
    """Agreement of two annotators beyond chance; None if both always give the same single value."""
    size = len(pairs)
    first, second = (Counter(pair[side] for pair in pairs) for side in (0, 1))
    expected = sum(count * second[value] for value, count in first.items()) / size**2
    equal = sum(value == other for value, other in pairs) / size
    return (equal - expected) / (1 - expected) if expected < 1 else None
