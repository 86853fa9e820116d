"""The pipeline from bitext to shared-task files: align, annotate, filter subjects, place gaps.

Every step keeps its result in a cache named by the content it was made from, annotation in shards
of whole documents. A run that was interrupted goes on where it stopped and gives the same bytes.
Each step can be replaced by a file of the user's own: links, annotation, a parse of the source.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path

from crosspro.data_prep.align.backends import AlignerSettings, align_corpus, beyond_limits
from crosspro.data_prep.annotate.registry import default_annotator, make_annotator
from crosspro.data_prep.annotate.store import read_store, to_lines
from crosspro.data_prep.annotate.tables import tables_digest
from crosspro.data_prep.annotate.token import AnnotatedSentence, Annotator, Token
from crosspro.data_prep.cache import Cache, content_key
from crosspro.data_prep.engine import map_shards
from crosspro.data_prep.errors import CrossproError, input_error
from crosspro.data_prep.example import Example, Link
from crosspro.data_prep.formats.links import format_links, read_links
from crosspro.data_prep.gaps.extract import (
    GapRules,
    Placement,
    make_example,
    place_gaps,
    source_pronouns,
)
from crosspro.data_prep.gaps.null_subjects import place_null_subjects
from crosspro.data_prep.gaps.subjects import ambiguous_pronouns, judge_subjects
from crosspro.data_prep.task import Task

SHARD = 1000
"""Segments of a shard, more where a document goes on."""

Sentences = Sequence[Sequence[str]]


@dataclass(frozen=True)
class TokenisedSegment:
    """What the pipeline works on."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    document: str | None


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
    shards = _shards(segments)
    target = _Annotation(settings.annotator, task.target_language, task.tagset, task.null_subjects)
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


@dataclass(frozen=True)
class _Annotation:
    """Which annotator is used for a side of the text."""

    spec: str
    language: str
    tagset: str
    parse: bool


@dataclass(frozen=True)
class _Shard:
    annotation: _Annotation
    sentences: tuple[tuple[str, ...], ...]


def _shards(segments: Sequence[TokenisedSegment]) -> list[range]:
    """Ranges of segments that never cut a document in two."""
    bounds = [0]
    for index in range(1, len(segments)):
        document = segments[index].document
        new = document is None or document != segments[index - 1].document
        if new and index - bounds[-1] >= SHARD:
            bounds.append(index)
    return [range(a, b) for a, b in zip(bounds, [*bounds[1:], len(segments)], strict=True)]


def _plain(words: Sequence[str]) -> AnnotatedSentence:
    """A sentence of which only the words matter."""
    return AnnotatedSentence(tuple(Token(word, word, "") for word in words))


def _annotate(
    annotation: _Annotation,
    sentences: Sentences,
    shards: Sequence[range],
    settings: PrepareSettings,
    cache: Cache,
    report: Report,
) -> Iterator[AnnotatedSentence]:
    """Annotated sentences in order; what is in the cache is not annotated again."""
    spec = annotation.spec
    if spec == "auto":
        spec = default_annotator(annotation.language)
    files = _given_file(spec)
    tagset = _tagset(annotation.tagset)
    annotation = _Annotation(spec, annotation.language, tagset, annotation.parse)
    if files is not None:  # read from the user's file, in order, in this process
        shards = [range(len(sentences))]
    keys = [
        content_key(
            asdict(annotation), tables_digest(), *files or [], [sentences[i] for i in shard]
        )
        for shard in shards
    ]
    todo = [n for n, key in enumerate(keys) if not cache.path("annotation", key).is_file()]
    detail = f"{annotation.language}, {spec}: {len(todo)} of {len(shards)} shards to do"
    report(Step("annotation", detail))
    jobs = [_Shard(annotation, tuple(tuple(sentences[i]) for i in shards[n])) for n in todo]
    done = map_shards(_annotate_shard, jobs, settings.engine, 1 if files else settings.jobs)
    for number, (n, text) in enumerate(zip(todo, done, strict=True), start=1):
        cache.text("annotation", keys[n], lambda text=text: text)  # type: ignore[misc]
        report(Step("annotation", f"{annotation.language}: shard {number} of {len(todo)}"))
    for key in keys:
        yield from read_store(cache.path("annotation", key))


def _given_file(spec: str) -> list[Path] | None:
    """The user's file that an annotator reads its annotation from."""
    name, _, argument = spec.rpartition("+")[2].partition(":")
    return [Path(argument)] if name in ("conllu", "tokens", "treetagger-output") else None


def _new_annotator(a: _Annotation) -> Annotator:
    return make_annotator(a.spec, a.language, a.tagset, parse=a.parse)


_loaded_annotator = lru_cache(maxsize=4)(_new_annotator)
"""The annotator of this process; loading a model takes seconds."""


def _annotate_shard(shard: _Shard) -> str:
    if _given_file(shard.annotation.spec) is None:
        return to_lines(_loaded_annotator(shard.annotation).annotate(shard.sentences))
    annotator = _new_annotator(shard.annotation)  # a file is read from its beginning
    annotated = annotator.annotate(shard.sentences)
    annotator.finish()
    return to_lines(annotated)


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
    if _given_file(settings.source_annotator) is not None:
        wanted = [True] * len(sentences)  # a file has a sentence for every segment
    kept = [index for index, want in enumerate(wanted) if want]
    chosen = [sentences[index] for index in kept]
    pieces = [range(i, min(i + SHARD, len(chosen))) for i in range(0, len(chosen), SHARD)]
    annotation = _Annotation(settings.source_annotator, task.source_language, "universal", True)
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
