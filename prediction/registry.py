"""Names of systems, and where their classes are.

A name is registered in our own table, or by an installed package in the entry-point group
`crosspro.systems`. A saved system says such a name; nothing else that a folder says is imported.
"""

from __future__ import annotations

import pkgutil
from pathlib import Path

from crosspro.data_prep.errors import choices, input_error, quoted

OWN = {
    "class_prior": "crosspro.baselines.class_prior:ClassPrior",
    "ensemble": "crosspro.prediction.ensemble:Ensemble",
    "majority": "crosspro.baselines.majority:Majority",
    "neural": "crosspro.prediction.neural.system:NeuralSystem",
    "ngram": "crosspro.baselines.ngram_system:NGramSystem",
    "source_aware_lm": "crosspro.baselines.source_aware:SourceAwareLM",
}
GROUP = "crosspro.systems"


def registered(name: object, where: str | Path = "settings") -> object:
    """What is registered under a name; `where` is the file or the settings that say it."""
    if isinstance(name, str) and name in OWN:
        return pkgutil.resolve_name(OWN[name])
    # Slow to import, and needed for systems of other packages alone.
    from importlib.metadata import entry_points

    group = entry_points(group=GROUP)
    found = {entry.value: entry for entry in group if entry.name == name}
    if not found:
        known = f"{choices(sorted({*OWN, *group.names}))} (other packages register theirs)"
        raise input_error(where, "system", known, quoted(repr(name)))
    if len(found) > 1:
        expected = f"one class registered as {name} in {GROUP}"
        raise input_error(where, "system", expected, ", ".join(sorted(found)))
    ((value, entry),) = found.items()
    try:
        return entry.load()
    except (ImportError, AttributeError) as error:
        expected = f"{value}, which is registered as {name} in {GROUP}"
        raise input_error(where, "system", expected, str(error)) from error


def how_to_register(kind: type) -> str:
    """What the author of a class has to write, so that systems of it can be loaded."""
    name = getattr(kind, "name", None)
    shown = name if isinstance(name, str) and name not in OWN else kind.__name__.lower()
    return (
        f'the class registered by its package: {shown} = "{kind.__module__}:{kind.__qualname__}" '
        f'in the entry-point group {GROUP}, and name = "{shown}" in the class'
    )
