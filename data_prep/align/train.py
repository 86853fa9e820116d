"""Trains both directions of the aligner together, and reads links off their posteriors.

In the HMM's passes a pair counts as much as both directions believe in it (Liang et al. 2006), so
that they come to agree. A trained model can be kept as a prior: its expected counts are added to
those of a new text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from data_prep.align.model import Counts, Direction, Floats, Parameters, Posterior, View, views
from data_prep.align.pairs import PairedText
from data_prep.example import Link

Progress = Callable[[str], None]
Directed = tuple[list[Link], list[Link]]
"""Links from source to target, and of the other direction, both as (source, target)."""


@dataclass(frozen=True)
class Passes:
    """How often the text is read with each model, and how decided links must be.

    A word is linked if its best link is more likely than `null_weight` times no link at all.
    Segments longer than `longest` are aligned by IBM 1, which costs less.
    """

    ibm1: int = 5
    hmm: int = 2
    null_weight: float = 0.05
    longest: int = 100


def train(
    text: PairedText,
    parameters: Parameters,
    passes: Passes,
    prior: tuple[Floats, Floats] | None = None,
    progress: Progress = lambda text: None,
) -> tuple[tuple[Direction, Direction], tuple[Counts, Counts]]:
    """Both directions after all passes, and their last counts."""
    directions = Direction(text, False, parameters), Direction(text, True, parameters)
    counts = Counts(directions[0]), Counts(directions[1])
    if prior is not None:
        for one, known in zip(counts, prior, strict=True):
            one.update(known.copy())
    total = passes.ibm1 + passes.hmm
    for number in range(total):
        hmm = number >= passes.ibm1
        progress(f"pass {number + 1} of {total} ({'HMM' if hmm else 'IBM 1'})")
        counts = Counts(directions[0]), Counts(directions[1])
        for _, forward, backward in views(directions):
            short = hmm and forward.pairs.shape[1] + forward.pairs.shape[2] <= 2 * passes.longest
            found = _posteriors(directions, forward, backward, short)
            weights = [one.links for one in found]
            if short:
                agreed = weights[0] * weights[1].transpose(0, 2, 1)
                weights = [agreed, agreed.transpose(0, 2, 1)]
            for one, view, posterior, weight in zip(
                counts, (forward, backward), found, weights, strict=True
            ):
                one.add(view, posterior, weight)
        counts[0].update(None if prior is None else prior[0])
        counts[1].update(None if prior is None else prior[1])
    return directions, counts


def _posteriors(
    directions: tuple[Direction, Direction], forward: View, backward: View, hmm: bool
) -> list[Posterior]:
    pairs = zip(directions, (forward, backward), strict=True)
    return [one.hmm(view) if hmm else one.ibm1(view) for one, view in pairs]


def decode(
    directions: tuple[Direction, Direction], passes: Passes, segments: int
) -> list[Directed]:
    """The links of every segment, in each direction; segments without words have none."""
    result: list[Directed] = [([], []) for _ in range(segments)]
    for batch, forward, backward in views(directions):
        lengths = forward.pairs.shape[1] + forward.pairs.shape[2]
        hmm = passes.hmm > 0 and lengths <= 2 * passes.longest
        found = _posteriors(directions, forward, backward, hmm)
        for direction, (posterior, view) in enumerate(zip(found, (forward, backward), strict=True)):
            best = posterior.links.argmax(axis=2)
            chance = posterior.links.max(axis=2)
            linked = (chance > passes.null_weight * posterior.none) & (view.made >= 0)
            for row, made in zip(*np.nonzero(linked), strict=True):
                given = int(best[row, made])
                pair = (int(made), given) if direction else (given, int(made))
                result[int(batch.segments[row])][direction].append(pair)
    return result
