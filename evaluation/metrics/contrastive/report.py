"""A contrastive evaluation as a table, JSON or CSV, and the decision on every instance as TSV."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict

from crosspro.data_prep.core.errors import counted
from crosspro.evaluation.core.score import interval_note
from crosspro.evaluation.metrics.contrastive.accuracy import ContrastiveEvaluation
from crosspro.evaluation.metrics.contrastive.formats import ContrastiveSet
from crosspro.evaluation.metrics.contrastive.group_accuracy import GroupAccuracy
from crosspro.evaluation.output.differences import (
    NOT_CORRECTED,
    difference_record,
    differences_table,
)
from crosspro.evaluation.output.style import PLAIN, Style
from crosspro.evaluation.output.tables import csv_number, csv_text

RIGHT = "right only if the reference is strictly better than every error."


def contrastive_text(evaluation: ContrastiveEvaluation, style: Style = PLAIN) -> str:
    """The report for a terminal, or as Markdown."""
    names = [system.name for system in evaluation.systems]
    rows = [
        (group_title(group), f"{group.instances:,}", *map(str, group.scores))
        for group in evaluation.groups
    ]
    parts = [
        style.title(set_heading(evaluation.test_set, evaluation.unit, evaluation.units)),
        style.table(("accuracy (%)", "instances", *names), rows),
        f"{note_under(evaluation.groups, RIGHT)}\n",
    ]
    notes = list(_notes(evaluation))
    if notes:
        parts.append("".join(f"{note}\n" for note in notes))
    if evaluation.comparisons:
        parts += [
            style.title("Paired differences"),
            style.table(*differences_table(evaluation.comparisons, 2)),
            f"{NOT_CORRECTED}\n",
        ]
    signatures = dict.fromkeys(score.signature for g in evaluation.groups for score in g.scores)
    return "\n".join([*parts, *style.signed(signatures)])


def note_under(groups: Iterable[GroupAccuracy], right: str) -> str:
    """What stands under accuracies: what the brackets are, and when a system is right."""
    return "; ".join(filter(None, [interval_note(s for g in groups for s in g.scores), right]))


def set_heading(test_set: ContrastiveSet, unit: str, units: int) -> str:
    """What stands over the scores of a set: its name and its size."""
    text = f"{test_set.name} ({test_set.kind}): {counted(len(test_set.instances), 'instance')}"
    if unit != "instance":
        text += f" in {units:,} {unit}s"
    return text


def group_title(group: GroupAccuracy) -> str:
    """What a row of accuracies is called."""
    return f"{group.breakdown} {group.group}".strip()


def _notes(evaluation: ContrastiveEvaluation) -> Iterator[str]:
    for system, score in zip(evaluation.systems, evaluation.decidable, strict=True):
        yield from (f"{system.name}: {note}" for note in system.notes)
        if score is not None:
            yield f"{system.name}: accuracy over the instances it can decide: {score}"


def contrastive_json(evaluation: ContrastiveEvaluation) -> str:
    """Everything that was computed, for other programs."""
    test_set = evaluation.test_set
    content = {
        "set": test_set.name,
        "format": test_set.kind,
        "content": test_set.digest,
        "instances": len(test_set.instances),
        "unit": evaluation.unit,
        "units": evaluation.units,
        "systems": [
            {
                "name": system.name,
                "better": "higher" if system.maximise else "lower",
                "right": int(decided.right.sum()),
                "tied": int(decided.tied.sum()),
                "undecidable": None
                if system.undecidable is None
                else int(system.undecidable.sum()),
                "decidable": None if decidable is None else asdict(decidable),
                "notes": system.notes,
            }
            for system, decided, decidable in zip(
                evaluation.systems, evaluation.decisions, evaluation.decidable, strict=True
            )
        ],
        "groups": [
            {
                "breakdown": group.breakdown,
                "group": group.group,
                "instances": group.instances,
                "scores": {
                    system.name: asdict(score)
                    for system, score in zip(evaluation.systems, group.scores, strict=True)
                },
            }
            for group in evaluation.groups
        ],
        "comparisons": [difference_record(one) for one in evaluation.comparisons],
        "warnings": evaluation.warnings,
    }
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"


def contrastive_csv(evaluation: ContrastiveEvaluation) -> str:
    """One line per system and group."""
    heading = ("system", "breakdown", "group", "instances", "accuracy", "low", "high", "signature")
    rows = []
    for group in evaluation.groups:
        for system, score in zip(evaluation.systems, group.scores, strict=True):
            numbers = map(csv_number, (score.value, score.low, score.high))
            place = (system.name, group.breakdown, group.group, group.instances)
            rows.append((*place, *numbers, score.signature))
    return csv_text([heading, *rows])


def detail_tsv(evaluation: ContrastiveEvaluation) -> Iterator[str]:
    """The decision of every system on every instance, with the scores it is based on."""
    breakdowns = dict.fromkeys(g.breakdown for g in evaluation.groups if g.breakdown)
    yield tsv_line(
        ["system", "instance", "document", *breakdowns, "verdict", "scores", "reference"]
    )
    for system, decided in zip(evaluation.systems, evaluation.decisions, strict=True):
        start = 0
        for place, instance in enumerate(evaluation.test_set.instances):
            end = start + 1 + len(instance.errors)
            scores = " ".join(f"{value:.6g}" for value in system.values[start:end])
            start = end
            if decided.right[place]:
                verdict = "right"
            else:
                verdict = "tied" if decided.tied[place] else "wrong"
            if system.undecidable is not None and system.undecidable[place]:
                verdict = "undecidable"
            groups = [instance.groups.get(name, "") for name in breakdowns]
            document = instance.document or instance.block or ""
            reference = instance.reference or ""
            yield tsv_line(
                [system.name, instance.name, document, *groups, verdict, scores, reference]
            )


def tsv_line(cells: list[str]) -> str:
    """A line of TSV: no cell has a tab or an end of line."""
    return "\t".join(" ".join(cell.split()) for cell in cells) + "\n"
