"""The pipeline from bitext to shared-task files: align, annotate, filter subjects, place gaps.

Every step keeps its result in a cache named by the content it was made from, annotation in shards
of whole documents. A run that was interrupted goes on where it stopped and gives the same bytes.
Each step can be replaced by a file of the user's own: links, annotation, a parse of the source.
No step holds the text in memory, except that the aligner numbers its words.

What `crosspro prepare` leaves behind: PREFIX.data, its doc-ids, a blind copy and a report.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, fields
from itertools import chain, islice
from pathlib import Path

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
from crosspro.data_prep.annotate.tokenise import Sentences, TokenisedBitext, tokenised_bitext
from crosspro.data_prep.bitext.read import read_bitext
from crosspro.data_prep.core.errors import CrossproError, input_error
from crosspro.data_prep.core.example import AnnotatedSentence, Example, Link, Token
from crosspro.data_prep.core.files import atomic_output, is_file, sha256_of, write_text
from crosspro.data_prep.core.processes import Report, Step
from crosspro.data_prep.core.stored import Cache, content_key
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.formats.links import format_links, read_links
from crosspro.data_prep.formats.shared_task import format_example
from crosspro.data_prep.gaps.extract import GapRules
from crosspro.data_prep.gaps.segments import Counts, HandCheck, segment_examples
from crosspro.data_prep.pipeline.sets.statistics import DataSize, total_size

_REPORTED = 1000
"""Segments after which progress is told."""


@dataclass(frozen=True)
class PrepareSettings:
    """How examples are made; files replace the steps that they are the result of.

    Links that are made are learnt together with a larger bitext (`align_with`, tokenised or not),
    and begin with what another one taught (`prior`).
    """

    rules: GapRules
    aligner: AlignerSettings
    annotator: str = "auto"
    source_annotator: str = "auto"
    links: Path | None = None
    align_with: tuple[Path, Path] | None = None
    prior: Path | None = None
    jobs: int = 1
    engine: str = "local"


def prepare(
    task: Task,
    bitext: TokenisedBitext,
    settings: PrepareSettings,
    cache: Cache,
    report: Report = lambda step: None,
    check: HandCheck | None = None,
) -> tuple[Iterator[Example], Counts]:
    """The examples of a bitext, and counts that are complete when the last one has been taken.

    Links and annotation are made at the call, gaps are placed while examples are taken. What people
    check is seen then, too, and what they have corrected is followed.
    """
    if not len(bitext):
        raise CrossproError("bitext: expected at least one segment, found none")
    check_settings(task, settings)
    counts = Counts()
    links = _links(task, bitext, settings, cache, report)
    if settings.links is None:
        lengths = zip(map(len, bitext.source), map(len, bitext.target), strict=True)
        counts.backed_off = segments_beyond_limits(lengths, settings.aligner)
    targets = _targets(task, bitext, settings, cache, report)
    sources = _sources(task, bitext, settings, cache, report)
    examples = segment_examples(
        task, bitext, links, targets, sources, settings.rules, counts, check
    )
    return _reported(examples, len(bitext), report), counts


def check_settings(task: Task, settings: PrepareSettings) -> None:
    """Raise at once what would be missing later, or is named though missing: a model, a file."""
    if settings.links is not None and (settings.align_with or settings.prior):
        expected = "none beside align_with and prior, by which they are made"
        raise input_error("settings", "links", expected, str(settings.links))
    if task.tagged or task.null_subjects or settings.annotator != "auto":
        make_annotator(settings.annotator, task.target_language, _tagset(task.tagset))
    if task.null_subjects or _filters(task, settings.rules):
        make_annotator(settings.source_annotator, task.source_language, "universal")


def _filters(task: Task, rules: GapRules) -> bool:
    return rules.filter_subjects and bool(task.subject_filter.pronouns)


def _tagset(name: str) -> str:
    return "universal" if name == "none" else name


def _reported(examples: Iterator[Example], total: int, report: Report) -> Iterator[Example]:
    name = "placing gaps"
    report(Step(name, "", 0, total))
    for number, example in enumerate(examples, start=1):
        yield example
        if number % _REPORTED == 0 or number == total:
            report(Step(name, "", number, total))


# Links ------------------------------------------------------------------------------------------


def _links(
    task: Task, bitext: TokenisedBitext, settings: PrepareSettings, cache: Cache, report: Report
) -> Iterator[tuple[Link, ...]]:
    if settings.links is not None:
        report(Step("reading links", f"from {settings.links}"))
        # All of it is checked now, not after hours of annotating.
        deque(read_links(settings.links, bitext.source, bitext.target), maxlen=0)
        return read_links(settings.links)
    prior = None if settings.prior is None else load_prior(settings.prior)
    texts = [bitext]
    if settings.align_with is not None:
        texts.append(_corpus(task, *settings.align_with))
    name = "aligning"
    report(Step(name, f"{sum(map(len, texts)):,} segments"))
    digests = [content_key(iter(text)) for text in texts]
    if settings.prior is not None:
        digests.append(content_key(settings.prior))
    key = content_key(*digests, settings.aligner)

    def progress(detail: str, done: int, total: int) -> None:
        report(Step(name, detail, done, total))

    def align() -> Iterator[str]:
        pairs = chain.from_iterable(zip(text.source, text.target, strict=True) for text in texts)
        alignment = learn(pairs, prior, settings.aligner, settings.jobs, progress)
        links = alignment.links(settings.aligner.symmetrisation)
        return (f"{format_links(pair_links)}\n" for pair_links in islice(links, len(bitext)))

    return read_links(cache.lines("links", key, align))


def _corpus(task: Task, source: Path, target: Path) -> TokenisedBitext:
    """A larger text of the same languages to learn from; segments with one side are left out."""
    segments = read_bitext(
        source,
        target,
        source_language=task.source_language,
        target_language=task.target_language,
        missing="skip",
    )
    return tokenised_bitext(task, segments)


# Annotation -------------------------------------------------------------------------------------


def _targets(
    task: Task, bitext: TokenisedBitext, settings: PrepareSettings, cache: Cache, report: Report
) -> Iterable[AnnotatedSentence]:
    if not task.tagged and not task.null_subjects:
        return (_plain(words) for words in bitext.target)
    annotation = AnnotationSettings(
        settings.annotator, task.target_language, _tagset(task.tagset), task.null_subjects
    )
    shards = document_shards(bitext.documents)
    return _annotate(annotation, bitext.target, shards, settings, cache, report)


def _plain(words: Sequence[str]) -> AnnotatedSentence:
    """A sentence of which only the words matter."""
    return AnnotatedSentence(tuple(Token(word, word, "") for word in words))


def _sources(
    task: Task, bitext: TokenisedBitext, settings: PrepareSettings, cache: Cache, report: Report
) -> Iterable[AnnotatedSentence | None]:
    """The annotated source of each segment that needs it, None for the others."""
    if not task.null_subjects and not _filters(task, settings.rules):
        return (None for _ in bitext.source)
    annotation = AnnotationSettings(settings.source_annotator, task.source_language, "universal")
    # A file has a sentence for every segment.
    every = task.null_subjects or annotation_file(settings.source_annotator) is not None
    if every:
        shards = _equal_shards(len(bitext))
        return _annotate(annotation, bitext.source, shards, settings, cache, report)
    chosen = [words for words in bitext.source if _has_ambiguous(words, task)]
    shards = _equal_shards(len(chosen))
    annotated = _annotate(annotation, chosen, shards, settings, cache, report)
    return (next(annotated) if _has_ambiguous(words, task) else None for words in bitext.source)


def _has_ambiguous(words: Sequence[str], task: Task) -> bool:
    known = task.subject_filter.pronouns
    return any(word.lower() in known for word in words)


def _equal_shards(size: int) -> list[range]:
    return [range(start, min(start + SHARD, size)) for start in range(0, size, SHARD)]


def _annotate(
    annotation: AnnotationSettings,
    sentences: Sentences,
    shards: Sequence[range],
    settings: PrepareSettings,
    cache: Cache,
    report: Report,
) -> Iterator[AnnotatedSentence]:
    name = f"annotating {annotation.language}"
    files = annotate_shards(
        annotation,
        sentences,
        shards,
        cache,
        lambda detail, done, total: report(Step(name, detail, done, total)),
        settings.engine,
        settings.jobs,
    )
    return chain.from_iterable(map(read_store, files))


def write_prepared(
    examples: Iterable[Example], output: Path, blind: bool, documents: bool = True
) -> DataSize:
    """Write PREFIX.data and what belongs to it, so that either all or none of them appear.

    Examples are written as they come; how much it was in all is returned. Text without documents
    has no ids: those of an earlier text under the same name are removed.
    """
    prefixes = [output, output.with_name(f"{output.name}{BLIND}")][: 1 + blind]
    named = [prefix.with_name(f"{prefix.name}.doc-ids") for prefix in prefixes]
    with ExitStack() as files:
        # The last to be opened is the first to be moved into place: the data comes last.
        data, *hidden = (
            files.enter_context(atomic_output(prefix.with_name(f"{prefix.name}.data")))
            for prefix in prefixes
        )
        ids = [files.enter_context(atomic_output(path)) for path in named if documents]

        def written() -> Iterator[Example]:
            for example in examples:
                line = format_example(example)
                data.write(line.encode("utf-8") + b"\n")
                for handle in ids:
                    handle.write(f"{example.document or ''}\n".encode())
                for handle in hidden:
                    visible = line.split("\t", 2)[2]
                    handle.write(f"\t\t{visible}\n".encode())
                yield example

        total = total_size(written())
        if not documents:
            for path in named:
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
    checked: Mapping[str, object] | None = None,
) -> None:
    """Write PREFIX.report.json: what was made of which inputs, how, and every decision.

    What people have `checked` is part of it, where they have.
    """
    others = (f.name for f in fields(settings) if f.name not in ("rules", "aligner"))
    chosen = {name: _setting(getattr(settings, name)) for name in others}
    content = {
        "crosspro": __version__,
        "task": task.name,
        "year": year,
        "rules": asdict(settings.rules),
        "aligner": asdict(settings.aligner),
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


def _setting(value: object) -> str | int:
    """A setting as the report has it."""
    if isinstance(value, tuple):
        return " ".join(map(str, value))
    return value if isinstance(value, str | int) else str(value)
