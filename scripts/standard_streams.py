"""Standard input, output and error as commands may rely on: there, and able to take every text."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from typing import NoReturn

from crosspro.data_prep.core.errors import printable


def open_standard_streams() -> None:
    """Put something in the place of closed streams, and let no character stop a message.

    A file that is opened later must not become standard output, and what is written to one that is
    closed must be an error, as it is for other programs; messages that nobody wants to see are not.
    """
    while (descriptor := os.open(os.devnull, os.O_RDONLY)) <= 2:
        pass
    os.close(descriptor)
    if sys.stdin is None:
        sys.stdin = open(0)  # noqa: SIM115 - a number, for good
    if sys.stderr is None:
        _nowhere(2)
    for name, number in (("stdout", 1), ("stderr", 2)):
        stream = getattr(sys, name)
        if stream is None:
            stream = open(number, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - a number, for good
            setattr(sys, name, stream)
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def end_after(error: OSError, name: str = "") -> NoReturn:
    """End after something could not be read or written; what has no name is the output."""
    drop_output()
    if isinstance(error, BrokenPipeError):
        # The reader of a pipe has gone (as with `| head`); there is nobody left to tell.
        sys.stderr.close()
        raise SystemExit(1) from None
    where = printable(str(error.filename or "output"))
    print(f"{name}{where}: {error.strerror or error}", file=sys.stderr)
    raise SystemExit(2) from None


def drop_output() -> None:
    """Let what could not be written go, so that the end of the program does not try again."""
    with contextlib.suppress(OSError, ValueError):
        _nowhere(sys.stdout.fileno())


def _nowhere(descriptor: int) -> None:
    """Let everything that is written to a descriptor vanish."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)
