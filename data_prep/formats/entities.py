"""Coreference in CoNLL-U, as CorefUD writes it: `Entity=(e1-person-1` … `e1)` in the last column.

A value is a row of brackets: `(e1-…` opens a mention of e1, `e1)` closes it, `(e1-…)` is one of a
single word. What follows the name of the entity is not read, nor what stands on empty nodes: a
mention that begins or ends on one is left out. The parts of a mention with a hole (`e1[1/2]`) count
as mentions by themselves. A file that has entities says so in a comment, `# global.Entity = …`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from crosspro.data_prep.core.errors import InputError, Problem, quoted
from crosspro.data_prep.formats.conllu import ConlluSentence, comment_value, scan_conllu

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
