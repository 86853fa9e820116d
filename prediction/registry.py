"""Names of systems and of bundled models.

A saved system has such a name; nothing else that its folder says is imported.
"""

from __future__ import annotations

import pkgutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from crosspro.data_prep.core.errors import (
    CrossproError,
    choices,
    how_to_install,
    input_error,
    quoted,
    training_package,
)

SYSTEMS = {
    "cap_crf": "crosspro.baselines.cap_crf:CapCRF",
    "class_prior": "crosspro.baselines.majority:ClassPrior",
    "ensemble": "crosspro.prediction.ensemble:Ensemble",
    "features": "crosspro.baselines.feature_system:FeatureSystem",
    "idiap_plm": "crosspro.baselines.idiap_plm:IdiapPLM",
    "majority": "crosspro.baselines.majority:Majority",
    "neural": "crosspro.prediction.neural.system:NeuralSystem",
    "ngram": "crosspro.baselines.ngram_system:NGramSystem",
    "source_aware_lm": "crosspro.baselines.source_aware:SourceAwareLM",
    "uedin_crf": "crosspro.baselines.uedin_crf:UedinCRF",
    "uppsala_it": "crosspro.baselines.uppsala_it:UppsalaIt",
}
_NETWORKS = "crosspro.prediction.neural.networks"
_WITHOUT_TORCH = {"document_encoder": f"{_NETWORKS}.document_encoder.numpy_reader:NumpySystem"}
"""The classes that predict in numpy with a saved network of this name."""
_BUNDLED = Path(__file__).resolve().parent.parent / "models"


def registered(name: object, where: str | Path = "settings") -> type:
    """The class of a registered name; `where` is the file or the settings that have the name."""
    if not isinstance(name, str) or name not in SYSTEMS:
        raise input_error(where, "system", choices(sorted(SYSTEMS)), quoted(repr(name)))
    with training_packages(f"{where}: a system {name}"):
        kind: type = pkgutil.resolve_name(SYSTEMS[name])
    return kind


def may_have_gpu() -> bool:
    """Whether this machine shows a GPU that CUDA could use; no library is asked."""
    if sys.platform == "win32":
        return True
    return Path("/dev/dxg").exists() or any(Path("/dev").glob("nvidia[0-9]*"))


@contextmanager
def training_packages(purpose: str) -> Iterator[None]:
    """Say how to install a package of the extra `train` that cannot be imported in the block."""
    try:
        yield
    except ImportError as error:
        if (package := training_package(error)) is None:
            raise
        raise CrossproError(
            f"{purpose} needs the package {package}, which is not installed: "
            f"{how_to_install('train')}"
        ) from error


def predicting(name: str, settings: Any, where: str | Path = "settings") -> type:
    """The class that loads a saved system to predict with it: without torch, or on a GPU."""
    try:
        network, accelerator = settings["network"]["name"], settings["trainer"]["accelerator"]
    except (KeyError, TypeError):
        return registered(name, where)
    on_gpu = may_have_gpu() and accelerator != "cpu" and find_spec("torch") is not None
    if name != "neural" or network not in _WITHOUT_TORCH or on_gpu:
        return registered(name, where)
    kind: type = pkgutil.resolve_name(_WITHOUT_TORCH[network])
    return kind


def bundled_models() -> dict[str, Path]:
    return {path.stem: path for path in sorted(_BUNDLED.glob("*.zip"))}


def bundled_model(path: Path) -> Path | None:
    """The archive of the bundled model that a path names.

    It goes before a folder of that name, unless the folder is a run.
    """
    if path.name != str(path) or path.is_file():
        return None
    if any((path / name).exists() for name in ("run.json", "system.json", "model/system.json")):
        return None
    return bundled_models().get(str(path))
