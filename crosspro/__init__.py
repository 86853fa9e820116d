"""Cross-lingual pronoun prediction, and evaluation of pronoun translation.

The functions of this module are the public API; what the commands of `crosspro` do can be done with
them. They take names of tasks and paths of files, and return the records that reports are made of:

    import crosspro

    predictor = crosspro.load("en-fr")
    print(predictor.fill("The cup fell, but it did not break.",
                         "La tasse est tombée, mais REPLACE ne s'est pas cassée."))

    task = crosspro.load_task("en-fr")
    examples = crosspro.prepare(task, "corpus.en", "corpus.fr", doc_ids="corpus.doc-ids")
    crosspro.write_examples("train.data", examples)

    system = crosspro.load_system("runs/en-fr/turku_gru_2016/…")
    predicted = crosspro.predict(system, crosspro.read_examples("blind.data", task))
    crosspro.write_examples("submission.data", predicted)

    evaluation = crosspro.evaluate("gold.data", ["submission.data"], "en-fr")
    print(evaluation.systems[0].scores["macro_recall"])

    pair = crosspro.predict_pair(system, "The house is old, but it stands.",
                                 "La maison est vieille, mais REPLACE tient debout.")
    print(pair.gaps[0].label, pair.gaps[0].probabilities)

    print(crosspro.proofread(["The dog slept.", "It snored."],
                             ["Der Hund schlief.", "Es schnarchte."], model="en-de"))

    scores = crosspro.apt("source", "reference", ["candidate"], pronouns="en-fr")

Everything else is imported when a function is called, so that `import crosspro` takes no time.
Wrong input raises `InputError`, whose `problems` say where, what was expected and what was found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from crosspro.version import __version__ as __version__

if TYPE_CHECKING:
    from crosspro.arguments import AnyPath as AnyPath
    from crosspro.arguments import Paths as Paths
    from crosspro.classifier import PronounClassifier
    from crosspro.data_prep.core.errors import CrossproError, InputError
    from crosspro.data_prep.core.example import Example, Gap
    from crosspro.data_prep.core.task import Task
    from crosspro.data_prep.pipeline.pairs.typed_text import GapMark
    from crosspro.evaluation.folder_report.results import FolderReport
    from crosspro.evaluation.output.result import PairedTest, Result
    from crosspro.mt_scores import (
        apt,
        autoprf,
        bleu,
        contrastive,
        contrastive_generate,
        pronoun_f1,
        report,
    )
    from crosspro.prediction.explanation import ExplainedGap
    from crosspro.prediction.pair_prediction import FilledPronoun, FilledText, Predictor
    from crosspro.prediction.proofread.doubts import PronounDoubt
    from crosspro.prediction.proofread.output import Proofreading
    from crosspro.prediction.system import System
    from crosspro.submission_scores import evaluate
    from crosspro.task_examples import (
        ExampleStream,
        demo,
        examples,
        limits,
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
    "Example",
    "ExampleStream",
    "ExplainedGap",
    "FilledPronoun",
    "FilledText",
    "FolderReport",
    "Gap",
    "GapMark",
    "InputError",
    "PairedTest",
    "Predictor",
    "PronounClassifier",
    "PronounDoubt",
    "Proofreading",
    "Result",
    "System",
    "Task",
    "TrainedRun",
    "apt",
    "autoprf",
    "bleu",
    "contrastive",
    "contrastive_generate",
    "demo",
    "evaluate",
    "examples",
    "explain",
    "export",
    "fill",
    "limits",
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
    "report",
    "train",
    "write_examples",
]

_PLACES = {
    name: module
    for module, names in {
        "crosspro.arguments": "AnyPath Paths",
        "crosspro.classifier": "PronounClassifier",
        "crosspro.data_prep.core.errors": "CrossproError InputError",
        "crosspro.data_prep.core.example": "Example Gap",
        "crosspro.data_prep.core.task": "Task",
        "crosspro.data_prep.pipeline.pairs.typed_text": "GapMark",
        "crosspro.evaluation.folder_report.results": "FolderReport",
        "crosspro.evaluation.output.result": "PairedTest Result",
        "crosspro.mt_scores": "apt autoprf bleu contrastive contrastive_generate pronoun_f1 report",
        "crosspro.prediction.explanation": "ExplainedGap",
        "crosspro.prediction.pair_prediction": "FilledPronoun FilledText Predictor",
        "crosspro.prediction.proofread.doubts": "PronounDoubt",
        "crosspro.prediction.proofread.output": "Proofreading",
        "crosspro.prediction.system": "System",
        "crosspro.submission_scores": "evaluate",
        "crosspro.task_examples": "ExampleStream demo examples limits load_task prepare "
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
