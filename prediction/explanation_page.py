"""An explanation as one self-contained HTML page, with the sentence in colours."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence

from crosspro.data_prep.core.errors import printable
from crosspro.evaluation.output.template import SHARED, cell_table, fill_page
from crosspro.prediction.evidence import Evidence, EvidenceTable, Explanation
from crosspro.prediction.explained_gap import ExplainedGap, shown_cell, verdict

_DARKEST = 0.5
_LOUD = 0.1
"""Tokens with at least this share of the loudest one's number show theirs."""


def explanation_page(explained: ExplainedGap, subtitle: str, most: int) -> str:
    """The page; tables have at most so many rows."""
    notes = (f'<p class="note">{_text(note)}</p>' for note in explained.notes)
    parts = {
        "title": _text(explained.title),
        "subtitle": _text(subtitle),
        "sections": "".join((*notes, *_sections(explained.explanation, explained, most))),
    }
    return fill_page(SHARED / "explanation.html", parts)


def _sections(explanation: Explanation, explained: ExplainedGap, most: int) -> Iterator[str]:
    yield f"<h2>{_text(verdict(explanation))}</h2>"
    evidence = explanation.evidence
    if evidence is None:
        yield _sentences(explained, explanation.chosen, Evidence(""))
        yield '<p class="note">This system cannot explain its decisions.</p>'
        yield _chances(explanation)
        return
    yield _sentences(explained, explanation.chosen, evidence)
    pair = [_text(one) for one in (explanation.chosen, explanation.against)]
    if evidence.source or evidence.target:
        key = "".join(
            f'<span class="tok" style="background:rgba(var(--{kind}),{_DARKEST})">'
            f"speaks for {name}</span>"
            for kind, name in zip(("for", "against"), pair, strict=True)
        )
        yield f'<p class="note key">{key}</p>'
    yield f'<p class="note">{_text(evidence.how)}</p>'
    yield _chances(explanation)
    for table in evidence.tables:
        yield _table(table, most)
    for member in evidence.members:
        heading = f"{_text(member.label)}, weight {member.weight:.3f}"
        yield f'<div class="member"><p class="note">{heading}</p>'
        yield from _sections(member.explanation, explained, most)
        yield "</div>"


def _sentences(explained: ExplainedGap, chosen: str, evidence: Evidence) -> str:
    example, gap = explained.example, explained.gap
    target = list(example.target)
    target[gap.position] = f"▢ {chosen}"
    loudest = max(map(abs, (*evidence.source, *evidence.target)), default=0.0)
    sides = (
        ("source", example.source, evidence.source, gap.source_index),
        ("target", target, evidence.target, gap.position),
    )
    return "".join(
        f'<p class="sentence"><b>{name}</b> {_tokens(words, values, place, loudest)}</p>'
        for name, words, values, place in sides
    )


def _tokens(words: Sequence[str], values: Sequence[float], place: int, loudest: float) -> str:
    shown = []
    for number, word in enumerate(words):
        value = values[number] if values else 0.0
        share = abs(value) / loudest if loudest else 0.0
        kind = "for" if value > 0 else "against"
        style = f' style="background:rgba(var(--{kind}),{_DARKEST * share:.3f})"' if share else ""
        title = f' title="{value:+.4f}"' if value else ""
        mark = " pronoun" if number == place else ""
        amount = f"<small>{value:+.2f}</small>" if share >= _LOUD else ""
        shown.append(f'<span class="tok{mark}"{style}{title}>{_text(word)}{amount}</span>')
    return " ".join(shown)


def _chances(explanation: Explanation) -> str:
    rows = []
    for name, chance in sorted(explanation.probabilities.items(), key=lambda item: -item[1]):
        shown = _text(name)
        bar = f'<i style="width:{100 * chance:.1f}%"></i>'
        rows.append(
            [
                f"<b>{shown}</b>" if name == explanation.chosen else shown,
                f"{chance:.3f}",
                f'<span class="share" aria-hidden="true">{bar}</span>',
            ]
        )
    return f'<div class="scroll">{cell_table(("class", "probability", ""), rows)}</div>'


def _table(table: EvidenceTable, most: int) -> str:
    rows = [[shown_cell(cell) for cell in row] for row in table.rows[:most]]
    left = len(table.rows) - len(rows)
    notes = [f"… and {left:,} more"] if left else []
    notes += [table.note] if table.note else []
    note = "".join(f'<p class="note">{_text(text)}</p>' for text in notes)
    body = cell_table(
        [printable(name) for name in table.columns], [[*map(_text, row)] for row in rows]
    )
    return f'<h2>{_text(table.title)}</h2><div class="scroll">{body}</div>{note}'


def _text(text: str) -> str:
    """Text for a page: what would steer a terminal that shows the file is seen as an escape."""
    return html.escape(printable(text))
