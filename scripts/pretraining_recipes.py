"""Recipes of pre-training (conf/pretraining): a system by name or file, with what is changed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crosspro.conf import CONF_DIR
from crosspro.data_prep.core.errors import choices, input_error, quoted

if TYPE_CHECKING:
    from crosspro.prediction.neural.system import NeuralSystem

SETTINGS = CONF_DIR / "pretraining"


def system_for_set(data: Path, recipe: str, changes: Sequence[str]) -> NeuralSystem:
    """The system that the settings describe, which reads as the text of a folder was read."""
    from crosspro.prediction.neural.pretraining_set import settings_of_set

    read = [f"{name}={json.dumps(value)}" for name, value in settings_of_set(data).items()]
    return system_of(recipe, [*read, *changes])


def system_of(recipe: str, changes: Sequence[str]) -> NeuralSystem:
    """The system that the settings describe, with what is changed of them."""
    from crosspro.data_prep.core.settings import check_settings
    from crosspro.data_prep.core.yaml_files import parse_yaml
    from crosspro.prediction.neural.system import NeuralSystem
    from crosspro.prediction.neural.training.settings import NeuralSettings

    path = Path(recipe)
    if path.suffix not in (".yaml", ".yml"):
        path = SETTINGS / f"{recipe}.yaml"
        names = recipe_names()
        if recipe not in names:
            expected = f"{choices(names)}, or the path of a .yaml file"
            raise input_error("settings", "--recipe", expected, quoted(recipe))
    content = recipe_settings(path)
    for change in changes:
        name, equals, value = change.partition("=")
        *sections, key = name.split(".")
        place: Any = content
        for section in sections:
            place = place.setdefault(section, {}) if isinstance(place, dict) else None
        if not equals or not key or not isinstance(place, dict):
            raise input_error("settings", "--set", "NAME=VALUE", quoted(change))
        place[key] = parse_yaml(value)
    return NeuralSystem(**vars(check_settings(NeuralSettings, content, path)))


def recipe_names() -> list[str]:
    """The recipes that come with the package."""
    return sorted(one.stem for one in SETTINGS.glob("*.yaml"))


def recipe_settings(path: Path) -> dict[str, Any]:
    """The settings of a recipe; one that is `like` another of the package says what differs."""
    from crosspro.data_prep.core.yaml_files import read_yaml

    own = read_yaml(path)
    if not isinstance(own, dict):
        raise input_error(path, "file", "a mapping of settings", type(own).__name__)
    if "like" not in own:
        return own
    other, names = own.pop("like"), recipe_names()
    if other not in names:
        raise input_error(path, "like", choices(names), quoted(str(other)))
    content = recipe_settings(SETTINGS / f"{other}.yaml")
    for key, value in own.items():
        both = isinstance(value, dict) and isinstance(content.get(key), dict)
        content[key] = {**content[key], **value} if both else value
    return content
