"""JSON of users and of saved files, read strictly: what other programs cannot read is refused."""

from __future__ import annotations

import json
import re
from math import isfinite
from typing import Any

from crosspro.data_prep.core.errors import quoted

_DIGITS = 300
"""A whole number of more is none that arithmetic could go on with."""
_HALF = re.compile("[\ud800-\udfff]")


def parse_json(text: str | bytes) -> Any:
    """The content of a text; every fault is a `ValueError`.

    NaN and infinite numbers, numbers too large for a calculation, nesting without end, and halves
    of characters (`\\ud800` alone), which no file can hold, are faults.
    """
    try:
        value = json.loads(text, parse_constant=_no_number, parse_float=_fraction, parse_int=_whole)
        if _HALF.search(json.dumps(value, ensure_ascii=False)):
            raise ValueError("half of a character (a lone surrogate)")
    except RecursionError as error:
        raise ValueError("nesting too deep") from error
    return value


def _no_number(text: str) -> None:
    raise ValueError(f"{text}, which is no number of JSON")


def _fraction(text: str) -> float:
    value = float(text)
    if not isfinite(value):
        raise _too_large(text)
    return value


def _whole(text: str) -> int:
    if len(text) > _DIGITS:
        raise _too_large(text)
    return int(text)


def _too_large(text: str) -> ValueError:
    return ValueError(f"a number that is too large: {quoted(text)[1:-1]}")
