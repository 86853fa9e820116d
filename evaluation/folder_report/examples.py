"""Pronouns that systems translate differently, as examples on the page of a report."""

from __future__ import annotations

import html
from collections.abc import Sequence

from crosspro.evaluation.inputs.case_names import CASE_NAMES
from crosspro.evaluation.inputs.document_units import Documents
from crosspro.evaluation.inputs.linked_text import Text
from crosspro.evaluation.metrics.apt.cases import Occurrence
from crosspro.evaluation.metrics.apt.score import AptEvaluation
from crosspro.evaluation.output.examples import spread_over
from crosspro.evaluation.output.page import Section

_KINDS = ("right", "part", "wrong", "wrong", "open", "open")
"""What the six cases say of a translation."""


def differing_examples(
    evaluation: AptEvaluation, documents: Documents | None, most: int
) -> list[Section]:
    """A section with some of the pronouns whose case is not the same in all systems, if any."""
    results = evaluation.results
    differing = [
        number
        for number, cases in enumerate(
            zip(*([one.case for one in result.occurrences] for result in results), strict=True)
        )
        if len(set(cases)) > 1
    ]
    if not differing or not most:
        return []
    shown = [differing[place] for place in spread_over(len(differing), most)]
    body = "".join(_example(evaluation, number, documents) for number in shown)
    note = (
        f"{len(shown):,} of {len(differing):,} pronouns whose case of APT differs between systems, "
        "evenly spread over the text; `crosspro apt --html` shows all."
    )
    return [Section("Where systems differ", body, note)]


def _example(evaluation: AptEvaluation, number: int, documents: Documents | None) -> str:
    results = evaluation.results
    first = results[0].occurrences[number]
    line = first.anchor.sentence
    where = f"line {line + 1}"
    if documents is not None:
        where += f" · {documents.names[int(documents.of_line[line])]}"
    rows = [
        _row("source", _marked(evaluation.source, line, first.anchor.linked, "source")),
        _row(
            "reference",
            _marked(evaluation.reference.text, line, first.reference.positions, ""),
        ),
    ]
    for result, candidate in zip(results, evaluation.candidates, strict=True):
        one = result.occurrences[number]
        text = _marked(
            candidate.text, line, one.candidate.positions, f"kind-{_KINDS[one.case - 1]}"
        )
        rows.append(_row(result.name, text, _verdict(one)))
    heading = (
        f"<header><span>{html.escape(where)}</span><b>{html.escape(first.anchor.word)}</b></header>"
    )
    return f'<article class="example">{heading}<dl>{"".join(rows)}</dl></article>'


def _verdict(one: Occurrence) -> str:
    kind = _KINDS[one.case - 1]
    return (
        f'<span class="case kind-{kind}">{one.case} {html.escape(CASE_NAMES[one.case - 1])}</span>'
    )


def _row(name: str, text: str, verdict: str = "") -> str:
    return f"<dt>{html.escape(name)}{verdict}</dt><dd dir=auto>{text}</dd>"


def _marked(text: Text, line: int, places: Sequence[int], kind: str) -> str:
    """The words of a line, those that matter marked."""
    return " ".join(
        f'<mark class="{kind}">{html.escape(word)}</mark>' if place in places else html.escape(word)
        for place, word in enumerate(text.words(line))
    )
