"""The names that arguments of `train.py` may set, read from the files of this folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from conf import CONF_DIR


def known_names(arguments: Sequence[str]) -> dict[str, list[str]]:
    """Names that may stand first (under ""), and those that may follow each name and a dot."""
    top = _read(CONF_DIR / "train.yaml")
    chosen = _chosen(top.pop("defaults"))
    given = dict(argument.split("=", 1) for argument in arguments if "=" in argument)
    if "experiment" in given:
        experiment = _read(CONF_DIR / "experiment" / f"{given['experiment']}.yaml")
        chosen |= _chosen(experiment.get("defaults", ()))
    chosen |= {group: given[group] for group in chosen if group in given}
    chosen.pop("experiment", None)
    known = {"": [*chosen, "experiment", *top]}
    for group, name in chosen.items():
        if (CONF_DIR / group / f"{name}.yaml").is_file():
            _add(known, group, _content(CONF_DIR / group / f"{name}.yaml"))
    return known


def _add(known: dict[str, list[str]], name: str, content: dict[str, Any]) -> None:
    """The keys of a section and of the sections in it."""
    known[name] = list(content)
    for key, value in content.items():
        if isinstance(value, dict):
            _add(known, f"{name}.{key}", value)


def _chosen(defaults: Sequence[Any]) -> dict[str, str]:
    """The choices of a defaults list, `override /system` among them."""
    return {
        key.removeprefix("override /"): value
        for entry in defaults
        if isinstance(entry, dict)
        for key, value in entry.items()
    }


def _content(path: Path) -> dict[str, Any]:
    """A file with what it inherits."""
    content = _read(path)
    whole: dict[str, Any] = {}
    for name in content.pop("defaults", ()):
        if name != "_self_":
            whole = _merged(whole, _content(path.with_name(f"{name}.yaml")))
    return _merged(whole, content)


def _merged(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    both = {
        key: _merged(one[key], other[key])
        for key in one.keys() & other.keys()
        if isinstance(one[key], dict) and isinstance(other[key], dict)
    }
    return {**one, **other, **both}


def _read(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = {}
    if path.is_file():
        content = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    return content
