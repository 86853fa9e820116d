"""Runs a sub-command of crosspro inside the test process, as a user would call it."""

from __future__ import annotations

import io
import sys
from dataclasses import dataclass
from unittest import mock

from crosspro.scripts.cli import main


def each(option: str, *values: object) -> list[object]:
    """An option with each of its values."""
    return [part for value in values for part in (option, value)]


@dataclass(frozen=True)
class Outcome:
    code: int
    stdout: bytes
    stderr: bytes


def crosspro(*arguments: object, stdin: bytes = b"") -> Outcome:
    given = io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    argv = ["crosspro", *map(str, arguments)]
    with mock.patch.multiple(sys, argv=argv, stdin=given, stdout=out, stderr=err):
        try:
            main()
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    return Outcome(code, out.buffer.getvalue(), err.buffer.getvalue())
