"""The names that arguments of `train.py` may set, read from the files of this folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from conf import CONF_DIR


def known_names(arguments: Sequence[str]) -> tuple[list[str], dict[str, list[str]]]:
    """Names that may stand first, and those that may follow a group's name and a dot."""
    top = _read(CONF_DIR / "train.yaml")
    chosen = _chosen(top.pop("defaults"))
    given = dict(argument.split("=", 1) for argument in arguments if "=" in argument)
    if "experiment" in given:
        experiment = _read(CONF_DIR / "experiment" / f"{given['experiment']}.yaml")
        chosen |= _chosen(experiment.get("defaults", ()))
    chosen |= {group: given[group] for group in chosen if group in given}
    chosen.pop("experiment", None)
    inner = {
        group: _keys(CONF_DIR / group / f"{name}.yaml")
        for group, name in chosen.items()
        if (CONF_DIR / group / f"{name}.yaml").is_file()
    }
    return [*chosen, "experiment", *top], inner


def _chosen(defaults: Sequence[Any]) -> dict[str, str]:
    """The choices of a defaults list, `override /system` among them."""
    return {
        key.removeprefix("override /"): value
        for entry in defaults
        if isinstance(entry, dict)
        for key, value in entry.items()
    }


def _keys(path: Path) -> list[str]:
    """The keys of a file and of those it inherits from."""
    content = _read(path)
    inherited = [entry for entry in content.pop("defaults", ()) if entry != "_self_"]
    keys = [key for name in inherited for key in _keys(path.with_name(f"{name}.yaml"))]
    return list(dict.fromkeys([*keys, *content]))


def _read(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = {}
    if path.is_file():
        content = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    return content
