"""Reading several things so that the problems of all of them are raised together."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from crosspro.data_prep.core.errors import InputError, Problem

Thing = TypeVar("Thing")


class Attempts:
    """Reads several things and raises the problems of all of them together."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def read(self, reader: Callable[[], Thing]) -> Thing | None:
        """What a reader gives, or nothing: then its problems are kept."""
        try:
            return reader()
        except InputError as error:
            self.problems += error.problems
            return None

    def finish(self) -> None:
        """Raise if any reader had problems."""
        if self.problems:
            raise InputError(self.problems)


def known(thing: Thing | None) -> Thing:
    """What a reader gave, once `Attempts.finish` has found no problem."""
    if thing is None:
        raise RuntimeError("a reader gave neither its content nor a problem")
    return thing
