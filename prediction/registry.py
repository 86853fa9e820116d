"""Names of systems, and where their classes are.

A name is registered in our own table, or by an installed package in the entry-point group
`crosspro.systems`. A saved system says such a name; nothing else that a folder says is imported.
"""

from __future__ import annotations

import pkgutil
from pathlib import Path

from crosspro.data_prep.core.errors import choices, input_error, quoted

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
        own: type = pkgutil.resolve_name(OWN[name])
        return own
    # Slow to import, and needed for systems of other packages alone.
    from crosspro.prediction.entry_points import entry_class, entry_names

    found = entry_class(GROUP, name, base, where, "system")
    if found is None:
        known = f"{choices(sorted({*OWN, *entry_names(GROUP)}))} (other packages register theirs)"
        raise input_error(where, "system", known, quoted(repr(name)))
    return found


def how_to_register(kind: type) -> str:
    """What the author of a class has to write, so that systems of it can be loaded."""
    name = getattr(kind, "name", None)
    shown = name if isinstance(name, str) and name not in OWN else kind.__name__.lower()
    return (
        f'the class registered by its package: {shown} = "{kind.__module__}:{kind.__qualname__}" '
        f'in the entry-point group {GROUP}, and name = "{shown}" in the class'
    )
