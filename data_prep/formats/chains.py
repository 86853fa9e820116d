"""The table of coreference chains.

X.chains.tsv lies beside X.data. Columns, separated by tabs, under a header line with
these names:

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

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from crosspro.data_prep.core.errors import choices, input_error, quoted
from crosspro.data_prep.core.example import SIDES, Mention
from crosspro.data_prep.core.files import read_text_lines

COLUMNS = ("document", "chain", "side", "sentence", "first", "last")
HEADER = "\t".join(COLUMNS)


@dataclass(frozen=True, slots=True)
class ChainRow:
    """A mention with its place in the text; `line` is where it stands in its file."""

    document: str
    sentence: int
    mention: Mention
    line: int | None = None


def chains_text(rows: Iterable[ChainRow]) -> str:
    """The content of a file."""
    lines = [HEADER]
    for row in rows:
        mention = row.mention
        cells = (row.document, mention.chain, mention.side, row.sentence, mention.first)
        lines.append("\t".join(map(str, (*cells, mention.last))))
    return "".join(f"{line}\n" for line in lines)


def read_chains(path: str | Path) -> list[ChainRow]:
    """The rows of a file."""
    rows: dict[tuple[str, int, Mention], ChainRow] = {}
    lines = enumerate(read_text_lines(Path(path)), start=1)
    _, header = next(lines, (1, ""))
    if header.rstrip("\r") != HEADER:
        raise input_error(path, "header", quoted(HEADER, 200), quoted(header, 200), 1)
    for number, line in lines:
        row = _row(path, number, line.rstrip("\r"))
        first = rows.setdefault((row.document, row.sentence, row.mention), row)
        if first is not row:
            actual = f"that of line {first.line} again"
            raise input_error(path, "mention", "a new one", actual, number)
    return list(rows.values())


def _row(path: str | Path, number: int, line: str) -> ChainRow:
    columns = line.split("\t")
    if len(columns) != len(COLUMNS):
        expected = f"{len(COLUMNS)} ({', '.join(COLUMNS)}) separated by tabs"
        raise input_error(path, "columns", expected, f"{len(columns)}: {quoted(line)}", number)
    document, chain, side, *numbers = columns
    if not chain:
        raise input_error(path, "chain", "a name", "nothing", number)
    if side not in SIDES:
        raise input_error(path, "side", choices(SIDES), quoted(side), number)
    for field, digits in zip(COLUMNS[3:], numbers, strict=True):
        if not re.fullmatch(r"[0-9]{1,18}", digits):
            raise input_error(path, field, "a number from 0", quoted(digits), number)
    sentence, first, last = map(int, numbers)
    if last < first:
        raise input_error(path, "last", f"{first} or more", str(last), number)
    return ChainRow(document, sentence, Mention(chain, side, first, last), number)
