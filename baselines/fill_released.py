"""The released baseline program's search, exactly as it behaves.

It lists all fillings of a line, newest gap slowest. Above 5,000 it keeps the first 200, which all
have the first filler in the newest gap, so from the third gap on of a French line only that filler
is ever tried. Scores of gaps come from the listed fillings, with log10 scores exponentiated to the
base e.
"""

from __future__ import annotations

import numpy as np

from crosspro.baselines.fill import Fillers, Filling, Floats
from crosspro.baselines.gap_texts import Ints, target_words
from crosspro.baselines.ngram.language_model import LanguageModel
from crosspro.data_prep.core.example import Example

_LIMIT = 5000
_KEPT = 200


def released_fillings(
    model: LanguageModel, fillers: Fillers, none_penalty: float, example: Example
) -> tuple[Filling, Floats]:
    """The chosen filling of a line, and the score of each filler in each gap."""
    parts = target_words(example)
    none = len(fillers) - 1
    fillings = _listed(len(parts) - 1, len(fillers))
    sentences = [_sentence(parts, one, fillers, none) for one in fillings.tolist()]
    scores = model.log10(sentences) + none_penalty * (fillings == none).sum(axis=1)
    best = int(np.argmax(np.round(scores, 9)))
    table = np.zeros((len(parts) - 1, len(fillers)))
    shares = np.exp(scores - scores.max())  # of one another, so that no sum is 0
    for gap, chosen in enumerate(fillings.T):
        np.add.at(table[gap], chosen, shares)
    if len(table):
        table /= table.sum(axis=1, keepdims=True)
    return Filling(tuple(fillings[best].tolist()), float(scores[best])), table


def _listed(gaps: int, fillers: int) -> Ints:
    """The fillings that are tried, a row each: listed gap by gap, then read off backwards."""
    steps: list[tuple[Ints, Ints]] = []
    count = 1
    for _ in range(gaps):
        kept = _KEPT if count * fillers > _LIMIT else None
        filler = np.repeat(np.arange(fillers), count)[:kept]
        steps.append((filler, np.tile(np.arange(count), fillers)[:kept]))
        count = len(filler)
    fillings = np.empty((count, gaps), np.int64)
    place = np.arange(count)
    for gap in range(gaps - 1, -1, -1):
        filler, earlier = steps[gap]
        fillings[:, gap] = filler[place]
        place = earlier[place]
    return fillings


def _sentence(parts: list[list[str]], chosen: list[int], fillers: Fillers, none: int) -> list[str]:
    words = list(parts[0])
    for filler, part in zip(chosen, parts[1:], strict=True):
        if filler != none:
            words.append(fillers.words[filler])
        words += part
    return words
