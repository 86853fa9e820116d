"""Which words a network chose to look at, if it says so: its `Focus` put on the words of lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from crosspro.data_prep.core.example import Example, Side
from crosspro.prediction.evidence import Cell, EvidenceTable, GapQuestion
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


def focus_tables(
    found: Sequence[WordFocus], question: GapQuestion, chosen: str
) -> list[EvidenceTable]:
    """A table for each choice, whose words may be those of both sides."""
    titles = dict.fromkeys(focus.title for focus in found)
    return [
        _table([focus for focus in found if focus.title == title], question, chosen)
        for title in titles
    ]


def _table(parts: Sequence[WordFocus], question: GapQuestion, chosen: str) -> EvidenceTable:
    """The words with their probabilities, before and after the class is known."""
    known = all(part.given for part in parts)
    sides = len(parts) > 1
    rows: list[tuple[tuple[Cell, ...], list[float]]] = []
    for part in parts:
        for line, shares in enumerate(part.shares):
            words = side_words(question.examples[line], part.side)
            for place in np.flatnonzero(shares):
                where = (*([part.side] if sides else []), question.line - line, int(place))
                given = [float(part.given[line][question.chosen, place])] if known else []
                rows.append(((words[place], *where), [float(shares[place]), *given]))
    left = [1 - sum(row[1][column] for row in rows) for column in range(1 + known)]
    rows.append((("(none)", *[""] * (2 + sides)), [max(0.0, one) for one in left]))
    rows.sort(key=lambda row: -row[1][0])
    columns = ("word", *(["side"] if sides else []), "sentences before", "position", "probability")
    last = (f"given {chosen}",) if known else ()
    return EvidenceTable(
        parts[0].title, (*columns, *last), tuple((*cells, *numbers) for cells, numbers in rows)
    )
