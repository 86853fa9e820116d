"""What goes wrong with a user's input, said so that the user can mend it.

A `Problem` is one fault in one place and prints as `path:line: field: expected …, found …`.
`InputError` carries all problems that were found, never just the first.
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

KEPT_AT_MOST = 1000
SHOWN_AT_MOST = 20
"""A file of the wrong kind has a problem on every line: an error keeps so many of them and shows so
many; the rest is counted."""


def how_to_install(extra: str) -> str:
    """What a user does about a missing optional package."""
    return f"pip install 'crosspro[{extra}]' (or make extras EXTRAS={extra} in the repository)"


TRAINING = frozenset(
    {"hydra", "omegaconf", "pytorch_lightning", "scipy", "sklearn", "torch", "tqdm"}
)
"""Packages of the extra `train`, which learning needs; scoring and judging do without."""


def training_package(error: ImportError) -> str | None:
    """The package of the extra `train` that could not be imported; None if it was another one."""
    package = (error.name or "").partition(".")[0]
    return package if package in TRAINING else None


_CONTROLS = "\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069"
_STEERING = re.compile(f"[\\x00-\x1f{_CONTROLS}]")
_STEERING_IN_LINES = re.compile(f"[\\x00-\t\x0b-\x1f{_CONTROLS}]")
"""What steers a terminal: categories Cc and Cs, and marks of direction."""


class CrossproError(Exception):
    """Anything a user can cause and mend; the commands print it and exit with status 2."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault: where it is, what was expected there and what was found.

    Without `found`, `expected` is a whole message (of pydantic).
    """

    path: str
    line: int | None
    field: str
    expected: str
    found: str = ""

    def __str__(self) -> str:
        where = printable(self.path) + ("" if self.line is None else f":{self.line}")
        fault = self.expected
        if self.found:
            fault = f"expected {self.expected}, found {self.found}"
        text = f"{where}: {self.field}: {fault}"
        return printable(text, lines=True)


class InputError(CrossproError):
    """One or more problems with input files or settings, and perhaps a hint what to do.

    There may be more problems in `total` than are kept.
    """

    def __init__(self, problems: Iterable[Problem], hint: str = "", total: int = 0) -> None:
        stream = iter(problems)
        self.problems = list(islice(stream, KEPT_AT_MOST))
        self.hint = hint
        self.total = max(total, len(self.problems) + sum(1 for _ in stream))
        super().__init__(self.total)

    def __reduce__(self) -> tuple[type[InputError], tuple[list[Problem], str, int]]:
        """How it comes out of another process."""
        return InputError, (self.problems, self.hint, self.total)

    def __str__(self) -> str:
        lines = [str(problem) for problem in self.problems[:SHOWN_AT_MOST]]
        if self.total > len(lines):
            lines.append(more_problems(self.total - len(lines)))
        return "\n".join([*lines, self.hint] if self.hint else lines)


def more_problems(number: int) -> str:
    """The line after those that are shown."""
    return f"… and {counted(number, 'more problem')}"


def input_error(
    path: str | Path, field: str, expected: str, found: str, line: int | None = None
) -> InputError:
    """The error for a single problem."""
    return InputError([Problem(str(path), line, field, expected, found)])


def without_problems(parsed: Iterable[Item | Problem]) -> Iterator[Item]:
    """The items that a reader yields among problems.

    At the first problem nothing more is yielded; the rest of the file is still checked, and all
    problems are raised together.
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


def empty_file(path: str | Path) -> Problem:
    """What is wrong with a file that has no line."""
    return Problem(str(path), None, "file", "at least one line", "none")


def quoted(text: str | bytes, limit: int = 60) -> str:
    """A piece of input as shown in a message: quoted, control characters escaped, not too long."""
    if isinstance(text, str):  # bytes that are not UTF-8 come as lone surrogates
        with suppress(UnicodeEncodeError):  # other surrogates come from escapes, and are shown so
            text = text.encode("utf-8", errors="surrogateescape").decode(
                "utf-8", errors="backslashreplace"
            )
    shown = repr(text)[1:] if isinstance(text, bytes) else repr(text)
    return shown if len(shown) <= limit else shown[: limit - 2] + "…" + shown[0]


def printable(text: str, lines: bool = False) -> str:
    """Text as a terminal may get it: what would steer the terminal is shown as an escape.

    That is control characters, those that turn the direction of writing, and halves of characters
    (bytes that are not UTF-8); ends of lines, too, unless there may be several `lines`.
    """
    return (_STEERING_IN_LINES if lines else _STEERING).sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    return repr(match[0])[1:-1]


def choices(names: Iterable[str]) -> str:
    """A list of valid values as shown in a message."""
    return "one of " + ", ".join(names)


def counted(number: int, noun: str) -> str:
    """A number of things as shown to people: 1 system, 2,093 lines."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def unknown_label(label: str, column: str, labels: Container[str]) -> str:
    """What is wrong with a label that is not among the known ones."""
    if not label:
        return f"a space too many in {quoted(column)}"
    if label.startswith("\ufeff"):
        return f"a byte-order mark before {quoted(label[1:])}; save the file without one"
    if any("\ud800" <= character <= "\udfff" for character in label):
        raw = label.encode("utf-8", errors="surrogateescape")
        return f"{quoted(raw)}, which is not UTF-8"
    if unicodedata.normalize("NFC", label) in labels:
        return f"{quoted(label)} in decomposed Unicode (NFD); write it in composed form (NFC)"
    return quoted(label)


MOST_DIGITS = 18


def is_whole_number(text: str) -> bool:
    """Whether `int` reads the text; it knows neither ² nor numbers of thousands of digits."""
    return text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS
