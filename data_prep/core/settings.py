"""Settings, task files and saved descriptions: pydantic dataclasses, checked strictly.

    @settings
    class Training:
        batch_size: Annotated[int, Field(ge=1)] = 1000

    check_settings(Training, {"batch_size": 0}, "settings: training")
    # InputError: settings: training: batch_size: Input should be greater than or equal to 1

Types are strict (`"1"` is no number), numbers are finite, and unknown keys are refused. Rules
between fields are `model_validator(mode="after")` methods that raise `ValueError`.
"""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Annotated, Any, TypeVar, dataclass_transform

import yaml
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass as pydantic_dataclass
from pydantic_core import to_jsonable_python

from crosspro.data_prep.core.errors import InputError, Problem, input_error
from crosspro.data_prep.core.files import read_bytes

Kind = TypeVar("Kind")

Seed = Annotated[int, Field(ge=0, le=2**32 - 1)]
"""A number of 32 bits, which every generator takes."""

Share = Annotated[float, Field(gt=0, le=1)]

Words = Annotated[tuple[str, ...], Field(strict=False)]
"""Words in their order; YAML's and Hydra's lists become tuples."""

_CONFIG = ConfigDict(
    strict=True,
    extra="forbid",
    allow_inf_nan=False,
    validate_by_name=True,
    validate_by_alias=True,
    defer_build=True,  # of the many classes that are imported a command uses few
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
        # Only from JSON do strict classes take mappings for nested classes and lists for tuples.
        return TypeAdapter(kind).validate_json(json.dumps(mapping), strict=True, extra="forbid")
    except ValidationError as error:
        raise settings_error(error, where) from None
    except (TypeError, ValueError) as error:  # a date of YAML, a circular list
        raise InputError([Problem(str(where), None, "file", str(error))]) from None


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


class _StrictLoader(yaml.SafeLoader):
    """YAML whose keys are texts and stand once."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if key in keys or not isinstance(key, str):
                fault = f"key {key!r} stands twice or is no text (YAML reads on, off, yes, no so)"
                raise yaml.constructor.ConstructorError(None, None, fault, key_node.start_mark)
            keys.add(key)
        return super().construct_mapping(node, deep)


def read_yaml(path: Path) -> object:
    """The content of a YAML file."""
    content, line = read_bytes(path), None
    try:
        return yaml.load(content.decode(), Loader=_StrictLoader)  # noqa: S506 - a SafeLoader
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        fault = getattr(error, "problem", None) or str(error)
        line = None if mark is None else mark.line + 1
    except Exception as error:  # bytes that are not UTF-8, deep nesting, `!!timestamp x`, …
        fault = str(error)
    raise input_error(path, "file", "valid YAML in UTF-8", fault, line)
