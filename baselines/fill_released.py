"""The released baseline program, exactly as it behaves: its search and its output formats.

It lists all fillings of a line, newest gap slowest. Above 5,000 it keeps the first 200, which all
have the first filler in the newest gap, so from the third gap on of a French line only that filler
is ever tried. Scores of gaps come from the listed fillings, with log10 scores exponentiated to the
base e. `crosspro fill` writes its formats after its search or after our exact one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import StrEnum

import numpy as np

from crosspro.baselines.fill import Fillers, Filling, Floats, GapFiller, Ints, target_words
from crosspro.baselines.ngram.model import LanguageModel
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.task import OTHER
from crosspro.data_prep.formats.shared_task import PLACEHOLDER, is_placeholder
from crosspro.prediction.output import AT_ONCE, whole_documents

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


_PLACEHOLDER = re.compile(rf"{PLACEHOLDER}\d+")


class Format(StrEnum):
    """What is written for a line."""

    REPLACE = "replace"
    PREDICTED = "predicted"
    BOTH = "both"
    COMPARE = "compare"
    SCORES = "scores"


Filled = tuple[Example, tuple[int, ...], Floats]
"""A line, the filler of each of its gaps, and the chance of each filler in each gap."""


def fill_as_released(
    model: LanguageModel, fillers: Fillers, penalty: float, examples: Iterable[Example]
) -> Iterator[Filled]:
    """Each line filled as the official program does."""
    for example in examples:
        filling, table = released_fillings(model, fillers, penalty, example)
        yield example, filling.choices, table


def fill_exactly(
    model: LanguageModel,
    fillers: Fillers,
    penalty: float,
    examples: Iterable[Example],
    scores: bool,
) -> Iterator[Filled]:
    """Each line filled by the exact search; the chances of fillers only where they are wanted."""
    filler = GapFiller(model, fillers, penalty)
    for group in whole_documents(examples, AT_ONCE):
        gaps = sum(len(example.gaps) for example in group)
        table = filler.probabilities(group) if scores else np.zeros((gaps, len(fillers)))
        place = 0
        for example, filling in zip(group, filler.fill(group), strict=True):
            yield example, filling.choices, table[place : place + len(example.gaps)]
            place += len(example.gaps)


def format_filled(
    number: int,
    line: str,
    filled: Filled,
    format_: Format,
    fillers: Fillers,
    released: bool,
) -> list[str]:
    """What is written for a line (`number` from 0), with the words that were chosen."""
    _, choices, table = filled
    words = [fillers.words[choice] for choice in choices]
    classes = [_official_class(fillers.words[c], fillers.classes[c]) for c in choices]
    columns = line.split("\t")
    echoed = released and line.startswith("\t")
    if format_ is Format.SCORES:
        text = "\t".join(columns[2:])
        shown = [f"{number}\tTEXT\t{text}"]
        if not echoed:
            shown += [
                f"{number}\tITEM {gap}\t{_shares(row, fillers)}" for gap, row in enumerate(table)
            ]
        return shown
    if format_ is Format.REPLACE:
        if echoed or not choices:
            return [line]
        columns[:2] = [" ".join(classes), " ".join(words)]
        columns[3] = " ".join(
            _PLACEHOLDER.sub("REPLACE", token) if is_placeholder(token) else token
            for token in columns[3].split(" ")
        )
        return ["\t".join(columns)]
    if echoed or not choices:
        return []
    if format_ is Format.PREDICTED:
        return [f"{' '.join(classes)}\t{' '.join(words)}"]
    if format_ is Format.BOTH:
        return [f"{columns[1]}\t{' '.join(words)}"]
    labels = columns[0].split(" ") if columns[0] else [""] * len(classes)
    return [f"{gold}\t{ours}" for gold, ours in zip(labels, classes, strict=True)]


def _official_class(word: str, name: str) -> str:
    """The official program writes ce for c', but keeps ça apart; the scorer merges them."""
    return name if name == OTHER or word == "c'" else word


def _shares(row: Floats, fillers: Fillers) -> str:
    order = sorted(range(len(row)), key=lambda index: -row[index])
    return " ".join(f"{fillers.words[i]} {row[i]:.4f}" for i in order if row[i] > 0.001)
