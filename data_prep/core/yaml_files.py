"""YAML files, read strictly: faults are told with their lines, and a file may inherit from another.

A file that inherits says only in what it differs. `inherits` names the parent, one that comes with
the package or the path of a file (from the folder of the heir). What the heir says replaces what
its parent says, key by key, in mappings inside mappings as well; what stands under `add`, in the
same places, is appended to the parent's lists.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import yaml

from crosspro.data_prep.core.errors import InputError, choices, input_error, quoted
from crosspro.data_prep.core.guard import note_input
from crosspro.data_prep.core.limits import YAML_ITEMS
from crosspro.data_prep.core.settings import Fault, Place, fault_error

INHERITANCE_KEYS = ("inherits", "add")
_INHERITS, _ADD = INHERITANCE_KEYS
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


class YamlLines:
    """The lines of a file's items, from 1; an item that is not known has the line of its list."""

    def __init__(self, text: str = "") -> None:
        self._lines: dict[Place, int] = {}
        self._words: dict[tuple[str | int, str], int] = {}
        root = yaml.compose(text, yaml.SafeLoader) if text else None
        if root is None:
            return
        for place, node, line in _items(root, ()):
            self._lines[place] = line
            if isinstance(node, yaml.ScalarNode):
                self._words[place[0], str(node.value).lower()] = line

    def of(self, *place: str | int) -> int | None:
        """The line of an item."""
        while place and place not in self._lines:
            place = place[:-1]
        return self._lines.get(place)

    def depth(self, *place: str | int) -> int:
        """How much of the way to an item the file has: all of it, if the item is there."""
        return max(n for n in range(len(place) + 1) if n == 0 or place[:n] in self._lines)

    def has_word(self, key: str, word: str) -> bool:
        """Whether a word is somewhere under a key."""
        return (key, word.lower()) in self._words

    def of_word(self, key: str, word: str) -> int | None:
        """The line of a word somewhere under a key, of the last one if there are several."""
        return self._words.get((key, word.lower()), self.of(key))


def _items(node: yaml.Node, place: Place) -> Iterator[tuple[Place, yaml.Node, int]]:
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            inner: Place = (*place, str(key.value))
            yield inner, key, key.start_mark.line + 1
            yield from _items(value, inner)
    elif isinstance(node, yaml.SequenceNode):
        for number, value in enumerate(node.value):
            inner = (*place, number)
            yield inner, value, value.start_mark.line + 1
            yield from _items(value, inner)


class Origins:
    """Where the items of a file stand: in the file itself, or in one that it inherits from.

    `kept` has the lists that the file adds to, with the number of items before its own.
    """

    def __init__(
        self,
        path: str,
        lines: YamlLines | None = None,
        parent: Origins | None = None,
        kept: Mapping[Place, int] | None = None,
    ) -> None:
        self.path = path
        self.lines = lines or YamlLines()
        self.parent = parent
        self.kept = kept or {}

    def of(self, *place: str | int) -> tuple[str, int | None]:
        """The file and the line of an item; the line of its list if it is not known."""
        for end, step in enumerate(place):
            before = self.kept.get(place[:end])
            if before is not None and isinstance(step, int) and step >= before:
                return self.path, self.lines.of(_ADD, *place[:end], step - before)
        if self.parent is not None and self.lines.depth(*place) < self.parent._depth(*place):
            return self.parent.of(*place)
        return self.path, self.lines.of(*place)

    def of_word(self, key: str, word: str) -> tuple[str, int | None]:
        """The file and the line of a word somewhere under a key."""
        for name in (key, _ADD):
            if self.lines.has_word(name, word):
                return self.path, self.lines.of_word(name, word)
        if self.parent is not None:
            return self.parent.of_word(key, word)
        return self.path, self.lines.of(key)

    def _depth(self, *place: str | int) -> int:
        own = self.lines.depth(*place)
        return own if self.parent is None else max(own, self.parent._depth(*place))


Read = Callable[[Path], tuple[object, YamlLines]]


def read_inherited(
    path: Path, shipped: Mapping[str, Path], read: Read, unshared: tuple[str, ...] = ()
) -> tuple[object, Origins]:
    """The content of a file, together with what it inherits.

    `shipped` are the files that go by a name, `read` reads one file, and keys in `unshared` are a
    file's own and never inherited.
    """
    return _read(path, (), shipped, read, unshared)


def _read(
    path: Path,
    heirs: tuple[Path, ...],
    shipped: Mapping[str, Path],
    read: Read,
    unshared: tuple[str, ...],
) -> tuple[object, Origins]:
    content, lines = read(path)
    if not isinstance(content, Mapping) or not any(key in content for key in INHERITANCE_KEYS):
        return content, Origins(str(path), lines)
    heirs = (*heirs, path)
    parent_path = _parent_path(content, lines, heirs, shipped)
    parent, origins = _read(parent_path, heirs, shipped, read, unshared)
    if not isinstance(parent, Mapping):
        expected = "a file with keys and their values"
        raise input_error(path, _INHERITS, expected, f"{parent_path}", lines.of(_INHERITS))
    own = {key: value for key, value in content.items() if key not in INHERITANCE_KEYS}
    merged = _replaced({k: v for k, v in parent.items() if k not in unshared}, own)
    more = content.get(_ADD, {})
    if faults := list(_add_faults(merged, more, own, (_ADD,))):
        raise fault_error(faults, Origins(str(path), lines))
    kept: dict[Place, int] = {}
    return _added(merged, more, kept), Origins(str(path), lines, origins, kept)


def _parent_path(
    content: Mapping[str, Any],
    lines: YamlLines,
    heirs: tuple[Path, ...],
    shipped: Mapping[str, Path],
) -> Path:
    """The file that another inherits from; raises if there is none, or if it leads in a circle."""
    path, name = heirs[-1], content.get(_INHERITS)

    def error(expected: str, found: str) -> InputError:
        return input_error(path, _INHERITS, expected, found, lines.of(_INHERITS))

    if _INHERITS not in content:
        expected = f"{_INHERITS}, which names the file that is added to"
        raise input_error(path, _ADD, expected, "nothing", lines.of(_ADD))
    known = f"{choices(shipped)}, or the path of a .yaml file"
    if not isinstance(name, str):
        raise error(known, _shown(name))
    parent = shipped.get(name)
    if parent is None:
        parent = path.parent / name
        if parent.suffix not in (".yaml", ".yml"):
            raise error(known, quoted(name))
        if not _is_file(parent):
            raise error(known, f"{quoted(name)}, which is no file")
    circle = [heir for heir in heirs if heir.resolve() == parent.resolve()]
    if circle:
        way = (*heirs[heirs.index(circle[0]) :], parent)
        found = " inherits ".join(one.name for one in way)
        raise error("a file that does not lead back to this one", f"a circle: {found}")
    return parent


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name that is too long to be one
        return False


def _shown(value: object) -> str:
    return quoted(value if isinstance(value, str) else repr(value))


def _replaced(parent: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """The parent's content with what an heir says of its own."""
    merged = dict(parent)
    for key, value in own.items():
        both = isinstance(value, Mapping) and isinstance(merged.get(key), Mapping)
        merged[key] = _replaced(merged[key], value) if both else value
    return merged


def _add_faults(lists: Mapping[str, Any], more: object, own: Any, place: Place) -> Iterator[Fault]:
    """What is wrong with what stands under `add`, which goes behind the lists.

    `own` is what the file says of these lists beside `add`.
    """
    if not isinstance(more, Mapping):
        yield Fault(place, "lists by their keys", _shown(more))
        return
    for key, value in more.items():
        inner = (*place, str(key))
        before = lists.get(key)
        replaced = isinstance(own, Mapping) and str(key) in own
        if isinstance(before, Mapping):
            yield from _add_faults(before, value, own[str(key)] if replaced else {}, inner)
        elif not isinstance(value, list) or not isinstance(before, list | None):
            yield Fault(inner, "a list that is added to a list", _shown(value))
        elif replaced:
            yield Fault(inner, "a list that this file does not replace", "one that it does")
        else:
            for number, item in enumerate(value):
                if item in (before or []) or item in value[:number]:
                    expected = "entries that are not there yet"
                    yield Fault((*inner, number), expected, _shown(item))


def _added(
    lists: Mapping[str, Any], more: Mapping[str, Any], kept: dict[Place, int], place: Place = ()
) -> dict[str, Any]:
    """A mapping of lists, or of mappings of them, with what is added; `kept` gets their lengths."""
    merged = dict(lists)
    for key, value in more.items():
        inner = (*place, str(key))
        before = merged.get(key)
        if isinstance(before, Mapping):
            merged[key] = _added(before, value, kept, inner)
        else:
            kept[inner] = len(before or [])
            merged[key] = [*(before or []), *value]
    return merged
