"""Coreference chains: in a table of their own, or as entities of CoNLL-U.

Coreference chains in a table of their own, X.chains.tsv beside X.data.

Columns, separated by tabs, under a header line with these names:

    document   the document as in X.doc-ids; empty where the data has no documents
    chain      the name of the chain, unique in its document; both sides may have mentions of it
    side       source or target
    sentence   the line, counted from 0 among those of the document (of the file, without documents)
    first      the first token of the mention, counted from 0 in column 3 or 4 of the line
    last       its last token, included

Target tokens are those of the file, placeholders included, so that a gap is a mention like others.
A mention is written once; the order of lines does not matter.

Coreference in CoNLL-U, as CorefUD writes it: `Entity=(e1-person-1` … `e1)` in the last column.

A value is a row of brackets: `(e1-…` opens a mention of e1, `e1)` closes it, `(e1-…)` is one of a
single word. What follows the name of the entity is not read, nor what stands on empty nodes: a
mention that begins or ends on one is left out. The parts of a mention with a hole (`e1[1/2]`) count
as mentions by themselves. A file that has entities says so in a comment, `# global.Entity = …`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import cast

from crosspro.data_prep.core.errors import InputError, Problem, choices, quoted
from crosspro.data_prep.core.example import SIDES, Mention, Side
from crosspro.data_prep.core.files import atomic_output, bad_byte, read_lines
from crosspro.data_prep.formats.conllu import ConlluSentence, comment_value, scan_conllu

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


DECLARATION = "global.Entity"
_BRACKET = re.compile(r"(\()?([^()]+)(\))?")
_VALUE = re.compile(r"(?:\([^()]+\)|\([^()]+|[^()]+\))+")

EntityMention = tuple[str, int, int]
"""The entity, and the first and last position of a mention among the sentence's words, from 0."""


def has_entities(path: str | Path) -> bool:
    """Whether a file declares entities in the comments of its first sentence."""
    return any(
        isinstance(first, ConlluSentence) and comment_value(first.comments, DECLARATION) is not None
        for first in islice(scan_conllu(path), 1)
    )


def entity_mentions(path: str | Path, sentence: ConlluSentence) -> list[EntityMention]:
    """The mentions of a sentence, in order; raises `InputError` with all values that are none."""
    found: list[EntityMention] = []
    opened: dict[str, list[int]] = {}
    problems: list[Problem] = []
    for place, word in enumerate(sentence.words):
        for value in _values(word.misc):
            if not _VALUE.fullmatch(value):
                expected = "brackets as (e1-person e2) (e3-place)"
                where = (str(path), sentence.line, "Entity")
                problems.append(Problem(*where, expected, quoted(value)))
                continue
            for opening, name, closing in _BRACKET.findall(value):
                entity = name.partition("-")[0] if opening else name
                if opening:
                    opened.setdefault(entity, []).append(place)
                if closing and opened.get(entity):
                    found.append((entity.partition("[")[0], opened[entity].pop(), place))
    if problems:
        raise InputError(problems)
    return sorted(found, key=lambda mention: (mention[1], mention[2], mention[0]))


def written_positions(sentence: ConlluSentence) -> list[int]:
    """For each syntactic word the position of the written word that it belongs to."""
    places: list[int] = []
    ranges = {part.first: part.last for part in sentence.contractions}
    number, written = 1, 0
    while number <= len(sentence.words):
        last = ranges.get(number, number)
        places += [written] * (last - number + 1)
        number, written = last + 1, written + 1
    return places


def _values(misc: str) -> Iterator[str]:
    for pair in misc.split("|"):
        key, _, value = pair.partition("=")
        if key == "Entity":
            yield value
