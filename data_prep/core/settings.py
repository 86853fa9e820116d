"""Settings, task files and saved descriptions: pydantic dataclasses, checked strictly.

    @settings
    class Training:
        batch_size: Annotated[int, Field(ge=1)] = 1000
        units: Literal["words", "bpe"] = "words"

    check_settings(Training, {"batch_size": 0}, "settings: training")
    # InputError: settings: training: batch_size: Input should be greater than or equal to 1

Types are strict (`"1"` is no number), numbers are finite, and unknown keys are refused. Rules
between fields are `model_validator(mode="after")` methods that raise `ValueError`.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeVar, dataclass_transform

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as pydantic_dataclass
from pydantic_core import to_jsonable_python

from crosspro.data_prep.core.errors import InputError, Problem, choices, quoted

Kind = TypeVar("Kind")

Seed = Annotated[int, Field(ge=0, le=2**32 - 1)]
"""A number of 32 bits, which every generator takes."""

Share = Annotated[float, Field(gt=0, le=1)]

Words = Annotated[tuple[str, ...], Field(strict=False)]
"""Words in their order; YAML's and Hydra's lists become tuples."""

_CONFIG = ConfigDict(
    strict=True, extra="forbid", allow_inf_nan=False, validate_by_name=True, validate_by_alias=True
)


@dataclass_transform(frozen_default=True, field_specifiers=(dataclasses.field, Field))
def settings(kind: type[Kind]) -> type[Kind]:
    """Make a class of annotated fields an immutable dataclass that checks its values."""
    made: Any = pydantic_dataclass(frozen=True, config=_CONFIG)(kind)
    return made  # type: ignore[no-any-return] # mypy sees the class itself, not pydantic's wrapper


def check_settings(kind: type[Kind], mapping: object, where: str | Path) -> Kind:
    """Make a settings class, or another dataclass, from plain values, strictly.

    Raises `InputError` with all of pydantic's errors; `where` begins each line of it: a file, or
    the section that the values come from.
    """
    try:
        _check_keys(mapping)
        # Only from JSON do strict classes take mappings for nested classes and lists for tuples.
        return TypeAdapter(kind).validate_json(json.dumps(mapping), strict=True, extra="forbid")
    except ValidationError as error:
        raise settings_error(error, where) from None
    except (TypeError, ValueError) as error:  # a date of YAML, a circular list
        raise InputError([Problem(str(where), None, "file", str(error))]) from None


def _check_keys(value: object) -> None:
    """JSON would make texts of other keys, such as `on`, which YAML reads as true."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            if not isinstance(key, str):
                raise ValueError(
                    f"key {key!r} should be a text (YAML reads on, off, yes and no so)"
                )
            _check_keys(item)
    elif isinstance(value, list | tuple):
        for item in value:
            _check_keys(item)


def settings_error(error: ValidationError, where: str | Path, *keys: str) -> InputError:
    """The error for what pydantic refused, with the path of each key."""
    return InputError(
        Problem(
            str(where),
            None,
            ".".join(map(str, (*keys, *fault["loc"]))) or "file",
            fault["msg"].removeprefix("Value error, "),
        )
        for fault in error.errors(include_url=False, include_context=False)
    )


def to_mapping(value: Any) -> dict[str, Any]:
    """A settings class as plain values for JSON or YAML."""
    mapping: dict[str, Any] = to_jsonable_python(value)
    return mapping


# Leaving: what stands below is for modules that have not yet moved to the functions above.

Place = tuple[str | int, ...]
"""Keys and list positions from the top of a file to an item."""

MOST_SEED = 2**32 - 1
"""Seeds are numbers of 32 bits, which every generator takes."""

_QUOTE_IT = " (YAML reads on, off, yes and no so: quote it)"


class Fault(NamedTuple):
    """A value that is not what it should be, and its place."""

    place: Place
    expected: str
    found: str


def shown(value: object) -> str:
    """A value as shown in a message: text in quotes, nothing too long."""
    if isinstance(value, str):
        return quoted(value)
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


@dataclass(frozen=True)
class Must:
    """What a value must be beyond its type: in words, as a test, and what is shown if it fails.

    A value of another type, or a list with an item of another, gets the same words.
    """

    expected: str
    holds: Callable[[Any], bool]
    found: Callable[[Any], str] = shown

    def __get_pydantic_core_schema__(self, hint: Any, handler: Callable[[Any], Any]) -> Any:
        from pydantic_core import PydanticCustomError, ValidationError, core_schema

        def error(found: str) -> PydanticCustomError:
            return PydanticCustomError(
                "must", "{expected}", {"expected": self.expected, "found": found}
            )

        def check(value: Any, inner: Callable[[Any], Any]) -> Any:
            try:
                fitting = inner(value)
            except ValidationError as unfit:
                faults = unfit.errors(include_url=False)
                if any(fault["type"] == "must" or _is_deep(fault["loc"]) for fault in faults):
                    raise
                raise error(_found(faults[0])) from None
            if not self.holds(fitting):
                raise error(self.found(value))
            return fitting

        return core_schema.no_info_wrap_validator_function(
            check, handler(hint), metadata={"expected": self.expected}
        )


def one_of(names: Collection[str]) -> Must:
    """One of some names."""
    return Must(choices(names), lambda value: value in names)


Count = Annotated[int, Must("a whole number from 1", lambda value: value >= 1)]
Folder = Annotated[str | Path, Must("a folder", lambda value: Path(value).is_dir())]
NameInFolder = Annotated[
    str,
    Must(
        "a file name or pattern inside data.dir",
        lambda value: bool(value) and not Path(value).is_absolute(),
    ),
]


def checked(kind: type[Kind], content: object, where: str | Path) -> Kind:
    """The content of a file or of settings as what it should be; raises with every fault.

    `where` is the name used in messages.
    """
    value, found = fitted(kind, content)
    if found:
        raise fault_error(found, where)
    return value  # type: ignore[no-any-return] # there are no faults


def fault_error(found: Iterable[Fault], where: str | Path) -> InputError:
    """The error that tells of faults."""
    return InputError(
        Problem(str(where), None, ".".join(map(str, place)) or "file", expected, what)
        for place, expected, what in found
    )


def fitted(hint: Any, content: object) -> tuple[Any, list[Fault]]:
    """Plain values as what a hint says, and what is wrong with them."""
    from pydantic_core import ValidationError

    try:
        value = _validator(hint).validate_python(content, extra="forbid")
    except ValidationError as error:
        return None, _faults(error.errors(include_url=False), content)
    rules = getattr(value, "faults", None)
    return value, [] if rules is None else list(rules())


_STRICT = ("int", "float", "bool", "str")


@lru_cache(maxsize=256)
def _validator(hint: Any) -> Any:
    """What pydantic checks a hint with; its scalars take no other type, its lists take tuples."""
    from pydantic import PydanticSchemaGenerationError, TypeAdapter
    from pydantic_core import SchemaValidator

    try:
        schema = TypeAdapter(hint).core_schema
    except PydanticSchemaGenerationError:  # a class of somebody else takes any value
        schema = TypeAdapter(Any).core_schema
    return SchemaValidator(_strict(schema))


def _strict(node: Any) -> Any:
    """A schema of pydantic whose scalars are strict, and whose fields have the names of files."""
    if isinstance(node, list | tuple):
        return type(node)(_strict(part) for part in node)
    if not isinstance(node, dict):
        return node
    unchanged = ("default", "metadata", "serialization")
    new = {key: part if key in unchanged else _strict(part) for key, part in node.items()}
    kind = new.get("type")
    if isinstance(kind, str) and kind in _STRICT:
        new["strict"] = True
        if kind == "float":
            new["allow_inf_nan"] = False
    elif kind == "dataclass":
        names = {field.name: field.metadata.get("key", field.name) for field in fields(new["cls"])}
        for field_schema in new["schema"]["fields"]:
            if names[field_schema["name"]] != field_schema["name"]:
                field_schema["validation_alias"] = names[field_schema["name"]]
    return new


_MESSAGES = {
    "missing": "a value",
    "unexpected_keyword_argument": "a key that exists",
    "extra_forbidden": "a key that exists",
}


def _faults(errors: Iterable[Any], content: object) -> list[Fault]:
    """The errors of pydantic, one for each place; the members of a union have one in common."""
    expected: dict[Place, list[str]] = {}
    found: dict[Place, str] = {}
    for error in errors:
        place = _place(error["loc"], content, error["type"] == "missing")
        message = _MESSAGES.get(error["type"], error["msg"].removeprefix("Input should be "))
        if message not in expected.setdefault(place, []):
            expected[place].append(message)
        found.setdefault(place, _found(error))
    inner = [place for place in expected if not any(_is_inside(other, place) for other in expected)]
    return [Fault(place, " or ".join(expected[place]), found[place]) for place in inner]


def _place(location: tuple[Any, ...], content: Any, missing: bool) -> Place:
    """Where an error is; pydantic puts the names of a union's members between the keys."""
    place: list[str | int] = []
    if location[-1:] == ("[key]",):  # the name itself is wrong
        location = location[:-2]
    for number, step in enumerate(location):
        if (isinstance(content, Mapping) and step in content) or (
            isinstance(content, list | tuple) and isinstance(step, int) and step < len(content)
        ):
            content = content[step]
        elif not (missing and number == len(location) - 1):
            continue
        place.append(step)
    return tuple(place)


def _is_inside(inner: Place, outer: Place) -> bool:
    return len(inner) > len(outer) and inner[: len(outer)] == outer


def _is_deep(place: tuple[int | str, ...]) -> bool:
    """Whether a fault is neither one of a value nor one of an item in a list."""
    return len(place) > 1 or (len(place) == 1 and not isinstance(place[0], int))


def _found(error: Any) -> str:
    """The value that pydantic refused, as shown in a message."""
    if error["type"] == "missing":
        return "nothing"
    if error["type"] == "must":
        return str(error["ctx"]["found"])
    if error["type"] in _MESSAGES:
        return "an unknown key"
    unquoted = error["type"] == "string_type" and isinstance(error["input"], bool)
    return shown(error["input"]) + (_QUOTE_IT if unquoted else "")


def plain_values(value: Any) -> Any:
    """The opposite of `checked`: dataclasses as mappings, tuples as lists, as files have them."""
    if is_dataclass(value):
        return {
            field.metadata.get("key", field.name): plain_values(getattr(value, field.name))
            for field in fields(value)
            if field.init
        }
    if isinstance(value, Mapping):
        return {key: plain_values(item) for key, item in value.items()}
    return [plain_values(item) for item in value] if isinstance(value, tuple) else value
