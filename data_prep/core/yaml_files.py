"""YAML files, read strictly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.files import read_bytes

_PYYAML_ERRORS = (AttributeError, LookupError, OverflowError, RecursionError, TypeError, ValueError)
"""Raised for `!!timestamp x`, deep nesting or a bad byte, beside the errors PyYAML documents."""


class _StrictLoader(yaml.SafeLoader):
    """YAML without repeated keys."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys: set[Any] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if key in keys:
                fault = f"key {key!r} stands twice"
                raise yaml.constructor.ConstructorError(None, None, fault, key_node.start_mark)
            keys.add(key)
        return super().construct_mapping(node, deep)


def read_yaml(path: Path) -> object:
    """The content of a file."""
    try:
        return yaml.load(read_bytes(path).decode(), Loader=_StrictLoader)  # noqa: S506 - a SafeLoader
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        fault = getattr(error, "problem", None) or str(error)
        line = None if mark is None else mark.line + 1
        raise input_error(path, "file", "valid YAML in UTF-8", fault, line) from error
    except _PYYAML_ERRORS as error:
        # UnicodeDecodeError is a ValueError; `!!timestamp x` is an AttributeError
        raise input_error(path, "file", "valid YAML in UTF-8", str(error)) from error
