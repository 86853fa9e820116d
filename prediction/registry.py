"""Names of systems, and where their classes are.

A saved system says such a name; nothing else that a folder says is imported.
"""

from __future__ import annotations

import pkgutil
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from crosspro.data_prep.core.errors import (
    choices,
    how_to_install,
    input_error,
    quoted,
    training_package,
)
from crosspro.data_prep.core.processes import may_have_gpu

SYSTEMS = {
    "cap_crf": "crosspro.baselines.cap_crf:CapCRF",
    "class_prior": "crosspro.baselines.majority:ClassPrior",
    "ensemble": "crosspro.prediction.ensemble:Ensemble",
    "features": "crosspro.baselines.feature_system:FeatureSystem",
    "idiap_plm": "crosspro.baselines.idiap_plm:IdiapPLM",
    "majority": "crosspro.baselines.majority:Majority",
    "neural": "crosspro.prediction.neural.system:NeuralSystem",
    "ngram": "crosspro.baselines.ngram_system:NGramSystem",
    "prior_corrected": "crosspro.prediction.prior_correction:PriorCorrected",
    "source_aware_lm": "crosspro.baselines.source_aware:SourceAwareLM",
    "uedin_crf": "crosspro.baselines.uedin_crf:UedinCRF",
    "uppsala_it": "crosspro.baselines.uppsala_it:UppsalaIt",
}


def registered(name: object, where: str | Path = "settings") -> type:
    """The class of a registered name; `where` is the file or the settings that say it."""
    if not isinstance(name, str) or name not in SYSTEMS:
        raise input_error(where, "system", choices(sorted(SYSTEMS)), quoted(repr(name)))
    try:
        kind: type = pkgutil.resolve_name(SYSTEMS[name])
    except ImportError as error:
        package = training_package(error)
        if package is None:
            raise
        expected = f"the package {package}, which a system {name} needs"
        lacking = f"nothing: {how_to_install('train')}"
        raise input_error(where, "system", expected, lacking) from error
    return kind


_WITHOUT_TORCH = {"document_encoder": "crosspro.prediction.neural.numpy_system:NumpySystem"}
"""The classes that predict with a saved network of this name and need no torch for it."""


def predicting(name: object, settings: Any, where: str | Path = "settings") -> type:
    """The class that loads a saved system of a registered name to predict with it.

    It is the registered one, unless another does the same without torch and there is no GPU, where
    torch would be faster.
    """
    try:
        network, accelerator = settings["network"]["name"], settings["trainer"]["accelerator"]
    except (KeyError, TypeError):
        return registered(name, where)
    if name != "neural" or network not in _WITHOUT_TORCH:
        return registered(name, where)
    if may_have_gpu() and accelerator != "cpu" and find_spec("torch") is not None:
        return registered(name, where)
    kind: type = pkgutil.resolve_name(_WITHOUT_TORCH[network])
    return kind
