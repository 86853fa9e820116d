"""System output on a context set: a line an instance, and the part of it that is scored.

A line is the translated sentence, or a document: sentences joined by a separator (`<eos>`,
`<sep>`), one part of which has the pronoun.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from crosspro.data_prep.core.errors import InputError, Problem
from crosspro.evaluation.inputs.plain_text import lines_of, unequal_lines
from crosspro.evaluation.metrics.contrastive.formats import ContrastiveSet, names_of_files

SEPARATORS = ("<eos>", "<sep>")
LAST_PART = -1


@dataclass(frozen=True)
class GeneratedOutput:
    """The scored part of each instance's translation by a system, and warnings."""

    name: str
    payloads: tuple[str, ...]
    notes: tuple[str, ...] = ()


def split_parts(text: str, separators: Sequence[str]) -> list[str]:
    """The parts of an output, cut at each separator in upper or lower case."""
    pattern = "|".join(map(re.escape, separators))
    return [part.strip() for part in re.split(pattern, text, flags=re.IGNORECASE)]


def chosen_part(parts: Sequence[str], part: int) -> str | None:
    """The part that is counted from the front (1, 2, …) or from the end (-1, -2, …), if any."""
    place = part - 1 if part > 0 else part
    return parts[place] if -len(parts) <= place < len(parts) else None


def read_outputs(
    paths: Sequence[Path],
    test_set: ContrastiveSet,
    separators: Sequence[str] = SEPARATORS,
    part: int = LAST_PART,
    *,
    lenient: bool = False,
) -> list[GeneratedOutput]:
    """The outputs of systems; raises `InputError` with the faults of all files.

    With `lenient`, a missing part is no fault; it counts as a translation without the form.
    """
    problems: list[Problem] = []
    systems = []
    size = len(test_set.instances)
    for name, path in zip(names_of_files(paths), paths, strict=True):
        lines = lines_of(path, problems)
        if lines is None:
            continue
        problems += unequal_lines(path, len(lines), size, test_set.name)
        payloads = [
            chosen_part(split_parts(line.removesuffix("\r"), separators), part) for line in lines
        ]
        if not lenient:
            problems += [
                Problem(str(path), number, "payload", f"part {part}", "fewer parts")
                for number, payload in enumerate(payloads, start=1)
                if payload is None
            ]
        notes = []
        if missing := payloads.count(None):
            notes.append(f"{missing:,} outputs without the scored part; they count as wrong")
        if empty := payloads.count(""):
            notes.append(f"{empty:,} empty translations; they count as wrong")
        systems.append(GeneratedOutput(name, tuple(p or "" for p in payloads), tuple(notes)))
    if problems:
        raise InputError(problems)
    return systems
