"""Values by number: what is asked of many gaps at once, and of each value only once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int64]

NOTHING = -1
"""The number of a value that there is none of."""
_NOT_ASKED = -2


class Values(Sequence[str | None]):
    """A column of values: `names[codes[n]]`, or None where a code is `NOTHING`.

    `names` may be a list that still grows, and two of them may be equal.
    """

    def __init__(self, codes: Codes, names: Sequence[str | None]) -> None:
        self.codes = codes
        self.names = names

    def __len__(self) -> int:
        return len(self.codes)

    @overload
    def __getitem__(self, place: int) -> str | None: ...
    @overload
    def __getitem__(self, place: slice) -> Values: ...
    def __getitem__(self, place: int | slice) -> str | Values | None:
        if isinstance(place, slice):
            return Values(self.codes[place], self.names)
        code = int(self.codes[place])
        return None if code == NOTHING else self.names[code]

    def only(self, there: NDArray[np.bool_]) -> Values:
        """The values at some places, and None elsewhere."""
        return Values(np.where(there, self.codes, NOTHING), self.names)


class NumberedNames(dict[str, int]):
    """Numbers names as they come."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def __missing__(self, name: str) -> int:
        number = self[name] = len(self.names)
        self.names.append(name)
        return number


class Lookup:
    """What is made of codes, for many at once; of each it is found out when it first comes.

    New ones are asked about in the order in which they come.
    """

    def __init__(self, of: Callable[[int], int]) -> None:
        self._of = of
        self._known = np.zeros(0, np.int64)

    def __call__(self, codes: Codes) -> Codes:
        """The number of each code."""
        missing = int(codes.max(initial=-1)) + 1 - len(self._known)
        if missing > 0:
            room = np.full(max(missing, len(self._known)), _NOT_ASKED)
            self._known = np.concatenate([self._known, room])
        found = self._known.take(codes)
        new = codes[found == _NOT_ASKED]
        if len(new):
            for code in dict.fromkeys(new.tolist()):
                self._known[code] = self._of(code)
            found = self._known.take(codes)
        return found
