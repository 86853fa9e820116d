"""Sections of a neural system's settings as frozen dataclasses, with every fault named at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeVar, get_type_hints

from crosspro.data_prep.core.errors import Problem, choices, quoted
from crosspro.prediction.neural.network import Network
from crosspro.prediction.neural.training_settings import Limits

T = TypeVar("T")
_SIZES = (1.0, 1e6)
_SHARES = (0.0, 0.999)


def section(kind: type[T], name: str, values: object, problems: list[Problem]) -> T:
    """The dataclass made from a section; what is wrong is added to the problems and left out."""
    hints = get_type_hints(kind)
    known = [field.name for field in fields(kind)]  # type: ignore[arg-type]
    limits, allowed = getattr(kind, "LIMITS", {}), getattr(kind, "CHOICES", {})
    good = {}
    for key, value in _values(name, values, problems).items():
        expected = _expected(key, value, known, hints, limits, allowed)
        if expected is None:
            good[key] = value
        else:
            found = _shown(value) if key in known else "an unknown key"
            problems.append(Problem("settings", None, f"{name}.{key}", expected, found))
    return kind(**good)


def network_section(
    name: str, network: type[Network], values: object, problems: list[Problem]
) -> None:
    """Faults of `network_settings`: keys and types must be those of the network's settings."""
    defaults = network.settings()
    hints = {key: type(default) for key, default in defaults.items()}
    limits = {key: _SHARES if hint is float else _SIZES for key, hint in hints.items()}
    given = _values("system.network_settings", values, problems)
    before = len(problems)
    for key, value in given.items():
        bounds = {**limits, **network.limits}
        expected = _expected(key, value, list(defaults), hints, bounds, network.choices)
        if expected is not None:
            found = _shown(value) if key in defaults else f"an unknown key of {name}"
            where = f"system.network_settings.{key}"
            problems.append(Problem("settings", None, where, expected, found))
    if len(problems) > before:
        return
    made = {**defaults, **given}
    for key, (times, other) in network.multiples.items():
        step = times * made[other]
        if made[key] % step:
            where, expected = f"system.network_settings.{key}", f"a multiple of {times} * {other}"
            problems.append(
                Problem("settings", None, where, f"{expected} = {step}", str(made[key]))
            )


def pretraining_section(
    name: str, network: type[Network], values: object, problems: list[Problem]
) -> Any:
    """The settings of a network's pre-training, or None where it has none.

    There the section may only say so: version 0.1.0 saved it with every system.
    """
    if network.pretraining is not None:
        return section(network.pretraining, "system.pretraining", values, problems)
    epochs = _values("system.pretraining", values, problems).get("epochs", 0)
    if epochs:
        where, expected = "system.pretraining.epochs", f"0, since {name} has no pre-training"
        problems.append(Problem("settings", None, where, expected, _shown(epochs)))
    return None


def _values(name: str, values: object, problems: list[Problem]) -> Mapping[str, Any]:
    """The values of a section; one that is no section has none, and is a problem."""
    if isinstance(values, Mapping):
        return values
    if values is not None:
        # The trainer's settings are a section of their own, from which the system has them.
        where, expected = f"system.{name.removeprefix('system.')}", "a section of settings"
        problems.append(Problem("settings", None, where, expected, _shown(values)))
    return {}


def _shown(value: object) -> str:
    return quoted(value) if isinstance(value, str) else repr(value)


def _expected(
    key: str,
    value: object,
    known: list[str],
    hints: Mapping[str, Any],
    limits: Limits,
    allowed: Mapping[str, tuple[str, ...]],
) -> str | None:
    """What should have been there, or None if the value is good."""
    if key not in known:
        return choices(known)
    if key in allowed:
        return None if value in allowed[key] else choices(allowed[key])
    hint = hints[key]
    if hint is bool:
        return None if isinstance(value, bool) else "true or false"
    if hint in (int, float):
        number = isinstance(value, int) or (hint is float and isinstance(value, float))
        low, high = limits.get(key, (0.0, float("inf")))
        if number and not isinstance(value, bool) and low <= value <= high:  # type: ignore[operator]
            return None
        what = "a whole number" if hint is int else "a number"
        return f"{what} from {low:g}" + (f" to {high:g}" if high < float("inf") else "")
    return "a text" if hint is str and not isinstance(value, str) else None
