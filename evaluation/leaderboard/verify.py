"""Records held against their evidence: every digest, score, interval and class computed again."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path

from crosspro.data_prep.core.errors import InputError, Problem
from crosspro.evaluation.leaderboard.evidence import measured
from crosspro.evaluation.leaderboard.record import (
    FOLDER,
    Provenance,
    read_record,
    record_file,
)

NEAR = 1e-6
"""How far a figure may be from that which is computed."""
_VERSION = re.compile(r"\|crosspro:[^|]*")


def verify_record(name: str, names: Container[str], results: Path = FOLDER) -> list[Problem]:
    """All faults of a record; `names` are those of all records."""
    path = record_file(name, results)
    try:
        record = read_record(path)
    except InputError as error:
        return list(error.problems)
    problems = [
        Problem(str(path), None, f"members.{number}", "the name of a record", one)
        for number, one in enumerate(record.members)
        if one not in names
    ]
    if record.origin == Provenance.PUBLISHED:
        return problems
    try:
        again = measured(record, results)
    except InputError as error:
        return [*problems, *error.problems]
    stands, computed = asdict(record), asdict(again)
    for fields in (("sets", "digests"), ("scores", "classes")):
        found: list[Problem] = []
        for field in fields:
            expected = dict(_flat(computed[field], (field,)))
            found += _differences(path, expected, dict(_flat(stands[field], (field,))))
        problems += found
        if found:  # scores of other labels are others
            break
    return problems


def _flat(value: object, place: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], object]]:
    """Every figure and text of nested mappings by its place."""
    if isinstance(value, Mapping):
        for key, one in value.items():
            yield from _flat(one, (*place, str(key)))
    else:
        yield place, value


def _differences(
    path: Path, expected: Mapping[tuple[str, ...], object], found: Mapping[tuple[str, ...], object]
) -> Iterator[Problem]:
    for place in dict.fromkeys((*expected, *found)):
        computed, stands = expected.get(place), found.get(place)
        if not _alike(computed, stands):
            told = f"{_told(computed)}, as computed from the evidence"
            yield Problem(str(path), None, ".".join(place), told, _told(stands))


def _alike(one: object, other: object) -> bool:
    if isinstance(one, float) and isinstance(other, float | int):
        return abs(one - other) <= NEAR
    if isinstance(one, str) and isinstance(other, str):
        return _VERSION.sub("", one) == _VERSION.sub("", other)
    return one == other


def _told(value: object) -> str:
    return (
        "nothing" if value is None else f"{value:.6f}" if isinstance(value, float) else str(value)
    )
