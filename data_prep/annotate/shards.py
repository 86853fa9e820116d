"""Annotation of a side of a bitext in shards of whole documents, each kept in the cache.

A few shards are in memory at a time: those that are worked on, and those that wait to be written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from crosspro.data_prep.annotate.corpus import (
    AnnotationSettings,
    Sentences,
    annotate_batch,
    annotate_text,
)
from crosspro.data_prep.annotate.registry import annotation_file, default_annotator
from crosspro.data_prep.annotate.store import to_line, to_lines
from crosspro.data_prep.annotate.tables import tables_digest
from crosspro.data_prep.core.cache import Cache, content_key
from crosspro.data_prep.core.engine import map_shards

SHARD = 1000
"""Sentences of a shard, more where a document goes on."""

LONGEST = 16_384
"""A document that goes on for longer is cut, at places where backends begin a new batch anyway."""

Report = Callable[[str, int, int], None]
"""Called with what is being done, how many sentences are done, and out of how many."""


def document_shards(documents: Iterable[str | None]) -> list[range]:
    """Ranges of sentences that cut no document in two unless it is endless; None is a document of
    its own."""
    bounds = [0]
    size = 0
    before = None
    for document in documents:
        length = size - bounds[-1]
        new = document is None or document != before
        if (new and length >= SHARD) or length >= LONGEST:
            bounds.append(size)
        before = document
        size += 1
    return [range(a, b) for a, b in zip(bounds, [*bounds[1:], size], strict=True)]


def annotate_shards(
    settings: AnnotationSettings,
    sentences: Sentences,
    shards: Sequence[range],
    cache: Cache,
    report: Report,
    engine: str = "local",
    jobs: int = 1,
) -> list[Path]:
    """The files of the annotated shards, in order; what is in the cache is not annotated again."""
    if settings.spec == "auto":
        settings = replace(settings, spec=default_annotator(settings.language))
    file = annotation_file(settings.spec)
    if file is not None:  # read from the user's file, in order, in this process
        return [_from_file(settings, sentences, file, cache, report)]
    report(f"{settings.spec}, looking for what is done", 0, 0)
    keys = [_key(settings, _part(sentences, shard)) for shard in shards]
    todo = [n for n, key in enumerate(keys) if not cache.has_text("annotation", key)]
    total = sum(len(shards[n]) for n in todo)
    report(f"{settings.spec}, {len(todo):,} of {len(shards):,} shards to do", 0, total)
    pieces = ((settings, tuple(_part(sentences, shards[n]))) for n in todo)
    texts = map_shards(_annotate_shard, pieces, engine, min(jobs, len(todo))) if todo else ()
    done = 0
    for n, text in zip(todo, texts, strict=True):
        cache.lines("annotation", keys[n], lambda text=text: [text])  # type: ignore[misc]
        done += len(shards[n])
        report("", done, total)
    return [cache.path("annotation", key) for key in keys]


def _part(sentences: Sentences, shard: range) -> Iterator[tuple[str, ...]]:
    return map(tuple, sentences[shard.start : shard.stop])


def _key(settings: AnnotationSettings, sentences: Iterator[tuple[str, ...]], *files: Path) -> str:
    return content_key(asdict(settings), tables_digest(), *files, sentences)


def _from_file(
    settings: AnnotationSettings, sentences: Sentences, file: Path, cache: Cache, report: Report
) -> Path:
    done, total = 0, len(sentences)
    report(f"from {file}", done, total)

    def progress(number: int) -> None:
        nonlocal done
        done += number
        report("", done, total)

    def annotated() -> Iterator[str]:
        found = annotate_text(iter(sentences), **asdict(settings), progress=progress)
        return (f"{to_line(sentence)}\n" for sentence in found)

    return cache.lines("annotation", _key(settings, map(tuple, sentences), file), annotated)


def _annotate_shard(piece: tuple[AnnotationSettings, Sentences]) -> str:
    return to_lines(annotate_batch(*piece))
