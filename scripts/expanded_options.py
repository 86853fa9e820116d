"""Options from dataclasses: a parameter of a command that is one becomes an option for each field.

Fields are annotated as parameters of commands are (`Annotated[Path, typer.Option(…)]`), or they are
settings of a metric (`core.metric.setting`), from whose metadata the option is made.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Annotated, Any, get_origin, get_type_hints

import typer

from crosspro.data_prep.core.errors import CrossproError


def expanded(function: Callable[..., Any]) -> Callable[..., Any]:
    """A command that gets its dataclasses from options, one for each of their fields."""
    hints = get_type_hints(function, include_extras=True)
    groups: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(function).parameters.items():
        if name not in groups:
            parameters.append(parameter.replace(annotation=hints[name]))
            continue
        own = get_type_hints(groups[name], include_extras=True)
        parameters += [_option(option, own[option.name]) for option in _options(groups[name], own)]
        groups[name] = groups[name], _options(groups[name], own)
    parameters.sort(key=lambda one: one.default is not inspect.Parameter.empty)

    @functools.wraps(function)
    def command(**values: Any) -> Any:
        for name, (group, options) in groups.items():
            values[name] = group(**{option.name: _value(option, values) for option in options})
        return function(**values)

    del command.__wrapped__  # its parameters are not the options
    command.__annotations__ = {one.name: one.annotation for one in parameters}
    keyword = inspect.Parameter.KEYWORD_ONLY
    kept = [one.replace(kind=keyword) for one in parameters]
    command.__signature__ = inspect.Signature(kept)  # type: ignore[attr-defined]
    return command


def _options(group: Any, hints: dict[str, Any]) -> list[Field[Any]]:
    """The fields that are options; others keep their defaults."""
    return [
        field
        for field in fields(group)
        if field.metadata or get_origin(hints[field.name]) is Annotated
    ]


def _option(one: Field[Any], hint: Any) -> inspect.Parameter:
    default = one.default if one.default_factory is MISSING else None
    if default is MISSING:
        default = inspect.Parameter.empty
    if get_origin(hint) is not Annotated:
        names = one.metadata["option"].split()
        metavar = None
        if one.metadata["read"] is not None:
            hint, default = _written(default)
            metavar = "NAME=VALUE" if default is None else None
        hint = Annotated[hint, typer.Option(*names, metavar=metavar, help=one.metadata["help"])]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Parameter(one.name, kind, default=default, annotation=hint)


def _written(default: Any) -> tuple[Any, Any]:
    """How a value is written on the command line: with commas, or one after the other."""
    if isinstance(default, tuple | frozenset):
        return str, ",".join(f"{item:g}" for item in default)
    return list[str] | None, None


def _value(one: Field[Any], values: dict[str, Any]) -> Any:
    """What a field gets; texts of settings are read."""
    value = values.pop(one.name)
    read = one.metadata.get("read") if one.metadata else None
    if read is None:
        return value
    try:
        return one.default if value is None else read(value)
    except CrossproError:
        raise
    except ValueError:
        option = one.metadata["option"] or f"--{one.name.replace('_', '-')}"
        raise typer.BadParameter(f"{option}: numbers with commas") from None
