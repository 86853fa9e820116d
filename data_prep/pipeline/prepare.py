"""From bitext to shared-task files: align, annotate, filter subjects, place gaps (003 §3.3).

Links and annotation are kept in a cache, annotation in shards, so that a run
that was interrupted goes on where it stopped. Links, annotation and a parse of the source can come
from the user's own files.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from functools import partial
from itertools import compress, repeat
from pathlib import Path
from typing import Any

import numpy as np

from crosspro import __version__
from crosspro.data_prep.align.align import learn
from crosspro.data_prep.align.numbering import beyond_limits
from crosspro.data_prep.align.prior import load_prior
from crosspro.data_prep.annotate.bitext import TokenisedBitext
from crosspro.data_prep.annotate.corpus import (
    AnnotationSettings,
    annotate_shards,
    annotation_file,
    make_annotator,
)
from crosspro.data_prep.annotate.layers import BLIND
from crosspro.data_prep.annotate.tokenise import Sentences
from crosspro.data_prep.core.errors import CrossproError, input_error
from crosspro.data_prep.core.example import AnnotatedSentence, Example, Link
from crosspro.data_prep.core.files import (
    atomic_output,
    content_digest,
    is_file,
    make_folder,
    sha256_of,
    write_text,
)
from crosspro.data_prep.core.processes import Engine, Report
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.formats.links import read_links, write_links
from crosspro.data_prep.formats.shared_task import format_example
from crosspro.data_prep.gaps.extract import GapRules
from crosspro.data_prep.gaps.segments import (
    Corrections,
    Counts,
    LinkedSegment,
    PronounDecision,
    segment_examples,
)
from crosspro.data_prep.pipeline.sets.statistics import DataSize

Annotations = Iterable[AnnotatedSentence | None]
Annotate = Callable[[AnnotationSettings, Sentences], Iterator[AnnotatedSentence]]

_REPORTED = 1000
"""Segments between reports of progress."""


@dataclass(frozen=True)
class PrepareSettings:
    """How examples are made; `links` replace the aligner, which may begin with a `prior`."""

    rules: GapRules
    annotator: str = "auto"
    source_annotator: str = "auto"
    links: Path | None = None
    prior: Path | None = None
    jobs: int = 1
    engine: Engine = "local"


def prepare(
    task: Task,
    bitext: TokenisedBitext,
    settings: PrepareSettings,
    cache: Path,
    report: Report = lambda step, detail, done, total: None,
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
    counts = Counts(pronouns=pronouns)
    if settings.links is None:
        sides = (bitext.source, bitext.target)
        lengths = [np.fromiter(map(len, side), np.int64) for side in sides]
        counts.backed_off = int(beyond_limits(lengths[0], lengths[1]).sum())
    links = _links(task, bitext, settings, cache, report)
    targets: Annotations = repeat(None, len(bitext))
    sources: Annotations = repeat(None, len(bitext))
    annotate = partial(
        annotate_shards, cache=cache, report=report, engine=settings.engine, jobs=settings.jobs
    )
    if task.tagged or task.null_subjects:
        parse = task.null_subjects
        target = AnnotationSettings(settings.annotator, task.target_language, _tagset(task), parse)
        targets = annotate(target, bitext.target)
    if task.null_subjects or _filters_subjects(task, settings.rules):
        sources = _sources(task, bitext.source, annotate, settings.source_annotator)
    segments = (
        LinkedSegment(tuple(words), tuple(translation), some, document, target, source)
        for words, translation, document, some, target, source in zip(
            bitext.source, bitext.target, bitext.documents, links, targets, sources, strict=True
        )
    )
    examples = segment_examples(task, segments, settings.rules, counts, corrections)
    return _reported(examples, len(bitext), report), counts


def check_settings(task: Task, settings: PrepareSettings) -> None:
    """Raise at once for a model or a file that would be missing later."""
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


def _links(
    task: Task, bitext: TokenisedBitext, settings: PrepareSettings, cache: Path, report: Report
) -> Iterator[tuple[Link, ...]]:
    """The links of each segment, from a file or made."""
    if settings.links is not None:
        report("reading links", f"from {settings.links}", 0, 0)
        # All of it is checked now, not after hours of annotating.
        for _ in read_links(settings.links, bitext.source, bitext.target):
            pass
        return read_links(settings.links)
    report("aligning", f"{len(bitext):,} segments", 0, 0)
    sides = iter(bitext.source), iter(bitext.target)
    path = cache / f"links.{content_digest(*sides, settings.prior, task.symmetrisation)}"
    if not path.is_file():
        prior = None if settings.prior is None else load_prior(settings.prior)
        pairs = zip(bitext.source, bitext.target, strict=True)
        alignment = learn(pairs, prior, settings.jobs, partial(report, "aligning"))
        make_folder(cache)
        write_links(path, alignment.links(task.symmetrisation))
    return read_links(path)


def _sources(task: Task, sentences: Sentences, annotate: Annotate, spec: str) -> Annotations:
    """The annotated source of each segment that has a pronoun to filter, None for the others.

    Null subjects may be in any segment, and a file has a sentence for every segment.
    """
    annotation = AnnotationSettings(spec, task.source_language, "universal")
    if task.null_subjects or annotation_file(spec) is not None:
        return annotate(annotation, sentences)
    ambiguous = frozenset(task.subject_filter.pronouns)
    needed = [any(word.lower() in ambiguous for word in words) for words in sentences]
    annotated = annotate(annotation, list(compress(sentences, needed)))
    return (next(annotated) if need else None for need in needed)


def _reported(examples: Iterator[Example], total: int, report: Report) -> Iterator[Example]:
    report("placing gaps", "", 0, total)
    for number, example in enumerate(examples, start=1):
        yield example
        if number % _REPORTED == 0 or number == total:
            report("placing gaps", "", number, total)


def write_prepared(
    examples: Iterable[Example], output: Path, blind: bool, documents: bool = True
) -> DataSize:
    """Write PREFIX.data and what belongs to it, so that either all or none of them appear.

    Text without documents has no ids: those of an earlier text under the same name are removed.
    """
    names = [output.name, f"{output.name}{BLIND}"][: 1 + blind]
    ids = [output.with_name(f"{name}.doc-ids") for name in names]
    total = DataSize()
    with ExitStack() as files:
        # The last to be opened is the first to be moved into place: the data comes last.
        data, *hidden = (
            files.enter_context(atomic_output(output.with_name(f"{name}.data"))) for name in names
        )
        id_files = [files.enter_context(atomic_output(path)) for path in ids if documents]
        for example in examples:
            total.add(example)
            line = f"{format_example(example)}\n".encode()
            data.write(line)
            for file in id_files:
                file.write(f"{example.document or ''}\n".encode())
            for file in hidden:
                file.write(b"\t\t" + line.split(b"\t", 2)[2])
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
    chosen = asdict(settings)
    content = {
        "crosspro": __version__,
        "task": task.name,
        "year": year,
        "rules": chosen.pop("rules"),
        "symmetrisation": task.symmetrisation,
        "settings": chosen,
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
