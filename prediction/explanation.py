"""Why a system chose the class of a gap: for linear models, forests and language models.

It prints as text; `to_dict` is its JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from crosspro.data_prep.core.errors import CrossproError, input_error, printable
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.formats.shared_task import LEMMATISED
from crosspro.evaluation.report.tables import text_table
from crosspro.prediction.evidence import Evidence, GapQuestion
from crosspro.prediction.output import predicted, whole_documents
from crosspro.prediction.system import System

ROWS = 15
"""Rows of a printed table, at most."""


@dataclass(frozen=True, repr=False)
class Explanation:
    """The chosen class, the next best, all probabilities, and the evidence, if there is any."""

    system: str
    chosen: str
    against: str
    probabilities: Mapping[str, float]
    evidence: Evidence | None

    def __repr__(self) -> str:
        return f"<Explanation {self.system}: {self.chosen} rather than {self.against}>"


def explanation_of(system: System, examples: Sequence[Example], line: int, gap: int) -> Explanation:
    """Why a gap of `examples[line]` gets its class; without evidence if the system has none."""
    row = GapQuestion(examples, line, gap, 0, 0).row
    predictions = predicted(system, examples)
    probabilities, chosen = predictions.probabilities[row], int(predictions.classes[row])
    others = probabilities.copy()
    others[chosen] = -1
    question = GapQuestion(examples, line, gap, chosen, int(np.argmax(others)))
    classes = system.task.classes
    return Explanation(
        system.shown_name,
        classes[chosen],
        classes[question.against],
        dict(zip(classes, probabilities.tolist(), strict=True)),
        system.evidence(question),
    )


@dataclass(frozen=True, repr=False)
class ExplainedGap:
    """An explanation and its gap, by the numbers of line and gap, which count from 1."""

    explanation: Explanation
    example: Example
    line: int
    number: int

    def __str__(self) -> str:
        return self.text().rstrip("\n")

    def __repr__(self) -> str:
        return f"<ExplainedGap line {self.line}, gap {self.number}: {self.explanation.chosen}>"

    def text(self, rows: int = ROWS) -> str:
        example = self.example
        gap = example.gaps[self.number - 1]
        target, source = list(example.target), list(example.source)
        target[gap.position] = f"[{target[gap.position]}]"
        source[gap.source_index] = f"[{source[gap.source_index]}]"
        pronoun = example.source[gap.source_index]
        gold = f", gold {gap.label}" if gap.label else ""
        place = f"line {self.line}, gap {self.number} of {len(example.gaps)}"
        head = [
            f"{place}: {pronoun} → {self.explanation.chosen}{gold}",
            f"source  {' '.join(source)}",
            f"target  {' '.join(target)}",
            *([LEMMATISED] if example.tagged else []),
            "",
        ]
        return "\n".join([*map(printable, head), *_lines(self.explanation, rows)])

    def to_dict(self) -> dict[str, Any]:
        gap = self.example.gaps[self.number - 1]
        return {
            "line": self.line,
            "gap": self.number,
            "position": gap.position,
            "source_index": gap.source_index,
            "gold": gap.label,
            "source": self.example.source,
            "target": self.example.target,
            "explanation": asdict(self.explanation),
        }


def explained_gap(
    system: System,
    examples: Iterable[Example],
    file: str | Path,
    line: int | None,
    gap: int,
) -> ExplainedGap:
    """Why a gap of a text gets its class, by the number of its line (None: the first with a gap).

    Lines and gaps of a line count from 1.
    """
    before = 0
    for document in whole_documents(examples, 1):
        for place, example in enumerate(document):
            number = before + place + 1
            if number != line and not (line is None and example.gaps):
                continue
            if gap > len(example.gaps):
                expected = f"a line with a gap {gap}"
                raise input_error(file, "gap", expected, f"{len(example.gaps)} gaps", number)
            explanation = explanation_of(system, document, place, gap - 1)
            if explanation.evidence is None:
                raise CrossproError(f"{system.shown_name}: this system has no explanation")
            return ExplainedGap(explanation, example, number, gap)
        before += len(document)
    expected = "a line with a gap" if line is None else f"a line {line}"
    raise input_error(file, "line", expected, f"{before:,} lines without")


def _lines(explanation: Explanation, most: int) -> Iterator[str]:
    probabilities, evidence = explanation.probabilities, explanation.evidence
    chosen, against = (
        f"{name} ({probabilities[name]:.3f})" for name in (explanation.chosen, explanation.against)
    )
    yield printable(f"{explanation.system}: {chosen} rather than {against}")
    ordered = sorted(probabilities.items(), key=lambda item: -item[1])
    yield "  ".join(f"{name} {probability:.3f}" for name, probability in ordered)
    if evidence is None:
        return
    yield f"{evidence.how}\n"
    for table in (table.cut(most) for table in evidence.tables):
        rows = [
            [f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row]
            for row in table.rows
        ]
        note = f"{table.note}\n" if table.note else ""
        yield f"{table.title}\n{text_table(table.columns, rows)}{note}"
