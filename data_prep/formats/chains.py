"""Coreference chains: in a table of their own, or as entities of CoNLL-U.

The table X.chains.tsv lies beside X.data. Columns, separated by tabs, under a header line with
these names:

    document   the document as in X.doc-ids; empty where the data has no documents
    chain      the name of the chain, unique in its document; both sides may have mentions of it
    side       source or target
    sentence   the line, counted from 0 among those of the document (of the file, without documents)
    first      the first token of the mention, counted from 0 in column 3 or 4 of the line
    last       its last token, included

Target tokens are those of the file, placeholders included, so that a gap is a mention like others.
A mention is written once; the order of lines does not matter.

In CoNLL-U as CorefUD writes it, `Entity=(e1-person-1` … `e1)` stands in the last column: `(e1-…`
opens a mention of e1, `e1)` closes it, `(e1-…)` is one of a single word. Mentions that begin or end
on empty nodes are left out. The parts of a mention with a hole (`e1[1/2]`) count as mentions of
their own. A file that has entities says so in a comment, `# global.Entity = …`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from crosspro.data_prep.core.errors import choices, input_error, is_whole_number, quoted
from crosspro.data_prep.core.example import SIDES, Mention
from crosspro.data_prep.core.files import read_text_lines
from crosspro.data_prep.formats.conllu import ConlluSentence, comment_value, read_conllu

COLUMNS = ("document", "chain", "side", "sentence", "first", "last")
HEADER = "\t".join(COLUMNS)
_BRACKET = re.compile(r"(\()?([^()]+)(\))?")
_VALUE = re.compile(r"(?:\([^()]+\)|\([^()]+|[^()]+\))+")


@dataclass(frozen=True, slots=True)
class ChainRow:
    """A mention with its place in the text; `line` is where it stands in its file."""

    document: str
    sentence: int
    mention: Mention
    line: int | None = None


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
            found = f"that of line {first.line} again"
            raise input_error(path, "mention", "a new one", found, number)
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
        if not is_whole_number(digits):
            raise input_error(path, field, "a number from 0", quoted(digits), number)
    sentence, first, last = map(int, numbers)
    if last < first:
        raise input_error(path, "last", f"{first} or more", str(last), number)
    return ChainRow(document, sentence, Mention(chain, side, first, last), number)


def has_entities(path: str | Path) -> bool:
    """Whether a file declares entities in the comments of its first sentence."""
    first = next(read_conllu(path), None)
    return first is not None and comment_value(first.comments, "global.Entity") is not None


def entity_mentions(path: str | Path, sentence: ConlluSentence) -> list[tuple[str, int, int]]:
    """Entity, first and last word (from 0) of each mention of a sentence, in order."""
    mentions: list[tuple[str, int, int]] = []
    opened: dict[str, list[int]] = {}
    for place, word in enumerate(sentence.words):
        values = [pair[7:] for pair in word.misc.split("|") if pair.startswith("Entity=")]
        for value in values:
            if not _VALUE.fullmatch(value):
                expected = "brackets as (e1-person e2) (e3-place)"
                raise input_error(path, "Entity", expected, quoted(value), sentence.line)
            for opening, name, closing in _BRACKET.findall(value):
                entity = name.partition("-")[0] if opening else name
                if opening:
                    opened.setdefault(entity, []).append(place)
                if closing and opened.get(entity):
                    mentions.append((entity.partition("[")[0], opened[entity].pop(), place))
    return sorted(mentions, key=lambda mention: (mention[1], mention[2], mention[0]))
