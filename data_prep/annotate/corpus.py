"""Annotation of whole texts: in batches, in one process or several, with progress.

Batches have a fixed size that does not depend on the number of processes, so the result does not
either. Each process has an annotator of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import islice

from crosspro.data_prep.annotate.registry import make_annotator
from crosspro.data_prep.core.engine import map_processes
from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.token import AnnotatedSentence, Annotator, Progress

BATCH = 256
"""Sentences that a process gets at a time."""

Sentences = Sequence[Sequence[str]]


@dataclass(frozen=True)
class AnnotationSettings:
    """How a text is annotated; `spec` names the annotator, see `registry`."""

    spec: str
    language: str
    tagset: str
    parse: bool = True

    def make(self) -> Annotator:
        """The annotator, ready to use."""
        return make_annotator(self.spec, self.language, self.tagset, parse=self.parse)


def annotate_text(
    sentences: Iterable[Sequence[str]],
    spec: str,
    language: str,
    tagset: str,
    *,
    parse: bool = True,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Iterator[AnnotatedSentence]:
    """The annotated sentences, in order; `spec` names the annotator, see `registry`.

    An annotator that cannot be had is an error at the call, before any sentence is asked for.
    """
    if jobs < 1:
        raise input_error("settings", "jobs", "at least 1", str(jobs))
    settings = AnnotationSettings(spec, language, tagset, parse)
    annotator = settings.make()
    batches = _batches(sentences)
    if jobs == 1 or annotator.sequential:
        annotated = _here(annotator, batches)
    else:
        annotated = map_processes(partial(annotate_batch, settings), batches, jobs)
    return _reported(annotated, progress)


def annotate_batch(settings: AnnotationSettings, sentences: Sentences) -> list[AnnotatedSentence]:
    """Some sentences, in any process; not for annotators that read a file from its beginning."""
    return _annotator_of_this_process(settings).annotate(sentences)


@lru_cache(maxsize=4)
def _annotator_of_this_process(settings: AnnotationSettings) -> Annotator:
    """Made once: loading a model takes seconds."""
    return settings.make()


def _reported(
    batches: Iterator[list[AnnotatedSentence]], progress: Progress | None
) -> Iterator[AnnotatedSentence]:
    for batch in batches:
        yield from batch
        if progress is not None:
            progress(len(batch))


def _batches(sentences: Iterable[Sequence[str]]) -> Iterator[Sentences]:
    rest = iter(sentences)
    while batch := [tuple(sentence) for sentence in islice(rest, BATCH)]:
        yield batch


def _here(annotator: Annotator, batches: Iterator[Sentences]) -> Iterator[list[AnnotatedSentence]]:
    for batch in batches:
        yield annotator.annotate(batch)
    annotator.finish()
