"""Annotation of whole texts: in batches, in one process or several, with progress.

Batches have a fixed size that does not depend on the number of processes, so the result does not
either. Worker processes are started afresh (spawn), each with an annotator of its own.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import islice
from multiprocessing import get_context

from crosspro.data_prep.annotate.registry import make_annotator
from crosspro.data_prep.annotate.token import AnnotatedSentence, Annotator, Progress
from crosspro.data_prep.errors import input_error

BATCH = 256
"""Sentences that a process gets at a time."""

Batch = Sequence[Sequence[str]]


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
    annotator = make_annotator(spec, language, tagset, parse=parse)
    batches = _batches(sentences)
    if jobs == 1 or annotator.sequential:
        annotated = _here(annotator, batches)
    else:
        annotated = _elsewhere((spec, language, tagset, parse), batches, jobs)
    return _reported(annotated, progress)


def _reported(
    batches: Iterator[list[AnnotatedSentence]], progress: Progress | None
) -> Iterator[AnnotatedSentence]:
    for batch in batches:
        yield from batch
        if progress is not None:
            progress(len(batch))


def _batches(sentences: Iterable[Sequence[str]]) -> Iterator[Batch]:
    rest = iter(sentences)
    while batch := [tuple(sentence) for sentence in islice(rest, BATCH)]:
        yield batch


def _here(annotator: Annotator, batches: Iterator[Batch]) -> Iterator[list[AnnotatedSentence]]:
    for batch in batches:
        yield annotator.annotate(batch)
    annotator.finish()


def _elsewhere(
    settings: tuple[str, str, str, bool], batches: Iterator[Batch], jobs: int
) -> Iterator[list[AnnotatedSentence]]:
    context = get_context("spawn")
    with ProcessPoolExecutor(jobs, context, _start_worker, settings) as pool:
        waiting: deque[Future[list[AnnotatedSentence]]] = deque()
        try:
            for batch in batches:
                waiting.append(pool.submit(_work, batch))
                if len(waiting) > 2 * jobs:  # a large text is not read ahead of the work
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


_worker: list[Annotator] = []
"""The annotator of this process, if it is a worker."""


def _start_worker(spec: str, language: str, tagset: str, parse: bool) -> None:
    # Each worker has a core of its own: threads of the matrix library would only fight for it.
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(variable, "1")
    _worker[:] = [make_annotator(spec, language, tagset, parse=parse)]


def _work(batch: Batch) -> list[AnnotatedSentence]:
    return _worker[0].annotate(batch)
