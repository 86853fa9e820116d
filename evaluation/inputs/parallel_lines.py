"""Plain text files that belong together line by line, read so that all their faults are known.

Every reader here goes on after a fault: problems are added to a list, and what could not be read is
None. Files of unequal length are reported with the first line that has no counterpart.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from crosspro.data_prep.core.errors import InputError, Problem
from crosspro.data_prep.core.files import bad_byte, read_lines
from crosspro.data_prep.formats.shared_task import read_doc_ids

LANGUAGE = re.compile(r"[a-z]{2}")
"""A language, as the name of a file may end in it."""


def lines_of(path: Path, problems: list[Problem]) -> list[str] | None:
    """The lines of a UTF-8 file; every line that is not UTF-8 is a problem."""
    before = len(problems)
    lines = []
    try:
        for number, raw in enumerate(read_lines(path), start=1):
            try:
                lines.append(raw.decode("utf-8").removesuffix("\n"))
            except UnicodeDecodeError as error:
                problems.append(Problem(str(path), number, "encoding", "UTF-8", bad_byte(error)))
    except InputError as error:
        problems += error.problems
    return None if len(problems) > before else lines


def plain_name(path: Path) -> str:
    """The name of a file without the suffix of its compression."""
    return path.name.removesuffix(".gz").removesuffix(".xz")


def language_of(path: Path | None) -> str | None:
    """The language that a name ends in, if it does."""
    if path is None:
        return None
    suffix = plain_name(path).rpartition(".")[2]
    return suffix if "." in plain_name(path) and LANGUAGE.fullmatch(suffix) else None


def unequal_lines(path: str | Path, found: int, expected: int, other: str | Path) -> list[Problem]:
    """The problem of a file that should have as many lines as another, at the first odd line."""
    if found == expected:
        return []
    first = min(found, expected) + 1
    return [Problem(str(path), first, "lines", f"{expected} lines as in {other}", str(found))]


def check_lengths(
    paths: Sequence[Path], texts: Sequence[Sequence[object] | None], problems: list[Problem]
) -> None:
    """Compare all files that could be read with the first of them."""
    known = [(path, text) for path, text in zip(paths, texts, strict=True) if text is not None]
    for path, text in known[1:]:
        problems += unequal_lines(path, len(text), len(known[0][1]), known[0][0])


def parallel_lines(
    paths: Sequence[Path], doc_ids: Path | None, problems: list[Problem]
) -> tuple[list[list[str] | None], list[str] | None]:
    """The lines of files that belong together, and the document of each line if ids are given."""
    read = [lines_of(path, problems) for path in paths]
    if doc_ids is None:
        check_lengths(paths, read, problems)
        return read, None
    documents: list[str] | None = None
    try:
        documents = list(read_doc_ids(doc_ids))
    except InputError as error:
        problems += error.problems
    check_lengths([*paths, doc_ids], [*read, documents], problems)
    return read, documents
