"""Which words a network chose to look at, if it says so: its `Focus` put on the words of lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from crosspro.data_prep.example import Example, Side
from crosspro.prediction.evidence import FOCUS_COLUMNS, Cell, EvidenceTable, GapQuestion
from crosspro.prediction.neural.flat_text import FlatText
from crosspro.prediction.neural.network import Network
from crosspro.prediction.neural.tensors import GapTensors
from crosspro.prediction.neural.word_sums import side_words, word_sums

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class WordFocus:
    """How probable it is that a network chose each word of some lines for a gap.

    `shares` has an array for each line with a number for each word, `given` one of (classes, words)
    with the probabilities once the class is known, or is empty. What is missing to 1 is the
    probability that no word was chosen.
    """

    title: str
    side: Side
    shares: tuple[Floats, ...]
    given: tuple[Floats, ...] = ()


def word_focus(
    network: Network, tensors: GapTensors, text: FlatText, examples: Sequence[Example], row: int
) -> list[WordFocus]:
    """What a network chose for the gap of a row; it has chosen nothing unless it says so."""
    with torch.inference_mode():
        found = network.cpu().eval().focus(tensors, torch.tensor([row]))
    result = []
    for focus in found:
        size = (text.source_starts if focus.side == "source" else text.target_starts)[-1]
        parts = [focus.shares[0], *(() if focus.given is None else focus.given[0])]
        lines = []
        for part in parts:
            flat = torch.zeros(size, dtype=torch.float64)
            flat.index_add_(0, focus.tokens[0], part.double())
            lines.append([
                word_sums(flat.numpy(), text, examples, focus.side, line)
                for line in range(len(examples))
            ])  # fmt: skip
        shares, *given = lines
        by_class = (np.stack(parts) for parts in zip(*given, strict=True))
        result.append(WordFocus(focus.title, focus.side, tuple(shares), tuple(by_class)))
    return result


def focus_table(focus: WordFocus, question: GapQuestion, chosen: str) -> EvidenceTable:
    """The words with their probabilities, before and after the class is known."""
    rows: list[tuple[Cell, ...]] = []
    for line, shares in enumerate(focus.shares):
        words = side_words(question.examples[line], focus.side)
        for place in np.flatnonzero(shares):
            given = [float(focus.given[line][question.chosen, place])] if focus.given else []
            rows.append(
                (words[place], question.line - line, int(place), float(shares[place]), *given)
            )
    left = [
        1 - sum(float(row[column]) for row in rows) for column in range(3, 4 + bool(focus.given))
    ]
    rows.append(("(none)", "", "", *(max(0.0, one) for one in left)))
    rows.sort(key=lambda row: -float(row[3]))
    known = (f"given {chosen}",) if focus.given else ()
    return EvidenceTable(focus.title, (*FOCUS_COLUMNS, *known), tuple(rows))
