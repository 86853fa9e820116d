"""A whole run: fit a system, save it, predict dev and the test sets, score them, write it down.

Training from a command line and from Python call this with what Hydra has made.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from crosspro.data_prep.annotate.layers import layers_in
from crosspro.data_prep.core.errors import CrossproError
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.files import atomic_output, make_folder, write_text
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.formats.shared_task import write_examples
from crosspro.data_prep.pipeline.sets.cues import label_leaks
from crosspro.data_prep.pipeline.sets.splits import Contents, Splits, example_contents, leaks
from crosspro.evaluation.evaluation import Evaluation
from crosspro.evaluation.metrics.submissions.metric import evaluate_submissions
from crosspro.evaluation.metrics.submissions.scores import Absent
from crosspro.evaluation.metrics.submissions.submission import (
    gold_of,
    unlabelled_line,
)
from crosspro.evaluation.report.page import evaluation_page
from crosspro.evaluation.report.records import json_report
from crosspro.evaluation.resampling import Resampling, resampling_or_none
from crosspro.prediction.adjustment import class_counts
from crosspro.prediction.configuration import DEFAULT_SCORING, Scoring
from crosspro.prediction.dev_score import dev_score
from crosspro.prediction.model_archive import MODEL, RECORD
from crosspro.prediction.output import predicted
from crosspro.prediction.runs import (
    Configuration,
    Run,
    RunScore,
    Times,
    checkout_commit,
    now,
    versions,
    write_run,
)
from crosspro.prediction.system import System

_PAGE_GAPS = 2000
"""Gaps on the page of a set; `crosspro evaluate --html` makes pages with more."""


@dataclass(frozen=True, repr=False)
class ScoredRun:
    """What came out of a run: its record, and the evaluation of each set that has labels."""

    run: Run
    evaluations: dict[str, Evaluation]

    def __repr__(self) -> str:
        return f"<ScoredRun {self.run.name}: {', '.join(self.evaluations)}>"


def fit_and_score(
    task: Task,
    system: System,
    splits: Splits,
    folder: Path,
    *,
    scoring: Scoring = DEFAULT_SCORING,
    configuration: Configuration | None = None,
    tell: Callable[[str], None] = lambda note: None,
) -> ScoredRun:
    """Fit a system and write its model, submissions, scores, pages and `run.json` to a folder.

    Without `resamples` there are no intervals and no tests. `tell` gets what a user should know
    meanwhile.
    """
    make_folder(folder)
    record = folder / RECORD
    earlier = record.read_bytes() if record.is_file() else None
    name = system.shown_name
    seed = getattr(system.settings, "seed", scoring.seed)
    resampling = resampling_or_none(scoring.resamples, scoring.resampling_seed)
    label_cues = label_leaks(splits, task)
    for warning in (*leaks(splits), *(f"{part}: {cue}" for part, cue in label_cues.items())):
        tell(f"warning: {warning}")
    run = Run(
        status="running",
        task=task.name,
        system=name,
        seed=seed,
        configuration=configuration or Configuration(),
        data=contents(splits),
        layers=tuple(sorted(layers_in(splits.train))),
        cues={part: asdict(cue) for part, cue in label_cues.items()},
        versions=versions(),
        commit=checkout_commit(),
        times=Times(now()),
    )
    write_run(folder, run)
    tell(f"fitting {name} on {len(splits.train):,} lines")
    blind = sum(gap.label is None for example in splits.train for gap in example.gaps)
    if blind:
        tell(f"train: {blind:,} gaps without a label are not learnt from")
    start = time.monotonic()
    try:
        if scoring.prior_correction:
            dev_score(task, splits.dev, scoring.prior_correction)  # refuses an unfit dev set
        system.fit(task, splits.train, splits.dev, folder)
        if splits.in_domain:
            system.fine_tune(splits.in_domain, splits.dev, folder)
        if scoring.prior_correction:
            counts = class_counts(task, splits.train)
            system.correct_prior(splits.dev, scoring.prior_correction, counts / counts.sum())
    except CrossproError:
        if earlier is not None:  # its model and its scores are still there
            with atomic_output(record) as handle:
                handle.write(earlier)
        raise
    fitted = time.monotonic()
    if system.report is not None:
        for note in (system.report.summary, *system.report.warnings):
            tell(note)
    system.save(folder / MODEL)
    evaluations = {}
    for title, examples in {"dev": splits.dev, **splits.test}.items():
        evaluation = score_set(
            system, run.name, title, examples, folder, scoring.absent, resampling, tell
        )
        if evaluation is not None:
            evaluations[title] = evaluation
    run = replace(
        run,
        status="complete",
        versions=versions(),
        times=replace(
            run.times,
            ended=now(),
            fit_seconds=round(fitted - start, 3),
            score_seconds=round(time.monotonic() - fitted, 3),
        ),
        fit=None if system.report is None else dict(system.report.figures),
        scores=_scores(evaluations, 0),
        variants={
            variant: _scores(evaluations, number)
            for number, variant in enumerate(system.variants(), start=1)
        },
        warnings=tuple(score_warnings(task, splits, evaluations)),
    )
    write_run(folder, run)
    return ScoredRun(run, evaluations)


def score_set(
    system: System,
    name: str,
    title: str,
    examples: Sequence[Example],
    folder: Path,
    absent: Absent,
    resampling: Resampling | None,
    tell: Callable[[str], None],
) -> Evaluation | None:
    """Predict one set, write the submissions of a system and its variants, and score them.

    A set without labels has submissions and no evaluation.
    """
    for note in system.layer_warnings(title, layers_in(examples)):
        tell(note)
    submissions = []
    for label, scored in {name: system, **system.variants()}.items():
        predictions = predicted(scored, examples)
        suffix = "" if scored is system else f".{label}"
        write_examples(folder / f"{title}{suffix}.submission.data", predictions.labelled())
        submissions.append(predictions.submission(label))
    blind = unlabelled_line(examples)
    if blind is not None or not any(example.gaps for example in examples):
        reason = f"line {blind} has a gap without a gold label" if blind else "it has no gap"
        tell(f"{title}: a submission and no score, since {reason}")
        return None
    gold = gold_of(examples, system.task, title)
    evaluation = evaluate_submissions(system.task, gold, submissions, absent, resampling, examples)
    write_text(folder / f"{title}.scores.json", json_report(evaluation))
    write_text(folder / f"{title}.report.html", evaluation_page(evaluation, _PAGE_GAPS))
    return evaluation


def score_warnings(
    task: Task, splits: Splits, evaluations: Mapping[str, Evaluation]
) -> Iterator[str]:
    """The sets on which the system is less often right than the most frequent class of train."""
    labels = Counter(gap.label for example in splits.train for gap in example.gaps)
    most = max(task.classes, key=lambda name: labels[name])
    for title, evaluation in evaluations.items():
        base = 100 * float(np.mean(evaluation.items.data.gold.classes == task.class_index[most]))
        accuracy = evaluation.candidates[0].scores["accuracy"].value
        if accuracy < base:
            yield (
                f"{title}: accuracy {accuracy:.2f} is below the {base:.2f} of always answering "
                f"{most}, the most frequent class of train"
            )


def contents(splits: Splits) -> tuple[Contents, ...]:
    """What each file of a run's data holds, or each split, where it comes from no file."""
    if splits.files:
        return tuple(splits.files)
    return (
        example_contents("train", "train", splits.train),
        example_contents("dev", "dev", splits.dev),
        *(example_contents("test", name, examples) for name, examples in splits.test.items()),
    )


def _scores(evaluations: dict[str, Evaluation], number: int) -> dict[str, dict[str, RunScore]]:
    return {
        title: {
            measure: RunScore(measure, score.value, evaluation.signature, score.low, score.high)
            for measure, score in evaluation.candidates[number].scores.items()
        }
        for title, evaluation in evaluations.items()
    }
