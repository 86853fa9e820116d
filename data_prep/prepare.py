"""The pipeline from bitext to shared-task files: align, annotate, filter subjects, place gaps.

Every step keeps its result in a cache named by the content it was made from, annotation in shards
of whole documents. A run that was interrupted goes on where it stopped and gives the same bytes.
Each step can be replaced by a file of the user's own: links, annotation, a parse of the source.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from crosspro.data_prep.align.backends import AlignerSettings, align_corpus, beyond_limits
from crosspro.data_prep.annotate.corpus import AnnotationSettings
from crosspro.data_prep.annotate.registry import annotation_file, make_annotator
from crosspro.data_prep.annotate.shards import SHARD, annotate_shards, document_shards
from crosspro.data_prep.annotate.tokenise import tokenise_lines
from crosspro.data_prep.bitext.segment import Segment
from crosspro.data_prep.cache import Cache, content_key
from crosspro.data_prep.errors import CrossproError, input_error
from crosspro.data_prep.example import Example, Link
from crosspro.data_prep.formats.links import format_links, read_links
from crosspro.data_prep.gaps.extract import (
    Placement,
    make_example,
    place_gaps,
    source_pronouns,
)
from crosspro.data_prep.gaps.null_subjects import place_null_subjects
from crosspro.data_prep.gaps.rules import GapRules
from crosspro.data_prep.gaps.subjects.filter import ambiguous_pronouns, judge_subjects
from crosspro.data_prep.task import Task
from crosspro.data_prep.token import AnnotatedSentence, Token


@dataclass(frozen=True)
class TokenisedSegment:
    """What the pipeline works on."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    document: str | None


def tokenised_segments(
    task: Task, texts: Sequence[Segment], tokenised: bool | None = None
) -> list[TokenisedSegment]:
    """The segments of a bitext, tokenised; whether they are already is found out if not said."""
    sources, targets = [one.source for one in texts], [one.target for one in texts]
    sides = (
        tokenise_lines(sources, task.source_language, tokenised=tokenised),
        tokenise_lines(targets, task.target_language, tokenised=tokenised),
    )
    return [
        TokenisedSegment(tuple(source), tuple(target), segment.document)
        for source, target, segment in zip(*sides, texts, strict=True)
    ]


@dataclass(frozen=True)
class PrepareSettings:
    """How examples are made; files replace the steps that they are the result of."""

    rules: GapRules
    aligner: AlignerSettings
    annotator: str = "auto"
    source_annotator: str = "auto"
    links: Path | None = None
    jobs: int = 1
    engine: str = "local"


@dataclass
class Counts:
    """Every decision that was made, for the report."""

    decisions: Counter[str] = field(default_factory=Counter)
    subject_rules: Counter[str] = field(default_factory=Counter)
    before: Counter[str] = field(default_factory=Counter)
    after: Counter[str] = field(default_factory=Counter)
    backed_off: int = 0


@dataclass(frozen=True)
class Step:
    """A step that was done, for progress and report."""

    name: str
    detail: str


Report = Callable[[Step], None]


def prepare(
    task: Task,
    segments: Sequence[TokenisedSegment],
    settings: PrepareSettings,
    cache: Cache,
    report: Report = lambda step: None,
) -> tuple[Iterator[Example], Counts]:
    """The examples of a bitext, and counts that are complete when the last one has been taken."""
    if not segments:
        raise CrossproError("bitext: expected at least one segment, found none")
    check_annotators(task, settings)
    text = content_key([(s.source, s.target, s.document) for s in segments])
    links = _links(segments, settings, cache, text, report)
    shards = document_shards([segment.document for segment in segments])
    target = AnnotationSettings(
        settings.annotator, task.target_language, _tagset(task.tagset), task.null_subjects
    )
    targets = (
        _annotate(target, [s.target for s in segments], shards, settings, cache, report)
        if task.tagged or task.null_subjects
        else (_plain(segment.target) for segment in segments)
    )
    sources = _sources(task, segments, shards, settings, cache, report)
    counts = Counts()
    if settings.links is None and settings.aligner.aligner == "own":
        sides = [s.source for s in segments], [s.target for s in segments]
        counts.backed_off = beyond_limits(*sides, settings.aligner)
    return _examples(task, segments, links, targets, sources, settings.rules, counts), counts


def check_annotators(task: Task, settings: PrepareSettings) -> None:
    """Raise at once what would be missing later: a package, a model, a file."""
    if task.tagged or task.null_subjects:
        make_annotator(settings.annotator, task.target_language, _tagset(task.tagset))
    if task.null_subjects or _filters(task, settings.rules):
        make_annotator(settings.source_annotator, task.source_language, "universal")


def _filters(task: Task, rules: GapRules) -> bool:
    return rules.filter_subjects and bool(task.subject_filter.pronouns)


def _tagset(name: str) -> str:
    return "universal" if name == "none" else name


# Links ------------------------------------------------------------------------------------------


def _links(
    segments: Sequence[TokenisedSegment],
    settings: PrepareSettings,
    cache: Cache,
    text: str,
    report: Report,
) -> list[tuple[Link, ...]]:
    source = [segment.source for segment in segments]
    target = [segment.target for segment in segments]
    if settings.links is not None:
        report(Step("links", f"from {settings.links}"))
        return list(read_links(settings.links, source, target))
    key = content_key(text, settings.aligner)

    def align() -> str:
        report(Step("links", f"aligning {len(segments):,} segments ({settings.aligner.aligner})"))
        found = align_corpus(
            source, target, settings.aligner, progress=lambda text: report(Step("links", text))
        )
        return "".join(format_links(one) + "\n" for one in found)

    path = cache.text("links", key, align)
    return list(read_links(path, source, target))


# Annotation -------------------------------------------------------------------------------------


def _plain(words: Sequence[str]) -> AnnotatedSentence:
    """A sentence of which only the words matter."""
    return AnnotatedSentence(tuple(Token(word, word, "") for word in words))


def _annotate(
    annotation: AnnotationSettings,
    sentences: Sequence[Sequence[str]],
    shards: Sequence[range],
    settings: PrepareSettings,
    cache: Cache,
    report: Report,
) -> Iterator[AnnotatedSentence]:
    return annotate_shards(
        annotation,
        sentences,
        shards,
        cache,
        lambda detail: report(Step("annotation", detail)),
        settings.engine,
        settings.jobs,
    )


def _sources(
    task: Task,
    segments: Sequence[TokenisedSegment],
    shards: Sequence[range],
    settings: PrepareSettings,
    cache: Cache,
    report: Report,
) -> Iterator[AnnotatedSentence | None]:
    """The annotated source of each segment that needs it, None for the others."""
    sentences = [segment.source for segment in segments]
    if task.null_subjects:
        wanted = [True] * len(sentences)
    elif _filters(task, settings.rules):
        known = task.subject_filter.pronouns
        wanted = [any(word.lower() in known for word in one) for one in sentences]
    else:
        yield from (None for _ in sentences)
        return
    if annotation_file(settings.source_annotator) is not None:
        wanted = [True] * len(sentences)  # a file has a sentence for every segment
    kept = [index for index, want in enumerate(wanted) if want]
    chosen = [sentences[index] for index in kept]
    pieces = [range(i, min(i + SHARD, len(chosen))) for i in range(0, len(chosen), SHARD)]
    annotation = AnnotationSettings(settings.source_annotator, task.source_language, "universal")
    annotated = _annotate(annotation, chosen, pieces, settings, cache, report)
    for want in wanted:
        yield next(annotated) if want else None


# Gaps -------------------------------------------------------------------------------------------


def _examples(
    task: Task,
    segments: Sequence[TokenisedSegment],
    links: Sequence[Sequence[Link]],
    targets: Iterator[AnnotatedSentence],
    sources: Iterator[AnnotatedSentence | None],
    rules: GapRules,
    counts: Counts,
) -> Iterator[Example]:
    for segment, pairs, target, source in zip(segments, links, targets, sources, strict=True):
        if len(target.tokens) != len(segment.target):
            raise input_error(
                "annotation",
                "tokens",
                f"{len(segment.target)} as in the text",
                f"{len(target.tokens)}: {' '.join(segment.target)[:60]}",
            )
        tokens = target.tagged_lemmas() if task.tagged else segment.target
        if task.null_subjects and source is not None:
            placements = place_null_subjects(source, target, pairs, rules)
            before = placements
        else:
            before, placements = _overt(task, segment, pairs, source, rules, counts)
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


def _overt(
    task: Task,
    segment: TokenisedSegment,
    links: Sequence[Link],
    source: AnnotatedSentence | None,
    rules: GapRules,
    counts: Counts,
) -> tuple[list[Placement], list[Placement]]:
    """The placements of all source pronouns, and of those that are subjects."""
    pronouns = source_pronouns(segment.source, task)
    size = len(segment.source)
    before = place_gaps(size, segment.target, links, pronouns, task, rules)
    if source is None or not ambiguous_pronouns(source, task):
        return before, before
    verdicts = judge_subjects(source, task, rules.keep_expletives)
    counts.subject_rules.update(verdict.rule for verdict in verdicts.values())
    kept = [p for p in pronouns if p not in verdicts or verdicts[p].subject]
    counts.decisions["filtered_not_subject"] += len(pronouns) - len(kept)
    if len(kept) == len(pronouns):
        return before, before
    return before, place_gaps(size, segment.target, links, kept, task, rules)
