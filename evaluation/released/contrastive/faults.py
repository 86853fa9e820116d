"""What in a contrastive set stops the released scripts, instance by instance.

The scripts stop with an error of Python that names no instance. They read less than our own reader
asks for, and more kinds of values: only what they cannot use is a fault here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from crosspro.data_prep.core.errors import Problem, choices, quoted

TYPES = ("m.sg", "f.sg", "m.pl", "f.pl")
KINDS = ("correct", "semi-correct")
_MISSING = object()


def released_faults(path: Path, content: object) -> list[Problem]:
    """Every place of a set that its released script cannot read."""
    if isinstance(content, list):
        found = list(_contrapro(content))
    elif isinstance(content, dict):
        lexical = any(isinstance(block, dict) and "examples" in block for block in content.values())
        found = list(_blocks(content, "examples" if lexical else "trg"))
    else:
        found = [("file", "a list or an object", content)]
    return [Problem(str(path), None, where, expected, _shown(v)) for where, expected, v in found]


def _shown(value: object) -> str:
    return "nothing" if value is _MISSING else quoted(json.dumps(value, ensure_ascii=False))


_Fault = tuple[str, str, object]


def _contrapro(content: Sequence[Any]) -> Iterator[_Fault]:
    if not content:
        yield "file", "at least one instance", content
    inside = [one.get("intrasegmental") for one in content if isinstance(one, dict)]
    mixed = not _sortable(inside)
    for number, one in enumerate(content, start=1):
        name = f"instance {number}"
        if not isinstance(one, dict):
            yield name, "an object", one
            continue
        for key in ("src pronoun", "ref pronoun"):
            if not isinstance(one.get(key), str):
                yield f"{name}, {key}", "text", one.get(key, _MISSING)
        distance = one.get("ante distance", _MISSING)
        if not isinstance(distance, int | float):
            yield f"{name}, ante distance", "a number", distance
        value = one.get("intrasegmental", _MISSING)
        if value is _MISSING or (mixed and not isinstance(value, bool)):
            yield f"{name}, intrasegmental", "true or false", value
        errors = one.get("errors", _MISSING)
        if not isinstance(errors, list | dict | str):
            yield f"{name}, errors", "a list of errors", errors


def _sortable(values: Sequence[Any]) -> bool:
    """Whether the script can sort the values, each once."""
    try:
        sorted(set(values))
    except TypeError:
        return False
    return True


def _blocks(content: dict[str, Any], part: str) -> Iterator[_Fault]:
    lists = [block.get(part) for block in content.values() if isinstance(block, dict)]
    if not any(isinstance(pairs, list) and pairs for pairs in lists):
        yield "file", "at least one pair", content
    for key, block in content.items():
        name = f"block {key}"
        try:
            numbered = str(int(key)) == key
        except ValueError:
            numbered = False
        if not numbered:
            yield name, "a number as its key", key
        if not isinstance(block, dict):
            yield name, "an object", block
            continue
        pairs = block.get(part, _MISSING)
        if not isinstance(pairs, list):
            yield f"{name}, {part}", "a list", pairs
        elif part == "trg":
            for number, pair in enumerate(pairs, start=1):
                yield from _pair(f"{name}, pair {number}", pair)


def _pair(name: str, pair: object) -> Iterator[_Fault]:
    if not isinstance(pair, dict):
        yield name, "an object", pair
        return
    if pair.get("type") not in TYPES:
        yield f"{name}, type", choices(TYPES), pair.get("type", _MISSING)
    if not any(kind in pair for kind in KINDS):
        yield name, choices(KINDS), list(pair)
    if "incorrect" not in pair:
        yield f"{name}, incorrect", "sentences", _MISSING
