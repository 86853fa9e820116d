"""What gradients say of the words of a line, and of the sentences before it that a network saw."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.example import Example
from crosspro.prediction.evidence import Cell, Evidence, EvidenceTable, GapQuestion
from crosspro.prediction.neural.flat_text import FlatText
from crosspro.prediction.neural.gradients import Attribution

_HOW = (
    "gradient times input: what each token adds to the score of {} over {}, were the network "
    "linear; what the network knows of the source pronoun counts with that word"
)


def gradient_evidence(
    found: Attribution, text: FlatText, question: GapQuestion, names: tuple[str, ...]
) -> Evidence:
    """The numbers of the line's words; earlier sentences, where any count, are a table."""
    starts = {"source": text.source_starts, "target": text.target_starts}
    lines = {
        side: [_words(found[side], text, question, side, line) for line in range(question.line + 1)]
        for side in starts
    }
    source = lines["source"][-1]
    source[question.gap.source_index] += found["gap"][question.row] if len(found["gap"]) else 0
    rows: list[tuple[Cell, ...]] = [
        (word, side, question.line - number, float(value))
        for side in starts
        for number, values in enumerate(lines[side][:-1])
        for word, value in zip(_side(question.examples[number], side), values, strict=True)
        if value
    ]
    rows.sort(key=lambda row: -abs(float(row[3])))
    columns = ("token", "side", "sentences before", f"{names[0]} over {names[1]}")
    tables = (EvidenceTable("Earlier sentences", columns, tuple(rows)),) if rows else ()
    target = lines["target"][-1]
    return Evidence(_HOW.format(*names), tables, tuple(source.tolist()), tuple(target.tolist()))


def _side(example: Example, side: str) -> tuple[str, ...]:
    return example.source if side == "source" else example.target


def _words(
    values: NDArray[np.float64], text: FlatText, question: GapQuestion, side: str, line: int
) -> NDArray[np.float64]:
    """The numbers of a line's words, each the sum of those of its units."""
    starts = text.source_starts if side == "source" else text.target_starts
    own = values[starts[line] : starts[line + 1]]
    example, units = question.examples[line], text.reading.units
    words = _side(example, side)
    if units is None or not len(own):
        return own if len(own) else np.zeros(len(words))
    alone = [
        Example((word,), (), (), (), tagged=example.tagged)
        if side == "source"
        else Example((), (word,), (), (), tagged=example.tagged)
        for word in words
    ]
    sizes = [len(_side(one, side)) for one in units.split(alone, text.reading.lowercase)]
    ends = np.cumsum(sizes)
    running = np.concatenate([[0.0], np.cumsum(own)])
    return np.asarray(running[ends] - running[ends - sizes])
