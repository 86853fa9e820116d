"""The TSV of the generative ContraPro: instances and one system's output in one file.

Six fields: distance of the antecedent, label, pronoun, source, reference, output; before them there
may be the number of the payload among the parts of the output (0 the first). Source, reference and
output are whole documents whose parts are joined by a separator. Only rows labelled `correct` are
instances; the others are the contrastive errors of the set.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from crosspro.data_prep.core.errors import InputError, Problem, empty_file, quoted
from crosspro.evaluation.inputs.parallel_lines import lines_of
from crosspro.evaluation.metrics.contrastive.formats import (
    FAR,
    ContrastiveSet,
    Instance,
    content_digest,
)
from crosspro.evaluation.metrics.expected_forms.payload import (
    SEPARATORS,
    chosen_part,
    split_parts,
)

TSV = "contrapro-tsv"
CORRECT = "correct"
FIELDS = ("distance", "label", "pronoun", "source", "reference", "output")


@dataclass(frozen=True)
class TsvRow:
    """One row: its line, and the payload's number among the parts if the row says it."""

    line: int
    payload: int | None
    distance: int
    pronoun: str
    source: str
    reference: str
    output: str


@dataclass(frozen=True)
class TsvSet:
    """The rows that are instances, the set that they make, and how many rows there are in all."""

    rows: tuple[TsvRow, ...]
    test_set: ContrastiveSet
    lines: int


def read_tsv_set(path: Path, separators: Sequence[str] = SEPARATORS) -> TsvSet:
    """Read such a file; raises `InputError` with every row that cannot be read."""
    problems: list[Problem] = []
    lines = lines_of(path, problems)
    rows: list[TsvRow] = []
    for number, line in enumerate(lines or (), start=1):
        row = _row(str(path), number, line.removesuffix("\r"), problems)
        if row is not None:
            rows.append(row)
    if lines is not None and not lines:
        problems.append(empty_file(path))
    elif not rows and not problems:
        expected = f"at least one row labelled {CORRECT}"
        problems.append(Problem(str(path), None, "label", expected, "none"))
    if problems:
        raise InputError(problems)
    digest = content_digest(
        [(one.distance, one.pronoun, one.source, one.reference) for one in rows]
    )
    instances = tuple(_instance(row, separators) for row in rows)
    return TsvSet(tuple(rows), ContrastiveSet(path.name, TSV, instances, digest), len(lines or ()))


def _row(path: str, number: int, line: str, problems: list[Problem]) -> TsvRow | None:
    cells = line.split("\t")
    if len(cells) not in (len(FIELDS), len(FIELDS) + 1):
        expected = f"{len(FIELDS)} or {len(FIELDS) + 1} ([payload], {', '.join(FIELDS)})"
        problems.append(Problem(path, number, "fields", expected, str(len(cells))))
        return None
    before = len(problems)
    payload = None
    if len(cells) > len(FIELDS):
        payload = _number(path, number, "payload", cells.pop(0), problems)
    distance, label, pronoun, source, reference, output = cells
    far = _number(path, number, "distance", distance, problems)
    if not pronoun.strip():
        problems.append(Problem(path, number, "pronoun", "a word", "nothing"))
    if len(problems) > before or label != CORRECT:
        return None
    return TsvRow(number, payload, far, pronoun.strip(), source, reference, output)


def signed_number(text: str) -> int | None:
    """A whole number of at most nine digits, perhaps below zero."""
    text = text.strip()
    return int(text) if re.fullmatch(r"-?[0-9]{1,9}", text) else None


def _number(path: str, line: int, field: str, text: str, problems: list[Problem]) -> int:
    number = signed_number(text)
    if number is None:
        problems.append(Problem(path, line, field, "a whole number", quoted(text)))
    return number or 0


def payload_part(row: TsvRow) -> int | None:
    """The payload's part as `chosen_part` counts, where the row says it."""
    if row.payload is None:
        return None
    return row.payload + 1 if row.payload >= 0 else row.payload


def _instance(row: TsvRow, separators: Sequence[str]) -> Instance:
    part = payload_part(row) or -1
    sides = []
    for text in (row.source, row.reference):
        parts = split_parts(text, separators)
        payload = chosen_part(parts, part)
        at = part - 1 if part > 0 else len(parts) + part
        if payload is None:
            parts, payload, at = [text.strip()], text.strip(), 0
        sides.append((payload, tuple(parts[:at]), tuple(parts[at + 1 :])))
    (source, before, after), (reference, reference_before, reference_after) = sides
    distance = str(row.distance) if row.distance <= 3 else FAR
    return Instance(
        name=f"line {row.line}",
        errors=(),
        groups={
            "pronoun": row.pronoun.lower(),
            "antecedent": "same segment" if row.distance == 0 else "earlier segment",
            "distance": "unknown" if row.distance < 0 else distance,
        },
        source=source,
        reference=reference,
        reference_pronoun=row.pronoun,
        source_context=before,
        reference_context=reference_before,
        source_following=after,
        reference_following=reference_after,
    )
