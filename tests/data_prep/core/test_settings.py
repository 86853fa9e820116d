"""Plain values against type hints: what fits passes, what does not is named with its place."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from typing_extensions import TypedDict

from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.settings import Count, Fault, Must, checked, fitted, plain_values

Even = Annotated[int, Must("an even number", lambda value: value % 2 == 0)]


class Sizes(TypedDict):
    """How many of each."""

    train: Count
    dev: Count


@dataclass(frozen=True)
class Record:
    """One of each kind; a file says `labels` for `names`."""

    name: str
    sizes: Sizes
    parts: tuple[float, ...] = ()
    notes: Mapping[str, str] = field(default_factory=dict)
    names: tuple[str, ...] = field(default=(), metadata={"key": "labels"})

    def faults(self) -> Iterator[Fault]:
        """Rules between fields."""
        if self.name in self.names:
            yield Fault(("labels",), "other names", self.name)


@dataclass(frozen=True)
class Outer:
    """Records inside a record."""

    first: Record | None
    other: Record | str
    path: Path = Path()
    rest: tuple[Record, ...] = ()


class Somebody:
    """A class that pydantic knows nothing of."""


GOOD = {"name": "a", "sizes": {"train": 1, "dev": 2}}


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        (1, float),
        (None, int | None),
        ("a", Literal["a", "b"]),
        ([1, 2.5], tuple[float, ...]),
        ({"a": [1]}, dict[str, list[int]]),
        (object(), Any),
        (object(), Somebody),
        (4, Even),
        (GOOD, Record),
        ({**GOOD, "parts": [1], "notes": {"b": "c"}, "labels": ["d"]}, Record),
        ({"first": None, "other": "x", "path": "y", "rest": [GOOD]}, Outer),
    ],
)
def test_what_fits_has_no_fault(value, hint):
    assert fitted(hint, value)[1] == []


@pytest.mark.parametrize(
    ("value", "hint", "wrong"),
    [
        (True, int, [((), "True")]),
        (1, bool, [((), "1")]),
        (True, str, [((), "True (YAML reads on, off, yes and no so: quote it)")]),
        ("1", int | None, [((), "'1'")]),
        ("c", Literal["a", "b"], [((), "'c'")]),
        ("ab", tuple[str, ...], [((), "'ab'")]),
        (math.nan, float, [((), "nan")]),
        (-math.inf, float | None, [((), "-inf")]),
        (10**400, float, [((), f"1{'0' * 58}…")]),
        ([1, "b"], list[int], [((1,), "'b'")]),
        (3, Even, [((), "3")]),
        ("3", Count, [((), "'3'")]),
        ([3, "x"], Annotated[list[int], Must("numbers", bool)], [((), "'x'")]),
        (5, Sizes, [((), "5")]),
        ({"name": 1, "sizes": {"train": 0, "test": 1}}, Record,
         [(("name",), "1"), (("sizes", "train"), "0"), (("sizes", "dev"), "nothing"),
          (("sizes", "test"), "an unknown key")]),
        ({**GOOD, "names": []}, Record, [(("names",), "an unknown key")]),
        ({**GOOD, "labels": ["a"]}, Record, [(("labels",), "a")]),
        ({"other": {**GOOD, "name": 1}}, Outer,
         [(("first",), "nothing"), (("other", "name"), "1")]),
        ({"first": 3, "other": 4, "path": 5, "rest": [GOOD, {**GOOD, "notes": {1: "a"}}]}, Outer,
         [(("first",), "3"), (("other",), "4"), (("path",), "5"), (("rest", 1, "notes"), "1")]),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_named_with_its_place(value, hint, wrong):
    assert [(fault.place, fault.found) for fault in fitted(hint, value)[1]] == wrong


@pytest.mark.parametrize(
    ("value", "hint", "expected"),
    [
        ("3", int | str | None, None),
        ("3", Even, "an even number"),
        ("3", Count | None, "a whole number from 1"),
        ("x", int, "a valid integer"),
        ({}, int | str, "a valid integer or a valid string"),
    ],
)
def test_a_fault_says_what_was_expected(value, hint, expected):
    assert [fault.expected for fault in fitted(hint, value)[1]] == [expected] * bool(expected)


def test_faults_are_told_together():
    content = {"name": "a", "sizes": {"train": 0, "dev": 1}, "parts": [1], "labels": ["b", 3]}
    with pytest.raises(InputError) as caught:
        checked(Record, content, "my.yaml")
    first, second = str(caught.value).splitlines()
    assert first.startswith("my.yaml: sizes.train:")
    assert second.startswith("my.yaml: labels.1:")


def test_without_lines_positions_are_told():
    with pytest.raises(InputError, match=r"^run.json: labels.1: "):
        checked(Record, {**GOOD, "labels": ["a", 3]}, "run.json")


def test_what_was_checked_goes_back():
    values = {**GOOD, "parts": [1.0], "notes": {}, "labels": ["b"]}
    assert plain_values(checked(Record, values, "run.json")) == values
