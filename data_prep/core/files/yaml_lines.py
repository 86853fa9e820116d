"""Where the items of a YAML file stand, so that a problem with one can name its line."""

from __future__ import annotations

from collections.abc import Iterator

import yaml

Place = tuple[str | int, ...]
"""Keys and list positions from the top of a file to an item."""


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
