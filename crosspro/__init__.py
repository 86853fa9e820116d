"""Cross-lingual pronoun prediction, and evaluation of pronoun translation.

The functions of this module are the public API; each does what the command of its name does:

    import crosspro

    predictor = crosspro.load("en-fr")
    print(predictor.predict("The cup fell, but it did not break.",
                            "La tasse est tombée, mais REPLACE ne s'est pas cassée."))

    result = crosspro.apt(source, reference, {"A": lines, "B": lines},
                          source_language="en", target_language="fr")
    print(result)
    print(result.compare("A", "B"))

    print(crosspro.evaluate(["il", "elle"], {"A": ["il", "il"]}, "en-fr"))

    print(crosspro.proofread(["The dog slept.", "It snored."],
                             ["Der Hund schlief.", "Es schnarchte."], model="en-de"))

    run = crosspro.train(task="en-fr", system="stymne_svm", data="my/files")
    crosspro.write_examples("submission.data", run.predict("blind.data"))

Texts are lists of lines or paths. Modules are imported when one of their names is used, so that
`import crosspro` takes no time. Wrong input raises `InputError`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from crosspro.version import __version__ as __version__

if TYPE_CHECKING:  # for type checkers and editors; at run time `_MODULES` says the same
    from crosspro.contrastive_scores import contrastive as contrastive
    from crosspro.contrastive_scores import expected_forms as expected_forms
    from crosspro.data_prep.core.errors import CrossproError as CrossproError
    from crosspro.data_prep.core.errors import InputError as InputError
    from crosspro.data_prep.core.example import Example as Example
    from crosspro.data_prep.core.example import Gap as Gap
    from crosspro.data_prep.core.task import Task as Task
    from crosspro.evaluation.evaluation import Evaluation as Evaluation
    from crosspro.evaluation.score_report import ScoreReport as ScoreReport
    from crosspro.prediction.explanation import ExplainedGap as ExplainedGap
    from crosspro.prediction.pair_prediction import PredictedGap as PredictedGap
    from crosspro.prediction.pair_prediction import Prediction as Prediction
    from crosspro.prediction.pair_prediction import Predictor as Predictor
    from crosspro.prediction.proofread.doubts import PronounDoubt as PronounDoubt
    from crosspro.prediction.proofread.output import Proofreading as Proofreading
    from crosspro.prediction.system import System as System
    from crosspro.scores import apt as apt
    from crosspro.scores import autoprf as autoprf
    from crosspro.scores import bleu as bleu
    from crosspro.scores import pronoun_f1 as pronoun_f1
    from crosspro.scores import score as score
    from crosspro.submission_scores import evaluate as evaluate
    from crosspro.task_examples import demo as demo
    from crosspro.task_examples import load_task as load_task
    from crosspro.task_examples import prepare as prepare
    from crosspro.task_examples import read_examples as read_examples
    from crosspro.task_examples import write_examples as write_examples
    from crosspro.trained_models import fill as fill
    from crosspro.trained_models import load as load
    from crosspro.trained_models import load_language_model as load_language_model
    from crosspro.trained_models import load_system as load_system
    from crosspro.trained_models import predict as predict
    from crosspro.trained_models import proofread as proofread
    from crosspro.training import TrainedRun as TrainedRun
    from crosspro.training import explain as explain
    from crosspro.training import export as export
    from crosspro.training import train as train

_MODULES = {
    "contrastive_scores": "contrastive expected_forms",
    "data_prep.core.errors": "CrossproError InputError",
    "data_prep.core.example": "Example Gap",
    "data_prep.core.task": "Task",
    "evaluation.evaluation": "Evaluation",
    "evaluation.score_report": "ScoreReport",
    "prediction.explanation": "ExplainedGap",
    "prediction.pair_prediction": "PredictedGap Prediction Predictor",
    "prediction.proofread.doubts": "PronounDoubt",
    "prediction.proofread.output": "Proofreading",
    "prediction.system": "System",
    "scores": "apt autoprf bleu pronoun_f1 score",
    "submission_scores": "evaluate",
    "task_examples": "demo load_task prepare read_examples write_examples",
    "trained_models": "fill load load_language_model load_system predict proofread",
    "training": "TrainedRun explain export train",
}
_PLACES = {name: module for module, names in _MODULES.items() for name in names.split()}

__all__ = sorted(_PLACES)


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module
    from types import FunctionType

    value = getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
    if isinstance(value, FunctionType):
        value.__module__ = __name__  # it is shown and pickled under its public name
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
