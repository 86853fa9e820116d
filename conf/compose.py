"""A run's configuration from names and values, composed as `crosspro train` composes it.

For callers from Python, who have no command line: choices of groups, and values by their keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from hydra import compose, initialize_config_dir
from hydra.core.global_hydra import GlobalHydra
from omegaconf import OmegaConf, open_dict

from crosspro.conf import CONF_DIR, GROUPS
from crosspro.conf.members import member_names

_CONFIG = "train"


class Composed(NamedTuple):
    """The name that was chosen in each group and for an ensemble's members, and all settings."""

    choices: dict[str, str]
    settings: dict[str, Any]


def composed(choices: Mapping[str, str], values: Mapping[str, Any]) -> Composed:
    """The configuration of some choices (task, system, …), with values by their keys (system.seed).

    Raises what Hydra and OmegaConf raise where a name or a key is unknown.
    """
    overrides = [f"{group}={name}" for group, name in choices.items()]
    outer = GlobalHydra.instance().hydra
    GlobalHydra.instance().clear()  # of a program that is itself one of Hydra
    try:
        with initialize_config_dir(str(CONF_DIR), version_base="1.3"):
            config = compose(_CONFIG, overrides, return_hydra_config=True)
            found = dict(config.hydra.runtime.choices)
            named = {group: found[group] for group in GROUPS if found.get(group)}
            if "members" in config.get("system", {}):
                named |= member_names(_CONFIG, overrides)
    finally:
        GlobalHydra.instance().hydra = outer
    with open_dict(config):
        del config["hydra"]
    for key, value in values.items():
        OmegaConf.update(config, key, value, force_add=False)
    settings: Any = OmegaConf.to_container(config, resolve=True)
    return Composed(named, settings)
