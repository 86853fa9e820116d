"""One request after the other: systems and annotators are not made for several at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

MOST_WAITING = 8


class BusyError(Exception):
    """Too many requests are waiting; this one may come again."""


class Turns:
    """Lets one in at a time, a few wait, and sends others away."""

    def __init__(self, most_waiting: int = MOST_WAITING) -> None:
        self._working = Lock()
        self._counting = Lock()
        self._most = most_waiting
        self.present = 0
        """How many are there: the one that works, and those that wait."""

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for one's turn; raises `BusyError` if too many wait already."""
        with self._counting:
            if self.present > self._most:
                raise BusyError
            self.present += 1
        try:
            with self._working:
                yield
        finally:
            with self._counting:
                self.present -= 1
