"""Gaps of whole texts: each segment with its links and annotation becomes an example.

What was decided is counted on the way, for the report, and people may check it by hand. 003 §3.3.3
checked by hand which pronouns the subject filter had kept and removed in the test sets, and took
out what was no subject. 000 §2.3 checked the links of a hundred pronouns. The sheets are in
`pipeline/pronoun_sheet.py`; here are the decisions that they show, of all pronouns or of a
sample, and the corrections that come back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from crosspro.data_prep.annotate.tokenise import TokenisedSegment
from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.example import AnnotatedSentence, Example, Link
from crosspro.data_prep.core.task import OTHER, Task
from crosspro.data_prep.gaps.clitics import attached, clitic_links
from crosspro.data_prep.gaps.extract import (
    GapRules,
    Placement,
    make_example,
    place_gaps,
    source_pronouns,
)
from crosspro.data_prep.gaps.null_subjects import place_null_subjects
from crosspro.data_prep.gaps.subjects.filter import ambiguous_pronouns, judge_subjects
from crosspro.data_prep.gaps.subjects.words import SubjectJudgement

KEPT, REMOVED, UNFILTERED = "kept", "removed", "unfiltered"
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
        for decision in decisions:
            self.totals[decision.filter] += 1
            if decision.position in self.corrections.get(decision.line, {}):
                self.checked.append(decision)
            if self.sample is not None:
                self._draw(decision, self.drawn.setdefault(decision.filter, []), self.sample)

    def _draw(self, decision: PronounDecision, drawn: list[PronounDecision], size: int) -> None:
        """Every decision stays with the same probability, however many there are."""
        if len(drawn) < size:
            drawn.append(decision)
            return
        place = int(self._generator.integers(self.totals[decision.filter]))
        if place < size:
            drawn[place] = decision

    def sampled(self) -> list[PronounDecision]:
        """The sample in the order of the text."""
        sample = (decision for drawn in self.drawn.values() for decision in drawn)
        return sorted(sample, key=lambda decision: (decision.line, decision.position))


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
        verdict = verdicts.get(position)
        decision = UNFILTERED if verdict is None else KEPT if verdict.subject else REMOVED
        linked = tuple(sorted({t for s, t in links if s == position}))
        rule = "" if verdict is None else verdict.rule
        decisions.append(
            PronounDecision(line, position, tuple(source), tuple(target), linked, decision, rule)
        )
    return decisions


def corrected_links(links: Sequence[Link], corrections: Mapping[int, Correction]) -> Sequence[Link]:
    """The links of a segment, with those of corrected pronouns in the place of what they had."""
    words = {
        position: correction.words
        for position, correction in corrections.items()
        if correction.words is not None
    }
    if not words:
        return links
    kept = [link for link in links if link[0] not in words]
    return sorted([*kept, *((s, t) for s, targets in words.items() for t in targets)])


@dataclass
class Counts:
    """Every decision that was made, for the report."""

    decisions: Counter[str] = field(default_factory=Counter)
    subject_rules: Counter[str] = field(default_factory=Counter)
    before: Counter[str] = field(default_factory=Counter)
    after: Counter[str] = field(default_factory=Counter)
    backed_off: int = 0


def segment_examples(
    task: Task,
    segments: Iterable[TokenisedSegment],
    links: Iterable[Sequence[Link]],
    targets: Iterable[AnnotatedSentence],
    sources: Iterable[AnnotatedSentence | None],
    rules: GapRules,
    counts: Counts,
    check: HandCheck | None = None,
) -> Iterator[Example]:
    """The example of each segment; what belongs to a segment comes at the same place of each.

    A hand check sees what is decided of pronouns, and its corrections are followed.
    """
    all_of_them = zip(segments, links, targets, sources, strict=True)
    for line, (segment, pairs, target, source) in enumerate(all_of_them):
        if len(target.tokens) != len(segment.target):
            raise input_error(
                "annotation",
                "tokens",
                f"{len(segment.target)} as in the text",
                f"{len(target.tokens)}: {' '.join(segment.target)[:60]}",
            )
        columns = target.columns if task.tagged else (tuple(segment.target), None)
        corrections: Mapping[int, Correction] = {}
        if check is not None:
            expletives = rules.keep_expletives
            words = segment.source, segment.target
            check.see(pronoun_decisions(task, line, *words, pairs, source, expletives))
            corrections = check.corrections.get(line, {})
            pairs = corrected_links(pairs, corrections)
        if rules.clitics:
            languages = task.source_language, task.target_language
            pairs = clitic_links(languages, segment.source, segment.target, pairs)
        before, placements = segment_placements(
            task, segment, pairs, target, source, rules, counts, corrections
        )
        text = segment.source, segment.target, columns, pairs
        example = make_example(*text, placements, task, segment.document, rules.one_link)
        counts.decisions.update(placement.decision for placement in placements)
        counts.after.update(gap.label for gap in example.gaps if gap.label)
        if before is not placements:
            unfiltered = make_example(*text, before, task)
            counts.before.update(gap.label for gap in unfiltered.gaps if gap.label)
        else:
            counts.before.update(gap.label for gap in example.gaps if gap.label)
        yield example


def segment_placements(
    task: Task,
    segment: TokenisedSegment,
    links: Sequence[Link],
    target: AnnotatedSentence,
    source: AnnotatedSentence | None,
    rules: GapRules,
    counts: Counts,
    corrections: Mapping[int, Correction] | None = None,
) -> tuple[list[Placement], list[Placement]]:
    """Where the gaps of a segment go before pronouns that are no subjects are left out, and after.

    The same list twice where nothing is left out. What people correct is followed.
    """
    null: list[Placement] = []
    if task.null_subjects and source is not None:
        null = place_null_subjects(source, target, links, rules)
        if not task.source_pronouns:
            return null, null
    before, after = _overt(task, segment, links, source, rules, counts, corrections or {})
    if not null:
        return before, after
    return _beside(before, null), _beside(after, null)


def _beside(overt: Sequence[Placement], null: Sequence[Placement]) -> list[Placement]:
    """Placements of both kinds in the order of the source; a word is the gap of one of them."""
    taken = {placement.position for placement in overt if not placement.inserted}
    sources = {placement.source_index for placement in overt}
    more = [
        placement
        for placement in null
        if placement.source_index not in sources
        and (placement.inserted or placement.position not in taken)
    ]
    return sorted([*overt, *more], key=lambda placement: placement.source_index)


def linked_pronouns(
    segment: TokenisedSegment, links: Sequence[Link], task: Task, clitics: bool
) -> list[int]:
    """The source pronouns, without words that only a link to a class could tell to be any (le).

    With `clitics` those whose translation is a part of its verb (verlo) are left out, too.
    """
    pronouns = source_pronouns(segment.source, task)
    if not pronouns or not (task.linked or clitics):
        return pronouns
    linked = {s for s, t in links if task.class_of(segment.target[t].lower()) != OTHER}
    parts = (
        {s for s, t in links if attached(segment.target[t], task.target_language)}
        if clitics
        else set()
    )
    return [
        place
        for place in pronouns
        if place in linked
        or (segment.source[place].lower() not in task.linked and place not in parts)
    ]


def _overt(
    task: Task,
    segment: TokenisedSegment,
    links: Sequence[Link],
    source: AnnotatedSentence | None,
    rules: GapRules,
    counts: Counts,
    corrections: Mapping[int, Correction],
) -> tuple[list[Placement], list[Placement]]:
    """The placements of all source pronouns, and of those that are subjects.

    What people say of a pronoun counts more than the filter, and where that does not ask.
    """
    pronouns = linked_pronouns(segment, links, task, rules.clitics)
    size = len(segment.source)
    before = [
        _of_linked(placement, segment, task)
        for placement in place_gaps(size, segment.target, links, pronouns, task, rules)
    ]
    subjects: dict[int, bool] = {}
    if source is not None and ambiguous_pronouns(source, task):
        verdicts = judge_subjects(source, task, rules.keep_expletives)
        counts.subject_rules.update(verdict.rule for verdict in verdicts.values())
        subjects = {position: verdict.subject for position, verdict in verdicts.items()}
    subjects |= {p: c.subject for p, c in corrections.items() if c.subject is not None}
    if not subjects:
        return before, before
    kept = [p for p in pronouns if subjects.get(p, True)]
    counts.decisions["filtered_not_subject"] += len(pronouns) - len(kept)
    if len(kept) == len(pronouns):
        return before, before
    return before, place_gaps(size, segment.target, links, kept, task, rules)


def _of_linked(placement: Placement, segment: TokenisedSegment, task: Task) -> Placement:
    """A placement, without its place if another pronoun got the word of a class that told it."""
    place, word = placement.position, segment.source[placement.source_index]
    if place is None or word.lower() not in task.linked:
        return placement
    if not placement.inserted and task.class_of(segment.target[place].lower()) != OTHER:
        return placement
    return Placement(placement.source_index, "left_out_shared", None)
