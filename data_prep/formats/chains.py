"""Coreference chains in a table of their own, X.chains.tsv beside X.data.

Columns, separated by tabs, under a header line with these names:

    document   the document as in X.doc-ids; empty where the data has no documents
    chain      the name of the chain, unique in its document; both sides may have mentions of it
    side       source or target
    sentence   the line, counted from 0 among those of the document (of the file, without documents)
    first      the first token of the mention, counted from 0 in column 3 or 4 of the line
    last       its last token, included

Target tokens are those of the file, placeholders included, so that a gap is a mention like others.
A mention is written once; the order of lines does not matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from crosspro.data_prep.core.errors import InputError, Problem, choices, quoted
from crosspro.data_prep.core.example import SIDES, Mention, Side
from crosspro.data_prep.core.files.textfile import atomic_output, bad_byte, read_lines

COLUMNS = ("document", "chain", "side", "sentence", "first", "last")
HEADER = "\t".join(COLUMNS)


@dataclass(frozen=True, slots=True)
class ChainRow:
    """A mention with its place in the text; `line` is where it stands in its file."""

    document: str
    sentence: int
    mention: Mention
    line: int | None = None


def read_chains(path: str | Path) -> list[ChainRow]:
    """The rows of a file; raises `InputError` with all its faults."""
    rows: list[ChainRow] = []
    problems: list[Problem] = []
    seen: dict[tuple[str, int, Mention], int] = {}
    for item in _scan(Path(path)):
        if isinstance(item, Problem):
            problems.append(item)
            continue
        first = seen.setdefault((item.document, item.sentence, item.mention), item.line or 0)
        if first != item.line:
            found = f"that of line {first} again"
            problems.append(Problem(str(path), item.line, "mention", "a new one", found))
        rows.append(item)
    if problems:
        raise InputError(problems)
    return rows


def write_chains(path: str | Path, rows: Iterable[ChainRow]) -> None:
    """Write a file atomically, compressed if its name ends in .gz or .xz."""
    with atomic_output(Path(path)) as handle:
        handle.write(f"{HEADER}\n".encode())
        for row in rows:
            mention = row.mention
            numbers = (str(row.sentence), str(mention.first), str(mention.last))
            columns = (row.document, mention.chain, mention.side, *numbers)
            handle.write(("\t".join(columns) + "\n").encode("utf-8"))


def _scan(path: Path) -> Iterator[ChainRow | Problem]:
    number = 0
    for number, raw in enumerate(read_lines(path), start=1):
        try:
            line = raw.decode("utf-8").removesuffix("\n").rstrip("\r")
        except UnicodeDecodeError as error:
            yield Problem(str(path), number, "encoding", "UTF-8", bad_byte(error))
            continue
        if number == 1:
            if line != HEADER:
                yield Problem(str(path), 1, "header", quoted(HEADER, 200), quoted(line, 200))
            continue
        yield from _row(str(path), number, line)
    if not number:
        yield Problem(str(path), 1, "header", quoted(HEADER, 200), "an empty file")


def _row(path: str, number: int, line: str) -> Iterator[ChainRow | Problem]:
    columns = line.split("\t")
    if len(columns) != len(COLUMNS):
        expected = f"{len(COLUMNS)} ({', '.join(COLUMNS)}) separated by tabs"
        yield Problem(path, number, "columns", expected, f"{len(columns)}: {quoted(line)}")
        return
    document, chain, side, *written = columns
    problems: list[Problem] = []
    if not chain:
        problems.append(Problem(path, number, "chain", "a name", "nothing"))
    if side not in SIDES:
        problems.append(Problem(path, number, "side", choices(SIDES), quoted(side)))
    for field, digits in zip(COLUMNS[3:], written, strict=True):
        if not (digits.isascii() and digits.isdigit() and len(digits) < 10):
            problems.append(Problem(path, number, field, "a number from 0", quoted(digits)))
    if not problems and int(written[2]) < int(written[1]):
        problems.append(Problem(path, number, "last", f"{written[1]} or more", written[2]))
    if problems:
        yield from problems
        return
    sentence, first, last = map(int, written)
    yield ChainRow(document, sentence, Mention(chain, cast(Side, side), first, last), number)
