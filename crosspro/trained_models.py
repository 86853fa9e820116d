"""Trained models: load them, predict with them, proofread with them."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crosspro.scores import Lines
from crosspro.task_examples import AnyPath, examples_of, path_of, path_or_none

if TYPE_CHECKING:
    from crosspro.data_prep.core.example import Example
    from crosspro.prediction.pair_prediction import Prediction, Predictor
    from crosspro.prediction.proofread.output import Proofreading
    from crosspro.prediction.system import System

_LOG = logging.getLogger("crosspro")

Model = Any
"""A trained system, or what has one: a `System`, `TrainedRun`, `Predictor`, a path or a name."""


def load_system(model: Model) -> System:
    """A trained system from its run, an archive, or the name of a bundled model; it runs no code.

    Of a folder of runs the newest complete one is taken, which the logger `crosspro` names.
    `system.predict(examples)` gives the probability of every class.
    """
    from crosspro.data_prep.core.errors import input_error
    from crosspro.prediction import system
    from crosspro.prediction.models import chosen_run

    if isinstance(model, AnyPath):
        return system.load_system(chosen_run(Path(model), _LOG.warning))
    held = held_system(model)
    if held is None:
        expected = "a system, a run, an archive or the name of a model"
        raise input_error("arguments", "model", expected, type(model).__name__)
    return held


def held_system(value: object) -> System | None:
    """A system, or the one that an object has; None for anything else."""
    from crosspro.prediction.system import System

    candidates = (value, getattr(value, "system", None))
    return next((candidate for candidate in candidates if isinstance(candidate, System)), None)


def load(model: Model) -> Predictor:
    """A model for text: a bundled one (en-fr), a run, an archive, or a system in memory.

    Bundled models and others that were packed with a prior link words by their training text,
    others by the prior of the bundled model of their languages.

    >>> import crosspro
    >>> prediction = crosspro.load("en-fr").predict(
    ...     "The cup fell, but it did not break.",
    ...     "La tasse est tombée, mais REPLACE ne s'est pas cassée.",
    ... )
    >>> prediction.text, prediction.gaps[0].label
    ("La tasse est tombée, mais elle ne s'est pas cassée.", 'elle')
    """
    from crosspro.data_prep.pipeline.pairs.pipeline import PairPipeline
    from crosspro.prediction.models import chosen_run
    from crosspro.prediction.pair_prediction import Predictor, load_predictor

    if isinstance(model, Predictor):
        return model
    if isinstance(model, AnyPath):
        return load_predictor(chosen_run(Path(model), _LOG.warning), Path(model).stem)
    system = load_system(model)
    return Predictor(system.shown_name, system, PairPipeline(system.task))


def predict(model: Model, examples: Iterable[Example] | AnyPath) -> list[Prediction]:
    """Predict the gaps of examples, or of a five-column file: a `Prediction` for each line.

    `crosspro.load(model).predict(source, target)` predicts those of a sentence pair as text.
    """
    from crosspro.prediction.output import predicted
    from crosspro.prediction.pair_prediction import predictions

    system = load_system(model)
    return predictions(predicted(system, examples_of(examples, system.task)))


def proofread(
    source: Lines,
    translation: Lines | None = None,
    documents: Lines | None = None,
    model: Predictor | AnyPath | None = None,
    *,
    threshold: float = 0.4,
    any_language: bool = False,
) -> Proofreading:
    """Find pronouns of a translation that are probably wrong.

    Lines of source and translation in parallel, with the document of each (without `documents` all
    are one); or paths, also of subtitles (.srt, .vtt) and of files with both sides (.po, .xliff,
    .tmx). `model` is a name (en-de), a run, an archive, or what `load` returns; without it names of
    files choose a bundled model (book.en book.de). The result iterates over the pronouns in the
    order of the text.

    >>> import crosspro
    >>> lines = ["The dog slept.", "It snored."]
    >>> result = crosspro.proofread(lines, ["Der Hund schlief.", "Es schnarchte."], model="en-de")
    >>> for pronoun in result:
    ...     print(pronoun.word, pronoun.suggestion, pronoun.reason)
    Es Er “Es” for “It”: “Hund” is masculine, line 1
    """
    from crosspro.data_prep.core.errors import input_error
    from crosspro.evaluation.texts import as_lines
    from crosspro.prediction.models import chosen_run, summary
    from crosspro.prediction.pair_prediction import Predictor, load_predictor
    from crosspro.prediction.proofread.bundled import model_for
    from crosspro.prediction.proofread.files import open_translation, read_text
    from crosspro.prediction.proofread.output import proofreading
    from crosspro.prediction.proofread.text import text_of_lines

    if isinstance(threshold, bool | str) or not 0 <= threshold <= 1:
        raise input_error("arguments", "threshold", "a number from 0 to 1", repr(threshold))
    opened = None
    if isinstance(source, AnyPath) and isinstance(translation, AnyPath | None):
        opened = open_translation(Path(source), path_or_none(translation))
    if model is None:
        if opened is None:
            expected = "a run, an archive, or a bundled model"
            raise input_error("arguments", "model", expected, "none")
        model = model_for(opened)
    digest = ""
    if not isinstance(model, Predictor):
        path = path_of("model", model)
        run = chosen_run(path, _LOG.warning)
        digest = summary(run).digest
        model = load_predictor(run, path.stem)
    if opened is None:
        names = None if documents is None else as_lines("documents", documents)
        sides = as_lines("source", source), as_lines("translation", translation)
        text = text_of_lines(*sides, names)
    else:
        doc_ids = None if documents is None else path_of("documents", documents)
        pair = model.task.source_language, model.task.target_language
        text = read_text(opened, pair, doc_ids)
    return proofreading(model, digest, text, threshold, any_language=any_language)
