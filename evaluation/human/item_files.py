"""Files of review items: one small format in JSON Lines for all metrics, tutorials and checks.

A record about the set, one for each line of text, one for each item. Words are separated by spaces,
positions count them from 0, links are `source-target` as in files of links.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from crosspro.data_prep.core.errors import InputError, Problem, choices, input_error, quoted
from crosspro.data_prep.core.example import Link
from crosspro.data_prep.core.files import parse_json, read_text_lines
from crosspro.evaluation.human.items import (
    KnownAnswer,
    MarkedWords,
    ReviewCandidate,
    ReviewItem,
    ReviewLine,
    ReviewSet,
    item_digest,
    set_digest,
)
from crosspro.evaluation.protest.suite import Positions
from crosspro.evaluation.protest.verdict_records import VALUES, value_of
from crosspro.evaluation.protest.verdicts import Item, Value

FORMAT = "crosspro-review"
VERSION = 1


def items_text(items: ReviewSet) -> str:
    """The content of a file."""
    header = {
        "format": FORMAT,
        "version": VERSION,
        "title": items.title,
        "digest": items.digest,
        "languages": list(items.languages),
    }
    lines = (_line_record(number, line) for number, line in enumerate(items.lines))
    records = (header, *lines, *map(_item_record, items.items))
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def _line_record(number: int, line: ReviewLine) -> dict[str, Any]:
    candidates = {}
    for system, one in line.candidates.items():
        record = {"text": " ".join(one.words), "links": " ".join(f"{s}-{t}" for s, t in one.links)}
        candidates[system] = record | ({"source": " ".join(one.source)} if one.source else {})
    return {
        "line": number,
        "document": line.document,
        "source": " ".join(line.source),
        "references": [" ".join(words) for words in line.references],
        "candidates": candidates,
    }


def _item_record(one: ReviewItem) -> dict[str, Any]:
    record: dict[str, Any] = {
        "item": one.item.token,
        "system": one.item.system,
        "digest": one.item.digest,
        "group": one.group,
        "words": one.item.pronoun,
        "pronoun": _marks_record(one.pronoun),
    }
    if one.antecedent is not None:
        record |= {"head": one.item.head, "antecedent": _marks_record(one.antecedent)}
    record |= {"matches": one.matches, "why": one.why}
    if one.answer is not None:
        record["answer"] = {
            "pronoun": one.answer.pronoun,
            "antecedent": one.answer.antecedent,
            "feedback": one.answer.feedback,
        }
    return record


def _marks_record(marks: MarkedWords) -> dict[str, Any]:
    return {
        "line": marks.line,
        "source": marks.source,
        "references": marks.references,
        "candidate": marks.candidate,
    }


def read_items(path: str | Path, answers: bool = False) -> ReviewSet:
    """Read a set and check it; every problem is raised. With `answers` each item must have one."""
    return _ItemReader(Path(path), answers).read()


class _ItemReader:
    """Reads the records of one file and collects what is wrong with them."""

    def __init__(self, path: Path, answers: bool) -> None:
        self.path = path
        self.answers = answers
        self.number = 0
        self.problems: list[Problem] = []
        self.lines: list[ReviewLine] = []
        self.items: list[ReviewItem] = []
        self.known: set[tuple[str, str]] = set()

    def problem(self, field: str, expected: str, found: object) -> None:
        shown = found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)
        self.problems.append(
            Problem(str(self.path), self.number, field, expected, quoted(str(shown)))
        )

    def read(self) -> ReviewSet:
        header: Mapping[str, Any] = {}
        for text in read_text_lines(self.path):
            self.number += 1
            record = self.record(text)
            if self.number == 1:
                header = record or {}
                self.check_header(header)
            elif record is not None and "item" in record:
                self.read_item(record)
            elif record is not None:
                self.read_line(record)
        if not self.items and not self.problems:
            raise input_error(self.path, "items", "at least one item", "none")
        if self.problems:
            raise InputError(self.problems)
        digest = header.get("digest") or set_digest(
            self.lines, (one.item.token for one in self.items)
        )
        first, second = (*header.get("languages", ()), "", "")[:2]
        return ReviewSet(
            str(header.get("title", "")),
            str(digest),
            tuple(self.lines),
            tuple(self.items),
            (str(first), str(second)),
        )

    def record(self, text: str) -> dict[str, Any] | None:
        try:
            value = parse_json(text)
        except ValueError as error:
            self.problem("JSON", "an object", str(getattr(error, "msg", error)))
            return None
        if not isinstance(value, dict):
            self.problem("JSON", "an object", text)
            return None
        return value

    def check_header(self, record: Mapping[str, Any]) -> None:
        if record.get("format") != FORMAT or record.get("version") != VERSION:
            found = f"{record.get('format')!r}, {record.get('version')!r}"
            self.problem("format", f"{FORMAT!r}, version {VERSION}", found)
            raise InputError(self.problems)  # the rest would only be noise
        for key in ("title", "digest"):
            self.text({key: ""} | dict(record), key)
        languages = record.get("languages", [])
        if not isinstance(languages, list) or not all(isinstance(one, str) for one in languages):
            self.problem("languages", "a list of languages", languages)

    def text(self, record: Mapping[str, Any], key: str) -> str:
        value = record.get(key)
        if not isinstance(value, str):
            self.problem(key, "text", value)
            return ""
        return value

    def read_line(self, record: Mapping[str, Any]) -> None:
        if self.items:
            self.problem("line", "all lines of text before the items", "a line after an item")
        if record.get("line") != len(self.lines):
            self.problem("line", str(len(self.lines)), record.get("line"))
        references = record.get("references", [])
        if not isinstance(references, list) or not all(isinstance(one, str) for one in references):
            self.problem("references", "a list of texts", references)
            references = []
        source = tuple(self.text(record, "source").split())
        candidates = record.get("candidates", {})
        if not isinstance(candidates, dict):
            self.problem("candidates", "an object of systems", candidates)
            candidates = {}
        found = {}
        for system, one in candidates.items():
            if not isinstance(one, dict):
                self.problem("candidates", "an object with a text", one)
                continue
            words = tuple(self.text(one, "text").split())
            own = tuple(self.text(one, "source").split()) if "source" in one else None
            sizes = (len(own or source), len(words))
            found[str(system)] = ReviewCandidate(words, self.links(one, sizes), own)
        self.lines.append(
            ReviewLine(
                self.text({"document": ""} | dict(record), "document"),
                source,
                tuple(tuple(text.split()) for text in references),
                found,
            )
        )

    def links(self, record: Mapping[str, Any], sizes: tuple[int, int]) -> tuple[Link, ...]:
        found = []
        for written in self.text({"links": ""} | dict(record), "links").split():
            first, _, second = written.partition("-")
            digits = first + second
            if (
                not (first and second and digits.isascii() and digits.isdigit())
                or len(digits) > 12
                or int(first) >= sizes[0]
                or int(second) >= sizes[1]
            ):
                self.problem("links", f"links below {sizes[0]}-{sizes[1]}", written)
                return ()
            found.append((int(first), int(second)))
        return tuple(found)

    def read_item(self, record: Mapping[str, Any]) -> None:
        before = len(self.problems)
        token, system = self.text(record, "item"), self.text(record, "system")
        if (token, system) in self.known:
            self.problem("item", "each token once for each system", f"{token}, {system}")
        self.known.add((token, system))
        pronoun = self.marks(record, "pronoun", system)
        antecedent = self.marks(record, "antecedent", system) if "antecedent" in record else None
        answer = self.answer(record, antecedent is not None)
        group = self.text({"group": ""} | dict(record), "group")
        why = self.text({"why": ""} | dict(record), "why")
        matches = record.get("matches", False)
        if not isinstance(matches, bool):
            self.problem("matches", "true or false", matches)
        if len(self.problems) > before or pronoun is None:
            return
        seen = [
            self.lines[one.line].candidates[system].words
            for one in (pronoun, antecedent)
            if one is not None
        ]
        defaults = {
            "digest": item_digest(token, (pronoun, antecedent), seen),
            "words": " ".join(seen[0][at] for at in pronoun.candidate),
            "head": " ".join(seen[1][at] for at in antecedent.candidate) if antecedent else "",
        }
        digest, words, head = (self.text(defaults | dict(record), key) for key in defaults)
        item = Item(token, system, digest, words, head, antecedent is not None)
        if len(self.problems) == before:
            self.items.append(
                ReviewItem(item, group, pronoun, antecedent, bool(matches), why, answer)
            )

    def marks(self, record: Mapping[str, Any], key: str, system: str) -> MarkedWords | None:
        marks = record.get(key)
        if not isinstance(marks, dict):
            self.problem(key, "an object with marked words", marks)
            return None
        number = marks.get("line")
        if type(number) is not int or not 0 <= number < len(self.lines):
            self.problem(f"{key}.line", f"a line below {len(self.lines)}", number)
            return None
        line = self.lines[number]
        if system not in line.candidates:
            self.problem("system", f"a candidate of line {number}", system)
            return None
        candidate = line.candidates[system]
        spots = marks.get("references", [[]] * len(line.references))
        if not isinstance(spots, list) or len(spots) != len(line.references):
            self.problem(f"{key}.references", f"a list of {len(line.references)}", spots)
            return None
        where = f"{key}.references"
        return MarkedWords(
            number,
            self.positions(
                f"{key}.source", marks.get("source"), len(candidate.source or line.source)
            ),
            tuple(
                self.positions(where, own, len(words))
                for own, words in zip(spots, line.references, strict=True)
            ),
            self.positions(f"{key}.candidate", marks.get("candidate"), len(candidate.words)),
        )

    def positions(self, field: str, value: object, size: int) -> Positions:
        if not isinstance(value, list) or not all(
            type(at) is int and 0 <= at < size for at in value
        ):
            self.problem(field, f"positions below {size}", value)
            return ()
        return tuple(value)

    def answer(self, record: Mapping[str, Any], anaphoric: bool) -> KnownAnswer | None:
        answer = record.get("answer")
        if answer is None and not self.answers:
            return None
        if not isinstance(answer, dict):
            self.problem("answer", "an object with what should be said", answer)
            return None
        pronoun = self.values(answer, "pronoun", True)
        antecedent = self.values(answer, "antecedent", False) if anaphoric else ()
        return KnownAnswer(pronoun, antecedent, self.text({"feedback": ""} | answer, "feedback"))

    def values(self, answer: Mapping[str, Any], key: str, needed: bool) -> tuple[Value, ...]:
        written = answer.get(key, [])
        some = [written] if isinstance(written, str) else written
        found = [value_of(one) for one in some] if isinstance(some, list) else [None]
        if None in found or (needed and not found):
            self.problem(f"answer.{key}", choices(VALUES), written)
        return tuple(one for one in found if one is not None)
