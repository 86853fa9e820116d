"""Pronouns that people check by hand: what was decided of them, and what people say instead.

003 §3.3.3 checked by hand which pronouns the subject filter had kept and removed in the test sets,
and took out what was no subject. 000 §2.3 checked the links of a hundred pronouns. The sheets are
in `evaluation/human/pronoun_sheet.py`; here are the decisions that they show, of all pronouns or
of a sample, and the corrections that come back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from crosspro.data_prep.core.example import Link
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.core.token import AnnotatedSentence
from crosspro.data_prep.gaps.extract import source_pronouns
from crosspro.data_prep.gaps.subjects.filter import judge_subjects
from crosspro.data_prep.gaps.subjects.judgement import SubjectJudgement

KEPT, REMOVED, UNFILTERED = "kept", "removed", "unfiltered"
FILTER_DECISIONS = (KEPT, REMOVED, UNFILTERED)
"""What the subject filter did; it does not ask of every pronoun."""


@dataclass(frozen=True, slots=True)
class PronounDecision:
    """A source pronoun, the target words linked to it, and what the filter did by which rule."""

    line: int
    position: int
    source: tuple[str, ...]
    target: tuple[str, ...]
    linked: tuple[int, ...]
    filter: str
    rule: str


@dataclass(frozen=True, slots=True)
class Correction:
    """What people say: whether it is a subject, and which words translate it; None is not said."""

    subject: bool | None = None
    words: tuple[int, ...] | None = None


Corrections = Mapping[int, Mapping[int, Correction]]
"""By line and position, both from 0."""


@dataclass
class HandCheck:
    """What people correct, and the decisions that they are asked for or have checked.

    `sample` is how many of each decision of the filter are kept for a sheet: none, unless it is
    said. `checked` are the decisions of what people have corrected or confirmed.
    """

    corrections: Corrections = field(default_factory=dict)
    sample: int | None = None
    seed: int = 12345
    totals: Counter[str] = field(default_factory=Counter)
    drawn: dict[str, list[PronounDecision]] = field(default_factory=dict)
    checked: list[PronounDecision] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._generator = np.random.default_rng(self.seed)

    def see(self, decisions: Iterable[PronounDecision]) -> None:
        """Count decisions; keep those that were checked, and a random sample of all."""
        for one in decisions:
            self.totals[one.filter] += 1
            if one.position in self.corrections.get(one.line, {}):
                self.checked.append(one)
            if self.sample is not None:
                self._draw(one, self.drawn.setdefault(one.filter, []), self.sample)

    def _draw(self, one: PronounDecision, drawn: list[PronounDecision], size: int) -> None:
        """Every decision stays with the same probability, however many there are."""
        if len(drawn) < size:
            drawn.append(one)
            return
        place = int(self._generator.integers(self.totals[one.filter]))
        if place < size:
            drawn[place] = one

    def sampled(self) -> list[PronounDecision]:
        """The sample in the order of the text."""
        found = (one for own in self.drawn.values() for one in own)
        return sorted(found, key=lambda one: (one.line, one.position))


def pronoun_decisions(
    task: Task,
    line: int,
    source: Sequence[str],
    target: Sequence[str],
    links: Sequence[Link],
    annotated: AnnotatedSentence | None,
    keep_expletives: bool | None,
) -> list[PronounDecision]:
    """What is decided of each source pronoun of a segment; without annotation nothing is filtered.

    Tasks with null subjects have no such pronouns.
    """
    verdicts: Mapping[int, SubjectJudgement] = {}
    if annotated is not None:
        verdicts = judge_subjects(annotated, task, keep_expletives)
    decisions = []
    for position in source_pronouns(source, task):
        found = verdicts.get(position)
        decision = UNFILTERED if found is None else KEPT if found.subject else REMOVED
        linked = tuple(sorted({t for s, t in links if s == position}))
        rule = "" if found is None else found.rule
        decisions.append(
            PronounDecision(line, position, tuple(source), tuple(target), linked, decision, rule)
        )
    return decisions


def corrected_links(links: Sequence[Link], own: Mapping[int, Correction]) -> Sequence[Link]:
    """The links of a segment, with those of corrected pronouns in the place of what they had."""
    words = {position: one.words for position, one in own.items() if one.words is not None}
    if not words:
        return links
    kept = [link for link in links if link[0] not in words]
    return sorted([*kept, *((s, t) for s, found in words.items() for t in found)])
