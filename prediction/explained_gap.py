"""A gap of a file with its explanation, as text for the terminal and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass

from crosspro.data_prep.core.errors import printable
from crosspro.data_prep.core.example import Example, Gap
from crosspro.data_prep.formats.shared_task import LEMMATISED
from crosspro.evaluation.output.tables import text_table
from crosspro.prediction.evidence import Cell, Evidence, EvidenceTable, Explanation


@dataclass(frozen=True)
class ExplainedGap:
    """An explanation and where its gap is: the line (from 1) and the number of the gap (from 1)."""

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

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the sentence should know: that words were made lemmas."""
        return (LEMMATISED,) if self.example.tagged else ()


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


def shown_cell(cell: Cell) -> str:
    """A cell as text: whole numbers as they are, others with three digits."""
    return (
        cell if isinstance(cell, str) else f"{cell:.3f}" if isinstance(cell, float) else str(cell)
    )


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
        yield "cannot explain its decisions\n"
        return
    yield f"{evidence.how}\n"
    tokens = token_table(example, evidence, (explanation.chosen, explanation.against))
    for table in (*evidence.tables, *([tokens] if tokens else [])):
        rows = [[shown_cell(cell) for cell in row] for row in table.rows[:most]]
        left = len(table.rows) - len(rows)
        more = f"… and {left:,} more\n" if left else ""
        note = f"{table.note}\n" if table.note else ""
        yield f"{table.title}\n{text_table(table.columns, rows)}{more}{note}"
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
