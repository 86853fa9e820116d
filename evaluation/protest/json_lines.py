"""Reads JSON Lines whose first record names the format, and collects what is wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from crosspro.data_prep.core.errors import InputError, Problem, quoted
from crosspro.data_prep.core.files import parse_json, read_text_lines
from crosspro.evaluation.protest.marks import Positions

Kind = TypeVar("Kind")


class JsonLinesReader:
    """Reads the records of one file and collects what is wrong with them."""

    def __init__(self, path: Path, file_format: str, version: int) -> None:
        self.path = path
        self.format = file_format, version
        self.number = 0
        self.problems: list[Problem] = []

    def problem(self, field: str, expected: str, found: str, line: bool = True) -> None:
        """Note a problem of the current line, or of the whole file."""
        number = self.number if line else None
        self.problems.append(Problem(str(self.path), number, field, expected, found))

    def wrong(self, field: str, expected: str, value: object) -> None:
        """Note a value that is not what it should be."""
        shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        self.problem(field, expected, quoted(shown))

    def records(self) -> Iterator[dict[str, Any]]:
        """The objects of all lines; raises at once if the first is of another format."""
        for text in read_text_lines(self.path):
            self.number += 1
            value: Any = None
            try:
                value = parse_json(text)
            except ValueError as error:
                self.problem("JSON", "an object", str(getattr(error, "msg", error)))
            else:
                if not isinstance(value, dict):
                    self.problem("JSON", "an object", quoted(text))
            record = value if isinstance(value, dict) else None
            if self.number == 1:
                first = record or {}
                if (first.get("format"), first.get("version")) != self.format:
                    expected = f"{self.format[0]!r}, version {self.format[1]}"
                    self.problem(
                        "format", expected, f"{first.get('format')!r}, {first.get('version')!r}"
                    )
                    self.finish()  # the rest would only be noise
            if record is not None:
                yield record

    def get(
        self, record: Mapping[str, Any], key: str, kind: type[Kind], expected: str
    ) -> Kind | None:
        """A value of a type."""
        value = record.get(key)
        if not isinstance(value, kind) or isinstance(value, bool):
            self.wrong(key, expected, value)
            return None
        return value

    def positions(self, field: str, value: object, size: int, least: int = 0) -> Positions | None:
        """Positions below a size, at least so many."""
        inside = isinstance(value, list) and all(type(at) is int and 0 <= at < size for at in value)
        if not isinstance(value, list) or not inside or len(value) < least:
            self.wrong(field, f"positions below {size}", value)
            return None
        return tuple(value)

    def finish(self) -> None:
        """Raise if there were problems."""
        if self.problems:
            raise InputError(self.problems)
