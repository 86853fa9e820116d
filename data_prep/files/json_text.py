"""JSON of users and of saved files, read strictly: what other programs cannot read is refused."""

from __future__ import annotations

import json
import re
from typing import Any

_HALF = re.compile("[\ud800-\udfff]")


def parse_json(text: str | bytes) -> Any:
    """The content of a text; every fault is a `ValueError`.

    NaN and infinite numbers, numbers too long to be read, nesting without end, and halves of
    characters (`\\ud800` alone), which no file can hold, are faults.
    """
    try:
        value = json.loads(text, parse_constant=_no_number)
        if _HALF.search(json.dumps(value, ensure_ascii=False)):
            raise ValueError("half of a character (a lone surrogate)")
    except RecursionError as error:
        raise ValueError("nesting too deep") from error
    return value


def _no_number(text: str) -> None:
    raise ValueError(f"{text}, which is no number of JSON")
