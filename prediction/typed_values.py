"""Plain values (of YAML or JSON) held against type hints: every fault, with its place.

Hints are those of functions, dataclasses and TypedDicts: bool, int, float, str, Path, None, unions,
Literal, tuples and sequences of one type, mappings, nested dataclasses and TypedDicts, and
`Annotated` with a `Must`. A hint that is none of these accepts any value.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from math import isfinite
from pathlib import Path
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from crosspro.data_prep.core.errors import choices, quoted
from crosspro.data_prep.core.settings import Must

_PLAIN: dict[Any, tuple[tuple[type, ...], str]] = {
    bool: ((bool,), "true or false"),
    int: ((int,), "a whole number"),
    float: ((int, float), "a number"),
    str: ((str,), "text"),
    Path: ((str, Path), "a path"),
    type(None): ((type(None),), "nothing"),
}


class Fault(NamedTuple):
    """A value that is not what its hint says."""

    key: str
    expected: str
    found: str


def faults(key: str, value: object, hint: Any) -> Iterator[Fault]:
    """What is wrong with a value; keys of what is in it follow its own and a dot."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Annotated:
        musts = [part for part in parts[1:] if isinstance(part, Must)]
        unfit = list(faults(key, value, parts[0]))
        wrong = [must for must in musts if unfit or not must.holds(value)]
        if wrong:
            yield Fault(key, wrong[0].expected, shown(value))
        else:
            yield from unfit
    elif hint in _PLAIN:
        kinds, expected = _PLAIN[hint]
        if not isinstance(value, kinds) or (isinstance(value, bool) and hint is not bool):
            yield Fault(key, expected, shown(value))
        elif hint is float and not _is_finite(value):
            yield Fault(key, "a finite number", shown(value))
    elif origin in (Union, types.UnionType):
        tried = [list(faults(key, value, part)) for part in parts]
        if all(tried):
            # A mapping that is none of the rest has its faults inside.
            inside = [found for found in tried if key not in {fault.key for fault in found}]
            expected = " or ".join(dict.fromkeys(found[0].expected for found in tried))
            yield from inside[0] if inside else [Fault(key, expected, shown(value))]
    elif origin is Literal:
        if value not in parts:
            yield Fault(key, choices(map(str, parts)), shown(value))
    elif is_dataclass(hint) or typing.is_typeddict(hint):
        yield from _record(key, value, hint)
    elif isinstance(origin, type) and issubclass(origin, Mapping):
        if not isinstance(value, Mapping):
            yield Fault(key, "a mapping of names to values", shown(value))
        else:
            for name, one in value.items():
                yield from faults(f"{key}.{name}", one, parts[1])
    elif isinstance(origin, type) and issubclass(origin, Sequence):
        if not isinstance(value, Sequence) or isinstance(value, str):
            yield Fault(key, "a list", shown(value))
        else:
            for number, one in enumerate(value):
                yield from faults(f"{key}.{number}", one, parts[0])


def hints_of(function: object) -> dict[str, Any]:
    """The annotations of a function, or none, where they name what only a type checker imports."""
    try:
        return get_type_hints(function, include_extras=True)
    except NameError:
        return {}


def _is_finite(value: object) -> bool:
    """Whether a number can be computed with; whole numbers may be too long for that."""
    try:
        return isfinite(cast(float, value))
    except OverflowError:
        return False


def shown(value: object) -> str:
    """A value as shown in a message: text in quotes, nothing too long."""
    if isinstance(value, str):
        return quoted(value)
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


def _record(key: str, value: object, hint: Any) -> Iterator[Fault]:
    """A mapping with the keys of a dataclass or a TypedDict."""
    hints = get_type_hints(hint, include_extras=True)
    if not isinstance(value, Mapping):
        yield Fault(key, f"a value for each of {', '.join(hints)}", shown(value))
        return
    before = f"{key}." if key else ""
    optional = set()
    if is_dataclass(hint):
        optional = {one.name for one in fields(hint) if _has_default(one)}
    for name, kind in hints.items():
        if name in value or name not in optional:
            found = list(faults(f"{before}{name}", value.get(name), kind))
            yield from found
            if not found and name not in value and is_dataclass(hint):  # null must be written
                yield Fault(f"{before}{name}", "a value, or null", "no such key")
    for name in value:
        if name not in hints:
            yield Fault(f"{before}{name}", choices(hints), "an unknown key")


def _has_default(one: Field[Any]) -> bool:
    return one.default is not MISSING or one.default_factory is not MISSING
