"""Why a system chose the class of a gap: as text for the terminal and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from crosspro.data_prep.core.errors import CrossproError, input_error, printable
from crosspro.data_prep.core.example import Example, Gap
from crosspro.data_prep.formats.shared_task import LEMMATISED
from crosspro.evaluation.report import Displayed
from crosspro.evaluation.report.tables import text_table
from crosspro.prediction.evidence import Cell, Evidence, EvidenceTable, Explanation, GapQuestion
from crosspro.prediction.output import predicted, whole_documents
from crosspro.prediction.system import System


def explain(system: System, examples: Sequence[Example], line: int, gap: int = 0) -> Explanation:
    """Why a gap of `examples[line]` gets its class; raises if the system cannot say."""
    explanation = explained(system, examples, line, gap)
    if explanation.evidence is None:
        raise CrossproError(f"{system.shown_name}: this system has no explanation")
    return explanation


def explained(system: System, examples: Sequence[Example], line: int, gap: int) -> Explanation:
    """The same, without evidence if the system has none."""
    row = GapQuestion(examples, line, gap, 0, 0).row
    found = predicted(system, examples)
    chances, chosen = found.probabilities, int(found.classes[row])
    others = chances[row].copy()
    others[chosen] = -1
    question = GapQuestion(examples, line, gap, chosen, int(np.argmax(others)))
    classes = system.task.classes
    return Explanation(
        system.shown_name,
        classes[chosen],
        classes[question.against],
        dict(zip(classes, chances[row].tolist(), strict=True)),
        system.evidence(question),
    )


@dataclass(frozen=True)
class ExplainedGap(Displayed):
    """An explanation and where its gap is: the line (from 1) and the number of the gap (from 1).

    It prints as `crosspro explain` prints it.
    """

    explanation: Explanation
    example: Example
    line: int
    number: int

    @property
    def gap(self) -> Gap:
        """The gap."""
        return self.example.gaps[self.number - 1]

    @property
    def title(self) -> str:
        """Which gap it is, what was chosen, and the gold class where it is known."""
        pronoun = self.example.source[self.gap.source_index]
        gold = f", gold {self.gap.label}" if self.gap.label else ""
        place = f"line {self.line}, gap {self.number} of {len(self.example.gaps)}"
        return f"{place}: {pronoun} → {self.explanation.chosen}{gold}"

    def __str__(self) -> str:
        return as_text(self, _ROWS).rstrip("\n")

    def to_dict(self) -> dict[str, Any]:
        """What `--layout json` writes."""
        return dict(json.loads(as_json(self)))

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the sentence should know: that words were made lemmas."""
        return (LEMMATISED,) if self.example.tagged else ()


def explained_gap(
    system: System,
    examples: Iterable[Example],
    file: str | Path,
    line: int | None,
    gap: int,
    options: tuple[str, str] = ("line", "gap"),
) -> ExplainedGap:
    """Why a gap of a text gets its class, by the number of its line (None: the first with a gap).

    Lines and gaps of a line count from 1; `options` are what both are called in messages.
    """
    document, place, number = _document(examples, file, line, options[0])
    gaps = len(document[place].gaps)
    if gap > gaps:
        expected = f"a line with {gap} gaps" if gap > 1 else "a line with a gap"
        raise input_error(file, options[1], expected, f"{gaps}", number)
    explanation = explain(system, document, place, gap - 1)
    return ExplainedGap(explanation, document[place], number, gap)


def _document(
    examples: Iterable[Example], file: str | Path, line: int | None, option: str
) -> tuple[list[Example], int, int]:
    """The document of a line, or of the first with a gap; its place there, and its number."""
    before = 0
    for document in whole_documents(examples, 1):
        for place, example in enumerate(document):
            number = before + place + 1
            if number == line or (line is None and example.gaps):
                return document, place, number
        before += len(document)
    if line is None:
        raise input_error(file, "file", "a line with a gap", f"none in {before:,} lines")
    raise input_error(file, option, f"a line of the file, which has {before:,}", f"{line}")


def verdict(explanation: Explanation) -> str:
    """What a system chose, over what, in a sentence."""
    chances = explanation.probabilities
    chosen, against = explanation.chosen, explanation.against
    return (
        f"{explanation.system}: {chosen} ({chances[chosen]:.3f}) "
        f"rather than {against} ({chances[against]:.3f})"
    )


def token_table(
    example: Example, evidence: Evidence, pair: tuple[str, str]
) -> EvidenceTable | None:
    """The tokens that spoke for either class, the loudest first; None where none is known to."""
    rows: list[tuple[Cell, ...]] = [
        (words[place], side, place, value)
        for side, words, values in (
            ("source", example.source, evidence.source),
            ("target", example.target, evidence.target),
        )
        for place, value in enumerate(values)
        if value
    ]
    if not rows:
        return None
    rows.sort(key=lambda row: -abs(float(row[3])))
    columns = ("token", "side", "position", f"{pair[0]} over {pair[1]}")
    return EvidenceTable("Tokens", columns, tuple(rows))


def shown_rows(table: EvidenceTable) -> list[list[str]]:
    """Cells as text: whole numbers as they are, others with three digits."""
    return [
        [f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row]
        for row in table.rows
    ]


def as_text(explained: ExplainedGap, most: int) -> str:
    """For the terminal; tables have at most so many rows."""
    example = explained.example
    target = list(example.target)
    target[explained.gap.position] = f"[{target[explained.gap.position]}]"
    source = list(example.source)
    source[explained.gap.source_index] = f"[{source[explained.gap.source_index]}]"
    head = [explained.title, f"source  {' '.join(source)}", f"target  {' '.join(target)}"]
    head += [*explained.notes, ""]
    head = [printable(line) for line in head]
    return "\n".join([*head, *_lines(explained.explanation, example, most)])


def _lines(explanation: Explanation, example: Example, most: int) -> Iterator[str]:
    yield printable(verdict(explanation))
    chances = sorted(explanation.probabilities.items(), key=lambda item: -item[1])
    yield "  ".join(f"{name} {chance:.3f}" for name, chance in chances)
    evidence = explanation.evidence
    if evidence is None:
        yield "no explanation\n"
        return
    yield f"{evidence.how}\n"
    tokens = token_table(example, evidence, (explanation.chosen, explanation.against))
    for table in (*evidence.tables, *([tokens] if tokens else [])):
        shown = table.cut(most)
        note = f"{shown.note}\n" if shown.note else ""
        yield f"{table.title}\n{text_table(table.columns, shown_rows(shown))}{note}"
    for member in evidence.members:
        yield f"── {member.label}, weight {member.weight:.3f}"
        yield from _lines(member.explanation, example, most)


def as_json(explained: ExplainedGap) -> str:
    """Everything, for programs."""
    example, gap = explained.example, explained.gap
    content = {
        "line": explained.line,
        "gap": explained.number,
        "position": gap.position,
        "source_index": gap.source_index,
        "gold": gap.label,
        "source": example.source,
        "target": example.target,
        "notes": explained.notes,
        "explanation": asdict(explained.explanation),
    }
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"


_ROWS = 15
"""Rows of a table, at most, where nobody says how many."""
