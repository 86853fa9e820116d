"""Verdicts out of a campaign and into it: review files (TSV), and everything as JSON Lines.

The TSV is the review file that `protest review export` writes, filled in, for one annotator or with
the final decisions. The JSON Lines hold every verdict that was ever given, those taken back as
well, with author and time; read into another store they are added to what is there, and of what an
annotator has said about an item in both, the newest counts, whatever the order of rows.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from crosspro.data_prep.core.errors import (
    KEPT_AT_MOST,
    InputError,
    Problem,
    choices,
    input_error,
    not_read,
    quoted,
)
from crosspro.data_prep.core.files import parse_json, read_text_lines
from crosspro.evaluation.human.items import ReviewItem, ReviewSet
from crosspro.evaluation.protest.review import (
    BETWEEN_LINES,
    COLUMNS,
    csv_line,
    read_filled_in,
    sealed_digest,
)
from crosspro.evaluation.protest.verdict_records import VALUES, value_of
from crosspro.evaluation.protest.verdict_rows import (
    all_verdicts,
    append_resolution,
    append_verdict,
    resolutions,
)
from crosspro.evaluation.protest.verdict_tables import moment
from crosspro.evaluation.protest.verdicts import AnnotatorVerdict, CorrectedWords, Item

_CORRECTED = ("token", "system", "annotator", "marked", "corrected", "at", "alternative", "text")
_TEXTS = ("annotator", "pronoun", "remark", "alternative", "time")

VERDICT, WITHDRAWN, DECISION = KINDS = ("verdict", "withdrawn", "decision")
Record = tuple[str, AnnotatorVerdict]
"""A row of a store's history: its kind, and what it says."""


def review_table(items: ReviewSet, verdicts: Iterable[AnnotatorVerdict], context: int) -> bytes:
    """A review file with a row for each verdict; verdicts on other outputs are left out."""
    known = {one.item.key: one for one in items.items}
    rows = [csv_line(COLUMNS)]
    for verdict in verdicts:
        item = known.get(verdict.item.key)
        if item is not None:
            rows.append(csv_line([*_cells(items, item, context), *_said(verdict)]))
    return b"".join(rows)


def _said(verdict: AnnotatorVerdict) -> list[str]:
    antecedent = verdict.antecedent or ""
    return [verdict.pronoun, antecedent, " ".join(verdict.tags), harmless(verdict.remark)]


def harmless(text: str) -> str:
    """A text as a spreadsheet may get it: a space keeps it from being taken for a formula."""
    return f" {text}" if text[:1] in ("=", "+", "-", "@") else text


def _cells(items: ReviewSet, one: ReviewItem, context: int) -> list[str]:
    item = one.item
    shown = items.context(one, context)
    references = range(len(items.lines[one.pronoun.line].references))

    def words(kind: str, number: int) -> str:
        marks = one.pronoun if kind == "pronoun" else one.antecedent
        if marks is None:
            return ""
        line = items.lines[marks.line].references[number]
        return " ".join(line[at] for at in marks.references[number])

    return [
        item.token,
        item.system,
        sealed_digest(*item.key, item.pronoun, item.head),
        one.group,
        marked_text(items, one, shown, "source"),
        marked_text(items, one, shown, "reference") if references else "",
        marked_text(items, one, shown, "candidate"),
        " | ".join(words("pronoun", number) for number in references),
        " | ".join(words("antecedent", number) for number in references),
        item.pronoun,
        item.head,
        one.why,
    ]


def marked_text(items: ReviewSet, one: ReviewItem, lines: Iterable[int], side: str) -> str:
    """Some lines of one side with the marked words in [[double brackets]]."""
    found = []
    for number in lines:
        line = items.lines[number]
        candidate = line.candidates.get(one.item.system)
        words = {
            "source": (candidate and candidate.source) or line.source,
            "reference": line.references[0] if line.references else (),
            "candidate": candidate.words if candidate else (),
        }[side]
        marks: set[int] = set()
        for own in (one.pronoun, one.antecedent):
            if own is not None and own.line == number:
                places = {
                    "source": own.source,
                    "reference": own.references[0] if own.references else (),
                    "candidate": own.candidate,
                }
                marks.update(places[side])
        found.append(
            " ".join(f"[[{word}]]" if at in marks else word for at, word in enumerate(words))
        )
    return BETWEEN_LINES.join(found)


def corrected_table(items: ReviewSet, verdicts: Iterable[AnnotatorVerdict]) -> list[list[str]]:
    """What annotators say the pronoun's words are, or should be: a heading and rows."""
    known = {one.item.key: one for one in items.items}
    rows = [list(_CORRECTED)]
    for verdict in verdicts:
        item = known.get(verdict.item.key)
        if item is None or (verdict.corrected is None and not verdict.alternative):
            continue
        line = items.lines[item.pronoun.line].candidates[item.item.system].words
        marked = " ".join(line[at] for at in item.pronoun.candidate)
        corrected = verdict.corrected
        rows.append(
            [
                *(verdict.item.token, verdict.item.system, verdict.annotator, marked),
                "" if corrected is None else " ".join(corrected.words) or "(none)",
                "" if corrected is None else " ".join(map(str, corrected.at)),
                *(harmless(verdict.alternative), " ".join(line)),
            ]
        )
    return rows


def history(connection: sqlite3.Connection) -> Iterator[str]:
    """Every verdict and every decision, a JSON object a line, in the order in which they came."""
    for kind, verdict in _stored(connection):
        yield json.dumps({"kind": kind} | asdict(verdict), ensure_ascii=False)


def read_history(path: str | Path) -> list[Record]:
    """What `history` wrote; every problem is raised, but a file of another kind is not read on."""
    problems: list[Problem] = []
    found = []
    lines = enumerate(read_text_lines(Path(path)), start=1)
    for number, text in lines:
        try:
            found.append(_parsed(parse_json(text)))
        except (ValueError, KeyError, TypeError) as error:
            expected = "a verdict as it is exported"
            problems.append(Problem(str(path), number, "verdict", expected, quoted(str(error))))
            if len(problems) == KEPT_AT_MOST:
                break
    if problems:
        raise InputError(problems, not_read(sum(1 for _ in lines)))
    if not found:
        raise input_error(path, "file", "at least one verdict", "none")
    return found


def _parsed(record: Any) -> Record:
    if not isinstance(record, dict) or record.get("kind") not in KINDS:
        raise ValueError("no verdict")
    written = record["item"]
    if not isinstance(written, Mapping) or type(written.get("anaphoric")) is not bool:
        raise ValueError("no item")
    names = ("token", "system", "digest", "pronoun", "head")
    if not all(isinstance(written.get(name), str) for name in names):
        raise ValueError("an item without names")
    if not all(isinstance(record.get(name), str) for name in _TEXTS):
        raise ValueError("a text is missing")
    if not is_name(record["annotator"]):
        raise ValueError("no name of an annotator")
    moment(record["time"])
    tags, corrected = record.get("tags"), record.get("corrected")
    if not isinstance(tags, list) or not all(_is_word(tag) for tag in tags):
        raise ValueError("no list of tags")
    token, system, digest, words, head = (written[name] for name in names)
    item = Item(token, system, digest, words, head, written["anaphoric"])
    pronoun = value_of(record["pronoun"])
    antecedent = None if record.get("antecedent") is None else value_of(record["antecedent"])
    if pronoun is None or (record.get("antecedent") is not None and antecedent is None):
        raise ValueError(choices(VALUES))
    correction = None if corrected is None else _corrected(corrected)
    verdict = AnnotatorVerdict(
        item,
        record["annotator"],
        pronoun,
        antecedent,
        tuple(tags),
        record["remark"],
        bool(record.get("bad")),
        correction,
        record["alternative"],
        record["time"],
    )
    return record["kind"], verdict


def is_name(text: str) -> bool:
    """Whether a verdict may have such an author."""
    return bool(text.strip()) and text.isprintable()


def _is_word(value: object) -> bool:
    return isinstance(value, str) and value.split() == [value]


def _corrected(record: Any) -> CorrectedWords:
    at, words = record["at"], record["words"]
    if not isinstance(at, list) or not all(type(place) is int and place >= 0 for place in at):
        raise ValueError("no positions of words")
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise ValueError("no list of words")
    return CorrectedWords(tuple(at), tuple(words))


@dataclass(frozen=True, slots=True)
class Merged:
    """What came of verdicts that were read in: how many were added, and what they conflict with."""

    added: int
    conflicts: tuple[str, ...]
    """Where both sides have said something that the other does not know, and not the same."""


def add_history(connection: sqlite3.Connection, records: Iterable[Record]) -> Merged:
    """Add what is not there yet; what counts of what is there now is what is newest by its time."""
    stored, given = _by_subject(_stored(connection)), _by_subject(records)
    added: list[Record] = []
    again: list[Record] = []
    conflicts: list[str] = []
    for subject, own in given.items():
        before = stored.get(subject, {})
        fresh = [record for identity, record in own.items() if identity not in before]
        if not fresh:
            continue
        fresh.sort(key=_moment)
        added += fresh
        last = next(reversed(before.values()), None)  # what counts here
        if last is None:
            continue
        kept = _moment(last) >= _moment(fresh[-1])
        again += [last] if kept else []
        if _identity(*last) in own or _said_by(last) == _said_by(fresh[-1]):
            continue
        here, there = (f"{_said_by(one)} ({one[1].time or 'no time'})" for one in (last, fresh[-1]))
        item, who = last[1].item, "decisions" if last[0] == DECISION else last[1].annotator
        counts = "the store's" if kept else "the file's"
        conflicts.append(
            f"{who} on {item.token} by {item.system}: {here} in the store, {there} in the file; "
            f"{counts} counts, which is {'not older' if kept else 'newer'}"
        )
    for record in [*sorted(added, key=_moment), *again]:
        _append(connection, record)
    return Merged(len(added), tuple(conflicts))


def _by_subject(records: Iterable[Record]) -> dict[object, dict[object, Record]]:
    """The records about each item by each annotator, in their order; decisions have one author."""
    found: dict[object, dict[object, Record]] = {}
    for kind, verdict in records:
        author = None if kind == DECISION else verdict.annotator
        own = found.setdefault((author, verdict.item.key), {})
        identity = _identity(kind, verdict)
        own.pop(identity, None)  # one that counts again is there twice: the last is its place
        own[identity] = kind, verdict
    return found


def _append(connection: sqlite3.Connection, record: Record) -> None:
    kind, verdict = record
    if kind == DECISION:
        append_resolution(connection, verdict)
    else:
        append_verdict(connection, verdict, withdrawn=kind == WITHDRAWN)


def _moment(record: Record) -> datetime:
    try:
        return moment(record[1].time)
    except ValueError:  # in a store that an older version has read it into
        return moment("")


def _said_by(record: Record) -> str:
    kind, verdict = record
    if kind == WITHDRAWN:
        return "taken back"
    return " / ".join(filter(None, (verdict.pronoun, verdict.antecedent)))


def _stored(connection: sqlite3.Connection) -> Iterator[Record]:
    for verdict, withdrawn in all_verdicts(connection):
        yield WITHDRAWN if withdrawn else VERDICT, verdict
    for verdict in resolutions(connection, every=True):
        yield DECISION, verdict


def _identity(kind: str, verdict: AnnotatorVerdict) -> tuple[object, ...]:
    """What a row is known by: all of it that a store keeps."""
    said = (verdict.pronoun, verdict.antecedent, verdict.remark)
    known = (kind, verdict.time, verdict.item.key, verdict.annotator, *said)
    if kind == DECISION:
        return known
    words = verdict.corrected
    corrected = None if words is None else (words.at, tuple(" ".join(words.words).split()))
    return *known, frozenset(verdict.tags), verdict.bad, corrected, verdict.alternative


def read_table(path: str | Path, items: ReviewSet, annotator: str) -> list[AnnotatorVerdict]:
    """The verdicts of a filled-in review file."""
    anaphoric = {one.item.token: one.item.anaphoric for one in items.items}
    return read_filled_in(path, anaphoric, annotator)
