"""Names of systems, and where their classes are.

A name is registered in our own table, or by an installed package in the entry-point group
`crosspro.systems`, whose code may do anything. A saved system says such a name; nothing else that a
folder says is imported.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from importlib.metadata import EntryPoint, entry_points
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


def entry_names(group: str) -> set[str]:
    """All names that packages register in a group."""
    return set(entry_points(group=group).names)


def entry_class(group: str, name: object, base: type, where: str | Path, field: str) -> type | None:
    """The subclass of `base` that a package registers under a name; None where none does.

    What goes wrong in the package is an `InputError` that names it; `where` and `field` are the
    place that says the name.
    """
    found = {entry.value: entry for entry in entry_points(group=group) if entry.name == name}
    if not found:
        return None
    if len(found) > 1:
        several = ", ".join(sorted(map(_origin, found.values())))
        raise input_error(where, field, f"one class registered as {name} in {group}", several)
    ((value, entry),) = found.items()
    try:
        loaded = entry.load()
    except (Exception, SystemExit) as error:
        expected = f"{value}, which is registered as {name} in {group}"
        reason = f"{type(error).__name__}: {' '.join(str(error).split())}"
        raise input_error(where, field, expected, f"{reason} ({_origin(entry)})") from error
    if not (isinstance(loaded, type) and issubclass(loaded, base)):
        expected = f"a subclass of {base.__module__}.{base.__qualname__} registered as {name}"
        raise input_error(where, field, expected, _origin(entry))
    return loaded


def _origin(entry: EntryPoint) -> str:
    return f"{entry.value} of the package {entry.dist.name if entry.dist else 'without a name'}"


OWN = {
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
GROUP = "crosspro.systems"


def registered(name: object, base: type, where: str | Path = "settings") -> type:
    """The class (of `base`) of a registered name; `where` is the file or the settings that say it.

    Ours are taken as they are.
    """
    if isinstance(name, str) and name in OWN:
        try:
            own: type = pkgutil.resolve_name(OWN[name])
        except ImportError as error:
            package = training_package(error)
            if package is None:
                raise
            expected = f"the package {package}, which a system {name} needs"
            lacking = f"nothing: {how_to_install('train')}"
            raise input_error(where, "system", expected, lacking) from error
        return own
    found = entry_class(GROUP, name, base, where, "system")
    if found is None:
        known = f"{choices(sorted({*OWN, *entry_names(GROUP)}))} (other packages register theirs)"
        raise input_error(where, "system", known, quoted(repr(name)))
    return found


_WITHOUT_TORCH = {"document_encoder": "crosspro.prediction.neural.document_reader:DocumentReader"}
"""The classes that predict with a saved network of this name and need no torch for it."""
BEYOND_THE_PAPERS = frozenset(_WITHOUT_TORCH)
"""Systems that are ours; all others are of the papers."""


def predicting(
    name: object, settings: Mapping[str, Any], base: type, where: str | Path = "settings"
) -> type:
    """The class that loads a saved system of a registered name to predict with it.

    It is the registered one, unless another does the same without torch and there is no GPU, where
    torch would be faster.
    """
    network, trainer = settings.get("network"), settings.get("trainer")
    if name != "neural" or not isinstance(network, str) or network not in _WITHOUT_TORCH:
        return registered(name, base, where)
    on_cpu = isinstance(trainer, dict) and trainer.get("accelerator") == "cpu"
    if may_have_gpu() and not on_cpu and find_spec("torch") is not None:
        return registered(name, base, where)
    found: type = pkgutil.resolve_name(_WITHOUT_TORCH[network])
    return found


def how_to_register(kind: type) -> str:
    """What the author of a class has to write, so that systems of it can be loaded."""
    name = getattr(kind, "name", None)
    shown = name if isinstance(name, str) and name not in OWN else kind.__name__.lower()
    return (
        f'the class registered by its package: {shown} = "{kind.__module__}:{kind.__qualname__}" '
        f'in the entry-point group {GROUP}, and name = "{shown}" in the class'
    )
