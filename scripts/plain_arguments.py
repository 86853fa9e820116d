"""Command lines without anything odd, read without Typer's machinery.

Typer takes longer to import and build its validators than many a command takes for its work. The
parameters of a command are declared for Typer, and here the same declarations are read: arguments
and options, each spelled as declared and with a plain value. Whatever else there is (help, a typing
error, a wrong value, a parameter of another kind) is left to Typer: the answer is None.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import typer
from typer.models import ArgumentInfo, OptionInfo, ParameterInfo

_HARMLESS = frozenset(("default", "param_decls", "help", "metavar", "min", "max", "show_default"))
"""What may be declared of a parameter; anything more is Typer's affair."""


@dataclass(frozen=True)
class _Parameter:
    """A parameter of a command: the names of an option (none of an argument), and its type."""

    name: str
    spellings: tuple[str, ...]
    kind: Any
    many: bool
    default: Any
    info: ParameterInfo


def plain_arguments(function: Callable[..., Any], given: Sequence[str]) -> dict[str, Any] | None:
    """The values of all parameters of a command, if the command line is a plain one."""
    try:
        parameters = _parameters(function)
        return _values(parameters, _assigned(parameters, given))
    except _OddError:
        return None


class _OddError(Exception):
    """Something that Typer has to look at."""


def _parameters(function: Callable[..., Any]) -> list[_Parameter]:
    hints = get_type_hints(function, include_extras=True)
    return [
        _parameter(name, hints[name], declared.default)
        for name, declared in inspect.signature(function).parameters.items()
    ]


def _parameter(name: str, hint: Any, default: Any) -> _Parameter:
    inner, *extras = get_args(hint) if hasattr(hint, "__metadata__") else (hint,)
    if len(extras) != 1 or not isinstance(extras[0], ArgumentInfo | OptionInfo):
        raise _OddError
    info = extras[0]
    usual = vars(typer.Option() if isinstance(info, OptionInfo) else typer.Argument())
    if any(usual[key] != value for key, value in vars(info).items() if key not in _HARMLESS):
        raise _OddError
    if get_origin(inner) in (Union, UnionType):
        kinds = [kind for kind in get_args(inner) if kind is not NoneType]
        inner = kinds[0] if len(kinds) == 1 else None
    many = get_origin(inner) is list
    kind = get_args(inner)[0] if many else inner
    declared = (info.default, *(info.param_decls or ()))  # the first name comes as a default
    spellings = tuple(spelling for spelling in declared if isinstance(spelling, str))
    if kind is bool and (not spellings or default is not False):  # can be switched off, too
        raise _OddError
    if isinstance(info, OptionInfo) and not spellings:
        spellings = (f"--{name.replace('_', '-')}",)
    if not isinstance(kind, type) or any(not re.fullmatch(r"--?[a-z-]+", s) for s in spellings):
        raise _OddError
    return _Parameter(name, spellings, kind, many, default, info)


def _assigned(parameters: Sequence[_Parameter], given: Sequence[str]) -> dict[str, list[str]]:
    """The texts that each parameter gets; a flag gets an empty one."""
    options = {spelling: one for one in parameters for spelling in one.spellings}
    places = [one for one in parameters if not one.spellings]
    if any(one.many for one in places[:-1]):
        raise _OddError
    assigned: dict[str, list[str]] = {}
    loose: list[str] = []
    rest = iter(given)
    for text in rest:
        if not text.startswith("-") or text == "-":
            loose.append(text)
            continue
        option = options.get(text)
        if option is None or (option.name in assigned and not option.many):
            raise _OddError
        value = "" if option.kind is bool else next(rest, "-?")
        if value.startswith("-") and value != "-":
            raise _OddError
        assigned.setdefault(option.name, []).append(value)
    for at, place in enumerate(places):
        texts = loose[at:] if place.many else loose[at : at + 1]
        if texts:
            assigned[place.name] = texts
    if len(loose) > len(places) and not (places and places[-1].many):
        raise _OddError
    return assigned


def _values(
    parameters: Sequence[_Parameter], assigned: Mapping[str, Sequence[str]]
) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for one in parameters:
        if one.name not in assigned:
            if one.default is inspect.Parameter.empty:
                raise _OddError
            values[one.name] = one.default
        else:
            found = [_value(one, text) for text in assigned[one.name]]
            values[one.name] = found if one.many else found[0]
    return values


def _value(one: _Parameter, text: str) -> Any:
    kind = one.kind
    if kind is bool:
        return True
    if kind is str:
        return text
    if kind is Path:
        return Path(text)
    if issubclass(kind, Enum) and text in {member.value for member in kind}:
        return kind(text)
    if kind is int and re.fullmatch(r"[1-9][0-9]{0,8}|0", text):
        number = int(text)
        if (one.info.min is None or number >= one.info.min) and (
            one.info.max is None or number <= one.info.max
        ):
            return number
    raise _OddError
