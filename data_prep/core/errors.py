"""Errors that a user can cause and mend.

A `Problem` is one fault in one place and prints as `path:line: field: expected …, found …`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

SHOWN_AT_MOST = 20
"""Problems that an error prints; the rest is counted."""
_KEPT_AT_MOST = 1000

TRAINING = frozenset(
    ["hydra", "omegaconf", "pytorch_lightning", "scipy", "sklearn", "torch", "tqdm"]
)
"""Packages of the extra `train`."""

_STEERING = re.compile("[\\x00-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")


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
        super().__init__(self.problems, hint, self.total)  # what a worker process pickles

    def __str__(self) -> str:
        lines = [str(problem) for problem in self.problems[:SHOWN_AT_MOST]]
        if self.total > len(lines):
            lines.append(f"… and {counted(self.total - len(lines), 'more problem')}")
        return "\n".join([*lines, self.hint] if self.hint else lines)


def input_error(
    path: str | Path, field: str, expected: str, found: str, line: int | None = None
) -> InputError:
    return InputError([Problem(str(path), line, field, expected, found)])


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
    kept = "\n" if lines else ""
    return _STEERING.sub(lambda m: m[0] if m[0] == kept else repr(m[0])[1:-1], text)


def choices(names: Iterable[str]) -> str:
    return "one of " + ", ".join(names)


def counted(number: int, noun: str) -> str:
    """A number with its noun: 1 system, 2,093 lines."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


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
