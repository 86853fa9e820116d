"""Outputs of systems on a context set: one line an instance, of which the payload is taken.

Every fault of every file is reported together: lines too many or too few, parts that an output does
not have. With `lenient` a missing part is no fault; it counts as a translation without the form.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from crosspro.data_prep.core.errors import InputError, Problem, input_error, quoted
from crosspro.evaluation.inputs.plain_text import lines_of, unequal_lines
from crosspro.evaluation.metrics.contrastive.formats import (
    FAR,
    ContrastiveSet,
    Instance,
    names_of_files,
)
from crosspro.evaluation.metrics.expected_forms.expected_sets import (
    TsvSet,
    payload_part,
    signed_number,
)
from crosspro.evaluation.metrics.expected_forms.payload import (
    PayloadRules,
    chosen_part,
    last_sentences,
    last_share,
    split_parts,
    split_sentences,
)

SOURCE_LANGUAGE = "en"


@dataclass(frozen=True)
class GeneratedOutput:
    """The payload of each instance as a system has translated it, and what is odd about them."""

    name: str
    payloads: tuple[str, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Line:
    """A line of output: where it stands, its text, and which part of it is the payload."""

    number: int
    text: str
    part: int


def read_outputs(
    paths: Sequence[Path],
    test_set: ContrastiveSet,
    rules: PayloadRules,
    language: str,
    *,
    tsv: tuple[Path, TsvSet] | None = None,
    parts: Path | None = None,
    lenient: bool = False,
) -> list[GeneratedOutput]:
    """The outputs of the files, or that of a TSV if there are no files; all faults at once.

    `parts` is a file that says for each line which part of it is the payload (1 the first, -1 the
    last); a TSV may say so itself. A file of output has a line for each row of a TSV.
    """
    problems: list[Problem] = []
    rows = tsv[1].rows if tsv else None
    expected = tsv[1].lines if tsv else len(test_set.instances)
    chosen = _read_parts(parts, expected, test_set.name, problems) if parts else None
    read: list[tuple[Path, list[str] | None]] = []
    for path in paths:
        lines = lines_of(path, problems)
        if lines is not None:
            problems += unequal_lines(path, len(lines), expected, test_set.name)
        read.append((path, lines))
    if tsv and not paths:
        texts = {row.line: row.output for row in tsv[1].rows}
        read.append((tsv[0], [texts.get(number, "") for number in range(1, expected + 1)]))
    systems = []
    for name, (path, lines) in zip(names_of_files([path for path, _ in read]), read, strict=True):
        if lines is None or len(lines) != expected or (parts and chosen is None):
            continue
        placed = [
            _Line(
                number,
                lines[number - 1].removesuffix("\r"),
                chosen[number - 1]
                if chosen
                else (rows and payload_part(rows[place])) or rules.part,
            )
            for place, number in enumerate(
                [row.line for row in rows] if rows else range(1, expected + 1)
            )
        ]
        systems.append(
            _system(name, path, placed, test_set, rules, language, problems, tsv, lenient)
        )
    if problems:
        raise InputError(problems)
    return systems


def _read_parts(path: Path, expected: int, name: str, problems: list[Problem]) -> list[int] | None:
    lines = lines_of(path, problems)
    if lines is None:
        return None
    before = len(problems)
    problems += unequal_lines(path, len(lines), expected, name)
    found = []
    for number, line in enumerate(lines, start=1):
        part = signed_number(line)
        if not part:
            text = "the number of a part: 1 the first, -1 the last"
            problems.append(Problem(str(path), number, "part", text, quoted(line)))
            continue
        found.append(part)
    return found if len(problems) == before else None


def _system(
    name: str,
    path: Path,
    lines: Sequence[_Line],
    test_set: ContrastiveSet,
    rules: PayloadRules,
    language: str,
    problems: list[Problem],
    tsv: tuple[Path, TsvSet] | None,
    lenient: bool,
) -> GeneratedOutput:
    payloads = []
    missing = unlike = 0
    for instance, line in zip(test_set.instances, lines, strict=True):
        cut = split_parts(line.text, rules.separators)
        around = (*instance.source_context, *instance.source_following)
        if rules.share is not None:
            source = (*around, instance.source or "")
            text = " ".join(cut)
            payloads.append(last_share(text, source, instance.source or "", rules.share))
            continue
        unlike += tsv is not None and len(cut) != len(around) + 1
        payload = chosen_part(cut, line.part)
        if payload is None:
            missing += 1
            if not lenient:
                found = f"{len(cut)} part{'s' if len(cut) > 1 else ''}"
                wanted = f"part {line.part} ({instance.name})"
                problems.append(Problem(str(path), line.number, "payload", wanted, found))
        if payload is not None and rules.sentences:
            payload = last_sentences(payload, language, _sentences(instance))
        payloads.append(payload or "")
    notes = []
    if missing:
        notes.append(f"{missing:,} outputs without the part of the payload; they count as wrong")
    if unlike:
        notes.append(f"{unlike:,} outputs have another number of parts than their source")
    if empty := sum(not payload for payload in payloads) - missing:
        notes.append(f"{empty:,} empty translations; they count as wrong")
    return GeneratedOutput(name, tuple(payloads), tuple(notes))


def _sentences(instance: Instance) -> int:
    """How many sentences the source segment has; one if it is not known."""
    return len(split_sentences(instance.source or "", SOURCE_LANGUAGE)) or 1


def choose_instances(
    path: Path,
    test_set: ContrastiveSet,
    tsv: TsvSet | None,
    distances: tuple[int | None, int | None],
    forms: Sequence[str],
) -> list[int]:
    """The places of the instances that are wanted; raises if there is none.

    Sets of JSON tell distances above 3 apart from others, but not from each other.
    """
    low, high = distances
    wanted = {form.strip().lower() for form in forms}
    kept = []
    for place, instance in enumerate(test_set.instances):
        if low is not None or high is not None:
            distance = tsv.rows[place].distance if tsv else _distance(instance.groups)
            if distance is None or distance < (low or 0) or (high is not None and distance > high):
                continue
        if not wanted or (instance.reference_pronoun or "").lower() in wanted:
            kept.append(place)
    if not kept:
        raise input_error(path, "instances", "at least one that is asked for", "none")
    return kept


def _distance(groups: dict[str, str]) -> int | None:
    known = groups.get("distance", "")
    return 4 if known == FAR else int(known) if known.isdigit() else None


def among(
    test_set: ContrastiveSet, systems: Sequence[GeneratedOutput], kept: Sequence[int]
) -> tuple[ContrastiveSet, list[GeneratedOutput]]:
    """The set and the outputs with only these instances."""
    if len(kept) == len(test_set.instances):
        return test_set, list(systems)
    return (
        replace(test_set, instances=tuple(test_set.instances[place] for place in kept)),
        [replace(one, payloads=tuple(one.payloads[place] for place in kept)) for one in systems],
    )
