"""The names that arguments of `train.py` may set, read from the files of this folder."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from pathlib import Path
from typing import Any

import yaml

from crosspro.conf import CONF_DIR


def known_names(arguments: Sequence[str]) -> dict[str, list[str]]:
    """Names that may stand first (under ""), and those that may follow each name and a dot.

    In a sweep (system=a,b) the names of all its choices may. A choice that is not in this folder
    (--config-dir) may have any: its section is left out.
    """
    top = _read(CONF_DIR / "train.yaml")
    defaults = _chosen(top.pop("defaults"))
    defaults.pop("experiment", None)
    known = {"": [*defaults, "experiment", *top]}
    given = dict(argument.split("=", 1) for argument in arguments if "=" in argument)
    experiments = [
        CONF_DIR / "experiment" / f"{name}.yaml"
        for name in given.get("experiment", "").split(",")
        if name not in ("", "null")
    ]
    foreign = not all(path.is_file() for path in experiments)
    compositions = [defaults | _chosen(_read(path).get("defaults", ())) for path in experiments]
    for group in defaults:
        names = {composition[group] for composition in compositions or [defaults]}
        if group in given:
            names = set(given[group].split(","))
        elif foreign:
            continue
        paths = [CONF_DIR / group / f"{name}.yaml" for name in sorted(names)]
        if all(path.is_file() for path in paths):
            _add(known, group, reduce(_merged, map(_content, paths)))
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
