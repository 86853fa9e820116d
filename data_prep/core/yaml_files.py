"""YAML files, read strictly, and files that inherit from another one.

A file that inherits lists only its differences. `inherits` names the parent: one that comes with
the package, or the path of a file (from the folder of the heir). Its values replace those of the
parent, key by key, in mappings inside mappings as well; what stands under `add`, in the same
places, is appended to the parent's lists.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from crosspro.data_prep.core.errors import InputError, choices, input_error, quoted
from crosspro.data_prep.core.files import is_file, read_bytes

INHERITANCE_KEYS = ("inherits", "add")
_INHERITS, _ADD = INHERITANCE_KEYS


class _StrictLoader(yaml.SafeLoader):
    """YAML without repeated keys, and without aliases, a few of which can stand for billions."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            found = "an alias, which these files may not have"
            raise yaml.composer.ComposerError(None, None, found, self.peek_event().start_mark)  # type: ignore[no-untyped-call]
        node: yaml.Node | None = super().compose_node(parent, index)
        return node

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys: set[Any] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if key in keys:
                found = f"key {key!r} stands twice"
                raise yaml.constructor.ConstructorError(None, None, found, key_node.start_mark)
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
        found = getattr(error, "problem", None) or str(error)
        line = None if mark is None else mark.line + 1
        raise input_error(path, "file", "valid YAML", found, line) from error


def read_inherited(
    path: Path,
    shipped: Mapping[str, Path],
    unshared: tuple[str, ...] = (),
    heirs: tuple[Path, ...] = (),
) -> object:
    """The content of a file, together with what it inherits.

    `shipped` are the parents that have names. Keys in `unshared` are not inherited. `heirs` are the
    files that inherit from this one.
    """
    content = read_yaml(path)
    if not isinstance(content, Mapping) or not any(key in content for key in INHERITANCE_KEYS):
        return content
    heirs = (*heirs, path.resolve())
    parent_path = _parent_path(path, content, shipped)
    if parent_path.resolve() in heirs:
        expected = "a file that does not lead back to this one"
        raise input_error(path, _INHERITS, expected, f"a circle through {parent_path.name}")
    parent = read_inherited(parent_path, shipped, unshared, heirs)
    if not isinstance(parent, Mapping):
        expected = "a file with keys and their values"
        raise input_error(path, _INHERITS, expected, str(parent_path))
    changed = {key: value for key, value in content.items() if key not in INHERITANCE_KEYS}
    merged = _replaced({k: v for k, v in parent.items() if k not in unshared}, changed)
    more = content.get(_ADD, {})
    if not isinstance(more, Mapping):
        raise input_error(path, _ADD, "lists by their keys", _shown(more))
    return _added(merged, more, changed, path, _ADD)


def _parent_path(path: Path, content: Mapping[str, Any], shipped: Mapping[str, Path]) -> Path:
    name = content.get(_INHERITS)
    if _INHERITS not in content:
        expected = f"{_INHERITS}, which names the file that is added to"
        raise input_error(path, _ADD, expected, "nothing")
    if isinstance(name, str) and name in shipped:
        return shipped[name]
    if not isinstance(name, str) or not name.endswith((".yaml", ".yml")):
        expected = f"{choices(shipped)}, or the path of a .yaml file"
        raise input_error(path, _INHERITS, expected, _shown(name))
    parent = path.parent / name
    if not is_file(parent):
        raise input_error(path, _INHERITS, "the path of a file", quoted(name))
    return parent


def _replaced(parent: Mapping[str, Any], changed: Mapping[str, Any]) -> dict[str, Any]:
    """The parent's content with the values of an heir."""
    merged = dict(parent)
    for key, value in changed.items():
        both = isinstance(value, Mapping) and isinstance(merged.get(key), Mapping)
        merged[key] = _replaced(merged[key], value) if both else value
    return merged


def _added(
    lists: Mapping[str, Any], more: Mapping[str, Any], changed: object, path: Path, place: str
) -> dict[str, Any]:
    """Lists, or mappings of them, with `more` appended, unless the file has `changed` them."""
    merged = dict(lists)
    for key, items in more.items():
        inner, before = f"{place}.{key}", lists.get(key)
        replaced = isinstance(changed, Mapping) and key in changed
        if isinstance(before, Mapping) and isinstance(items, Mapping):
            below = changed[key] if isinstance(changed, Mapping) and replaced else {}
            merged[key] = _added(before, items, below, path, inner)
        elif not isinstance(items, list) or not isinstance(before, list | None):
            raise _fault(path, inner, "a list that is added to a list", items)
        elif replaced:
            raise _fault(path, inner, "a list that this file does not replace", items)
        else:
            merged[key] = list(before or [])
            for item in items:
                if item in merged[key]:
                    raise _fault(path, inner, "entries that are not there yet", item)
                merged[key].append(item)
    return merged


def _fault(path: Path, place: str, expected: str, found: object) -> InputError:
    return input_error(path, place, expected, _shown(found))


def _shown(value: object) -> str:
    return quoted(value if isinstance(value, str) else repr(value))
