"""Annotation of a side of a bitext in shards of whole documents, each kept in the cache."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, replace

from crosspro.data_prep.annotate.corpus import (
    AnnotationSettings,
    Sentences,
    annotate_batch,
    annotate_text,
)
from crosspro.data_prep.annotate.registry import annotation_file, default_annotator
from crosspro.data_prep.annotate.store import read_store, to_lines
from crosspro.data_prep.annotate.tables import tables_digest
from crosspro.data_prep.cache import Cache, content_key
from crosspro.data_prep.engine import map_shards
from crosspro.data_prep.token import AnnotatedSentence

SHARD = 1000
"""Sentences of a shard, more where a document goes on."""


def document_shards(documents: Sequence[str | None]) -> list[range]:
    """Ranges of sentences that never cut a document in two; None is a document of its own."""
    bounds = [0]
    for index in range(1, len(documents)):
        document = documents[index]
        new = document is None or document != documents[index - 1]
        if new and index - bounds[-1] >= SHARD:
            bounds.append(index)
    return [range(a, b) for a, b in zip(bounds, [*bounds[1:], len(documents)], strict=True)]


def annotate_shards(
    settings: AnnotationSettings,
    sentences: Sentences,
    shards: Sequence[range],
    cache: Cache,
    report: Callable[[str], None],
    engine: str = "local",
    jobs: int = 1,
) -> Iterator[AnnotatedSentence]:
    """Annotated sentences in order; what is in the cache is not annotated again."""
    if settings.spec == "auto":
        settings = replace(settings, spec=default_annotator(settings.language))
    file = annotation_file(settings.spec)
    if file is not None:  # read from the user's file, in order, in this process
        shards, engine, jobs = [range(len(sentences))], "local", 1
    files = [] if file is None else [file]
    keys = [
        content_key(asdict(settings), tables_digest(), *files, [sentences[i] for i in shard])
        for shard in shards
    ]
    todo = [n for n, key in enumerate(keys) if not cache.has_text("annotation", key)]
    language = settings.language
    report(f"{language}, {settings.spec}: {len(todo)} of {len(shards)} shards to do")
    pieces = [(settings, tuple(tuple(sentences[i]) for i in shards[n])) for n in todo]
    work = _annotate_shard if file is None else _annotate_from_file
    done = map_shards(work, pieces, engine, jobs)
    for number, (n, text) in enumerate(zip(todo, done, strict=True), start=1):
        cache.text("annotation", keys[n], lambda text=text: text)  # type: ignore[misc]
        report(f"{language}: shard {number} of {len(todo)}")
    for key in keys:
        yield from read_store(cache.path("annotation", key))


_Piece = tuple[AnnotationSettings, Sentences]


def _annotate_shard(piece: _Piece) -> str:
    return to_lines(annotate_batch(*piece))


def _annotate_from_file(piece: _Piece) -> str:
    settings, sentences = piece
    return to_lines(annotate_text(sentences, **asdict(settings)))
