"""Reading a suite: everything is checked, and all problems are raised together with their lines."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from crosspro.data_prep.core.errors import InputError, Problem, choices, input_error, quoted
from crosspro.data_prep.core.files import parse_json, read_text_lines
from crosspro.data_prep.core.limits import SUITE_REFERENCES
from crosspro.evaluation.protest.categories import BY_NAME
from crosspro.evaluation.protest.language import ROLES
from crosspro.evaluation.protest.suite import (
    FORMAT,
    VERSION,
    Place,
    Positions,
    ReferenceWords,
    Suite,
    SuiteToken,
    Words,
)


def read_suite(path: str | Path) -> Suite:
    """Read a suite and check it; every problem is raised."""
    return _Reader(Path(path)).suite()


class _Reader:
    """Reads the records of one file and collects what is wrong with them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.number = 0
        self.problems: list[Problem] = []
        self.header: dict[str, Any] = {}
        self.source: list[Words] = []
        self.documents: list[str] = []
        self.references: list[tuple[Words, ...]] = []
        self.tokens: list[SuiteToken] = []
        self.names: set[str] = set()
        self.bad_lines: set[int] = set()

    def problem(self, field_name: str, expected: str, found: str, whole: bool = False) -> None:
        line = None if whole else self.number
        self.problems.append(Problem(str(self.path), line, field_name, expected, found))

    def suite(self) -> Suite:
        for text in read_text_lines(self.path):
            self.number += 1
            record = self.record(text)
            if self.number == 1:
                self.read_header(record or {})
                if self.problems:  # not a suite: the rest would only be noise
                    raise InputError(self.problems)
            elif record is not None and "token" in record:
                self.read_token(record)
            elif record is not None:
                self.read_line(record)
        if not self.number:
            raise input_error(self.path, "file", "a suite from `protest build`", "an empty file")
        for key, found in (("lines", len(self.source)), ("tokens", len(self.tokens))):
            if self.header.get(key) != found and not self.problems:
                self.problem(
                    key, f"{self.header.get(key)} as the first line says", str(found), True
                )
        if self.problems:
            raise InputError(self.problems)
        return Suite(
            self.header["source_language"],
            self.header["target_language"],
            tuple(self.source),
            tuple(zip(*self.references, strict=True)),
            tuple(self.documents),
            tuple(self.tokens),
            self.header.get("settings", {}),
        )

    def record(self, text: str) -> dict[str, Any] | None:
        try:
            value = parse_json(text)
        except ValueError as error:
            self.problem("JSON", "an object", str(getattr(error, "msg", error)))
            return None
        if not isinstance(value, dict):
            self.problem("JSON", "an object", quoted(text))
            return None
        return value

    def read_header(self, record: dict[str, Any]) -> None:
        self.header = record
        if record.get("format") != FORMAT or record.get("version") != VERSION:
            found = f"{record.get('format')!r}, {record.get('version')!r}"
            self.problem("format", f"{FORMAT!r}, version {VERSION}", found)
            return
        for key in ("source_language", "target_language"):
            self.get(record, key, str, "a language")
        for key in ("references", "lines", "tokens"):
            self.get(record, key, int, "a number")
        self.get({"settings": {}} | record, "settings", dict, "an object")
        if not self.problems and record["references"] < 1:
            self.problem("references", "at least one", str(record["references"]))
        elif not self.problems and record["references"] > SUITE_REFERENCES.most():
            expected = SUITE_REFERENCES.expected("of them")
            self.problem("references", expected, f"{record['references']:,}")

    def get(self, record: Mapping[str, Any], key: str, kind: type, expected: str) -> Any:
        value = record.get(key)
        if not isinstance(value, kind) or isinstance(value, bool):
            self.problem(key, expected, quoted(str(value)))
            return None
        return value

    def read_line(self, record: dict[str, Any]) -> None:
        before = len(self.problems)
        if self.tokens:
            self.problem("line", "all lines of text before the tokens", "a line after a token")
        number = self.get(record, "line", int, "the number of the line")
        if number is not None and number != len(self.source):
            self.problem("line", str(len(self.source)), str(number))
        document = self.get(record, "document", str, "a document's name")
        source = self.get(record, "source", str, "text")
        texts = self.get(record, "references", list, "a list of texts") or []
        wanted = self.header["references"]
        if len(texts) != wanted or not all(isinstance(text, str) for text in texts):
            self.problem("references", f"{wanted} texts", quoted(str(texts)))
            texts = [""] * wanted
        if len(self.problems) > before:  # tokens on it are wrong for no other reason
            self.bad_lines.add(len(self.source))
        self.source.append(tuple((source or "").split()))
        self.documents.append(document or "")
        self.references.append(tuple(tuple(str(text).split()) for text in texts))

    def read_token(self, record: dict[str, Any]) -> None:
        before = len(self.problems)
        name = self.get(record, "token", str, "a name")
        category = self.get(record, "category", str, choices(BY_NAME))
        if category is not None and category not in BY_NAME:
            self.problem("category", choices(BY_NAME), quoted(category))
            return
        if name in self.names:
            self.problem("token", "names that occur once", quoted(name))
        self.names.add(name)
        place = self.place(record, "")
        role = self.get(record, "role", str, choices(ROLES))
        if role is not None and role not in ROLES:
            self.problem("role", choices(ROLES), quoted(role))
        antecedent: Place | None = None
        mention: Positions = ()
        anaphoric = category is not None and BY_NAME[category].anaphoric
        if ("antecedent" in record) != anaphoric:
            self.problem("antecedent", "one" if anaphoric else "none", "another: see the category")
        elif anaphoric:
            inner = self.get(record, "antecedent", dict, "an object")
            if inner is None:
                return
            antecedent = self.place(inner, "antecedent.")
            if antecedent is not None:
                size = len(self.source[antecedent.line])
                mention = self.positions(inner, "mention", size, "antecedent.") or ()
        references = self.reference_words(record, place, antecedent)
        if len(self.problems) == before and place is not None:
            document = self.documents[place.line]
            self.tokens.append(
                SuiteToken(
                    name, str(category), document, place, role, antecedent, mention, references
                )
            )

    def place(self, record: Mapping[str, Any], where: str) -> Place | None:
        line = self.get(record, "line", int, "a line of the text")
        if line is None:
            return None
        if not 0 <= line < len(self.source):
            self.problem(f"{where}line", f"a line below {len(self.source)}", str(line))
            return None
        if line in self.bad_lines:
            return None
        at = self.positions(record, "at", len(self.source[line]), where, needed=True)
        return None if at is None else Place(line, at)

    def positions(
        self, record: Mapping[str, Any], key: str, size: int, where: str, needed: bool = False
    ) -> Positions | None:
        value = record.get(key)
        inside = isinstance(value, list) and all(type(at) is int and 0 <= at < size for at in value)
        if not isinstance(value, list) or not inside or (needed and not value):
            self.problem(f"{where}{key}", f"positions below {size}", quoted(json.dumps(value)))
            return None
        return tuple(value)

    def reference_words(
        self, record: Mapping[str, Any], place: Place | None, antecedent: Place | None
    ) -> tuple[ReferenceWords, ...]:
        items = record.get("references")
        wanted = self.header["references"]
        if not isinstance(items, list) or len(items) != wanted:
            self.problem("references", f"a list of {wanted}", quoted(json.dumps(items)))
            return ()
        found = []
        for number, item in enumerate(items):
            where = f"references[{number}]."
            if not isinstance(item, dict):
                self.problem(where[:-1], "an object", quoted(json.dumps(item)))
                continue
            parts: list[Any] = []
            for key, spot in (("pronoun", place), ("head", antecedent)):
                if spot is None:
                    parts += [(), ()]
                    continue
                words = item.get(key)
                if not isinstance(words, list) or not all(isinstance(w, str) for w in words):
                    self.problem(f"{where}{key}", "a list of words", quoted(json.dumps(words)))
                    words = []
                size = len(self.references[spot.line][number])
                parts += [tuple(words), self.positions(item, f"{key}_at", size, where) or ()]
            found.append(ReferenceWords(*parts))
        return tuple(found)
