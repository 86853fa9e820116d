"""Scores of predicted pronouns against gold, as the shared tasks scored submissions."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from crosspro.arguments import (
    AnyPath,
    Paths,
    all_paths,
    check_choice,
    given_task,
    path_or_none,
    resampling,
)

if TYPE_CHECKING:
    from crosspro.data_prep.core.task import Task
    from crosspro.evaluation.core.evaluation import Evaluation


def evaluate(
    gold: AnyPath,
    submissions: Paths,
    task: Task | AnyPath,
    *,
    doc_ids: AnyPath | None = None,
    absent: Literal["skip", "zero"] = "skip",
    lenient: bool = False,
    resamples: int = 1000,
    seed: int = 12345,
) -> Evaluation:
    """Scores of submissions, with intervals and paired tests (none with 0 resamples).

    A submission is a file, or the folder of a run, whose system predicts the gaps of gold.
    Documents are resampled where ids are given or lie beside gold (X.doc-ids beside X.data), else
    gaps. Classes absent from gold are skipped, as in the papers, or count as zero. A file with
    other text than gold is refused, or warned of if `lenient`.
    """
    from dataclasses import replace

    from crosspro.data_prep.annotate.layers import layers_beside
    from crosspro.data_prep.core.files import is_run
    from crosspro.evaluation.metrics.submissions.file_checks import order_warning
    from crosspro.evaluation.metrics.submissions.metric import evaluate_submissions
    from crosspro.evaluation.metrics.submissions.submission import read_gold
    from crosspro.prediction.models import chosen_run
    from crosspro.prediction.output import gold_examples, read_or_predict
    from crosspro.prediction.runs import names_of

    check_choice("absent", absent, ("skip", "zero"))
    plan, task, paths = resampling(resamples, seed), given_task(task), all_paths(submissions)
    layers = layers_beside(gold)
    layers = replace(layers, documents=path_or_none(doc_ids) or layers.documents)
    tell = logging.getLogger("crosspro").warning
    paths = [chosen_run(path, tell) for path in paths]
    labels = read_gold(Path(gold), task, layers.documents)
    runs = any(map(is_run, paths))
    examples = gold_examples(Path(gold), task, layers, labels) if runs else []
    found = read_or_predict(paths, task, labels, examples, lenient=lenient)
    read = [replace(one, name=name) for one, name in zip(found, names_of(paths), strict=True)]
    order = order_warning(Path(gold), [path for path in paths if not is_run(path)], task)
    evaluation = evaluate_submissions(task, labels, read, absent, plan)
    return replace(evaluation, warnings=(*([order] if order else []), *evaluation.warnings))
