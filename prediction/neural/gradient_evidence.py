"""What gradients say of the words of a line, and of the sentences before it that a network saw."""

from __future__ import annotations

from crosspro.prediction.evidence import Cell, Evidence, EvidenceTable, GapQuestion
from crosspro.prediction.neural.flat_text import FlatText
from crosspro.prediction.neural.gradients import Attribution
from crosspro.prediction.neural.word_sums import side_words, word_sums

_SIDES = ("source", "target")
_HOW = (
    "gradient times input: what each token adds to the score of {} over {}, were the network "
    "linear; what the network knows of the source pronoun counts with that word"
)


def gradient_evidence(
    found: Attribution, text: FlatText, question: GapQuestion, names: tuple[str, ...]
) -> Evidence:
    """The numbers of the line's words; earlier sentences, where any count, are a table."""
    lines = {
        side: [
            word_sums(found[side], text, question.examples, side, line)
            for line in range(question.line + 1)
        ]
        for side in _SIDES
    }
    source = lines["source"][-1]
    source[question.gap.source_index] += found["gap"][question.row] if len(found["gap"]) else 0
    rows: list[tuple[Cell, ...]] = [
        (word, side, question.line - number, float(value))
        for side in _SIDES
        for number, values in enumerate(lines[side][:-1])
        for word, value in zip(side_words(question.examples[number], side), values, strict=True)
        if value
    ]
    rows.sort(key=lambda row: -abs(float(row[3])))
    columns = ("token", "side", "sentences before", f"{names[0]} over {names[1]}")
    tables = (EvidenceTable("Earlier sentences", columns, tuple(rows)),) if rows else ()
    target = lines["target"][-1]
    return Evidence(_HOW.format(*names), tables, tuple(source.tolist()), tuple(target.tolist()))
