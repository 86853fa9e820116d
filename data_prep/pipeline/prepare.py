"""From bitext to shared-task files: align, annotate, filter subjects, place gaps (003 §3.3).

Every step keeps its result in a cache named by the content it was made from, annotation in shards
of whole documents. A run that was interrupted goes on where it stopped and gives the same bytes.
Links, annotation and a parse of the source can come from files of the user's own.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, fields
from itertools import chain, repeat
from pathlib import Path
from typing import Any

from crosspro import __version__
from crosspro.data_prep.align.align import AlignerSettings, learn, segments_beyond_limits
from crosspro.data_prep.align.prior import load_prior
from crosspro.data_prep.annotate.corpus import (
    SHARD,
    AnnotationSettings,
    annotate_shards,
    annotation_file,
    document_shards,
    make_annotator,
    read_store,
)
from crosspro.data_prep.annotate.layers import BLIND
from crosspro.data_prep.annotate.tokenise import Sentences, TokenisedBitext
from crosspro.data_prep.core.errors import CrossproError, input_error
from crosspro.data_prep.core.example import AnnotatedSentence, Example, Link
from crosspro.data_prep.core.files import atomic_output, is_file, sha256_of, write_text
from crosspro.data_prep.core.processes import Report, Step
from crosspro.data_prep.core.stored import Cache, content_key
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.formats.links import format_links, read_links
from crosspro.data_prep.formats.shared_task import format_example
from crosspro.data_prep.gaps.extract import GapRules
from crosspro.data_prep.gaps.segments import (
    Corrections,
    Counts,
    LinkedSegment,
    PronounDecision,
    segment_examples,
)
from crosspro.data_prep.pipeline.sets.statistics import DataSize, total_size

_REPORTED = 1000
"""Segments between reports of progress."""


@dataclass(frozen=True)
class PrepareSettings:
    """How examples are made; `links` replace the aligner, which may begin with a `prior`."""

    rules: GapRules
    aligner: AlignerSettings
    annotator: str = "auto"
    source_annotator: str = "auto"
    links: Path | None = None
    prior: Path | None = None
    jobs: int = 1
    engine: str = "local"


def prepare(
    task: Task,
    bitext: TokenisedBitext,
    settings: PrepareSettings,
    cache: Cache,
    report: Report = lambda step: None,
    corrections: Corrections | None = None,
    pronouns: list[PronounDecision] | None = None,
) -> tuple[Iterator[Example], Counts]:
    """The examples of a bitext, and counts that are complete when the last one has been taken.

    Links and annotation are made at the call, gaps are placed while examples are taken. People's
    `corrections` are followed; the decision on each pronoun is added to `pronouns`.
    """
    if not len(bitext):
        raise CrossproError("bitext: expected at least one segment, found none")
    check_settings(task, settings)
    steps = _Steps(task, bitext, settings, cache, report)
    counts = Counts(pronouns=pronouns)
    if settings.links is None:
        lengths = zip(map(len, bitext.source), map(len, bitext.target), strict=True)
        counts.backed_off = segments_beyond_limits(lengths, settings.aligner)
    rows = zip(bitext, steps.links(), steps.targets(), steps.sources(), strict=True)
    segments = (
        LinkedSegment(segment.source, segment.target, links, segment.document, target, source)
        for segment, links, target, source in rows
    )
    examples = segment_examples(task, segments, settings.rules, counts, corrections)
    return steps.reported(examples), counts


def check_settings(task: Task, settings: PrepareSettings) -> None:
    """Raise at once what would be missing later, or is named though missing: a model, a file."""
    if settings.links is not None and settings.prior is not None:
        expected = "none beside a prior, by which they are made"
        raise input_error("settings", "links", expected, str(settings.links))
    if task.tagged or task.null_subjects or settings.annotator != "auto":
        make_annotator(settings.annotator, task.target_language, _tagset(task))
    if task.null_subjects or _filters_subjects(task, settings.rules):
        make_annotator(settings.source_annotator, task.source_language, "universal")


def _filters_subjects(task: Task, rules: GapRules) -> bool:
    return rules.filter_subjects and bool(task.subject_filter.pronouns)


def _tagset(task: Task) -> str:
    return "universal" if task.tagset == "none" else task.tagset


@dataclass(frozen=True)
class _Steps:
    """The steps of a bitext before its gaps are placed."""

    task: Task
    bitext: TokenisedBitext
    settings: PrepareSettings
    cache: Cache
    report: Report

    def links(self) -> Iterator[tuple[Link, ...]]:
        """The links of each segment, from a file or made."""
        bitext, settings = self.bitext, self.settings
        if settings.links is not None:
            self.report(Step("reading links", f"from {settings.links}"))
            # All of it is checked now, not after hours of annotating.
            deque(read_links(settings.links, bitext.source, bitext.target), maxlen=0)
            return read_links(settings.links)
        self.report(Step("aligning", f"{len(bitext):,} segments"))
        prior = [] if settings.prior is None else [settings.prior]
        key = content_key(content_key(iter(bitext)), *prior, settings.aligner)
        return read_links(self.cache.lines("links", key, self._aligned))

    def _aligned(self) -> Iterator[str]:
        settings = self.settings
        prior = None if settings.prior is None else load_prior(settings.prior)
        pairs = zip(self.bitext.source, self.bitext.target, strict=True)

        def progress(detail: str, done: int, total: int) -> None:
            self.report(Step("aligning", detail, done, total))

        alignment = learn(pairs, prior, settings.aligner, settings.jobs, progress)
        for links in alignment.links(settings.aligner.symmetrisation):
            yield f"{format_links(links)}\n"

    def targets(self) -> Iterable[AnnotatedSentence | None]:
        """The annotated target of each segment, where the task needs it."""
        task, settings = self.task, self.settings
        if not task.tagged and not task.null_subjects:
            return repeat(None, len(self.bitext))
        language, parse = task.target_language, task.null_subjects
        annotation = AnnotationSettings(settings.annotator, language, _tagset(task), parse)
        shards = document_shards(self.bitext.documents)
        return self._annotated(annotation, self.bitext.target, shards)

    def sources(self) -> Iterable[AnnotatedSentence | None]:
        """The annotated source of each segment that has a pronoun to filter, None for the others.

        Null subjects may be in any segment, and a file has a sentence for every segment.
        """
        task, settings, sentences = self.task, self.settings, self.bitext.source
        if not task.null_subjects and not _filters_subjects(task, settings.rules):
            return repeat(None, len(self.bitext))
        spec = settings.source_annotator
        annotation = AnnotationSettings(spec, task.source_language, "universal")
        if task.null_subjects or annotation_file(spec) is not None:
            return self._annotated(annotation, sentences, _equal_shards(len(sentences)))
        ambiguous = frozenset(task.subject_filter.pronouns)
        needed = [any(word.lower() in ambiguous for word in words) for words in sentences]
        chosen = [words for words, need in zip(sentences, needed, strict=True) if need]
        annotated = self._annotated(annotation, chosen, _equal_shards(len(chosen)))
        return (next(annotated) if need else None for need in needed)

    def _annotated(
        self, annotation: AnnotationSettings, sentences: Sentences, shards: Sequence[range]
    ) -> Iterator[AnnotatedSentence]:
        def progress(detail: str, done: int, total: int) -> None:
            self.report(Step(f"annotating {annotation.language}", detail, done, total))

        engine, jobs = self.settings.engine, self.settings.jobs
        files = annotate_shards(annotation, sentences, shards, self.cache, progress, engine, jobs)
        return chain.from_iterable(map(read_store, files))

    def reported(self, examples: Iterator[Example]) -> Iterator[Example]:
        name, total = "placing gaps", len(self.bitext)
        self.report(Step(name, "", 0, total))
        for number, example in enumerate(examples, start=1):
            yield example
            if number % _REPORTED == 0 or number == total:
                self.report(Step(name, "", number, total))


def _equal_shards(size: int) -> list[range]:
    return [range(start, min(start + SHARD, size)) for start in range(0, size, SHARD)]


def write_prepared(
    examples: Iterable[Example], output: Path, blind: bool, documents: bool = True
) -> DataSize:
    """Write PREFIX.data and what belongs to it, so that either all or none of them appear.

    Text without documents has no ids: those of an earlier text under the same name are removed.
    """
    names = [output.name, f"{output.name}{BLIND}"][: 1 + blind]
    ids = [output.with_name(f"{name}.doc-ids") for name in names]
    with ExitStack() as files:
        # The last to be opened is the first to be moved into place: the data comes last.
        data, *hidden = (
            files.enter_context(atomic_output(output.with_name(f"{name}.data"))) for name in names
        )
        id_files = [files.enter_context(atomic_output(path)) for path in ids if documents]

        def written() -> Iterator[Example]:
            for example in examples:
                line = format_example(example)
                data.write(f"{line}\n".encode())
                for file in id_files:
                    file.write(f"{example.document or ''}\n".encode())
                visible = line.split("\t", 2)[2]
                for file in hidden:
                    file.write(f"\t\t{visible}\n".encode())
                yield example

        total = total_size(written())
    if not documents:
        for path in ids:
            path.unlink(missing_ok=True)
    return total


def write_report(
    task: Task,
    total: DataSize,
    counts: Counts,
    settings: PrepareSettings,
    year: str,
    inputs: Iterable[Path],
    output: Path,
    checked: Mapping[str, Any] | None = None,
) -> None:
    """Write PREFIX.report.json: what was made of which inputs, how, and every decision."""
    others = [field.name for field in fields(settings) if field.name not in ("rules", "aligner")]
    content = {
        "crosspro": __version__,
        "task": task.name,
        "year": year,
        "rules": asdict(settings.rules),
        "aligner": asdict(settings.aligner),
        "settings": {name: getattr(settings, name) for name in others},
        "inputs": {str(path): sha256_of(path) for path in inputs if is_file(path)},
        "segments": total.segments,
        "source_tokens": total.source_tokens,
        "target_tokens": total.target_tokens,
        "gaps": total.gaps,
        "segments_backed_off": counts.backed_off,
        "decisions": dict(counts.decisions.most_common()),
        "subject_rules": dict(counts.subject_rules.most_common()),
        "classes_before_filter": {name: counts.before[name] for name in task.classes},
        "classes": {name: counts.after[name] for name in task.classes},
        **({} if checked is None else {"checked": checked}),
    }
    path = output.with_name(f"{output.name}.report.json")
    write_text(path, json.dumps(content, ensure_ascii=False, indent=2, default=str) + "\n")
