"""Items that systems translate differently, as examples on the page of a report."""

from __future__ import annotations

import html
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from crosspro.evaluation.core.evaluation import Evaluation
from crosspro.evaluation.output.page import Section, differing_numbers


def differing_examples(evaluation: Evaluation, most: int) -> list[Section]:
    """A section with some of the items whose verdict is not the same in all systems, if any."""
    numbers, total = differing_numbers(evaluation, most)
    if not numbers:
        return []
    metric = evaluation.metric
    content = metric.examples(evaluation.scored, numbers).content()
    body = "".join(_example(content, one) for one in content["examples"])
    note = (
        f"{len(numbers):,} of {total:,} pronouns that {metric.measures[metric.headline]} judges "
        "differently in different systems, evenly spread over the text; "
        f"`crosspro {metric.name} --html` shows all."
    )
    return [Section("Where systems differ", body, note)]


def _example(content: Mapping[str, Any], example: Sequence[Any]) -> str:
    _, pronoun, _, lines, references, candidates = example
    number, document, source, ours, theirs = content["lines"][lines[-1]]
    texts = content["texts"]
    where = f"line {number + 1}{f' · {document}' if document else ''}"
    (mark,) = references[0]
    rows = [
        _row("source", _marked(texts[source], mark[3], "source")),
        _row("reference", _marked(texts[ours[0][0]], mark[4], "")),
    ]
    for name, version, rendering in zip(content["candidates"], theirs, candidates, strict=True):
        verdict, kind = content["verdicts"][rendering[0]]
        places = [place for one in rendering[4] for place in one[4]]
        said = f'<span class="case kind-{kind}">{html.escape(verdict)}</span>'
        rows.append(_row(name, _marked(texts[version[0]], places, f"kind-{kind}"), said))
    word = content["pronouns"][pronoun]
    heading = f"<header><span>{html.escape(where)}</span><b>{html.escape(word)}</b></header>"
    return f'<article class="example">{heading}<dl>{"".join(rows)}</dl></article>'


def _row(name: str, text: str, verdict: str = "") -> str:
    return f"<dt>{html.escape(name)}{verdict}</dt><dd dir=auto>{text}</dd>"


def _marked(text: str, places: Collection[int], kind: str) -> str:
    """The words of a line, those that matter marked."""
    return " ".join(
        f'<mark class="{kind}">{html.escape(word)}</mark>' if place in places else html.escape(word)
        for place, word in enumerate(text.split(" "))
    )
