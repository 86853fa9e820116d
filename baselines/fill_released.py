"""The released baseline program's search, exactly as it behaves.

It lists all fillings of a line, newest gap slowest. Above 5,000 it keeps the first 200, which all
have the first filler in the newest gap, so from the third gap on of a French line only that filler
is ever tried. Scores of gaps come from the listed fillings, with log10 scores exponentiated to the
base e.
"""

from __future__ import annotations

import numpy as np

from crosspro.baselines.fill import Fillers, Filling, Floats, target_words
from crosspro.baselines.ngram.language_model import LanguageModel
from crosspro.data_prep.example import Example

_LIMIT = 5000
_KEPT = 200


def released_fillings(
    model: LanguageModel, fillers: Fillers, none_penalty: float, example: Example
) -> tuple[Filling, Floats]:
    """The chosen filling of a line, and the score of each filler in each gap."""
    parts = target_words(example)
    none = len(fillers) - 1
    hypotheses: list[tuple[int, ...]] = [()]
    for _ in parts[1:]:
        hypotheses = [(*one, filler) for filler in range(len(fillers)) for one in hypotheses]
        if len(hypotheses) > _LIMIT:
            hypotheses = hypotheses[:_KEPT]
    sentences = [_sentence(parts, one, fillers, none) for one in hypotheses]
    penalties = np.array([none_penalty * one.count(none) for one in hypotheses])
    scores = model.log10(sentences) + penalties
    best = int(np.argmax(np.round(scores, 9)))
    table = np.zeros((len(parts) - 1, len(fillers)))
    shares = np.exp(scores)
    for gap in range(len(parts) - 1):
        np.add.at(table[gap], [one[gap] for one in hypotheses], shares)
    if len(table):
        table /= table.sum(axis=1, keepdims=True)
    return Filling(hypotheses[best], float(scores[best])), table


def _sentence(
    parts: list[list[str]], chosen: tuple[int, ...], fillers: Fillers, none: int
) -> list[str]:
    words = list(parts[0])
    for filler, part in zip(chosen, parts[1:], strict=True):
        if filler != none:
            words.append(fillers.words[filler])
        words += part
    return words
