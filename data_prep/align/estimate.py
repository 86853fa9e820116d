"""From expected counts to probabilities: the translation table and the jumps of one direction."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.align.text import Ints, Numbers

Counts = NDArray[np.float64]
FLOOR = 1e-9
"""The chance of a translation that was never counted: small, so that every text has some links."""

_NEGLIGIBLE = 0.01
"""exp(digamma(x)) of a smaller x is below the floor."""


def translation_chances(
    counts: Counts, given: Ints | Numbers, totals: Counts, kinds: int, concentration: float
) -> NDArray[np.float32]:
    """The chance of each pair: its made word, if its given word is known.

    `totals` are the counts of the given words. With a concentration above 0 the chances are those
    of variational Bayes under a Dirichlet prior over `kinds` made words: exp(digamma) takes the
    place of the counts and makes rare words less greedy. With 0 they are relative frequencies.
    """
    table = np.full(len(counts), FLOOR, dtype=np.float32)
    if concentration:
        chosen = np.flatnonzero(counts + concentration > _NEGLIGIBLE)
        logs = digamma(counts[chosen] + concentration)
        logs -= digamma(totals + concentration * kinds)[given[chosen]]
        table[chosen] = np.exp(logs)
    else:
        chosen = np.flatnonzero(counts > 0)
        table[chosen] = counts[chosen] / totals[given[chosen]]
    return np.maximum(table, np.float32(FLOOR))


def jump_chances(jump: Counts, power: float) -> NDArray[np.float32]:
    """A weight for each move from one position to another, from the counts of jump widths.

    `jump[reach + d]` counts jumps by d. A power below 1 flattens the distribution: the HMM takes
    words for more independent than they are, and would believe too firmly in its path.
    """
    smooth = jump + 1e-3 * jump.mean()
    weights = (smooth / smooth.max()) ** power
    return np.asarray(weights[jump_index((len(jump) - 1) // 2, len(jump))], dtype=np.float32)


def jump_index(width: int, size: int) -> NDArray[np.int64]:
    """Where the jump from each position to each other is counted, in an array of a given size."""
    places = np.arange(width)
    return np.asarray(places[None, :] - places[:, None] + (size - 1) // 2)


def first_jumps(reach: int) -> tuple[Counts, Counts]:
    """Jumps and first positions before anything is counted: mostly one step forward."""
    jump = np.exp(-0.7 * np.abs(np.arange(-reach, reach + 1) - 1)) + 1e-3
    return jump, np.exp(-0.5 * np.arange(reach)) + 1e-3


def digamma(values: NDArray[np.floating]) -> Counts:
    """The derivative of log gamma for positive values: moved up by 6, then the asymptotic series.

    The sum of the six reciprocals is one fraction, which costs one division.
    """
    x = np.asarray(values, dtype=np.float64)
    # 1/x + … + 1/(x+5) with u = x (x + 5): three pairs of equal sum 2x + 5.
    u = x * (x + 5)
    low, middle = u + 4, u + 6
    shift = (2 * x + 5) * (low * middle + u * middle + u * low) / (u * low * middle)
    y = x + 6
    f = 1 / (y * y)
    series = f * (1 / 12 - f * (1 / 120 - f * (1 / 252 - f * (1 / 240 - f / 132))))
    return np.asarray(np.log(y) - 0.5 / y - series - shift)
