"""What of a system's output is looked at: the translation of the sentence with the pronoun.

Outputs on a context set have one line an instance. A line may be that sentence alone, or a
document: sentences joined by a separator (`<eos>`, `<SEP>`), one part of which is the payload, or
sentences with nothing between them, the last of which is. Where separators are lost, a share of the
output's length may stand for it.

Every fault of every file is reported together: lines too many or too few, parts that an output does
not have. With `lenient` a missing part is no fault; it counts as a translation without the form.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from crosspro.data_prep.annotate.tokenise import load_abbreviations
from crosspro.data_prep.core.errors import InputError, Problem, empty_file, input_error, quoted
from crosspro.evaluation.inputs.plain_text import lines_of, unequal_lines
from crosspro.evaluation.metrics.contrastive.formats import (
    FAR,
    ContrastiveSet,
    Instance,
    content_digest,
    names_of_files,
)

TSV = "contrapro-tsv"
CORRECT = "correct"
FIELDS = ("distance", "label", "pronoun", "source", "reference", "output")
SEPARATORS = ("<eos>", "<sep>")
SOURCE_LANGUAGE = "en"

_CLOSING = "\"'”’»›)]"
_OPENING = "\"'“‘«‹([¿¡-–—"
_END = re.compile(rf"(?P<word>.*?)(?P<end>[.!?…]+)[{re.escape(_CLOSING)}]*")


@dataclass(frozen=True)
class PayloadRules:
    """Where the payload is: part `part` (1 the first, -1 the last), or the last sentences of it.

    With `share`, the payload is so many times the share of the output's words that the payload of
    the source has among the words of the source.
    """

    separators: tuple[str, ...] = SEPARATORS
    part: int = -1
    sentences: bool = False
    share: float | None = None

    @property
    def signature(self) -> str:
        """The rules in a few letters."""
        if self.share is not None:
            return f"payload:share-{self.share:g}"
        return f"payload:{'sentences-of-' if self.sentences else ''}part{self.part:+d}"


def split_parts(text: str, separators: Sequence[str]) -> list[str]:
    """The parts of an output, cut at each separator in upper or lower case."""
    if not separators:
        return [text.strip()]
    pattern = "|".join(re.escape(separator) for separator in separators if separator)
    return [part.strip() for part in re.split(pattern, text, flags=re.IGNORECASE)]


def chosen_part(parts: Sequence[str], part: int) -> str | None:
    """The part that is counted from the front (1, 2, …) or from the end (-1, -2, …), if any."""
    place = part - 1 if part > 0 else part
    return parts[place] if -len(parts) <= place < len(parts) else None


def split_sentences(text: str, language: str) -> list[str]:
    """The sentences of a line: they end in `.`, `!`, `?` or `…` before a capital or a digit."""
    chunks = text.split()
    sentences: list[list[str]] = [[]]
    for chunk, following in pairwise([*chunks, ""]):
        sentences[-1].append(chunk)
        # A closing mark may stand apart: `Oui. » Elle dort.`
        last = next((one for one in reversed(sentences[-1]) if one.strip(_CLOSING)), "")
        if following and _ends(last, following, language):
            sentences.append([])
    return [" ".join(sentence) for sentence in sentences if sentence]


def _ends(chunk: str, following: str, language: str) -> bool:
    begin = following.lstrip(_OPENING)[:1]
    closing = following.strip(_CLOSING) == ""
    if closing or (begin and not begin.isupper() and not begin.isdigit()):
        return False
    found = _END.fullmatch(chunk)
    if found is None:
        return False
    if found["end"] != ".":
        return True
    word = found["word"].lstrip(_OPENING)
    rules = load_abbreviations(language)
    if word in rules or (word[:1].lower() + word[1:]) in rules:
        return False
    initial = len(word) == 1 and word.isupper()
    ordinal = language == "de" and re.fullmatch(r"\d{1,2}", word) is not None
    return not initial and not ordinal


def last_sentences(text: str, language: str, number: int) -> str:
    """The last sentences of a text, at most so many."""
    return " ".join(split_sentences(text, language)[-max(number, 1) :])


def last_share(text: str, source: Sequence[str], payload: str, factor: float) -> str:
    """The last words of an output: as large a share as the payload has of the source, times a
    factor, and at least one word."""
    words = text.split()
    size = sum(len(part.split()) for part in source)
    share = len(payload.split()) / size if size else 1.0
    number = min(len(words), max(1, math.ceil(len(words) * share * factor)))
    return " ".join(words[len(words) - number :])


# The TSV of the generative ContraPro ------------------------------------------------------------


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


# Outputs ----------------------------------------------------------------------------------------


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
        [
            replace(system, payloads=tuple(system.payloads[place] for place in kept))
            for system in systems
        ],
    )
