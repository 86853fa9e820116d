"""APT, the accuracy of pronoun translation: Σ w·n / Σ n over the six cases (000 §2.4)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import numpy as np
from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from crosspro.evaluation.evaluation import Evaluation
from crosspro.evaluation.metric import Display, Items, Kind
from crosspro.evaluation.metrics.apt.cases import (
    CASE_NAMES,
    CASES,
    Heuristics,
    Occurrence,
    find_cases,
    find_sides,
)
from crosspro.evaluation.metrics.linked_metric import LinkedMetric, Listed
from crosspro.evaluation.pronouns import Anchor, PronounLists, anchors_at, read_tokens
from crosspro.evaluation.report.tables import Cell, Table, score_tables
from crosspro.evaluation.resampling import Columns, Scores, Sums, ratio
from crosspro.evaluation.texts import Texts

Weight = Annotated[float, Field(ge=0, le=1)]
Case = Annotated[int, Field(ge=1, le=6)]
CASE_KINDS: tuple[Kind, ...] = ("right", "part", "wrong", "wrong", "open", "open")
PAPER_WEIGHTS = (1.0, 0.5, 0.0, 0.0, 0.0, 0.0)
"""The setting with the best correlation in 000 Table 4, and APT-B of 001."""


@dataclass(frozen=True, config=ConfigDict(extra="forbid", arbitrary_types_allowed=True))
class AptSettings:
    """Weights of the six cases, and cases that are left out of both sums.

    With `probabilities` an equivalent pronoun weighs its probability, where the lists have one.
    `repair` of links is that of the paper, of the released tool, or off. `tokens` are lines and
    positions from 0, or a file of them: only these are scored, and all stay in the denominator
    (001 §5). `pronouns` are lists, their name, or their file.
    """

    weights: Listed[Annotated[tuple[Weight, ...], Field(min_length=6, max_length=6)]] = (
        PAPER_WEIGHTS
    )
    discard: Listed[Annotated[frozenset[Case], Field(max_length=5)]] = frozenset()
    probabilities: bool = False
    repair: Heuristics = "paper"
    pronouns: PronounLists | str | None = None
    tokens: tuple[tuple[int, int], ...] | str | None = None


class Apt(LinkedMetric[Occurrence]):
    """The case of each source pronoun, weighed."""

    name = "apt"
    settings_class = AptSettings
    display = Display(
        "Accuracy of pronoun translation (APT)",
        measures={"apt": "APT"},
        verdicts=tuple(
            (f"{case} {name}", kind)
            for case, name, kind in zip(CASES, CASE_NAMES, CASE_KINDS, strict=True)
        ),
    )

    def anchors(self, texts: Texts, lists: PronounLists) -> list[Anchor]:
        tokens = self.settings.tokens
        if tokens is None:
            return super().anchors(texts, lists)
        if isinstance(tokens, str):
            tokens = tuple(read_tokens(Path(tokens)))
        return anchors_at(tokens, texts.linked.source, lists)

    def compare(
        self, texts: Texts, anchors: Sequence[Anchor], lists: PronounLists
    ) -> list[list[Occurrence]]:
        words = texts.linked
        references, *candidates = (
            find_sides(anchors, words, translation, lists, self.settings.repair)
            for translation in (words.reference, *words.candidates.values())
        )
        return [find_cases(anchors, references, sides, lists) for sides in candidates]

    def items(self, data: Texts) -> Items[Texts, Occurrence]:
        """The pronouns, and a note where a copy of the reference would not have full marks."""
        items = super().items(data)
        references = [occurrence.reference for occurrence in items.values[0]]
        anchors = [occurrence.anchor for occurrence in items.values[0]]
        copied = find_cases(anchors, references, references, self.lists(data))
        columns = self._columns(copied)
        used = sum(columns["used"])
        score = 100 * sum(columns["weight"]) / used if used else None
        notes: tuple[str, ...] = ()
        if score is not None and round(score, self.display.digits) < 100:
            notes = (
                f"A copy of the reference would have an APT of {score:.2f}: words outside the "
                "lists count as different, pronouns without a link as not translated.",
            )
        return replace(items, facts={**items.facts, "copy_of_reference": score}, notes=notes)

    def statistics(self, items: Items[Texts, Occurrence], candidate: int) -> Columns:
        return self._columns(items.values[candidate])

    def _columns(self, occurrences: Sequence[Occurrence]) -> Mapping[str, Sequence[float]]:
        settings = self.settings
        weights = []
        for occurrence in occurrences:
            weight = settings.weights[occurrence.case - 1]
            if settings.probabilities and occurrence.probability is not None:
                weight = occurrence.probability
            weights.append(0 if occurrence.case in settings.discard else weight)
        used = [occurrence.case not in settings.discard for occurrence in occurrences]
        return {"weight": weights, "used": used}

    def score(self, sums: Sums) -> Scores:
        """Σ w·n / Σ n."""
        return {"apt": 100 * ratio(sums["weight"], sums["used"])}

    def counts(self, items: Items[Texts, Occurrence], candidate: int) -> Columns:
        occurrences = items.values[candidate]
        cases = np.array([occurrence.case for occurrence in occurrences])
        return {
            **{f"case_{case}": cases == case for case in CASES},
            "repaired_in_reference": [pronoun.reference.moved for pronoun in occurrences],
            "repaired_in_candidate": [pronoun.translation.moved for pronoun in occurrences],
        }

    def signature(self, items: Items[Texts, Occurrence]) -> Sequence[str]:
        settings = self.settings
        start = "source"
        if settings.tokens is not None:
            places = [(item.anchor.line, item.anchor.position) for item in items.values[0]]
            digest = hashlib.sha256(repr(places).encode()).hexdigest()[:8]
            start = f"tokens-{digest}"
        return [
            *super().signature(items),
            f"from:{start}",
            f"cases:{''.join(str(case) for case in CASES if case not in settings.discard)}",
            f"weights:{','.join(f'{weight:g}' for weight in settings.weights)}",
            *(["probabilities:yes"] if settings.probabilities else []),
            f"repair:{settings.repair}",
        ]

    def verdicts(self, items: Items[Texts, Occurrence], candidate: int) -> Sequence[int]:
        return [occurrence.case - 1 for occurrence in items.values[candidate]]

    def tables(self, evaluation: Evaluation) -> list[Table]:
        settings, size = self.settings, max(evaluation.items.size, 1)
        rows: list[list[Cell | str]] = []
        for case, name, weight in zip(CASES, CASE_NAMES, settings.weights, strict=True):
            shown = "p" if case == 2 and settings.probabilities else f"{weight:g}"
            row: list[Cell | str] = [f"{case} {name}"]
            row.append("discarded" if case in settings.discard else shown)
            for place, candidate in enumerate(evaluation.candidates):
                number = candidate.counts[f"case_{case}"]
                filters = {"candidate": place, "verdict": case - 1}
                row.append(Cell(f"{number:,}", None, filters, f"{number / size:.1%}"))
            rows.append(row)
        notes = []
        if settings.repair != "off":
            counts = [
                f"{candidate.counts['repaired_in_candidate']:,} in {candidate.name}"
                for candidate in evaluation.candidates
            ]
            reference = evaluation.candidates[0].counts["repaired_in_reference"]
            notes = [f"Repaired links: {reference:,} in the reference, {', '.join(counts)}."]
        cases = Table(("case", "weight", *evaluation.names), rows, "Cases", 1, notes)
        return [*score_tables(evaluation), cases]
