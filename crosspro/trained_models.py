"""Trained models, and what they predict: for examples, or for a sentence pair as it is typed."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crosspro.arguments import (
    AnyPath,
    given_path,
    given_task,
    languages_or_none,
    path_or_none,
)
from crosspro.scores import Lines
from crosspro.task_examples import given_examples

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


Model = Any
"""A trained system, or what has one: a `System`, `TrainedRun`, `Predictor`, a path or a name."""


def given_system(model: Model) -> System:
    """The system that a model is or has, or the one of that name, run or archive."""
    from crosspro.data_prep.core.errors import input_error
    from crosspro.prediction.models import chosen_run
    from crosspro.prediction.system import load_system

    if isinstance(model, AnyPath):
        return load_system(chosen_run(Path(model), logging.getLogger("crosspro").warning))
    system = held_system(model)
    if system is None:
        expected = "a system, a run, an archive or the name of a model"
        raise input_error("arguments", "model", expected, type(model).__name__)
    return system


def held_system(value: object) -> System | None:
    """The system that a value is, or that it has."""
    from crosspro.prediction.system import System

    held = (value, getattr(value, "system", None))
    return next((one for one in held if isinstance(one, System)), None)


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

    `load("en-fr").fill(source, target)` fills each REPLACE of a translation. Bundled models and
    others that were packed with a prior link words by what their training text taught.

    >>> import crosspro
    >>> filled = crosspro.load("en-fr").fill(
    ...     "The cup fell, but it did not break.",
    ...     "La tasse est tombée, mais REPLACE ne s'est pas cassée.",
    ... )
    >>> filled.text, filled.gaps[0].label
    ("La tasse est tombée, mais elle ne s'est pas cassée.", 'elle')
    """
    from crosspro.prediction.models import chosen_run
    from crosspro.prediction.pair_prediction import load_predictor

    run = chosen_run(given_path("model", model), logging.getLogger("crosspro").warning)
    return load_predictor(run, Path(model).stem)


def predict(system: Model, examples: Iterable[Example] | AnyPath) -> list[Example]:
    """The examples with the class that a system decides on as the label of each gap.

    Systems and examples may be paths. `system.predict(examples)` gives the probability of every
    class.
    """
    from crosspro.prediction.output import predicted

    own = given_system(system)
    return predicted(own, given_examples(examples, own.task)).labelled()


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
    source: Lines,
    translation: Lines | None = None,
    documents: Lines | None = None,
    model: Predictor | AnyPath | None = None,
    *,
    source_language: str | None = None,
    target_language: str | None = None,
    threshold: float = 0.4,
    any_language: bool = False,
) -> Proofreading:
    """Find pronouns of a translation that are probably wrong.

    Lines of source and translation in parallel, with the document of each (without `documents` all
    are one); or paths, also of subtitles (.srt, .vtt) and of files with both sides (.po, .xliff,
    .tmx). `model` is a name (en-de), a run, an archive, or what `load` returns; without it the
    languages choose a bundled model, or names of files do (book.en book.de). The result iterates
    over the pronouns in the order of the text.

    >>> import crosspro
    >>> result = crosspro.proofread(
    ...     ["The dog slept.", "It snored."],
    ...     ["Der Hund schlief.", "Es schnarchte."],
    ...     source_language="en",
    ...     target_language="de",
    ... )
    >>> for pronoun in result:
    ...     print(pronoun.word, pronoun.suggestion, pronoun.reason)
    Es Er “Es” for “It”: “Hund” is masculine, line 1
    """
    from crosspro.data_prep.core.errors import input_error
    from crosspro.evaluation.texts import as_lines
    from crosspro.prediction.models import chosen_run, summary
    from crosspro.prediction.pair_prediction import Predictor, load_predictor
    from crosspro.prediction.proofread.files import open_translation, read_text
    from crosspro.prediction.proofread.languages import model_for
    from crosspro.prediction.proofread.output import proofreading
    from crosspro.prediction.proofread.text import text_of_lines

    if isinstance(threshold, bool | str) or not 0 <= threshold <= 1:
        raise input_error("arguments", "threshold", "a number from 0 to 1", repr(threshold))
    languages = languages_or_none(source_language, target_language)
    opened = None
    if isinstance(source, AnyPath) and isinstance(translation, AnyPath | None):
        opened = open_translation(Path(source), path_or_none(translation))
    if model is None and languages is not None:
        model = "-".join(languages)
    elif model is None and opened is not None:
        model = model_for(opened)
    elif model is None:
        expected = "a run, an archive, or a bundled model"
        raise input_error(
            "arguments", "model, or source_language and target_language", expected, "none"
        )
    digest = ""
    if not isinstance(model, Predictor):
        path = given_path("model", model)
        run = chosen_run(path, logging.getLogger("crosspro").warning)
        digest = summary(run).digest
        model = load_predictor(run, path.stem)
    if opened is None:
        names = None if documents is None else as_lines("documents", documents)
        sides = as_lines("source", source), as_lines("translation", translation)
        text = text_of_lines(*sides, names)
    else:
        doc_ids = None if documents is None else given_path("documents", documents)
        pair = model.task.source_language, model.task.target_language
        text = read_text(opened, pair, doc_ids).text
    return proofreading(model, digest, text, threshold, any_language=any_language)


def load_language_model(path: AnyPath) -> LanguageModel:
    """An n-gram model as `crosspro lm estimate` writes it, in ARPA form, or in that of KenLM."""
    from crosspro.baselines.ngram.files import load_model

    return load_model(path)


def fill(
    examples: Iterable[Example] | AnyPath,
    task: Task | AnyPath,
    model: LanguageModel | AnyPath,
    none_penalty: float = 0.0,
) -> list[Example]:
    """The examples with all gaps of a line filled together by a language model, as labels.

    The official baseline, `crosspro lm fill`: `none_penalty` (log10) makes it dearer to leave a gap
    empty. Examples and the model may be paths.
    """
    from crosspro.baselines.fill import GapFiller, task_fillers

    rules = given_task(task)
    examples = given_examples(examples, rules)
    model = load_language_model(model) if isinstance(model, AnyPath) else model
    fillers = task_fillers(rules)
    fillings = GapFiller(model, fillers, none_penalty).fill(examples)
    return [
        example.with_labels([fillers.classes[choice] for choice in filling.choices])
        for example, filling in zip(examples, fillings, strict=True)
    ]
