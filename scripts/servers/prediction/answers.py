"""Predictions and explanations as JSON values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import isfinite
from typing import Any

from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.formats.shared_task import format_example
from crosspro.data_prep.pipeline.pairs.pipeline import PreparedPair
from crosspro.prediction.evidence import Cell, Evidence, Explanation
from crosspro.prediction.pair_prediction import GapPrediction, PointedWord

Json = dict[str, Any]


@dataclass(frozen=True)
class AnswerText:
    """Examples, the last of which is asked about, and how they were typed, if they were."""

    examples: tuple[Example, ...]
    pair: PreparedPair | None = None


def prediction_json(
    task: Task,
    text: AnswerText,
    answers: Mapping[str, Sequence[GapPrediction]],
    notes: Sequence[str],
) -> Json:
    """The sentences, and each gap of the last one with what the systems predict for it."""
    pair, last = text.pair, text.examples[-1]
    every = [*(pair.notes if pair else ()), *notes]
    return {
        "task": task.name,
        "sentences": [_sentence(text, number) for number in range(len(text.examples))],
        "lines": [format_example(example) for example in text.examples],
        "gaps": [
            {
                "number": number + 1,
                "position": gap.position,
                "source_index": gap.source_index,
                "pronoun": last.source[gap.source_index],
                "hidden_word": pair.gaps[number].word if pair else gap.word,
                "hidden_label": pair.gaps[number].label if pair else gap.label,
                "inserted": pair.gaps[number].inserted if pair else None,
                "predictions": [
                    {
                        "system": name,
                        "label": found[number].label,
                        "probabilities": dict(found[number].probabilities),
                    }
                    for name, found in answers.items()
                ],
            }
            for number, gap in enumerate(last.gaps)
        ],
        "notes": list(dict.fromkeys(every)),
    }


def _sentence(text: AnswerText, number: int) -> Json:
    """`words` has the place and the word that was typed for each target token."""
    example = text.examples[number]
    typed = text.pair.sentences[number] if text.pair else None
    return {
        "source": list(example.source),
        "target": list(example.target),
        "words": [one and list(one) for one in typed.words] if typed else None,
        "links": [list(link) for link in example.links],
        "positional": sorted(map(list, typed.positional)) if typed else [],
        "gaps": [gap.position for gap in example.gaps],
    }


def explanation_json(
    task: Task,
    gap: int,
    found: Mapping[str, Explanation],
    pointed: Mapping[str, Sequence[PointedWord]],
    rows: int,
) -> Json:
    """What each system says of a gap and points at; tables have at most so many rows."""
    return {
        "task": task.name,
        "gap": gap,
        "explanations": [
            {
                "system": name,
                "explanation": asdict(_cut(one, rows)),
                "antecedents": [asdict(word) for word in pointed[name]],
            }
            for name, one in found.items()
        ],
    }


def _cut(explanation: Explanation, rows: int) -> Explanation:
    evidence = explanation.evidence
    if evidence is None:
        return explanation
    tables = []
    for table in evidence.tables:
        left = len(table.rows) - rows
        more = f"… and {left:,} more" if left > 0 else ""
        note = "\n".join(filter(None, (more, table.note)))
        shown = tuple(tuple(map(_finite, row)) for row in table.rows[:rows])
        tables.append(replace(table, rows=shown, note=note))
    members = tuple(
        replace(member, explanation=_cut(member.explanation, rows)) for member in evidence.members
    )
    cut: Evidence = replace(evidence, tables=tuple(tables), members=members)
    return replace(explanation, evidence=cut)


def _finite(cell: Cell) -> Cell:
    """JSON has no infinite numbers, which logarithms of nothing are."""
    return cell if isinstance(cell, str) or isfinite(cell) else str(cell)
