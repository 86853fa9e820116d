"""Errors that a user can cause and mend.

A `Problem` is one fault in one place and prints as `path:line: field: expected …, found …`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import TypeVar

Item = TypeVar("Item")

SHOWN_AT_MOST = 20
"""Problems that an error prints; the rest is counted."""
_KEPT_AT_MOST = 1000
MOST_DIGITS = 18

TRAINING = frozenset(
    {"hydra", "omegaconf", "pytorch_lightning", "scipy", "sklearn", "torch", "tqdm"}
)
"""Packages of the extra `train`."""

_CONTROLS = "\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069"
_STEERING = re.compile(f"[\\x00-\x1f{_CONTROLS}]")
_STEERING_IN_LINES = re.compile(f"[\\x00-\t\x0b-\x1f{_CONTROLS}]")


class CrossproError(Exception):
    """Anything a user can cause and mend; commands print it and exit with status 2."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault. Without `found`, `expected` is a whole message (of pydantic)."""

    path: str
    line: int | None
    field: str
    expected: str
    found: str = ""

    def __str__(self) -> str:
        place = printable(self.path) + ("" if self.line is None else f":{self.line}")
        fault = f"expected {self.expected}, found {self.found}" if self.found else self.expected
        return printable(f"{place}: {self.field}: {fault}", lines=True)


class InputError(CrossproError):
    """Problems with input files or settings; `total` counts those that are not kept, too."""

    def __init__(self, problems: Iterable[Problem], hint: str = "", total: int = 0) -> None:
        stream = iter(problems)
        self.problems = list(islice(stream, _KEPT_AT_MOST))
        self.hint = hint
        self.total = max(total, len(self.problems) + sum(1 for _ in stream))
        super().__init__(self.total)

    def __reduce__(self) -> tuple[type[InputError], tuple[list[Problem], str, int]]:
        """Pickled by worker processes."""
        return InputError, (self.problems, self.hint, self.total)

    def __str__(self) -> str:
        lines = [str(problem) for problem in self.problems[:SHOWN_AT_MOST]]
        if self.total > len(lines):
            lines.append(more_problems(self.total - len(lines)))
        return "\n".join([*lines, self.hint] if self.hint else lines)


def input_error(
    path: str | Path, field: str, expected: str, found: str, line: int | None = None
) -> InputError:
    return InputError([Problem(str(path), line, field, expected, found)])


def without_problems(parsed: Iterable[Item | Problem]) -> Iterator[Item]:
    """The items of a reader that yields problems among them.

    At the first problem the rest of the file is checked, and all problems are raised together.
    """
    items = iter(parsed)
    for item in items:
        if isinstance(item, Problem):
            raise InputError(chain([item], _problems_among(items)))
        yield item


def _problems_among(items: Iterator[object]) -> Iterator[Problem]:
    try:
        yield from (item for item in items if isinstance(item, Problem))
    except InputError as error:  # a fault that ends the reading, such as a damaged archive
        yield from error.problems


def more_problems(number: int) -> str:
    return f"… and {counted(number, 'more problem')}"


def empty_file(path: str | Path) -> Problem:
    return Problem(str(path), None, "file", "at least one line", "none")


def unknown_label(label: str, column: str, labels: Container[str]) -> str:
    """The `found` of a label that is not among the labels of a task."""
    if not label:
        return f"a space too many in {quoted(column)}"
    if unicodedata.normalize("NFC", label) in labels:
        return f"{quoted(label)} in decomposed Unicode (NFD); write it in composed form (NFC)"
    return quoted(label)


# Text of messages ---------------------------------------------------------------------------------


def quoted(text: str | bytes, limit: int = 60) -> str:
    """A piece of input in a message: quoted, control characters escaped, cut to the limit."""
    if isinstance(text, str):  # bytes that are not UTF-8 were decoded as lone surrogates
        with suppress(UnicodeEncodeError):
            text = text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    shown = repr(text)[1:] if isinstance(text, bytes) else repr(text)
    return shown if len(shown) <= limit else shown[: limit - 2] + "…" + shown[0]


def printable(text: str, lines: bool = False) -> str:
    """Text for a terminal: characters that steer it or turn the writing direction are escaped.

    Line ends are escaped, too, unless `lines` are allowed.
    """
    pattern = _STEERING_IN_LINES if lines else _STEERING
    return pattern.sub(lambda match: repr(match[0])[1:-1], text)


def choices(names: Iterable[str]) -> str:
    return "one of " + ", ".join(names)


def counted(number: int, noun: str) -> str:
    """A number with its noun: 1 system, 2,093 lines."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def is_whole_number(text: str) -> bool:
    """Whether `int` reads the text; it knows neither ² nor numbers of thousands of digits."""
    return text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS


def how_to_install(extra: str) -> str:
    """The advice for a missing optional package; `train` is large, so it states the size."""
    size = "1.4 GB with the CPU build of torch; " if extra == "train" else ""
    return (
        f"pip install 'crosspro[{extra}]' ({size}or make extras EXTRAS={extra} in the repository)"
    )


def training_package(error: ImportError) -> str | None:
    """The package of the extra `train` that could not be imported, if it is one."""
    package = (error.name or "").partition(".")[0]
    return package if package in TRAINING else None
