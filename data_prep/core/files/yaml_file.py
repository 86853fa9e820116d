"""YAML files of users, read strictly: what is wrong with one is told with its line."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import Any

import yaml

from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.files.guard import note_input
from crosspro.data_prep.core.files.limits import YAML_ITEMS

_OF_TAGS = (AttributeError, LookupError, OverflowError)
"""What PyYAML raises for a value that is not what its tag says, as in `!!timestamp x`."""


class _UniqueKeys(yaml.SafeLoader):
    """YAML in which a key that stands twice is an error, not a silent replacement."""

    def get_single_node(self) -> yaml.Node | None:
        """The whole file, if it is no larger than it looks."""
        node: yaml.Node | None = super().get_single_node()
        if node is not None:
            _written_out(node, {})
        return node


def _written_out(node: yaml.Node, known: dict[int, int | None]) -> int:
    """How many items a node has with aliases written out; too many, or endlessly, is an error."""
    if id(node) in known:
        size = known[id(node)]
    else:
        known[id(node)] = None  # until it is known: an alias of it inside itself has no end
        parts: Iterable[yaml.Node] = ()
        if isinstance(node, yaml.MappingNode):
            parts = chain.from_iterable(node.value)
        elif isinstance(node, yaml.SequenceNode):
            parts = node.value
        size = known[id(node)] = 1 + sum(_written_out(part, known) for part in parts)
    if size is None:
        problem = "an alias inside what it stands for"
        raise yaml.composer.ComposerError(None, None, problem, node.start_mark)
    if size > YAML_ITEMS.most():
        problem = f"{size:,} items, aliases written out, not {YAML_ITEMS.expected('of them')}"
        raise yaml.composer.ComposerError(None, None, problem, node.start_mark)
    return size


def _unique_mapping(loader: _UniqueKeys, node: yaml.MappingNode) -> dict[Any, Any]:
    seen: set[Any] = set()
    for key_node, _ in node.value:
        key = loader.construct_object(key_node)
        if key in seen:
            raise yaml.constructor.ConstructorError(
                None, None, f"key {key!r} stands twice", key_node.start_mark
            )
        seen.add(key)
    return loader.construct_mapping(node, deep=True)


_UniqueKeys.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _unique_mapping)


def parse_yaml(text: str) -> object:
    """The content of a text; every fault, also a key that stands twice, is a `yaml.YAMLError`."""
    try:
        content: object = yaml.load(text, Loader=_UniqueKeys)  # noqa: S506 - a SafeLoader
    except (TypeError, ValueError, *_OF_TAGS) as error:
        raise yaml.YAMLError(str(error)) from error
    except RecursionError as error:
        raise yaml.YAMLError("nesting too deep") from error
    return content


def read_yaml(path: Path, kind: str = "file") -> tuple[object, str]:
    """The content of a file, and its text; `kind` is what the file is called in messages."""
    note_input(path)
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise input_error(path, "file", f"a readable {kind}", error.strerror or "") from error
    except UnicodeDecodeError as error:
        raise input_error(path, "encoding", "UTF-8", str(error)) from error
    try:
        return parse_yaml(text), text
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        found = getattr(error, "problem", None) or str(error)
        line = None if mark is None else mark.line + 1
        raise input_error(path, "file", "valid YAML", found, line) from error
