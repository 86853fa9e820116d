"""The HTML page of an evaluation: its tables, and the examples behind their numbers.

Pages are self-contained files from the Jinja templates in `html/`. Jinja escapes every text, and
data goes into a script element through its `tojson` filter, which leaves no `<` in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np

from crosspro.evaluation.evaluation import Evaluation, Score
from crosspro.evaluation.report.tables import Cell, evaluation_tables

TEMPLATES = Path(__file__).resolve().parent / "html"
MOST_EXAMPLES = 20_000
"""A page with so many is still quick."""


def evaluation_page(evaluation: Evaluation, max_examples: int = MOST_EXAMPLES) -> str:
    numbers = shown_numbers(evaluation, max_examples)
    examples = evaluation.metric.examples(evaluation.items, numbers)
    cut_note = ""
    if examples is not None and len(examples.examples) < examples.total:
        cut_note = (
            f"Only {len(examples.examples):,} of {examples.total:,} {examples.terms.shown} are "
            "here, wrong ones before right ones, so numbers below are smaller than those above."
        )
    return render_page(
        TEMPLATES / "evaluation.html",
        title=evaluation.metric.display.title,
        subtitle=evaluation.items.description,
        warnings=evaluation.warnings,
        sections=evaluation_tables(evaluation),
        examples=examples,
        cut_note=cut_note,
        signatures=[evaluation.signature],
    )


def render_page(template: Path, **content: Any) -> str:
    """A page; its template may extend and include those of `html/`."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader([template.parent, TEMPLATES]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.policies["json.dumps_kwargs"] = {
        "ensure_ascii": False,
        "separators": (",", ":"),
        "default": lambda value: list(value) if isinstance(value, range) else vars(value),
    }
    environment.tests["cell"] = lambda value: isinstance(value, Cell)
    environment.filters["bar"] = score_bar
    return environment.get_template(template.name).render(content)


def score_bar(score: Score | None) -> dict[str, float] | None:
    """Where a score and its interval stand on a bar from 0 to 100; none if undefined."""
    if score is None or isnan(score.value):
        return None
    place = {"value": min(max(score.value, 0.0), 100.0)}
    if score.low is not None and score.high is not None:
        left, right = (min(max(end, 0.0), 100.0) for end in (score.low, score.high))
        place |= {"left": left, "width": right - left}
    return place


def shown_numbers(evaluation: Evaluation, limit: int = MOST_EXAMPLES) -> list[int]:
    """The items that a page has room for, evenly spread: wrong ones first."""
    metric, items = evaluation.metric, evaluation.items
    kinds = np.array([kind != "right" for _, kind in metric.display.verdicts], dtype=bool)
    wrong = np.zeros(items.size, dtype=bool)
    for place in range(len(items.candidates)):
        verdicts = np.asarray(metric.verdicts(items, place), dtype=np.int64)
        if len(verdicts):
            wrong |= kinds[verdicts]
    chosen: list[int] = []
    for numbers in (np.flatnonzero(wrong), np.flatnonzero(~wrong)):
        chosen += spread_over(numbers.tolist(), limit - len(chosen))
    return sorted(chosen)


def differing_numbers(evaluation: Evaluation, limit: int) -> list[int]:
    """Some items on which candidates have different verdicts."""
    metric, items = evaluation.metric, evaluation.items
    places = range(len(items.candidates))
    verdicts = np.array([metric.verdicts(items, place) for place in places])
    return spread_over(np.flatnonzero((verdicts != verdicts[:1]).any(axis=0)).tolist(), limit)


def spread_over(numbers: Sequence[int], limit: int) -> list[int]:
    """All numbers, or as many as allowed, evenly spread."""
    if len(numbers) <= limit:
        return list(numbers)
    return [numbers[place * len(numbers) // limit] for place in range(limit)]
