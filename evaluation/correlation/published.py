"""Published figures of APT against people: 001 Tables 1 to 4."""

from __future__ import annotations

from pathlib import Path

from crosspro.evaluation.correlation.disagreement import (
    CASES,
    Counts,
    JudgedPronoun,
    kinds_with_total,
    verdicts_from_margins,
)
from crosspro.evaluation.correlation.kinds import KINDS
from crosspro.evaluation.published.results import figures_file, read_figures


def published_table() -> Path:
    """001 Table 1: the scores of nine systems and the reference.

    Table 2 comes out of it only if the reference is kept as a tenth row, which 001 does not say.
    """
    return figures_file("apt_protest_scores")


def printed_correlations() -> dict[tuple[str, str], float]:
    """001 Table 2, by column of Table 1 and coefficient."""
    printed = {}
    for row in read_figures("apt_protest_correlation"):
        alignment = "heuristics" if row["alignment_heuristics"] == "yes" else "plain"
        column = f"{row['setting'].lower().replace('-', '_')}_{alignment}"
        for kind in ("pearson", "spearman"):
            printed[column, kind] = float(row[kind])
    return printed


def derived_verdicts() -> dict[str, Counts]:
    """Cases by verdicts of each category, which 001 Tables 3 and 4 determine together."""
    wrong = {
        row["category"]: row["incorrect_equivalence"] for row in read_figures("apt_disagreements")
    }
    return {
        row["category"]: verdicts_from_margins(
            (int(row["apt_case1"]), int(row["apt_case2"]), int(row["apt_case3"])),
            int(row["human_correct"]),
            int(row["disagreements"]),
            int(wrong.get(row["category"], 0)),
        )
        for row in read_figures("apt_protest_categories")
        if row["category"] != "total"
    }


def printed_kinds() -> dict[str, dict[str, int]]:
    """001 Table 4: disagreements of each kind by category, and their total.

    The kinds of single examples cannot be told from it: in the row of inter-sentential subjects V
    and I are more than the different pronouns that people accept.
    """
    columns = {kind: name.replace(" ", "_") for kind, name in KINDS.items()}
    return kinds_with_total(
        {
            row["category"]: {kind: int(row[column]) for kind, column in columns.items()}
            for row in read_figures("apt_disagreements")
        }
    )


def published_judgements() -> list[JudgedPronoun]:
    """The 2,227 examples of 001 Table 3 as far as they can be told apart."""
    return [
        JudgedPronoun(category, case, correct)
        for category, table in derived_verdicts().items()
        for case, cells in zip(CASES, table.tolist(), strict=True)
        for correct, number in zip((True, False), cells, strict=True)
        for _ in range(number)
    ]
