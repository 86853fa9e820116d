"""How pronouns spread over the six cases, with and without the repair of links (000 Figure 2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from crosspro.data_prep.core.errors import counted
from crosspro.evaluation.inputs.case_names import CASE_NAMES, CASES
from crosspro.evaluation.metrics.apt.cases import judge
from crosspro.evaluation.metrics.apt.score import AptEvaluation
from crosspro.evaluation.metrics.apt.sides import translation_sides
from crosspro.evaluation.output.bars import BarChart, bar_panels
from crosspro.evaluation.output.figure import FigurePanel, figure_file

REPAIRED, AS_LINKED = "links repaired", "as they were"
COUNTED = "pronouns"
ALL = "all candidates"


def case_charts(evaluation: AptEvaluation) -> list[BarChart]:
    """The cases of each candidate and, if there are several, of all of them together."""
    counts = [{COUNTED: result.counts} for result in evaluation.results]
    unrepaired = counts_without_repair(evaluation)
    if unrepaired is not None:
        counts = [
            {REPAIRED: result.counts, AS_LINKED: own}
            for result, own in zip(evaluation.results, unrepaired, strict=True)
        ]
    named = [(result.name, own) for result, own in zip(evaluation.results, counts, strict=True)]
    if len(named) > 1:
        together = {
            name: tuple(
                sum(numbers) for numbers in zip(*(own[name] for own in counts), strict=True)
            )
            for name in counts[0]
        }
        named.append((ALL, together))
    rows = [f"{case} {name}" for case, name in zip(CASES, CASE_NAMES, strict=True)]
    return [BarChart(name, rows, own) for name, own in named]


def counts_without_repair(evaluation: AptEvaluation) -> list[tuple[int, ...]] | None:
    """The cases of each candidate if links stay as they are; None if they were not repaired."""
    if evaluation.settings.repair is None or evaluation.starts_from == "reference":
        return None
    anchors = [one.anchor for one in evaluation.results[0].occurrences]
    source, lists = evaluation.source, evaluation.lists
    ours = translation_sides(anchors, source, evaluation.reference, lists, None)
    found = []
    for candidate in evaluation.candidates:
        theirs = translation_sides(anchors, source, candidate, lists, None)
        cases = Counter(
            one.case for one in judge(anchors, ours, theirs, lists, evaluation.settings.others)
        )
        found.append(tuple(cases[case] for case in CASES))
    return found


def case_panels(evaluation: AptEvaluation) -> list[FigurePanel]:
    """A panel of bars for each chart; none if there is no pronoun."""
    charts: Sequence[BarChart] = case_charts(evaluation)
    return bar_panels(charts) if evaluation.results[0].occurrences else []


def case_figure(evaluation: AptEvaluation) -> str:
    """The panels as one SVG file."""
    total = len(evaluation.results[0].occurrences)
    title = f"Cases of {counted(total, 'pronoun')}"
    return figure_file(title, case_panels(evaluation), [evaluation.results[0].score.signature])
