"""Options that several commands share, and output to a file or to the terminal."""

from __future__ import annotations

import sys
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from crosspro.data_prep.files.textfile import atomic_output
from crosspro.data_prep.layers import Layers, layers_beside

TaskName = Annotated[
    str, typer.Option("--task", "-t", help="A task such as en-fr, or the path of a task file.")
]
DocIds = Annotated[
    Path | None, typer.Option("--doc-ids", help="Document ids, one line per line of the file.")
]
Resamples = Annotated[
    int, typer.Option(min=0, help="Bootstrap resamples; 0 for no intervals and tests.")
]
Seed = Annotated[int, typer.Option(min=0, help="Seed of the resampling.")]
DocIdsBeside = Annotated[
    Path | None,
    typer.Option(
        "--doc-ids",
        help="Document ids, one line per line of the file; X.doc-ids beside X.data is found "
        "without it, and `none` says not to use it.",
    ),
]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="Write here instead of to the terminal.")
]


class TableLayout(StrEnum):
    """How tables are shown: for people, or for programs."""

    TABLE = "table"
    MARKDOWN = "markdown"
    JSON = "json"
    CSV = "csv"


def layers_of(file: Path, doc_ids: Path | None) -> Layers:
    """The layers beside a data file, with other documents if they are given with --doc-ids."""
    layers = layers_beside(file)
    if doc_ids is None:
        return layers
    return replace(layers, documents=None if str(doc_ids) == "none" else doc_ids)


def write_output(content: bytes, output: Path | None) -> None:
    """Write to a file atomically, or to standard output."""
    if output is None:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    with atomic_output(output) as handle:
        handle.write(content)
