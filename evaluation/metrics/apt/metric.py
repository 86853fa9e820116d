"""APT, the accuracy of pronoun translation: Σ w·n / Σ n over the six cases (000 §2.4)."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from crosspro.data_prep.core.errors import counted
from crosspro.data_prep.core.task import NONE, OTHER
from crosspro.evaluation.core.evaluation import Evaluation
from crosspro.evaluation.core.metric import Part, Scored
from crosspro.evaluation.core.statistics import Floats, ratio
from crosspro.evaluation.core.tables import BarChart, Cell, Count, Figure, Matrix, Table
from crosspro.evaluation.inputs.anchors import Anchor, source_anchors
from crosspro.evaluation.inputs.case_records import CASE_NAMES, CASES
from crosspro.evaluation.inputs.mt_input import MtInput
from crosspro.evaluation.inputs.pronoun_lists import lists_to_mapping
from crosspro.evaluation.metrics.apt.cases import (
    UNLISTED,
    Occurrence,
    Side,
    judge,
    translation_sides,
)
from crosspro.evaluation.metrics.apt.settings import AptSettings, Heuristics
from crosspro.evaluation.metrics.linked_metric import (
    LinkedMetric,
    ShownPronoun,
    foreign_texts,
    linked_record,
    linked_scored,
)
from crosspro.evaluation.output.examples import Mark, Rendering

REPAIRED, AS_LINKED, COUNTED, ALL = "links repaired", "as they were", "pronouns", "all candidates"


ScoredText = Scored[MtInput, Occurrence]
"""Source pronouns of some text, with their cases."""


class Apt(LinkedMetric[AptSettings, Occurrence]):
    """The cases of each source pronoun, weighed."""

    name = "apt"
    settings_class = AptSettings
    title = "Accuracy of pronoun translation (APT)"
    called = "APT"
    measures = {"apt": "APT"}
    headline = "apt"
    printed_matrices = True
    verdict_kinds = tuple(
        (f"{case} {name}", kind)
        for case, name, kind in zip(
            CASES, CASE_NAMES, ("right", "part", "wrong", "wrong", "open", "open"), strict=True
        )
    )

    def items(self, data: MtInput) -> ScoredText:
        """The pronouns of the lists, or given tokens, with their case in each candidate."""
        self.settings.check()
        lists, heuristics = data.pronouns, self.settings.repairs
        listed = data.anchors
        anchors = source_anchors(data.source, lists) if listed is None else list(listed)
        ours = translation_sides(anchors, data.source, data.reference, lists, heuristics)
        places = range(len(data.candidates))
        found = [self._judged(data, anchors, ours, place, heuristics) for place in places]
        warnings: Iterable[str] = ()
        if lists.target_pronouns:
            labels = ((one.candidate.labels for one in own) for own in found)
            warnings = foreign_texts(data, (side.labels for side in ours), labels)
        return linked_scored(data, anchors, found, warnings, lists=lists_to_mapping(lists))

    def _judged(
        self,
        data: MtInput,
        anchors: Sequence[Anchor],
        ours: Iterable[Side],
        place: int,
        heuristics: Heuristics | None,
    ) -> list[Occurrence]:
        candidate = data.candidates[place]
        theirs = translation_sides(anchors, data.source, candidate, data.pronouns, heuristics)
        return judge(anchors, ours, theirs, data.pronouns, self.settings.others)

    def statistics(self, scored: ScoredText, system: int) -> Floats:
        """The weight of an occurrence if its case is used, and whether; its case; repairs."""
        rows = np.zeros((scored.size, 4 + len(CASES)))
        for row, one in zip(rows, scored.items[system], strict=True):
            if one.case in self.settings.used:
                weight = self.settings.weights[one.case - 1]
                if self.settings.probabilities and one.probability is not None:
                    weight = one.probability
                row[:2] = weight, 1
            row[1 + one.case] = 1
            row[-2:] = one.reference.repaired, one.candidate.repaired
        return rows

    def parts(self, scored: ScoredText, system: int) -> Iterable[Part]:
        """Everything, by the first two columns."""
        return (Part(columns=(0, 1)),)

    def score(self, sums: Floats) -> Mapping[str, Floats]:
        """Σ w·n / Σ n; not defined where no occurrence is used at all."""
        values = ratio(sums)
        if not sums[:, 1].any():
            values[:] = np.nan
        return {"apt": values}

    def counts(self, sums: Floats) -> Mapping[str, int]:
        """How many pronouns are in each case, and how many links were repaired."""
        names = [f"case_{case}" for case in CASES]
        names += ["repaired_in_reference", "repaired_in_candidate"]
        return {name: int(number) for name, number in zip(names, sums[2:], strict=True)}

    def verdicts(self, scored: ScoredText, system: int) -> Sequence[int]:
        """The case of each occurrence, from 0."""
        return [item.case - 1 for item in scored.items[system]]

    def described(self, scored: ScoredText, part: Part, measure: str, system: int) -> list[str]:
        """Lists, texts, pronouns, cases, weights, repair and links."""
        data, own = scored.data, self.settings
        start = "source"
        if data.anchors is not None:
            places = (f"{anchor.sentence} {anchor.position}\n" for anchor in data.anchors)
            start = f"tokens-{hashlib.sha256(''.join(places).encode()).hexdigest()[:8]}"
        return [
            "metric:APT",
            f"pronouns:{data.pronouns.name}-{data.pronouns.digest}",
            f"text:{scored.facts['text']}",
            f"occurrences:{scored.size}",
            f"from:{start}",
            f"cases:{''.join(map(str, own.used))}",
            f"weights:{','.join(f'{w:g}' for w in own.weights)}",
            *(["probabilities:yes"] if own.probabilities else []),
            f"other:{own.others}",
            f"repair:{own.repairs or 'none'}",
            f"links:{data.links}",
        ]

    def heading(self, scored: ScoredText) -> str:
        """How many pronouns, and against which reference."""
        reference = scored.data.reference.name
        return f"APT of {counted(scored.size, 'pronoun')}, reference {reference}"

    def tables(self, evaluation: Evaluation) -> Sequence[Table]:
        """How many pronouns of each candidate are in each case."""
        own, systems = self.settings, evaluation.systems
        size = max(evaluation.scored.size, 1)
        rows: list[list[Cell]] = []
        for case, name, weight in zip(CASES, CASE_NAMES, own.weights, strict=True):
            shown = "discarded" if case in own.discard else f"{weight:g}"
            if case == 2 and own.probabilities and case not in own.discard:
                shown = "p"
            numbers = [system.total.counts[f"case_{case}"] for system in systems]
            cells = [
                Count(number, {"candidate": place, "verdict": case - 1}, number / size)
                for place, number in enumerate(numbers)
            ]
            rows.append([f"{case} {name}", shown, *cells])
        notes: tuple[str, ...] = ()
        if own.repair:
            ours = systems[0].total.counts["repaired_in_reference"]
            theirs = [f"{s.total.counts['repaired_in_candidate']} in {s.name}" for s in systems]
            notes = (f"Repaired links: {ours} in the reference, {', '.join(theirs)}.",)
        return [Table(("case", "weight", *evaluation.names), rows, "Cases", notes=notes)]

    def matrices(self, scored: ScoredText) -> Sequence[Matrix]:
        """Reference labels against candidate labels; cases that are used only."""
        return [self._matrix(scored.data, own) for own in scored.items]

    def _matrix(self, data: MtInput, occurrences: Sequence[Occurrence]) -> Matrix:
        """Labels in the order of the list (of frequency where there is none), and the counts."""
        cells = [
            occurrence.cell for occurrence in occurrences if occurrence.case in self.settings.used
        ]
        labels = list(dict.fromkeys(map(data.pronouns.label, data.pronouns.target_pronouns)))
        if not labels:
            words = Counter(label for cell in cells for label in cell)
            words.pop(NONE, None)
            labels = sorted(words, key=lambda word: (-words[word], word))
        unlisted = [UNLISTED] if any(UNLISTED in cell for cell in cells) else []
        labels += [label for label in (OTHER, NONE, *unlisted) if label not in labels]
        index = {label: number for number, label in enumerate(labels)}
        matrix = np.zeros((len(labels), len(labels)), dtype=np.int64)
        for row, column in cells:
            matrix[index[row], index[column]] += 1
        return Matrix(tuple(labels), matrix)

    def figure(self, scored: ScoredText) -> Figure | None:
        """The cases of each candidate and of all, with and without repair (000 Figure 2)."""
        if not scored.size:
            return None
        counts = [{COUNTED: case_counts(own)} for own in scored.items]
        unrepaired = self.unrepaired_counts(scored)
        if unrepaired:
            pairs = zip(scored.items, unrepaired, strict=True)
            counts = [{REPAIRED: case_counts(own), AS_LINKED: other} for own, other in pairs]
        named = list(zip(scored.systems, counts, strict=True))
        if len(named) > 1:
            together = {
                name: [sum(column) for column in zip(*(own[name] for own in counts), strict=True)]
                for name in counts[0]
            }
            named.append((ALL, together))
        rows = [f"{case} {name}" for case, name in zip(CASES, CASE_NAMES, strict=True)]
        charts = [BarChart(name, rows, own) for name, own in named]
        note = "In per cent of all pronouns, whatever cases are discarded."
        return Figure("Distribution of cases", charts, note)

    def unrepaired_counts(self, scored: ScoredText) -> list[list[int]]:
        """The cases of each candidate if links stay as they are; none if they were not repaired."""
        if self.settings.repairs is None:
            return []
        data = scored.data
        anchors = [item.anchor for item in scored.items[0]]
        ours = translation_sides(anchors, data.source, data.reference, data.pronouns, None)
        places = range(len(scored.systems))
        return [case_counts(self._judged(data, anchors, ours, place, None)) for place in places]

    def details(self, scored: ScoredText, system: int) -> Iterator[Mapping[str, Any]]:
        """Each occurrence with both sides, its case and its sentences."""
        for item in scored.items[system]:
            own = {
                "reference": _side(item.reference),
                "candidate": _side(item.candidate),
                "case": item.case,
                "probability": item.probability,
            }
            yield linked_record(scored.data, item.anchor, system, own)

    def shown(self, scored: ScoredText, numbers: Iterable[int]) -> list[ShownPronoun]:
        """Occurrences with their case in each candidate."""

        def mark(anchor: Anchor, side: Side) -> Mark:
            return Mark(0, (anchor.position,), side.positions, repaired=side.repaired)

        shown: list[ShownPronoun] = []
        for number in numbers:
            own = [items[number] for items in scored.items]
            anchor = own[0].anchor
            renderings = [
                Rendering(one.case - 1, *one.cell, [mark(anchor, one.candidate)]) for one in own
            ]
            shown.append((anchor, mark(anchor, own[0].reference), renderings))
        return shown


def case_counts(occurrences: Iterable[Occurrence]) -> list[int]:
    """How many occurrences are in each case."""
    found = Counter(occurrence.case for occurrence in occurrences)
    return [found[case] for case in CASES]


def _side(side: Side) -> dict[str, Any]:
    return {
        "positions": list(side.positions),
        "words": list(side.words),
        "labels": list(side.labels),
        "repair": side.repair.value,
    }


METRIC = Apt
