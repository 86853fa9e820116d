"""YAML files that inherit: such a file says only in what it differs from another.

`inherits` names the parent, one that comes with the package or the path of a file (from the folder
of the heir). What the heir says replaces what its parent says, key by key, in mappings inside
mappings as well; what stands under `add`, in the same places, is appended to the parent's lists.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from crosspro.data_prep.core.errors import InputError, Problem, choices, input_error, quoted
from crosspro.data_prep.core.files.yaml_lines import Place, YamlLines

INHERITANCE_KEYS = ("inherits", "add")
_INHERITS, _ADD = INHERITANCE_KEYS
Read = Callable[[Path], tuple[object, YamlLines]]


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
    added = _Added(path, lines, own)
    merged = added.to(merged, content.get(_ADD, {}), ())
    if added.problems:
        raise InputError(added.problems)
    return merged, Origins(str(path), lines, origins, added.kept)


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


class _Added:
    """Puts what stands under `add` behind what the parent's lists have."""

    def __init__(self, path: Path, lines: YamlLines, own: Mapping[str, Any]) -> None:
        self.path = path
        self.lines = lines
        self.own = own
        self.problems: list[Problem] = []
        self.kept: dict[Place, int] = {}

    def problem(self, place: Place, expected: str, found: str) -> None:
        field = ".".join(str(step) for step in (_ADD, *place) if not isinstance(step, int))
        line = self.lines.of(_ADD, *place)
        self.problems.append(Problem(str(self.path), line, field, expected, found))

    def to(self, lists: Mapping[str, Any], more: object, place: Place) -> dict[str, Any]:
        """A mapping of lists, or of mappings of them, with what is added."""
        merged = dict(lists)
        if not isinstance(more, Mapping):
            self.problem(place, "lists by their keys", _shown(more))
            return merged
        for key, value in more.items():
            inner = (*place, str(key))
            before = merged.get(key)
            if isinstance(before, Mapping):
                merged[key] = self.to(before, value, inner)
            elif not isinstance(value, list) or not isinstance(before, list | None):
                self.problem(inner, "a list that is added to a list", _shown(value))
            elif self._replaces(inner):
                self.problem(inner, "a list that this file does not replace", "one that it does")
            else:
                merged[key] = self._behind(before or [], value, inner)
        return merged

    def _replaces(self, place: Place) -> bool:
        inside: Any = self.own
        for step in place:
            if not isinstance(inside, Mapping) or step not in inside:
                return False
            inside = inside[step]
        return True

    def _behind(self, before: list[Any], value: list[Any], place: Place) -> list[Any]:
        self.kept[place] = len(before)
        for number, item in enumerate(value):
            if item in before or item in value[:number]:
                expected = "entries that are not there yet"
                self.problem((*place, number), expected, _shown(item))
        return [*before, *value]
