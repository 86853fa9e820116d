"""The search of the official baseline program, and the layouts of filled files.

The program lists all fillings of a line, newest gap slowest. Above 5,000 it keeps the first 200,
which all have the first filler in the newest gap, so from the third gap on of a French line only
that filler is ever tried. Scores of gaps come from the listed fillings, with log10 scores
exponentiated to the base e. `crosspro lm fill` offers it as `--search official`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from crosspro.baselines.fill import Fillers, Floats, Ints, target_words
from crosspro.baselines.ngram.model import LanguageModel
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.task import OTHER
from crosspro.data_prep.formats.shared_task import PLACEHOLDER, is_placeholder

_MOST_FILLINGS = 5000
_KEPT_FILLINGS = 200
_LEAST_SHOWN = 0.001
_PLACEHOLDER = re.compile(rf"{PLACEHOLDER}\d+")


def official_filling(
    model: LanguageModel, fillers: Fillers, none_penalty: float, example: Example
) -> tuple[tuple[int, ...], Floats]:
    """The chosen fillers of a line, and the score of each filler in each gap."""
    listed = listed_fillings(model, fillers, example)
    fillings, scores = listed.choices, listed.scores(none_penalty)
    table = np.zeros((fillings.shape[1], len(fillers)))
    shares = np.exp(scores - scores.max())  # relative to the best, so that no sum is 0
    for gap, chosen in enumerate(fillings.T):
        np.add.at(table[gap], chosen, shares)
    if len(table):
        table /= table.sum(axis=1, keepdims=True)
    return tuple(fillings[listed.best(none_penalty)].tolist()), table


@dataclass(frozen=True)
class ListedFillings:
    """The fillings of a line that are tried, a row each, their log10 scores and empty gaps."""

    choices: Ints
    log10: Floats
    empty: Ints

    def scores(self, none_penalty: float) -> Floats:
        """The scores with a penalty for each empty gap."""
        return self.log10 + none_penalty * self.empty

    def best(self, none_penalty: float) -> int:
        """The row of the best filling; of equal ones the first."""
        return int(np.argmax(np.round(self.scores(none_penalty), 9)))


def listed_fillings(model: LanguageModel, fillers: Fillers, example: Example) -> ListedFillings:
    """The fillings of a line that the official program tries."""
    parts = target_words(example)
    choices = _listed_fillings(len(parts) - 1, len(fillers))
    sentences = [_sentence(parts, row, fillers) for row in choices.tolist()]
    empty = (choices == len(fillers) - 1).sum(axis=1)
    return ListedFillings(choices, model.log10(sentences), empty)


def _listed_fillings(gaps: int, fillers: int) -> Ints:
    """The fillings that are tried, a row each: listed gap by gap, then read off backwards."""
    steps: list[tuple[Ints, Ints]] = []
    count = 1
    for _ in range(gaps):
        kept = _KEPT_FILLINGS if count * fillers > _MOST_FILLINGS else None
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


def _sentence(parts: list[list[str]], choices: list[int], fillers: Fillers) -> list[str]:
    words = list(parts[0])
    for choice, part in zip(choices, parts[1:], strict=True):
        if choice != len(fillers) - 1:
            words.append(fillers.words[choice])
        words += part
    return words


class FilledLayout(StrEnum):
    """What is written for a line."""

    REPLACE = "replace"
    PREDICTED = "predicted"
    SCORES = "scores"


def filled_lines(
    number: int,
    line: str,
    choices: Sequence[int],
    table: Floats,
    fillers: Fillers,
    layout: FilledLayout,
) -> Iterator[str]:
    """The output for a line (`number` from 0) whose gaps have these fillers.

    `table` has the probability of each filler in each gap; only the layout `scores` shows it.
    """
    words = " ".join(fillers.words[choice] for choice in choices)
    classes = " ".join(_official_class(fillers, choice) for choice in choices)
    columns = line.split("\t")
    if layout is FilledLayout.SCORES:
        yield "\t".join([str(number), "TEXT", *columns[2:]])
        for gap, row in enumerate(table):
            yield f"{number}\tITEM {gap}\t{_shares(row, fillers)}"
    elif layout is FilledLayout.PREDICTED:
        if choices:
            yield f"{classes}\t{words}"
    else:
        if choices:
            tokens = columns[3].split(" ")
            tokens = [_PLACEHOLDER.sub("REPLACE", t) if is_placeholder(t) else t for t in tokens]
            columns[:4] = [classes, words, columns[2], " ".join(tokens)]
        yield "\t".join(columns)


def _official_class(fillers: Fillers, choice: int) -> str:
    """The official program writes ce for c', but keeps ça apart; the scorer merges them."""
    word, label = fillers.words[choice], fillers.classes[choice]
    return label if label == OTHER or word == "c'" else word


def _shares(row: Floats, fillers: Fillers) -> str:
    order = sorted(range(len(row)), key=lambda index: -row[index])
    return " ".join(f"{fillers.words[i]} {row[i]:.4f}" for i in order if row[i] > _LEAST_SHOWN)
