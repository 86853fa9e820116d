"""Trained models, and what they predict: for examples, or for a sentence pair as it is typed."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from crosspro.arguments import AnyPath, given_task

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from crosspro.baselines.ngram.model import LanguageModel
    from crosspro.data_prep.core.example import Example
    from crosspro.data_prep.core.task import Task
    from crosspro.data_prep.pipeline.pairs.pipeline import PairPipeline
    from crosspro.data_prep.pipeline.pairs.typed_text import GapMark
    from crosspro.prediction.pair_prediction import PairPrediction, Predictor
    from crosspro.prediction.proofread.output import Proofreading
    from crosspro.prediction.system import System


def load_system(run: AnyPath) -> System:
    """A trained system, ready to predict, from its run or an archive; no code in it is run.

    Of a folder of runs the newest complete one is taken, which the logger `crosspro` tells.
    """
    from crosspro.prediction.models import chosen_run
    from crosspro.prediction.pair_prediction import own_pipeline
    from crosspro.prediction.system import load_system

    chosen = chosen_run(Path(run), logging.getLogger("crosspro").warning)
    system = load_system(chosen)
    own_pipeline(system, chosen)
    return system


def load(model: AnyPath) -> Predictor:
    """A model for text: one that comes with the package (en-fr), or a run or an archive.

    `load("en-fr").fill(source, target)` fills each REPLACE of a translation. Models of the box and
    others that were packed with a prior link words by what their training text taught.
    """
    from crosspro.prediction.models import chosen_run
    from crosspro.prediction.pair_prediction import load_predictor

    run = chosen_run(Path(model), logging.getLogger("crosspro").warning)
    return load_predictor(run, Path(model).stem)


def predict(system: System, examples: Sequence[Example]) -> list[Example]:
    """The examples with the most probable class of each gap as its label.

    `system.predict(examples)` gives the probability of every class.
    """
    from crosspro.prediction.output import predicted

    return predicted(system, examples).labelled()


def pair_pipeline(
    task: Task | AnyPath,
    *,
    prior: AnyPath | None = None,
    align_with: tuple[AnyPath, AnyPath] | None = None,
    annotator: str = "auto",
    source_annotator: str = "auto",
) -> PairPipeline:
    """What turns raw sentence pairs into examples of a task; keep it, for models load once.

    Links are made from a prior (`crosspro align --save-prior`), or from a tokenised corpus
    (`align_with`), else from the short texts that come with the package.
    """
    from functools import partial

    from crosspro.data_prep.pipeline.pairs.pair_links import (
        aligner_of_package,
        aligner_with_corpus,
        aligner_with_prior,
    )
    from crosspro.data_prep.pipeline.pairs.pipeline import PairPipeline

    aligner = aligner_of_package
    if prior is not None:
        aligner = partial(aligner_with_prior, path=Path(prior))
    elif align_with is not None:
        source, target = map(Path, align_with)
        aligner = partial(aligner_with_corpus, source=source, target=target)
    return PairPipeline(given_task(task), annotator, source_annotator, aligner)


def predict_pair(
    system: System,
    source: str,
    target: str,
    *,
    context: Iterable[tuple[str, str]] = (),
    gaps: Sequence[GapMark] | None = None,
    links: str | None = None,
    pipeline: PairPipeline | None = None,
) -> PairPrediction:
    """What a system predicts for a sentence and its translation, typed as any text.

    Gaps are written into the target as REPLACE (REPLACE_6 if the source token is known), or named
    in `gaps`; without either, the pronouns that the rules of the task find are hidden and
    predicted. `context` has the pairs before, in order. `links` (`0-0 1-2`) replaces the aligner.
    Without a `pipeline` the system gets one, which is kept with it.
    """
    from crosspro.data_prep.pipeline.pairs.typed_text import SentencePair
    from crosspro.prediction.pair_prediction import own_pipeline, predict_pair

    if pipeline is None:
        pipeline = own_pipeline(system)
    elif pipeline.task != system.task:
        from crosspro.data_prep.core.errors import input_error

        raise input_error("arguments", "pipeline", system.task.name, pipeline.task.name)
    before = [SentencePair(*pair) for pair in context]
    return predict_pair(system, pipeline, SentencePair(source, target, links), before, gaps)


def proofread(
    source_lines: Sequence[str],
    target_lines: Sequence[str],
    documents: Sequence[str] | None = None,
    model: Predictor | AnyPath | None = None,
    *,
    threshold: float = 0.4,
) -> Proofreading:
    """What a model says of each pronoun of a translation: how probably it is wrong, and why.

    A line of the source is translated by the line of the target in the same place; `documents` has
    the name of the document of each, and without it all are one. `model` is a name (en-de), a run,
    an archive, or what `load` has given. The result iterates over the pronouns in the order of the
    text, prints as `crosspro proofread` does, and has `to_dict()` and `mended(threshold)`.
    """
    from crosspro.arguments import check_lines
    from crosspro.data_prep.core.errors import input_error
    from crosspro.prediction.models import chosen_run, summary
    from crosspro.prediction.pair_prediction import Predictor, load_predictor
    from crosspro.prediction.proofread.output import proofreading
    from crosspro.prediction.proofread.text import text_of_lines

    check_lines(source_lines=source_lines, target_lines=target_lines, documents=documents)
    if not 0 <= threshold <= 1:
        raise input_error("arguments", "threshold", "a number from 0 to 1", repr(threshold))
    if model is None:
        from crosspro.prediction.model_archive import box_models

        expected = f"a run, an archive, or one of the box: {', '.join(box_models())}"
        raise input_error("arguments", "model", expected, "none")
    digest = ""
    if not isinstance(model, Predictor):
        run = chosen_run(Path(model), logging.getLogger("crosspro").warning)
        digest = summary(run).digest
        model = load_predictor(run, Path(model).stem)
    text = text_of_lines(source_lines, target_lines, documents)
    return proofreading(model, digest, text, threshold)


def load_language_model(path: AnyPath) -> LanguageModel:
    """An n-gram model as `crosspro lm train` writes it, or in ARPA form."""
    from crosspro.baselines.ngram.load import load_model

    return load_model(path)


def fill(
    examples: Sequence[Example],
    task: Task | AnyPath,
    model: LanguageModel,
    none_penalty: float = 0.0,
) -> list[Example]:
    """The examples with all gaps of a line filled together by a language model, as labels.

    The official baseline: `none_penalty` (log10) makes it dearer to leave a gap empty.
    """
    from crosspro.baselines.fill import GapFiller, task_fillers

    fillers = task_fillers(given_task(task))
    fillings = GapFiller(model, fillers, none_penalty).fill(examples)
    return [
        example.with_labels([fillers.classes[choice] for choice in filling.choices])
        for example, filling in zip(examples, fillings, strict=True)
    ]
