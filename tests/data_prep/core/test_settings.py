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
from crosspro.data_prep.core.yaml_files import Origins, YamlLines, parse_yaml

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
KEYS = "name, sizes, parts, notes, labels"


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
    ("value", "hint", "expected"),
    [
        (True, int, [((), "a whole number", "True")]),
        (1, bool, [((), "true or false", "1")]),
        (True, str, [((), "text", "True (YAML reads on, off, yes and no so: quote it)")]),
        ("1", int | None, [((), "a whole number or nothing", "'1'")]),
        ("c", Literal["a", "b"], [((), "one of a, b", "'c'")]),
        ("ab", tuple[str, ...], [((), "a list", "'ab'")]),
        (math.nan, float, [((), "a finite number", "nan")]),
        (-math.inf, float | None, [((), "a finite number or nothing", "-inf")]),
        (10**400, float, [((), "a finite number", f"1{'0' * 58}…")]),
        ([1, "b"], list[int], [((1,), "a whole number", "'b'")]),
        (3, Even, [((), "an even number", "3")]),
        ("3", Count, [((), "a whole number from 1", "'3'")]),
        ("3", Count | None, [((), "a whole number from 1 or nothing", "'3'")]),
        ([3, "x"], Annotated[list[int], Must("numbers", bool)], [((), "numbers", "'x'")]),
        (5, Sizes, [((), "a mapping with the keys train, dev", "5")]),
        ({"name": 1, "sizes": {"train": 0, "test": 1}}, Record,
         [(("name",), "text", "1"), (("sizes", "train"), "a whole number from 1", "0"),
          (("sizes", "dev"), "a whole number from 1", "nothing"),
          (("sizes", "test"), "one of train, dev", "an unknown key")]),
        ({**GOOD, "names": []}, Record, [(("names",), f"one of {KEYS}", "an unknown key")]),
        ({**GOOD, "labels": ["a"]}, Record, [(("labels",), "other names", "a")]),
        ({"other": {**GOOD, "name": 1}}, Outer,
         [(("first",), "a value, or null", "no such key"), (("other", "name"), "text", "1")]),
        ({"first": 3, "other": 4, "path": 5, "rest": [GOOD, {**GOOD, "notes": {1: "a"}}]}, Outer,
         [(("first",), f"a mapping with the keys {KEYS} or nothing", "3"),
          (("other",), f"a mapping with the keys {KEYS} or text", "4"),
          (("path",), "a path", "5"), (("rest", 1, "notes"), "text", "1")]),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_named_with_its_place(value, hint, expected):
    assert fitted(hint, value)[1] == expected


def test_faults_are_told_together_with_their_lines():
    text = "name: a\nsizes:\n  train: 0\n  dev: 1\nparts: [1]\nlabels:\n- b\n- 3\n"
    where = Origins("my.yaml", YamlLines(text))
    with pytest.raises(InputError) as caught:
        checked(Record, parse_yaml(text), where)
    assert str(caught.value).splitlines() == [
        "my.yaml:3: sizes.train: expected a whole number from 1, found 0",
        "my.yaml:8: labels: expected text, found 3",
    ]


def test_without_lines_positions_are_told():
    with pytest.raises(InputError, match=r"^run.json: labels.1: expected text, found 3$"):
        checked(Record, {**GOOD, "labels": ["a", 3]}, "run.json")


def test_what_was_checked_goes_back():
    values = {**GOOD, "parts": [1.0], "notes": {}, "labels": ["b"]}
    assert plain_values(checked(Record, values, "run.json")) == values
