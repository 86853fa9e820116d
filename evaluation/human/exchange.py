"""Verdicts as files: review files (TSV), and the whole history of a store as JSON Lines.

A *review file* is a table that spreadsheets open: a row for each item, with the texts (the words in
question in [[double brackets]]), what the reference has and what the system has, and columns that
people fill in: verdicts on pronoun and antecedent (right, wrong, unclear), tags and a remark.

The *history* holds every verdict that was ever given, those taken back as well, with author and
time. Read into another store it is added to what is there, and of what an annotator has said about
an item in both, the newest counts, whatever the order of rows.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from itertools import chain
from pathlib import Path

from crosspro.data_prep.core.errors import (
    KEPT_AT_MOST,
    InputError,
    Problem,
    choices,
    input_error,
    not_read,
    quoted,
)
from crosspro.data_prep.core.files import atomic_output, parse_json, read_text_lines
from crosspro.data_prep.core.guard import is_filled_in
from crosspro.data_prep.core.settings import Fault, fitted
from crosspro.evaluation.human.items import MarkedWords, ReviewItem, ReviewSet
from crosspro.evaluation.human.verdicts import (
    VALUES,
    Item,
    ItemKey,
    Value,
    Verdict,
    VerdictKind,
    all_verdicts,
    append_verdict,
    moment,
    value_of,
)
from crosspro.evaluation.inputs.sheets import ITEM_COLUMNS, VERDICT_COLUMNS

COLUMNS = (
    *ITEM_COLUMNS,
    "category",
    "source",
    "reference",
    "output",
    "reference_pronoun",
    "reference_head",
    "output_pronoun",
    "output_head",
    "why",
    *VERDICT_COLUMNS,
)
BETWEEN_LINES = " / "
_SEAL = "-"
_CORRECTED = ("token", "system", "annotator", "marked", "corrected", "at", "alternative", "text")


# Review files -------------------------------------------------------------------------------------


def csv_line(cells: Iterable[str]) -> bytes:
    """A row in the form that spreadsheets read and write: cells with quotation marks are quoted."""
    buffer = io.StringIO()
    csv.writer(buffer, delimiter="\t", lineterminator="\n").writerow(cells)
    return buffer.getvalue().encode("utf-8")


def marked_words(words: Sequence[str], marked: Iterable[int]) -> str:
    """A line with some words in [[double brackets]]."""
    chosen = set(marked)
    return " ".join(f"[[{word}]]" if at in chosen else word for at, word in enumerate(words))


def review_row(
    item: Item, category: str, texts: Sequence[str], references: Sequence[str], why: str
) -> list[str]:
    """The cells of an item that nobody has judged.

    `texts` are source, reference and output, `references` the pronoun and the head of the
    references. The digest carries a check sum of what a verdict is stored under, which nobody may
    change.
    """
    names = (item.token, item.system, _sealed(*item.key, item.pronoun, item.head), category)
    return [*names, *texts, *references, item.pronoun, item.head, why, *[""] * len(VERDICT_COLUMNS)]


def _sealed(*key_and_words: str) -> str:
    digest = key_and_words[2]
    return f"{digest}{_SEAL}{hashlib.sha256(chr(9).join(key_and_words).encode()).hexdigest()[:8]}"


def write_review_file(path: Path, rows: Mapping[ItemKey, Sequence[str]]) -> int:
    """Write rows of items; how many there are.

    Rows that somebody has filled in stay if the file is there already: only others are replaced.
    """
    kept = _filled_in(path)
    known = {(cells[0], cells[1], cells[2].partition(_SEAL)[0]) for cells in kept}
    new = [row for key, row in rows.items() if key not in known]
    with atomic_output(path, merged=bool(kept)) as handle:
        for cells in (COLUMNS, *kept, *new):
            handle.write(csv_line(cells))
    return len(new)


def _filled_in(path: Path) -> list[list[str]]:
    """The rows of a file in which somebody has written; raises if it cannot be read as a table."""
    if not is_filled_in(path):
        return []
    problems: list[Problem] = []
    rows = []
    for item in _csv_rows(path):
        if isinstance(item, Problem):
            problems.append(item)
            continue
        number, cells = item
        if number == 1 and tuple(cells) != COLUMNS:
            return []
        if len(cells) != len(COLUMNS) and any(map(str.strip, cells)):
            expected = f"{len(COLUMNS)} separated by tabs, to keep the verdicts of the file"
            problems.append(Problem(str(path), number, "columns", expected, str(len(cells))))
        elif number > 1 and any(map(str.strip, cells[-len(VERDICT_COLUMNS) :])):
            rows.append(cells)
    if problems:
        raise InputError(problems)
    return rows


def _csv_rows(path: Path) -> Iterator[tuple[int, list[str]] | Problem]:
    """The rows of such a file with their lines, or why it cannot be read to its end."""
    rows = csv.reader(read_text_lines(path), delimiter="\t", strict=True)
    try:
        for cells in rows:
            yield rows.line_num, [cell.rstrip("\r") for cell in cells]
    except csv.Error as error:
        yield Problem(str(path), rows.line_num, "columns", "closed quotation marks", str(error))


def read_review_file(
    path: str | Path,
    anaphoric: Mapping[str, bool],
    annotator: str,
    kind: VerdictKind = "verdict",
) -> list[Verdict]:
    """The verdicts of a filled-in review file; rows without one are passed over.

    `anaphoric` says of each token that there is whether it has an antecedent.
    """
    problems: list[Problem] = []
    found: list[Verdict] = []
    seen: set[ItemKey] = set()

    def problem(field: str, expected: str, written: str) -> None:
        problems.append(Problem(str(path), number, field, expected, written))

    rows = _csv_rows(Path(path))
    for item in rows:
        if len(problems) >= KEPT_AT_MOST:
            raise InputError(problems, not_read(1 + sum(1 for _ in rows)))
        if isinstance(item, Problem):
            problems.append(item)
            break
        number, cells = item
        line = " ".join(cells)
        if number == 1:
            if tuple(cells) != COLUMNS:
                problem("columns", " ".join(COLUMNS), quoted(line))
                break
        elif not line.strip():
            continue
        elif len(cells) != len(COLUMNS):
            problem("columns", f"{len(COLUMNS)} separated by tabs", f"{len(cells)}: {quoted(line)}")
        elif cells[0] not in anaphoric:
            problem("token", "a token of the suite", quoted(cells[0]))
        else:
            row = dict(zip(COLUMNS, cells, strict=True))
            verdict = _row_verdict(
                str(path), number, row, anaphoric[cells[0]], annotator, kind, problems
            )
            if verdict is None:
                continue
            if verdict.item.key in seen:
                expected = "one verdict on each token and output"
                problem("token", expected, f"a second one on {cells[0]}")
            seen.add(verdict.item.key)
            found.append(verdict)
    if problems:
        raise InputError(problems)
    return found


def _row_verdict(
    path: str,
    number: int,
    row: Mapping[str, str],
    anaphoric: bool,
    annotator: str,
    kind: VerdictKind,
    problems: list[Problem],
) -> Verdict | None:
    """The verdict of a row; None if nothing was written there, or something is wrong with it."""
    if not any(row[key].strip() for key in VERDICT_COLUMNS):
        return None
    before = len(problems)

    def problem(field: str, expected: str, found: str) -> None:
        problems.append(Problem(path, number, field, expected, found))

    digest = row["digest"].partition(_SEAL)[0]
    item = Item(
        row["token"], row["system"], digest, row["output_pronoun"], row["output_head"], anaphoric
    )
    if row["digest"] != _sealed(*item.key, item.pronoun, item.head):
        expected = "token, system, digest and words as they were exported"
        problem("digest", expected, quoted(row["digest"]))
    values: dict[str, Value | None] = {}
    for key in ("pronoun", "antecedent"):
        values[key] = value_of(row[key].strip().lower())
        if key == "antecedent" and not anaphoric:
            values[key] = None
            if row[key].strip():
                expected = f"nothing: {row['category']} has no antecedent"
                problem(key, expected, quoted(row[key]))
        elif values[key] is None:
            problem(key, choices(VALUES), repr(row[key]))
    pronoun = values["pronoun"]
    if len(problems) > before or pronoun is None:
        return None
    tags = tuple(row["tags"].replace(",", " ").split())
    remark = row["remark"].strip()
    return Verdict(item, annotator, pronoun, values["antecedent"], tags, remark, kind=kind)


# The verdicts of a campaign -----------------------------------------------------------------------


def review_table(items: ReviewSet, verdicts: Iterable[Verdict], context: int) -> bytes:
    """A review file with a row for each verdict; verdicts on other outputs are left out."""
    known = {item.item.key: item for item in items.items}
    rows = [csv_line(COLUMNS)]
    for verdict in verdicts:
        if (one := known.get(verdict.item.key)) is not None:
            cells = _campaign_row(items, one, context)
            said = (verdict.pronoun, verdict.antecedent or "", " ".join(verdict.tags))
            cells[-len(VERDICT_COLUMNS) :] = *said, harmless(verdict.remark)
            rows.append(csv_line(cells))
    return b"".join(rows)


def _campaign_row(items: ReviewSet, one: ReviewItem, context: int) -> list[str]:
    """The cells of an item of a campaign; of several references the first is shown as a text."""
    shown = items.context(one, context)
    marks = [own for own in (one.pronoun, one.antecedent) if own is not None]
    count = len(items.lines[one.pronoun.line].references)

    def text(side: int) -> str:
        found = []
        for number in shown:
            line = items.lines[number]
            source, candidate = line.version(one.item.system)
            words = (source, line.references[0] if count else (), candidate)[side]
            places = [
                (own.source, own.references[0] if count else (), own.candidate)[side]
                for own in marks
                if own.line == number
            ]
            found.append(marked_words(words, chain.from_iterable(places)))
        return BETWEEN_LINES.join(found)

    def reference_words(own: MarkedWords | None) -> str:
        if own is None:
            return " | ".join([""] * count)
        texts = items.lines[own.line].references
        found = (
            [words[at] for at in at_them]
            for words, at_them in zip(texts, own.references, strict=True)
        )
        return " | ".join(map(" ".join, found))

    texts = text(0), text(1) if count else "", text(2)
    references = reference_words(one.pronoun), reference_words(one.antecedent)
    return review_row(one.item, one.group, texts, references, one.why)


def harmless(text: str) -> str:
    """A text as a spreadsheet may get it: a space keeps it from being taken for a formula."""
    return f" {text}" if text[:1] in ("=", "+", "-", "@") else text


def corrected_table(items: ReviewSet, verdicts: Iterable[Verdict]) -> list[list[str]]:
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


# The history of a store ---------------------------------------------------------------------------


def history(connection: sqlite3.Connection) -> Iterator[str]:
    """Every verdict and every decision, a JSON object a line, in the order in which they came."""
    for verdict in all_verdicts(connection):
        yield json.dumps({"kind": verdict.kind} | asdict(verdict), ensure_ascii=False)


def read_history(path: str | Path) -> list[Verdict]:
    """What `history` wrote; every problem is raised, but a file of another kind is not read on."""
    problems: list[Problem] = []
    found = []
    lines = enumerate(read_text_lines(Path(path)), start=1)
    for number, text in lines:
        try:
            verdict, faults = fitted(Verdict, parse_json(text))
            found.append(verdict)
        except ValueError as error:
            faults = [Fault((), "a verdict as it is exported", quoted(str(error)))]
        for place, expected, what in faults:
            field = ".".join(map(str, place)) or "verdict"
            problems.append(Problem(str(path), number, field, expected, what))
        if len(problems) >= KEPT_AT_MOST:
            break
    if problems:
        raise InputError(problems, not_read(sum(1 for _ in lines)))
    if not found:
        raise input_error(path, "file", "at least one verdict", "none")
    return [replace(verdict, number=0) for verdict in found]


@dataclass(frozen=True, slots=True)
class Merged:
    """What came of a history that was read in: how many verdicts were added, and conflicts.

    A conflict is where both sides have said something that the other does not know, and not the
    same.
    """

    added: int
    conflicts: tuple[str, ...]


def add_history(connection: sqlite3.Connection, verdicts: Iterable[Verdict]) -> Merged:
    """Add what is not there yet; what counts of what is there now is what is newest by its time."""
    stored, given = _by_subject(all_verdicts(connection)), _by_subject(verdicts)
    added: list[Verdict] = []
    again: list[Verdict] = []
    conflicts: list[str] = []
    for subject, own in given.items():
        before = stored.get(subject, {})
        fresh = [verdict for identity, verdict in own.items() if identity not in before]
        if not fresh:
            continue
        fresh.sort(key=_moment)
        added += fresh
        last = next(reversed(before.values()), None)  # what counts here
        if last is None:
            continue
        kept = _moment(last) >= _moment(fresh[-1])
        again += [last] if kept else []
        if _identity(last) in own or _said_by(last) == _said_by(fresh[-1]):
            continue
        here, there = (f"{_said_by(one)} ({one.time or 'no time'})" for one in (last, fresh[-1]))
        who = "decisions" if last.kind == "decision" else last.annotator
        counts = "the store's" if kept else "the file's"
        conflicts.append(
            f"{who} on {last.item.token} by {last.item.system}: {here} in the store, {there} in "
            f"the file; {counts} counts, which is {'not older' if kept else 'newer'}"
        )
    for verdict in [*sorted(added, key=_moment), *again]:
        append_verdict(connection, verdict)
    return Merged(len(added), tuple(conflicts))


def _by_subject(verdicts: Iterable[Verdict]) -> dict[object, dict[object, Verdict]]:
    """The verdicts on each item by each annotator, in their order; decisions have one author."""
    found: dict[object, dict[object, Verdict]] = {}
    for verdict in verdicts:
        author = None if verdict.kind == "decision" else verdict.annotator
        own = found.setdefault((author, verdict.item.key), {})
        identity = _identity(verdict)
        own.pop(identity, None)  # one that counts again is there twice: the last is its place
        own[identity] = verdict
    return found


def _moment(verdict: Verdict) -> datetime:
    try:
        return moment(verdict.time)
    except ValueError:  # written by another program
        return moment("")


def _said_by(verdict: Verdict) -> str:
    if verdict.kind == "withdrawn":
        return "taken back"
    return " / ".join(filter(None, (verdict.pronoun, verdict.antecedent)))


def _identity(verdict: Verdict) -> tuple[object, ...]:
    """What a row is known by: all of it that a store keeps."""
    words = verdict.corrected
    return (
        *(verdict.kind, verdict.time, verdict.item.key, verdict.annotator),
        *(verdict.pronoun, verdict.antecedent, verdict.remark, frozenset(verdict.tags)),
        verdict.bad,
        None if words is None else (words.at, tuple(" ".join(words.words).split())),
        verdict.alternative,
    )
