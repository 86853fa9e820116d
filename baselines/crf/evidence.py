"""The best path through a sequence with its scores: how a chain explains what it chose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crosspro.baselines.crf.model import ChainModel, Rows
from crosspro.baselines.crf.packed import Floats, Ints
from crosspro.prediction.evidence import EvidenceTable, contribution_table


@dataclass(frozen=True)
class BestPath:
    """The labels of one sequence, with the scores and the probability of every label."""

    chain: ChainModel
    labels: Ints
    scores: Floats
    marginals: Floats

    def table(
        self, tokens: Sequence[str], names: Sequence[str], shown: Sequence[int]
    ) -> EvidenceTable:
        """The chosen tokens on the path: label, its score, the transition to it, probability."""
        rows = []
        for place in shown:
            label = int(self.labels[place])
            moved = self.chain.transitions[self.labels[place - 1], label] if place else 0.0
            scores = float(self.scores[place, label]), float(moved)
            chance = float(self.marginals[place, label])
            rows.append((tokens[place], names[label], *scores, chance))
        columns = ("token", "label", "score", "transition", "probability")
        return EvidenceTable("Best path", columns, tuple(rows))

    def features(
        self,
        features: Sequence[str],
        weights: NDArray[np.float64],
        place: int,
        pair: tuple[int, int],
        names: Sequence[str],
    ) -> EvidenceTable:
        """What the features of a token, the labels themselves and the neighbours add to two."""
        rows = [*features, "(label)"]
        added = [*weights.tolist(), self.chain.bias[list(pair)].tolist()]
        moves = self.chain.transitions
        if place:
            before = self.labels[place - 1]
            rows.append(f"(after {names[before]})")
            added.append(moves[before, list(pair)].tolist())
        if place + 1 < len(self.labels):
            after = self.labels[place + 1]
            rows.append(f"(before {names[after]})")
            added.append(moves[list(pair), after].tolist())
        first, second = zip(*added, strict=True)
        shown = (names[pair[0]], names[pair[1]])
        return contribution_table("Features", shown, rows, first, second)


def best_path(
    chain: ChainModel, rows: Rows, lengths: Ints, allowed: NDArray[np.bool_] | None = None
) -> BestPath:
    """The best path of a single sequence; `allowed` are the labels that each token can have."""
    labels, _ = chain.paths(rows, lengths, allowed)
    scores = chain.scores(rows(np.arange(int(lengths.sum()))))
    return BestPath(chain, labels, scores, chain.marginals(rows, lengths))


def path_how(chosen: str, against: str) -> str:
    """How the numbers of a chain are to be read."""
    return (
        "the path with the best sum of scores and transitions; features: what they add to the "
        f"score of {chosen} and of {against} at this gap"
    )
