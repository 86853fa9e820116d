"""What `crosspro fill` writes: the output formats of the official baseline program."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import StrEnum

import numpy as np

from crosspro.baselines.fill import Fillers, Floats, GapFiller
from crosspro.baselines.fill_released import released_fillings
from crosspro.baselines.ngram.language_model import LanguageModel
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.task import OTHER
from crosspro.data_prep.formats.shared_task import PLACEHOLDER, is_placeholder
from crosspro.prediction.output import AT_ONCE, whole_documents

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
