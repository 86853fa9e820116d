"""Fields of the objects of a set's JSON, read so that everything wrong with them is known."""

from __future__ import annotations

import json
from typing import Any

from crosspro.data_prep.core.errors import Problem, quoted

MISSING = object()
"""What stands for a field that an object does not have."""


class SetFields:
    """Checks the values of one file and collects its problems."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.problems: list[Problem] = []

    def problem(self, where: str, expected: str, value: object) -> None:
        """Note that a value is not what was expected."""
        found = "nothing" if value is MISSING else quoted(json.dumps(value, ensure_ascii=False))
        self.problems.append(Problem(self.path, None, where, expected, found))

    def text(self, value: object, where: str, required: bool = True) -> str | None:
        """A text; one that is required may not be blank."""
        if isinstance(value, str) and (value.strip() or not required):
            return value
        if required or value is not MISSING:
            self.problem(where, "text", value)
        return None

    def texts(self, value: object, where: str) -> tuple[str, ...]:
        """A list of sentences, empty where there is none."""
        if value is MISSING:
            return ()
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            self.problem(where, "a list of sentences", value)
            return ()
        return tuple(value)

    def neighbours(self, one: dict[str, Any], name: str) -> list[tuple[str, ...]]:
        """The sentences around an instance: before it on each side, then after it on each side."""
        keys = ("src context", "ref context", "src following", "ref following")
        return [self.texts(one.get(key, MISSING), f"{name}, {key}") for key in keys]
