"""A run's configuration composed by Hydra for callers from Python, who have no command line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hydra import compose, initialize_config_dir
from hydra.core.global_hydra import GlobalHydra
from omegaconf import DictConfig, OmegaConf, open_dict

from crosspro.conf import CONF_DIR, GROUPS


def composed(
    choices: Mapping[str, str], values: Mapping[str, Any]
) -> tuple[DictConfig, dict[str, str]]:
    """The configuration of some choices (task, system, …), and the name chosen in each group.

    `values` are by their keys (system.seed). Raises Hydra's and OmegaConf's own errors.
    """
    outer = GlobalHydra.instance().hydra
    GlobalHydra.instance().clear()  # of a program that is itself one of Hydra
    try:
        with initialize_config_dir(str(CONF_DIR), version_base="1.3"):
            overrides = [f"{group}={name}" for group, name in choices.items()]
            config = compose("train", overrides, return_hydra_config=True)
    finally:
        GlobalHydra.instance().hydra = outer
    chosen = dict(config.hydra.runtime.choices)
    with open_dict(config):
        del config["hydra"]
    for key, value in values.items():
        OmegaConf.update(config, key, value, force_add=False)
    return config, {group: chosen[group] for group in GROUPS if chosen.get(group)}
