"""Scores of generated translations as a table, JSON or CSV, and the verdict on every instance."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict

from crosspro.evaluation.metrics.contrastive.report import (
    group_title,
    note_under,
    set_heading,
    tsv_line,
)
from crosspro.evaluation.metrics.expected_forms.score import VERDICTS, GenerativeEvaluation
from crosspro.evaluation.output.differences import (
    NOT_CORRECTED,
    difference_record,
    differences_table,
)
from crosspro.evaluation.output.style import PLAIN, Style
from crosspro.evaluation.output.tables import csv_number, csv_text

RIGHT = "right if the expected form is a word of the translated sentence."
_KEYS = tuple(verdict.replace(" ", "_") for verdict in VERDICTS)


def generative_text(evaluation: GenerativeEvaluation, style: Style = PLAIN) -> str:
    """The report for a terminal, or as Markdown."""
    names = [one.output.name for one in evaluation.systems]
    rows = [
        (group_title(group), f"{group.instances:,}", *map(str, group.scores))
        for group in evaluation.groups
    ]
    columns = zip(VERDICTS, zip(*evaluation.shares, strict=True), strict=True)
    shares = [(verdict, *map(str, scores)) for verdict, scores in columns]
    parts = [
        style.title(set_heading(evaluation.test_set, evaluation.unit, evaluation.units)),
        style.table(("accuracy (%)", "instances", *names), rows),
        f"{note_under(evaluation.groups, RIGHT)}\n",
        style.title("What is there"),
        style.table(("instances (%)", *names), shares),
    ]
    if evaluation.comparisons:
        parts += [
            style.title("Paired differences"),
            style.table(*differences_table(evaluation.comparisons, 2)),
            f"{NOT_CORRECTED}\n",
        ]
    signatures = dict.fromkeys(score.signature for g in evaluation.groups for score in g.scores)
    return "\n".join([*parts, *style.signed(signatures)])


def generative_json(evaluation: GenerativeEvaluation) -> str:
    """Everything that was computed, for other programs."""
    test_set = evaluation.test_set
    names = [one.output.name for one in evaluation.systems]
    content = {
        "set": test_set.name,
        "format": test_set.kind,
        "content": test_set.digest,
        "language": evaluation.language,
        "instances": len(test_set.instances),
        "unit": evaluation.unit,
        "units": evaluation.units,
        "systems": [
            {
                "name": name,
                "right": int(one.right.sum()),
                "shares": {key: asdict(score) for key, score in zip(_KEYS, shares, strict=True)},
                "notes": one.output.notes,
            }
            for name, one, shares in zip(names, evaluation.systems, evaluation.shares, strict=True)
        ],
        "groups": [
            {
                "breakdown": group.breakdown,
                "group": group.group,
                "instances": group.instances,
                "scores": {
                    name: asdict(score) for name, score in zip(names, group.scores, strict=True)
                },
                "verdicts": {
                    name: dict(zip(_KEYS, numbers, strict=True))
                    for name, numbers in zip(names, counts, strict=True)
                },
            }
            for group, counts in zip(evaluation.groups, evaluation.group_counts, strict=True)
        ],
        "comparisons": [difference_record(one) for one in evaluation.comparisons],
        "warnings": evaluation.warnings,
    }
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"


def generative_csv(evaluation: GenerativeEvaluation) -> str:
    """One line per system and group, with the number of instances that have each verdict."""
    heading = ("system", "breakdown", "group", "instances", "accuracy", "low", "high")
    rows = []
    for group, counts in zip(evaluation.groups, evaluation.group_counts, strict=True):
        for one, score, numbers in zip(evaluation.systems, group.scores, counts, strict=True):
            values = map(csv_number, (score.value, score.low, score.high))
            place = (one.output.name, group.breakdown, group.group, group.instances)
            rows.append((*place, *values, *numbers, score.signature))
    return csv_text([(*heading, *_KEYS, "signature"), *rows])


def generative_detail(evaluation: GenerativeEvaluation) -> Iterator[str]:
    """The verdict on every instance of every system, as TSV, with the words it rests on."""
    breakdowns = dict.fromkeys(g.breakdown for g in evaluation.groups if g.breakdown)
    yield tsv_line(
        ["system", "instance", "document", *breakdowns, "verdict", "expected", "rivals", "payload"]
    )
    for one in evaluation.systems:
        for place, instance in enumerate(evaluation.test_set.instances):
            groups = [instance.groups.get(name, "") for name in breakdowns]
            yield tsv_line(
                [
                    *(one.output.name, instance.name, instance.document or ""),
                    *groups,
                    VERDICTS[one.verdicts[place]],
                    instance.reference_pronoun or "",
                    " ".join(one.rivals[place]),
                    one.output.payloads[place],
                ]
            )
