"""Segments a second of every step of `crosspro prepare`, on one core.

Run: python -m crosspro.scripts.bench.prepare_speed --source TEXT.en --target TEXT.fr --task en-fr
     [--segments 3000]

The annotators are the defaults; their models are loaded before the clock starts, and the loading
is shown by itself. Gaps are placed by a second run of the pipeline, which finds links and
annotation in its cache, so reading the cache counts there. What a large corpus would take is
extrapolated: the time of each step times the ratio of sizes. That is fair for all steps but the
alignment, whose tables grow with the vocabulary.
"""

from __future__ import annotations

import argparse
import os
import resource
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from crosspro.data_prep.align.backends import align_corpus, default_settings
from crosspro.data_prep.annotate.corpus import BATCH, make_annotator
from crosspro.data_prep.annotate.tokenise import TokenisedBitext, tokenise_lines
from crosspro.data_prep.bitext.read import read_bitext
from crosspro.data_prep.core.stored import Cache
from crosspro.data_prep.core.task import Task, load_task
from crosspro.data_prep.formats.shared_task import write_examples
from crosspro.data_prep.gaps.extract import GapRules
from crosspro.data_prep.pipeline.prepare import PrepareSettings, prepare
from crosspro.evaluation.output.tables import text_table

LARGE = 2_000_000
"""Segments of the corpus that the times are extrapolated to."""

Sentences = Sequence[Sequence[str]]


@dataclass(frozen=True)
class Timing:
    """A step, the sentences it worked on, and its seconds, loading of a model apart."""

    step: str
    sentences: int
    seconds: float
    loading: float = 0.0


class Clock:
    """Seconds since the last look."""

    def __init__(self) -> None:
        self.start = time.perf_counter()

    def lap(self) -> float:
        """The seconds since the last call."""
        now = time.perf_counter()
        seconds, self.start = now - self.start, now
        return seconds


def main() -> None:
    """Print a row for each step, their sum, and the whole pipeline as a user runs it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--target", type=Path, required=True)
    parser.add_argument("--task", default="en-fr")
    parser.add_argument("--segments", type=int, default=3000)
    options = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
    task = load_task(options.task)
    with tempfile.TemporaryDirectory() as name:
        timings, size, whole = measure_steps(
            task, options.source, options.target, options.segments, Path(name)
        )
    print(f"{task.name}, {size:,} segments, one core; {LARGE:,} segments are extrapolated\n")
    print(text_table(HEADING, [_row(timing, size) for timing in timings]))
    seconds = sum(timing.seconds for timing in timings)
    print(f"all steps: {size / seconds:,.0f} segments/s, {_hours(seconds * LARGE / size)} in all")
    print(f"the pipeline in one run, from tokens to examples: {whole:.1f} s with loading")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory: {peak:,.0f} MB")


HEADING = ("step", "sentences", "seconds", "loading", "segments/s", f"{LARGE:,} segments")


def _row(timing: Timing, size: int) -> tuple[str, ...]:
    return (
        timing.step,
        f"{timing.sentences:,}",
        f"{timing.seconds:.2f}",
        f"{timing.loading:.1f}" if timing.loading else "",
        f"{size / timing.seconds:,.0f}",
        _hours(timing.seconds * LARGE / size),
    )


def _hours(seconds: float) -> str:
    return f"{seconds / 60:.1f} min" if seconds < 3600 else f"{seconds / 3600:.1f} h"


def measure_steps(
    task: Task, source: Path, target: Path, number: int, folder: Path
) -> tuple[list[Timing], int, float]:
    """The timing of each step, the number of segments, and the seconds of the whole pipeline."""
    clock = Clock()
    languages = task.source_language, task.target_language
    read = read_bitext(source, target, source_language=languages[0], target_language=languages[1])
    texts = list(islice(read, number))
    size = len(texts)
    timings = [Timing("reading", size, clock.lap())]
    left = list(tokenise_lines((text.source for text in texts), languages[0]))
    right = list(tokenise_lines((text.target for text in texts), languages[1]))
    timings.append(Timing("tokenising", size, clock.lap()))
    aligner = default_settings(task)
    list(align_corpus(left, right, aligner))
    timings.append(Timing("aligning", size, clock.lap()))
    tagset = "universal" if task.tagset == "none" else task.tagset
    parse = task.null_subjects
    timings.append(_annotating("annotating target", right, languages[1], tagset, parse))
    judged = _judged(task, left)
    if judged:
        name = "annotating source"
        timings.append(_annotating(name, judged, languages[0], "universal", True))
    bitext = TokenisedBitext(left, right, [text.document for text in texts])
    settings, cache = PrepareSettings(GapRules(), aligner), Cache(folder / "cache")
    clock.lap()
    for _ in prepare(task, bitext, settings, cache)[0]:
        pass
    whole = clock.lap()
    examples = list(prepare(task, bitext, settings, cache)[0])
    timings.append(Timing("placing gaps", size, clock.lap()))
    write_examples(folder / "x.data", examples)
    timings.append(Timing("writing", size, clock.lap()))
    return timings, size, whole


def _judged(task: Task, sentences: Sentences) -> Sentences:
    """The source sentences that the pipeline annotates."""
    if task.null_subjects:
        return sentences
    known = task.subject_filter.pronouns
    return [one for one in sentences if any(word.lower() in known for word in one)]


def _annotating(step: str, sentences: Sentences, language: str, tagset: str, parse: bool) -> Timing:
    annotator = make_annotator("auto", language, tagset, parse=parse)
    clock = Clock()
    annotator.annotate([["a"]])  # loads the model
    loading = clock.lap()
    for start in range(0, len(sentences), BATCH):
        annotator.annotate(sentences[start : start + BATCH])
    return Timing(step, len(sentences), clock.lap(), loading)


if __name__ == "__main__":
    main()
