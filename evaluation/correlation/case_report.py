"""The cases of APT against verdicts, and weights tuned on these, as tables, JSON and CSV."""

from __future__ import annotations

import json
from dataclasses import asdict

from crosspro.evaluation.correlation.case_verdicts import (
    VERDICT_NAMES,
    CaseStudy,
    CaseVerdicts,
)
from crosspro.evaluation.correlation.case_weights import WeightStudy
from crosspro.evaluation.correlation.disagreement import TOTAL
from crosspro.evaluation.inputs.case_names import CASE_NAMES, CASES
from crosspro.evaluation.output.style import PLAIN, Style
from crosspro.evaluation.output.tables import csv_number, csv_text


def case_text(study: CaseStudy, style: Style = PLAIN) -> str:
    """Table 5 of 000."""
    rows = []
    for one in study.cases:
        shares = ["–" if share is None else f"{share:.1f}%" for share in one.percentages]
        low, high = study.intervals.get(one.case, (None, None))
        if low is not None and high is not None:
            shares[0] += f" [{low:.1f}, {high:.1f}]"
        rows.append((_name(one), *shares, str(one.total)))
    parts = [style.table(("case", *VERDICT_NAMES, "total"), rows)]
    if study.unjudged:
        parts.append(f"{study.unjudged:,} pronouns that nobody has judged are left out.\n")
    return "\n".join([*parts, *style.signed([study.signature])])


def case_json(study: CaseStudy) -> str:
    """The same for other programs."""
    content = {
        "cases": [
            {
                "case": one.case,
                "name": _name(one),
                **dict(zip(VERDICT_NAMES, one.counts, strict=True)),
                "total": one.total,
                "percentages": dict(zip(VERDICT_NAMES, one.percentages, strict=True)),
                "interval": study.intervals.get(one.case),
            }
            for one in study.cases
        ],
        "unjudged": study.unjudged,
        "signature": study.signature,
    }
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"


def case_csv(study: CaseStudy) -> str:
    """One line per case: counts, and per cent of correct pronouns with its interval."""
    names = (name.replace(" ", "_") for name in VERDICT_NAMES)
    heading = ("case", *names, "total", "correct_percentage", "low", "high", "signature")
    rows = [
        (
            one.case,
            *one.counts,
            one.total,
            csv_number(one.percentages[0]),
            *map(csv_number, study.intervals.get(one.case, (None, None))),
            study.signature,
        )
        for one in study.cases
    ]
    return csv_text([heading, *rows])


def _name(one: CaseVerdicts) -> str:
    return one.case if one.case == TOTAL else f"{one.case} {CASE_NAMES[int(one.case) - 1]}"


def weights_text(study: WeightStudy, style: Style = PLAIN) -> str:
    """Weights of the cases, how well they agree with people, and how `crosspro apt` takes them."""
    rows = [
        (
            one.name,
            *(f"{weight:.2f}" for weight in one.weights),
            *(_shown(value) for value in (one.pearson, one.spearman, one.pearson_held_out)),
            f"{one.error_held_out:.4f}",
        )
        for one in study.settings
    ]
    heading = ("weights", *(f"w{case}" for case in CASES), "Pearson", "Spearman")
    held_out = ("Pearson, held out", "squared error, held out")
    options = [
        f"{one.name}: crosspro apt --weights {','.join(f'{weight:.4g}' for weight in one.weights)}"
        for one in study.settings
    ]
    what = f"{study.examples:,} judged pronouns of {len(study.systems)} systems"
    parts = [
        style.title(what),
        style.table((*heading, *held_out), rows),
        "".join(f"{option}\n{style.after}" for option in options),
    ]
    return "\n".join([*parts, *style.signed([study.signature])])


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def weights_json(study: WeightStudy) -> str:
    """The same for other programs."""
    return json.dumps(asdict(study), ensure_ascii=False, indent=2) + "\n"


def weights_csv(study: WeightStudy) -> str:
    """One line per setting."""
    scores = ("pearson", "spearman", "pearson_held_out", "error_held_out")
    rows = [
        (
            one.name,
            *map(csv_number, one.weights),
            *(csv_number(getattr(one, name)) for name in scores),
            study.signature,
        )
        for one in study.settings
    ]
    return csv_text([("weights", *(f"w{case}" for case in CASES), *scores, "signature"), *rows])
