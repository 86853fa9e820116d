"""Plain values against type hints: what fits passes, what does not is named with its place."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypedDict

import pytest

from crosspro.data_prep.core.settings import Count, Must
from crosspro.prediction.typed_values import faults


class Sizes(TypedDict):
    """How many of each."""

    train: Count
    dev: Count


@dataclass(frozen=True)
class Record:
    """One of each kind."""

    name: str
    sizes: Sizes
    parts: tuple[float, ...] = ()
    notes: Mapping[str, str] = field(default_factory=dict)


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
        (4, Annotated[int, Must("an even number", lambda value: value % 2 == 0)]),
        (GOOD, Record),
        ({**GOOD, "parts": [1], "notes": {"b": "c"}}, Record),
    ],
)
def test_what_fits_has_no_fault(value, hint):
    assert list(faults("x", value, hint)) == []


@pytest.mark.parametrize(
    ("value", "hint", "expected"),
    [
        (True, int, [("x", "a whole number", "True")]),
        (1, bool, [("x", "true or false", "1")]),
        ("1", int | None, [("x", "a whole number or nothing", "'1'")]),
        ("c", Literal["a", "b"], [("x", "one of a, b", "'c'")]),
        ("ab", tuple[str, ...], [("x", "a list", "'ab'")]),
        (math.nan, float, [("x", "a finite number", "nan")]),
        (-math.inf, float | None, [("x", "a finite number or nothing", "-inf")]),
        (10**400, float, [("x", "a finite number", f"1{'0' * 58}…")]),
        ([1, "b"], list[int], [("x.1", "a whole number", "'b'")]),
        (3, Annotated[int, Must("an even number", lambda v: v % 2 == 0)],
         [("x", "an even number", "3")]),
        ("3", Count, [("x", "a whole number from 1", "'3'")]),
        (5, Sizes, [("x", "a value for each of train, dev", "5")]),
        ({"name": 1, "sizes": {"train": 0, "test": 1}}, Record,
         [("x.name", "text", "1"), ("x.sizes.train", "a whole number from 1", "0"),
          ("x.sizes.dev", "a whole number from 1", "None"),
          ("x.sizes.test", "one of train, dev", "an unknown key")]),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_named_with_its_place(value, hint, expected):
    assert list(faults("x", value, hint)) == expected
