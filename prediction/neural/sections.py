"""Sections of a neural system's settings as frozen dataclasses, with every fault named at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeVar, get_type_hints

from crosspro.data_prep.errors import Problem, choices, quoted

T = TypeVar("T")
Limits = Mapping[str, tuple[float, float]]
_MAY_BE_ZERO = ("tags", "source_tags", "source_labels")
"""Sizes of what a network can do without; it has one of everything else."""


def section(
    kind: type[T],
    name: str,
    values: Mapping[str, Any] | None,
    problems: list[Problem],
    limits: Limits,
    allowed: Mapping[str, tuple[str, ...]] | None = None,
) -> T:
    """The dataclass made from a section; what is wrong is added to the problems and left out."""
    hints = get_type_hints(kind)
    known = [field.name for field in fields(kind)]  # type: ignore[arg-type]
    good = {}
    for key, value in (values or {}).items():
        expected = _expected(key, value, known, hints, limits, allowed or {})
        if expected is None:
            good[key] = value
        else:
            found = _shown(value) if key in known else "an unknown key"
            problems.append(Problem("settings", None, f"{name}.{key}", expected, found))
    return kind(**good)


def network_problems(
    name: str, values: Mapping[str, Any], arguments: Mapping[str, Any]
) -> list[Problem]:
    """Faults of `network_settings`: keys and types must be those of the network's arguments."""
    problems = []
    hints = {key: type(default) for key, default in arguments.items()}
    for key, value in values.items():
        least = 0.0 if key in _MAY_BE_ZERO else 1.0
        limits = {key: (0.0, 0.999) if hints.get(key) is float else (least, 1e6)}
        expected = _expected(key, value, list(arguments), hints, limits, {})
        if expected is not None:
            found = _shown(value) if key in arguments else f"an unknown key of {name}"
            where = f"system.network_settings.{key}"
            problems.append(Problem("settings", None, where, expected, found))
    return problems


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
