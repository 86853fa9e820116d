"""The arguments with which a system is made: what is wrong with them, and as JSON values."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import inf, isfinite
from pathlib import Path
from typing import Any, get_type_hints

from crosspro.data_prep.core.errors import Problem, choices, quoted
from crosspro.data_prep.core.settings import Fault, Must, Place, fault_error, fitted

BY_NAME = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
"""Parameters that a setting of the same name can give."""


def whole(low: int = 0, high: float = inf) -> Must:
    """That a whole number lies between two."""
    return Must(f"a whole number {_bounds(low, high)}", lambda value: low <= value <= high)


def number(low: float = 0, high: float = inf) -> Must:
    """That a number lies between two."""
    return Must(f"a number {_bounds(low, high)}", lambda value: low <= value <= high)


def _bounds(low: float, high: float) -> str:
    return f"from {low:g}" + (f" to {high:g}" if high < inf else "")


def faults(place: Place, value: object, hint: Any) -> list[Fault]:
    """What is wrong with the value at a place, and with what is in it."""
    return [Fault((*place, *one.place), *one[1:]) for one in fitted(hint, value)[1]]


def settings_problems(found: Iterable[Fault]) -> list[Problem]:
    """Faults of settings as problems, to be told with others."""
    return fault_error(found, "settings").problems


def hints_of(function: object) -> dict[str, Any]:
    """The annotations of a function, or none, where they name what only a type checker imports."""
    try:
        return get_type_hints(function, include_extras=True)
    except NameError:
        return {}


def constructor(kind: type) -> inspect.Signature:
    """What the constructor of a class takes."""
    whole = inspect.signature(kind.__init__)  # type: ignore[misc]
    return whole.replace(parameters=list(whole.parameters.values())[1:])


def given_arguments(kind: type, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """All arguments that have a value, defaults too; the constructor says what is missing."""
    bound = constructor(kind).bind_partial(*args, **kwargs)
    bound.apply_defaults()
    given: dict[str, Any] = {}
    for name, parameter in bound.signature.parameters.items():
        if parameter.kind in BY_NAME and name in bound.arguments:
            given[name] = bound.arguments[name]
        elif parameter.kind is parameter.VAR_KEYWORD:
            given |= bound.arguments[name]
        elif bound.arguments.get(name):
            raise TypeError(f"{kind.__name__} takes {name} by position; settings have names")
    return given


def argument_faults(kind: type, place: Place, arguments: Mapping[str, Any]) -> list[Fault]:
    """Arguments that are not what the constructor's annotations say."""
    hints = hints_of(kind.__init__)  # type: ignore[misc]
    return [
        fault
        for name, value in arguments.items()
        if name in constructor(kind).parameters
        for fault in faults((*place, name), value, hints.get(name, Any))
    ]


def unknown_arguments(
    parameters: Mapping[str, inspect.Parameter], place: Place, arguments: Iterable[str]
) -> list[Fault]:
    """Arguments that no parameter takes; there are none where any name is taken."""
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        return []
    known = [name for name, one in parameters.items() if one.kind in BY_NAME]
    expected = choices(known) if known else "no setting"
    return [
        Fault((*place, name), expected, "an unknown key") for name in arguments if name not in known
    ]


def json_value(
    key: str,
    value: object,
    problems: list[Problem],
    other: Callable[[object], object | None],
) -> Any:
    """A copy as JSON has it; `other` says what stands for further kinds of values."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float) and isfinite(value):
        return value
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Mapping):
        for name in value:
            if not isinstance(name, str):
                shown = quoted(repr(name))
                problems.append(Problem("settings", None, key, "names that are text", shown))
        return {k: json_value(f"{key}.{k}", v, problems, other) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [json_value(f"{key}.{n}", v, problems, other) for n, v in enumerate(value)]
    found = other(value)
    if found is None:
        expected = "a JSON value: a text, a finite number, true, false, null, a list or a mapping"
        problems.append(Problem("settings", None, key, expected, quoted(repr(value))))
    return found
