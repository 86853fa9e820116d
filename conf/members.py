"""Which configuration each part of a run's system comes from: `system.members.svm` is stymne_svm.

A composed configuration has the values of its files and not their names; Hydra's list of defaults
has both.
"""

from __future__ import annotations

from collections.abc import Sequence

from hydra.core.global_hydra import GlobalHydra
from hydra.types import RunMode

_GROUP = "system/"


def member_names(config_name: str, overrides: Sequence[str]) -> dict[str, str]:
    """The names of the systems inside the system that Hydra is composing, by their keys.

    Of files that build on one another in one place the outermost gives its name.
    """
    loader = GlobalHydra.instance().config_loader()
    found = loader.compute_defaults_list(config_name, list(overrides), RunMode.RUN).defaults
    there = {(one.config_path, one.package) for one in found}
    names: dict[str, str] = {}
    for one in found:
        path, package = one.config_path or "", one.package or ""
        outermost = (one.parent, package) not in there
        if path.startswith(_GROUP) and package.startswith("system.") and outermost:
            names[package] = path.removeprefix(_GROUP)
    return names
