"""Cross-lingual pronoun prediction, and evaluation of pronoun translation.

The functions of this module are the public API; each does what the command of its name does:

    import crosspro

    predictor = crosspro.load("en-fr")
    print(predictor.predict("The cup fell, but it did not break.",
                            "La tasse est tombée, mais REPLACE ne s'est pas cassée."))

    report = crosspro.score(source, reference, {"A": lines}, ["apt", "bleu"],
                            source_language="en", target_language="fr")
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
    from crosspro.data_prep.core.errors import CrossproError, InputError
    from crosspro.data_prep.core.example import Example, Gap
    from crosspro.data_prep.core.task import Task
    from crosspro.evaluation.evaluation import Evaluation
    from crosspro.evaluation.score_report import ScoreReport
    from crosspro.prediction.pair_prediction import PredictedGap, Prediction, Predictor
    from crosspro.prediction.proofread.output import Proofreading
    from crosspro.prediction.proofread.text import PronounDoubt
    from crosspro.prediction.system import System
    from crosspro.scores import contrastive, expected_forms, score
    from crosspro.submission_scores import evaluate
    from crosspro.task_examples import demo, load_task, prepare, read_examples, write_examples
    from crosspro.trained_models import load, load_system, predict, proofread
    from crosspro.training import TrainedRun, export, train

__all__ = [
    "CrossproError", "Evaluation", "Example", "Gap", "InputError",
    "PredictedGap", "Prediction", "Predictor", "PronounDoubt", "Proofreading", "ScoreReport",
    "System", "Task", "TrainedRun", "contrastive", "demo", "evaluate", "expected_forms",
    "export", "load", "load_system", "load_task", "predict", "prepare", "proofread",
    "read_examples", "score", "train", "write_examples",
]  # fmt: skip
_MODULES = {
    "data_prep.core.errors": "CrossproError InputError",
    "data_prep.core.example": "Example Gap",
    "data_prep.core.task": "Task",
    "evaluation.evaluation": "Evaluation",
    "evaluation.score_report": "ScoreReport",
    "prediction.pair_prediction": "PredictedGap Prediction Predictor",
    "prediction.proofread.text": "PronounDoubt",
    "prediction.proofread.output": "Proofreading",
    "prediction.system": "System",
    "scores": "contrastive expected_forms score",
    "submission_scores": "evaluate",
    "task_examples": "demo load_task prepare read_examples write_examples",
    "trained_models": "load load_system predict proofread",
    "training": "TrainedRun export train",
}
_PLACES = {name: module for module, names in _MODULES.items() for name in names.split()}


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
