"""Cross-lingual pronoun prediction, and evaluation of pronoun translation.

The functions of this module are the public API; each does what the command of its name does:

    import crosspro

    predictor = crosspro.load("en-fr")
    print(predictor.fill("The cup fell, but it did not break.",
                         "La tasse est tombée, mais REPLACE ne s'est pas cassée."))

    result = crosspro.apt(source, reference, {"A": lines, "B": lines},
                          source_language="en", target_language="fr")
    print(result)
    print(result.compare("A", "B"))

    print(crosspro.evaluate(["il", "elle"], {"A": ["il", "il"]}, "en-fr"))

    print(crosspro.proofread(["The dog slept.", "It snored."],
                             ["Der Hund schlief.", "Es schnarchte."], model="en-de"))

    run = crosspro.train(task="en-fr", system="stymne_svm", data="my/files")
    predicted = run.predict(crosspro.examples("blind.data", "en-fr"))
    crosspro.write_examples("submission.data", predicted)

Texts are lists of lines, paths or open files. Everything else is imported when a function is
called, so that `import crosspro` takes no time. Wrong input raises `InputError`, whose `problems`
say where, what was expected and what was found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from crosspro.version import __version__ as __version__

if TYPE_CHECKING:
    from crosspro.arguments import AnyPath as AnyPath
    from crosspro.arguments import Paths as Paths
    from crosspro.contrastive_scores import contrastive, expected_forms
    from crosspro.data_prep.core.errors import CrossproError, InputError
    from crosspro.data_prep.core.example import Example, Gap
    from crosspro.data_prep.core.task import Task
    from crosspro.data_prep.pipeline.pairs.typed_text import GapMark
    from crosspro.evaluation.evaluation import Evaluation
    from crosspro.evaluation.resampling import Difference
    from crosspro.evaluation.score_report import ScoreReport
    from crosspro.prediction.explanation import ExplainedGap
    from crosspro.prediction.pair_prediction import FilledPronoun, FilledText, Predictor
    from crosspro.prediction.proofread.doubts import PronounDoubt
    from crosspro.prediction.proofread.output import Proofreading
    from crosspro.prediction.system import System
    from crosspro.scores import apt, autoprf, bleu, pronoun_f1, score
    from crosspro.submission_scores import evaluate
    from crosspro.task_examples import (
        ExampleStream,
        demo,
        examples,
        load_task,
        prepare,
        read_examples,
        write_examples,
    )
    from crosspro.trained_models import (
        fill,
        load,
        load_language_model,
        load_system,
        pair_pipeline,
        predict,
        predict_pair,
        proofread,
    )
    from crosspro.training import TrainedRun, explain, export, train

__all__ = [
    "CrossproError",
    "Difference",
    "Evaluation",
    "Example",
    "ExampleStream",
    "ExplainedGap",
    "FilledPronoun",
    "FilledText",
    "Gap",
    "GapMark",
    "InputError",
    "Predictor",
    "PronounDoubt",
    "Proofreading",
    "ScoreReport",
    "System",
    "Task",
    "TrainedRun",
    "apt",
    "autoprf",
    "bleu",
    "contrastive",
    "demo",
    "evaluate",
    "examples",
    "expected_forms",
    "explain",
    "export",
    "fill",
    "load",
    "load_language_model",
    "load_system",
    "load_task",
    "pair_pipeline",
    "predict",
    "predict_pair",
    "prepare",
    "pronoun_f1",
    "proofread",
    "read_examples",
    "score",
    "train",
    "write_examples",
]

_PLACES = {
    name: module
    for module, names in {
        "crosspro.arguments": "AnyPath Paths",
        "crosspro.contrastive_scores": "contrastive expected_forms",
        "crosspro.data_prep.core.errors": "CrossproError InputError",
        "crosspro.data_prep.core.example": "Example Gap",
        "crosspro.data_prep.core.task": "Task",
        "crosspro.data_prep.pipeline.pairs.typed_text": "GapMark",
        "crosspro.evaluation.evaluation": "Evaluation",
        "crosspro.evaluation.resampling": "Difference",
        "crosspro.evaluation.score_report": "ScoreReport",
        "crosspro.prediction.explanation": "ExplainedGap",
        "crosspro.prediction.pair_prediction": "FilledPronoun FilledText Predictor",
        "crosspro.prediction.proofread.doubts": "PronounDoubt",
        "crosspro.prediction.proofread.output": "Proofreading",
        "crosspro.prediction.system": "System",
        "crosspro.scores": "apt autoprf bleu pronoun_f1 score",
        "crosspro.submission_scores": "evaluate",
        "crosspro.task_examples": "ExampleStream demo examples load_task prepare "
        "read_examples write_examples",
        "crosspro.trained_models": "fill load load_language_model load_system pair_pipeline "
        "predict predict_pair proofread",
        "crosspro.training": "TrainedRun explain export train",
    }.items()
    for name in names.split()
}
"""Where each name is: its module is imported when somebody asks for it."""


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module
    from types import FunctionType

    found = getattr(import_module(_PLACES[name]), name)
    if isinstance(found, FunctionType):
        found.__module__ = __name__  # users see and pickle its public name, wherever it is
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_PLACES})
