"""Options that several commands share, and output to a file or to the terminal."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from crosspro.data_prep.formats.textfile import atomic_output

TaskName = Annotated[
    str, typer.Option("--task", "-t", help="A task such as en-fr, or the path of a task file.")
]
DocIds = Annotated[
    Path | None, typer.Option("--doc-ids", help="Document ids, one line per line of the file.")
]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="Write here instead of to the terminal.")
]


def write_output(content: bytes, output: Path | None) -> None:
    """Write to a file atomically, or to standard output."""
    if output is None:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    with atomic_output(output) as handle:
        handle.write(content)
