"""Disagreements of APT and people as tables for the terminal, as JSON and as CSV."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict

from crosspro.evaluation.correlation.disagreement import DisagreementStudy
from crosspro.evaluation.correlation.kinds import KINDS
from crosspro.evaluation.output.style import PLAIN, Style
from crosspro.evaluation.output.tables import csv_number, csv_text

_DISAGREEMENTS = {
    1: "1 same, rejected",
    2: "2 equivalent, rejected",
    3: "3 different, accepted",
}
_MOST_PAIRS = 20
"""Pairs of pronouns that a table shows; JSON has all."""


def disagreement_text(study: DisagreementStudy, style: Style = PLAIN) -> str:
    """Table 3 of 001, and how reliable each case is."""
    rows = []
    for one in study.verdicts:
        shown = _shown(one.percentage, 1)
        low, high = study.intervals.get(one.category, (None, None))
        if low is not None and high is not None:
            shown += f" [{low:.1f}, {high:.1f}]"
        numbers = (*one.cases, one.correct, one.incorrect, one.disagreements, one.examples)
        rows.append((one.category, *map(str, numbers), shown))
    heading = (
        "category",
        "case 1",
        "case 2",
        "case 3",
        "correct",
        "incorrect",
        "disagree",
        "examples",
        "%",
    )
    total = study.verdicts[-1]
    by_case = [
        (f"case {case}", *map(str, cells), _shown(share, 1))
        for case, cells, share in zip(
            (1, 2, 3), total.counts.tolist(), total.disagreement_by_case, strict=True
        )
    ]
    return "\n".join(
        (
            style.table(heading, rows),
            style.table(("total", "correct", "incorrect", "disagree %"), by_case),
            "Case 1 or 2 as a detector of correct pronouns: "
            f"precision {_shown(total.precision, 4)}, recall {_shown(total.recall, 4)}\n",
            *_kinds(study, style),
            *_pairs(study, style),
            *style.signed([study.signature]),
        )
    )


def _shown(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def _kinds(study: DisagreementStudy, style: Style) -> list[str]:
    """Table 4 of 001, if kinds are known."""
    if not study.kinds:
        return []
    shown = list(next(iter(study.kinds.values())))
    rows = [
        (category, *(str(own[kind]) if own[kind] else "–" for kind in shown))
        for category, own in study.kinds.items()
    ]
    heading = ("kinds of disagreement", *(kind or "unknown" for kind in shown))
    key = ", ".join(f"{kind} {name}" for kind, name in KINDS.items())
    return [style.table(heading, rows) + style.after + f"{key}.\n"]


def _pairs(study: DisagreementStudy, style: Style) -> list[str]:
    """The counts of 001 §6, if pronouns are known: il for cela that people accept, and so on."""
    if not study.pairs:
        return []
    shown = study.pairs[:_MOST_PAIRS]
    rows = [
        (
            _DISAGREEMENTS[one.case],
            one.output,
            one.reference,
            ", ".join(f"{name} {number}" for name, number in one.categories.items()),
            str(one.examples),
        )
        for one in shown
    ]
    heading = ("case and verdict", "output", "reference", "by category", "examples")
    more = len(study.pairs) - len(shown)
    rest = f"{style.after}… and {more:,} more (--layout json has all).\n" if more else ""
    return [style.table(heading, rows, 4) + rest]


def disagreement_json(study: DisagreementStudy) -> str:
    """The same for other programs."""
    content = {
        "categories": [
            {
                "category": one.category,
                "cases": one.cases,
                "correct": one.correct,
                "incorrect": one.incorrect,
                "disagreements": one.disagreements,
                "examples": one.examples,
                "percentage": one.percentage,
                "interval": study.intervals.get(one.category),
                "counts": one.counts.tolist(),
                "kinds": _named(study.kinds.get(one.category)),
                "precision": one.precision,
                "recall": one.recall,
            }
            for one in study.verdicts
        ],
        "pairs": [asdict(one) for one in study.pairs],
        "signature": study.signature,
    }
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"


def _named(kinds: Mapping[str, int] | None) -> dict[str, int] | None:
    """Counts by the full names of kinds."""
    if kinds is None:
        return None
    return {KINDS.get(kind, "unknown"): count for kind, count in kinds.items()}


def disagreement_csv(study: DisagreementStudy) -> str:
    """One line per category, with the share of disagreements in percent; kinds where known."""
    kinds = next(iter(study.kinds.values()), {})
    none = dict.fromkeys(kinds, "")
    rows = [
        (
            one.category,
            *one.cases,
            one.correct,
            one.incorrect,
            one.disagreements,
            one.examples,
            csv_number(one.percentage),
            *map(csv_number, study.intervals.get(one.category, (None, None))),
            study.signature,
            *study.kinds.get(one.category, none).values(),
        )
        for one in study.verdicts
    ]
    heading = ("category", "case1", "case2", "case3", "correct", "incorrect", "disagreements")
    more = ("examples", "percentage", "low", "high", "signature")
    names = (name.replace(" ", "_") for name in _named(kinds) or ())
    return csv_text([(*heading, *more, *names), *rows])
