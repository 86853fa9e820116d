"""Gaps of whole texts: each segment with its links and annotation becomes an example.

What was decided is counted on the way, for the report.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from crosspro.data_prep.annotate.tokenised import TokenisedSegment
from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.example import Example, Link
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.core.token import AnnotatedSentence
from crosspro.data_prep.gaps.extract import (
    Placement,
    make_example,
    place_gaps,
    source_pronouns,
)
from crosspro.data_prep.gaps.hand_check import (
    Correction,
    HandCheck,
    corrected_links,
    pronoun_decisions,
)
from crosspro.data_prep.gaps.null_subjects import place_null_subjects
from crosspro.data_prep.gaps.rules import GapRules
from crosspro.data_prep.gaps.subjects.filter import ambiguous_pronouns, judge_subjects


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
        tokens = target.tagged_lemmas() if task.tagged else segment.target
        own: Mapping[int, Correction] = {}
        if check is not None:
            expletives = rules.keep_expletives
            words = segment.source, segment.target
            check.see(pronoun_decisions(task, line, *words, pairs, source, expletives))
            own = check.corrections.get(line, {})
            pairs = corrected_links(pairs, own)
        before, placements = segment_placements(
            task, segment, pairs, target, source, rules, counts, own
        )
        example = make_example(
            segment.source, segment.target, tokens, pairs, placements, task, segment.document
        )
        counts.decisions.update(placement.decision for placement in placements)
        counts.after.update(gap.label for gap in example.gaps if gap.label)
        if before is not placements:
            unfiltered = make_example(segment.source, segment.target, tokens, pairs, before, task)
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
    if task.null_subjects and source is not None:
        placements = place_null_subjects(source, target, links, rules)
        return placements, placements
    return _overt(task, segment, links, source, rules, counts, corrections or {})


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
    pronouns = source_pronouns(segment.source, task)
    size = len(segment.source)
    before = place_gaps(size, segment.target, links, pronouns, task, rules)
    subjects: dict[int, bool] = {}
    if source is not None and ambiguous_pronouns(source, task):
        verdicts = judge_subjects(source, task, rules.keep_expletives)
        counts.subject_rules.update(verdict.rule for verdict in verdicts.values())
        subjects = {position: verdict.subject for position, verdict in verdicts.items()}
    subjects |= {p: one.subject for p, one in corrections.items() if one.subject is not None}
    if not subjects:
        return before, before
    kept = [p for p in pronouns if subjects.get(p, True)]
    counts.decisions["filtered_not_subject"] += len(pronouns) - len(kept)
    if len(kept) == len(pronouns):
        return before, before
    return before, place_gaps(size, segment.target, links, kept, task, rules)
