"""What arguments of `train.py` may name, looked up in what Hydra composes of their choices.

A composition takes a fifth of a second. It is made when Hydra has refused the arguments, so that a
run does not wait for it, and the answer can list what there is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from hydra import compose, initialize_config_dir
from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override, ValueType
from hydra.errors import HydraException
from omegaconf import OmegaConf

from crosspro.conf import CONF_DIR

GROUPS = ("task", "data", "system", "trainer", "experiment")
"""What a configuration is chosen from; there must be one of each but of the last."""


class WrongChoice(NamedTuple):
    """A name that is not in its group."""

    group: str
    name: str
    options: list[str]


class Names(NamedTuple):
    """What the choices among some arguments come to.

    `known` has the names that may stand first (under ""), and those that may follow each name and
    a dot; in a sweep (system=a,b) those of all its choices. What a wrong choice might have named is
    left out.
    """

    known: dict[str, list[str]]
    wrong: list[WrongChoice]


def names_of_choices(arguments: Sequence[str]) -> Names:
    """Compose the choices among the arguments, without the values, and list the names in them."""
    overrides = list(_overrides(arguments))
    given = {one.key_or_group: _names(one) for one in overrides if one.key_or_group in GROUPS}
    place = _search_path(arguments, overrides)
    known: dict[str, list[str]] = {"": list(GROUPS)}
    with initialize_config_dir(str(CONF_DIR), version_base="1.3"):
        loader = GlobalHydra.instance().config_loader()
        options = {
            group: loader.get_group_options(group, config_name="train", overrides=place)
            for group in given
        }
        wrong = [
            WrongChoice(group, name, options[group])
            for group, names in given.items()
            for name in names
            if name not in options[group]
        ]
        groups = {one.group for one in wrong}
        good = {group: names for group, names in given.items() if group not in groups}
        for row in zip_longest(*good.values()) if good else [()]:
            # Each name of a sweep is composed once; a shorter list goes on with its first.
            names = [name or good[group][0] for group, name in zip(good, row, strict=True)]
            chosen = [f"{group}={name}" for group, name in zip(good, names, strict=True)]
            config = compose("train", [*place, *chosen])
            _add(known, "", OmegaConf.to_container(config))
    if "experiment" in groups:  # it may have chosen anything
        known = {"": known[""]}
    return Names({k: v for k, v in known.items() if k.partition(".")[0] not in groups}, wrong)


def _overrides(arguments: Sequence[str]) -> Iterator[Override]:
    """The arguments that are overrides and can be read."""
    parser = OverridesParser.create()
    for argument in arguments:
        if argument.startswith("-") or not ("=" in argument or argument.startswith("~")):
            continue
        try:
            yield parser.parse_override(argument)
        except HydraException:
            continue


def _names(override: Override) -> list[str]:
    """The choices of an override: one, or those of a sweep."""
    if override.is_delete():
        return [str(override.input_line)]
    if override.value_type is ValueType.GLOB_CHOICE_SWEEP:
        return []
    if override.is_sweep_override():
        return list(override.sweep_string_iterator())
    return [override.get_value_element_as_str()]


def _search_path(arguments: Sequence[str], overrides: Sequence[Override]) -> list[str]:
    """An override that makes Hydra look where --config-dir and hydra.searchpath tell it to."""
    places: list[Any] = []
    for argument, following in zip_longest(arguments, arguments[1:], fillvalue=""):
        option, _, value = argument.partition("=")
        if option in ("--config-dir", "-cd") and Path(value or following).is_dir():
            places.append(f"file://{Path(value or following).absolute()}")
    for override in overrides:
        if override.key_or_group == "hydra.searchpath" and isinstance(override.value(), list):
            places += override.value()  # type: ignore[arg-type]
    quoted = ",".join("'" + str(place).replace("'", "\\'") + "'" for place in places)
    return [f"hydra.searchpath=[{quoted}]"] if places else []


def _add(known: dict[str, list[str]], name: str, content: Any) -> None:
    """The keys of a section and of the sections in it."""
    keys = known.setdefault(name, [])
    keys += [key for key in content if key not in keys]
    for key, value in content.items():
        if isinstance(value, dict):
            _add(known, f"{name}.{key}" if name else key, value)
