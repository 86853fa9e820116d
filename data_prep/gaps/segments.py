"""Gaps of whole texts: each segment with its links and annotation becomes an example.

Decisions are counted for the report, and people may check them by hand: 003 §3.3.3 checked which
pronouns the subject filter had kept and removed in the test sets, 000 §2.3 the links of a hundred
pronouns. `Correction` is what comes back (`pipeline/sheet.py` reads and writes the sheets).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

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

KEPT, REMOVED, UNFILTERED = "kept", "removed", "unfiltered"
"""What the subject filter did; it does not judge every pronoun."""


@dataclass(frozen=True, slots=True)
class LinkedSegment:
    """A tokenised segment pair with its links.

    The target is annotated where the task is lemmatised or has null subjects, the source where
    subjects are looked for.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    links: Sequence[Link]
    document: str | None = None
    target_annotation: AnnotatedSentence | None = None
    source_annotation: AnnotatedSentence | None = None

    def example(self, task: Task, placements: Sequence[Placement], one_link: bool) -> Example:
        """The segment with gaps in these places."""
        annotation = self.target_annotation
        columns = annotation.columns if task.tagged and annotation else (self.target, None)
        text = self.source, self.target, columns, self.links
        return make_example(*text, placements, task, self.document, one_link)

    def with_clitics(self, task: Task) -> LinkedSegment:
        languages = task.source_language, task.target_language
        return replace(self, links=clitic_links(languages, self.source, self.target, self.links))


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
    """A person's answers: is it a subject, and which words translate it? None is no answer."""

    subject: bool | None = None
    words: tuple[int, ...] | None = None


Corrections = Mapping[int, Mapping[int, Correction]]
"""By line and position, both from 0."""


@dataclass
class Counts:
    """Every decision, for the report; those on single pronouns are listed where there is a list."""

    decisions: Counter[str] = field(default_factory=Counter)
    subject_rules: Counter[str] = field(default_factory=Counter)
    before: Counter[str] = field(default_factory=Counter)
    after: Counter[str] = field(default_factory=Counter)
    backed_off: int = 0
    pronouns: list[PronounDecision] | None = None


def pronoun_decisions(
    task: Task, line: int, segment: LinkedSegment, keep_expletives: bool | None
) -> Iterator[PronounDecision]:
    """What is decided of each source pronoun of a segment; without annotation nothing is filtered.

    Tasks with null subjects have no such pronouns.
    """
    annotation = segment.source_annotation
    judgements = {} if annotation is None else judge_subjects(annotation, task, keep_expletives)
    for position in source_pronouns(segment.source, task):
        judgement = judgements.get(position)
        outcome, rule = UNFILTERED, ""
        if judgement is not None:
            outcome, rule = KEPT if judgement.subject else REMOVED, judgement.rule
        linked = tuple(sorted({target for source, target in segment.links if source == position}))
        words = segment.source, segment.target
        yield PronounDecision(line, position, *words, linked, outcome, rule)


def _corrected(segment: LinkedSegment, corrections: Mapping[int, Correction]) -> LinkedSegment:
    """The segment with the links that people gave to its pronouns."""
    words = {
        place: answer.words for place, answer in corrections.items() if answer.words is not None
    }
    if not words:
        return segment
    kept = [link for link in segment.links if link[0] not in words]
    new = [(source, word) for source, some in words.items() for word in some]
    return replace(segment, links=sorted([*kept, *new]))


def segment_examples(
    task: Task,
    segments: Iterable[LinkedSegment],
    rules: GapRules,
    counts: Counts,
    corrections: Corrections | None = None,
) -> Iterator[Example]:
    """The example of each segment, with what people have corrected."""
    for line, segment in enumerate(segments):
        annotation = segment.target_annotation
        if annotation is not None and len(annotation.tokens) != len(segment.target):
            words = " ".join(annotation.forms)[:60]
            expected = f"{len(segment.target)} as in the text"
            raise input_error(
                "annotation", "tokens", expected, f"{len(annotation.tokens)}: {words}"
            )
        if counts.pronouns is not None:
            counts.pronouns += pronoun_decisions(task, line, segment, rules.keep_expletives)
        answers = (corrections or {}).get(line, {})
        corrected = _corrected(segment, answers)
        linked = corrected.with_clitics(task) if rules.clitics else corrected
        before, placements = segment_placements(task, linked, rules, counts, answers)
        example = linked.example(task, placements, rules.one_link)
        counts.decisions.update(placement.decision for placement in placements)
        counts.after.update(gap.label for gap in example.gaps if gap.label)
        unfiltered = example if before is placements else linked.example(task, before, False)
        counts.before.update(gap.label for gap in unfiltered.gaps if gap.label)
        yield example


def segment_placements(
    task: Task,
    segment: LinkedSegment,
    rules: GapRules,
    counts: Counts,
    corrections: Mapping[int, Correction] | None = None,
) -> tuple[list[Placement], list[Placement]]:
    """Where the gaps of a segment go before pronouns that are no subjects are left out, and after.

    The same list twice where nothing is left out.
    """
    null: list[Placement] = []
    source, target = segment.source_annotation, segment.target_annotation
    if task.null_subjects and source is not None and target is not None:
        null = place_null_subjects(source, target, segment.links, rules)
        if not task.source_pronouns:
            return null, null
    before, after = _overt(task, segment, rules, counts, corrections or {})
    if not null:
        return before, after
    return _merged(before, null), _merged(after, null)


def _merged(overt: Sequence[Placement], null: Sequence[Placement]) -> list[Placement]:
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


def linked_pronouns(segment: LinkedSegment, task: Task, clitics: bool) -> list[int]:
    """The source pronouns, without words that only a link to a class could tell to be any (le).

    With `clitics` those whose translation is a part of its verb (verlo) are left out, too.
    """
    pronouns, target = source_pronouns(segment.source, task), segment.target
    if not pronouns or not (task.linked or clitics):
        return pronouns
    to_class = {s for s, t in segment.links if task.class_of(target[t].lower()) != OTHER}
    to_verb = {s for s, t in segment.links if clitics and attached(target[t], task.target_language)}
    return [
        place
        for place in pronouns
        if place in to_class
        or (segment.source[place].lower() not in task.linked and place not in to_verb)
    ]


def _overt(
    task: Task,
    segment: LinkedSegment,
    rules: GapRules,
    counts: Counts,
    corrections: Mapping[int, Correction],
) -> tuple[list[Placement], list[Placement]]:
    """The placements of all source pronouns, and of those that are subjects.

    What people say of a pronoun counts more than the filter, and where that does not judge.
    """
    pronouns = linked_pronouns(segment, task, rules.clitics)
    size = len(segment.source)
    before = [
        _of_linked(placement, segment, task)
        for placement in place_gaps(size, segment.target, segment.links, pronouns, task, rules)
    ]
    subjects: dict[int, bool] = {}
    source = segment.source_annotation
    if source is not None and ambiguous_pronouns(source, task):
        judgements = judge_subjects(source, task, rules.keep_expletives)
        counts.subject_rules.update(judgement.rule for judgement in judgements.values())
        subjects = {position: judgement.subject for position, judgement in judgements.items()}
    for position, correction in corrections.items():
        if correction.subject is not None:
            subjects[position] = correction.subject
    kept = [position for position in pronouns if subjects.get(position, True)]
    if subjects:
        counts.decisions["filtered_not_subject"] += len(pronouns) - len(kept)
    if len(kept) == len(pronouns):
        return before, before
    return before, place_gaps(size, segment.target, segment.links, kept, task, rules)


def _of_linked(placement: Placement, segment: LinkedSegment, task: Task) -> Placement:
    """Drops the position of a word that only its link shows, if another pronoun took that word."""
    place, word = placement.position, segment.source[placement.source_index]
    if place is None or word.lower() not in task.linked:
        return placement
    if not placement.inserted and task.class_of(segment.target[place].lower()) != OTHER:
        return placement
    return Placement(placement.source_index, "left_out_shared", None)
