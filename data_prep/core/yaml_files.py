"""YAML files, read strictly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.files import read_bytes


class _StrictLoader(yaml.SafeLoader):
    """YAML without repeated keys, and without aliases, a few of which can stand for billions."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            fault = "an alias, which these files may not have"
            raise yaml.composer.ComposerError(None, None, fault, self.peek_event().start_mark)  # type: ignore[no-untyped-call]
        node: yaml.Node | None = super().compose_node(parent, index)
        return node

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys: set[Any] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if key in keys:
                fault = f"key {key!r} stands twice"
                raise yaml.constructor.ConstructorError(None, None, fault, key_node.start_mark)
            keys.add(key)
        return super().construct_mapping(node, deep)


def parse_yaml(text: str) -> object:
    """The content of a text; every fault is a `yaml.YAMLError`."""
    try:
        content: object = yaml.load(text, Loader=_StrictLoader)  # noqa: S506 - a SafeLoader
    except (AttributeError, LookupError, OverflowError, TypeError, ValueError) as error:
        raise yaml.YAMLError(str(error)) from error  # such as that of `!!timestamp x`
    except RecursionError as error:
        raise yaml.YAMLError("nesting too deep") from error
    return content


def read_yaml(path: Path) -> object:
    """The content of a file."""
    try:
        return parse_yaml(read_bytes(path).decode("utf-8"))
    except UnicodeDecodeError as error:
        raise input_error(path, "encoding", "UTF-8", str(error)) from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        fault = getattr(error, "problem", None) or str(error)
        line = None if mark is None else mark.line + 1
        raise input_error(path, "file", "valid YAML", fault, line) from error
