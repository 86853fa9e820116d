"""The order in which Python 2.7 goes through a set, on which the released APT tool depends.

The tool fills its matrix from the first member of a set of label numbers, lists labels in the order
of a set of words, and sorts them with numpy's quicksort. To give the same files on any machine,
these orders are worked out here: sets are hash tables with open addressing, and quicksort is that
of numpy 1.x (median of three, insertion sort below 17 elements), which is stable only for short
lists.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

Member = str | int | None

_WORD = 2**64
_NONE_HASH = 7
"""Python 2.7 hashes None by its address; this puts it last in a small set."""
_SHORT = 15


def python2_hash(value: Member) -> int:
    """The hash of a Unicode string or a small number in a 64-bit Python 2.7."""
    if value is None:
        return _NONE_HASH
    if isinstance(value, int):
        return value % _WORD
    if not value:
        return 0
    found = ord(value[0]) << 7
    for character in value:
        found = (found * 1000003 ^ ord(character)) % _WORD
    found ^= len(value)
    return found if found != _WORD - 1 else _WORD - 2


class Python2Set:
    """A set whose members come in Python 2.7's order."""

    def __init__(self, members: Iterable[Member] = ()) -> None:
        self._table: list[tuple[int, Member] | None] = [None] * 8
        self._used = 0
        for member in members:
            self.add(member)

    def __iter__(self) -> Iterator[Member]:
        return (entry[1] for entry in self._table if entry is not None)

    def __len__(self) -> int:
        return self._used

    def __contains__(self, member: Member) -> bool:
        return self._table[self._slot(python2_hash(member), member)] is not None

    def add(self, member: Member) -> None:
        """Add a member; the table grows when two thirds are full."""
        if self._insert(python2_hash(member), member) and 3 * self._used >= 2 * len(self._table):
            self._resize(self._used * (2 if self._used > 50000 else 4))

    def union(self, other: Python2Set) -> Python2Set:
        """A copy of this set into which the other was merged."""
        result = Python2Set()
        for one in (self, other):
            result._merge(one)
        return result

    def intersection(self, other: Python2Set) -> Python2Set:
        """Members of both; the smaller set is gone through."""
        first, second = (self, other) if len(other) <= len(self) else (other, self)
        return Python2Set(member for member in second if member in first)

    def difference(self, other: Python2Set) -> Python2Set:
        """Members of this set that are not in the other."""
        return Python2Set(member for member in self if member not in other)

    def _slot(self, key: int, member: Member) -> int:
        mask = len(self._table) - 1
        slot, perturbation = key & mask, key
        index = slot
        while True:
            entry = self._table[slot]
            if entry is None or entry == (key, member):
                return slot
            index = index * 5 + perturbation + 1
            slot = index & mask
            perturbation >>= 5

    def _insert(self, key: int, member: Member) -> bool:
        slot = self._slot(key, member)
        if self._table[slot] is not None:
            return False
        self._table[slot] = (key, member)
        self._used += 1
        return True

    def _merge(self, other: Python2Set) -> None:
        if len(other) == 0:
            return
        if 3 * (self._used + len(other)) >= 2 * len(self._table):
            self._resize(2 * (self._used + len(other)))
        for entry in other._table:
            if entry is not None:
                self._insert(*entry)

    def _resize(self, least: int) -> None:
        size = 8
        while size <= least:
            size *= 2
        entries = [entry for entry in self._table if entry is not None]
        self._table = [None] * size
        self._used = 0
        for entry in entries:
            self._insert(*entry)


def quicksort_order(values: Sequence[int]) -> list[int]:
    """The order that numpy 1.x's `argsort` gives: equal values of long lists change places."""
    order = list(range(len(values)))
    waiting = [(0, len(values) - 1)]
    while waiting:
        low, high = waiting.pop()
        while high - low > _SHORT:
            middle = _partition(order, values, low, high)
            if middle - low < high - middle:
                waiting.append((middle + 1, high))
                high = middle - 1
            else:
                waiting.append((low, middle - 1))
                low = middle + 1
        for place in range(low + 1, high + 1):
            moving = order[place]
            while place > low and values[moving] < values[order[place - 1]]:
                order[place] = order[place - 1]
                place -= 1
            order[place] = moving
    return order


def _partition(order: list[int], values: Sequence[int], low: int, high: int) -> int:
    middle = (low + high) // 2

    def swap(one: int, other: int) -> None:
        order[one], order[other] = order[other], order[one]

    for first, second in ((low, middle), (middle, high), (low, middle)):
        if values[order[second]] < values[order[first]]:
            swap(first, second)
    pivot = values[order[middle]]
    left, right = low, high - 1
    swap(middle, right)
    while True:
        left += 1
        while values[order[left]] < pivot:
            left += 1
        right -= 1
        while pivot < values[order[right]]:
            right -= 1
        if left >= right:
            break
        swap(left, right)
    swap(left, high - 1)
    return left
