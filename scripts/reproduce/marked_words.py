"""Sentence pairs in which people marked the words that decide a pronoun (SCAT).

A record is a line of JSON with `en`, `fr`, `context_en` and `context_fr`. In the texts `<p>…</p>`
is around the pronoun (and around every other occurrence of its letters) and `<hon>…<hoff>` around
the words that were marked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from crosspro.data_prep.annotate.tokenise import normalise_punctuation, tokenise
from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.files import read_lines

_MARKS = re.compile(r"(<p>|</p>|<hon>|<hoff>)")
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+")

Span = tuple[int, int]


@dataclass(frozen=True)
class MarkedText:
    """A text without its marks, and where they were, in characters."""

    text: str
    pronouns: tuple[Span, ...] = ()
    marked: tuple[Span, ...] = ()


@dataclass(frozen=True)
class MarkedSentence:
    """Tokens; the numbers of those that are a marked pronoun, and of those in marked words."""

    tokens: list[str]
    pronouns: tuple[int, ...]
    marked: frozenset[int]


@dataclass(frozen=True)
class MarkedPair:
    """Sentences of both sides, the last of them with the pronoun; `unit` is the instance's name."""

    unit: str
    source: list[MarkedSentence]
    target: list[MarkedSentence]


def read_marked_pairs(path: Path, source: str, target: str) -> Iterator[MarkedPair]:
    """The records of a file, their contexts cut into sentences where both have as many."""
    for number, line in enumerate(read_lines(path), start=1):
        try:
            record = json.loads(line)
            texts = {
                key: unmark(record[key])
                for language in (source, target)
                for key in (language, f"context_{language}")
            }
            unit = str(record.get("opensubs_contrastive") or record["id"])
        except (ValueError, KeyError, TypeError) as error:
            expected = f"JSON with id, {source}, {target} and their contexts"
            raise input_error(path, "line", expected, str(error), number) from error
        before = [
            cut_sentences(texts[f"context_{language}"], language) for language in (source, target)
        ]
        if len(before[0]) != len(before[1]):  # then they stay whole
            before = [
                [tokenised(texts[f"context_{language}"], language)] for language in (source, target)
            ]
        own = [tokenised(texts[language], language) for language in (source, target)]
        sides = [[*some, one] for some, one in zip(before, own, strict=True)]
        yield MarkedPair(unit, *sides)


def unmark(text: str) -> MarkedText:
    """Take the marks out of a text."""
    plain, size = [], 0
    begun: dict[str, int] = {}
    found: dict[str, list[Span]] = {"<p>": [], "<hon>": []}
    for piece in _MARKS.split(text):
        if piece in found:
            begun[piece] = size
        elif piece in ("</p>", "<hoff>"):
            opening = "<p>" if piece == "</p>" else "<hon>"
            if opening in begun:
                found[opening].append((begun.pop(opening), size))
        else:
            plain.append(normalise_punctuation(piece))
            size += len(plain[-1])
    return MarkedText("".join(plain), tuple(found["<p>"]), tuple(found["<hon>"]))


def cut_sentences(text: MarkedText, language: str) -> list[MarkedSentence]:
    """The sentences of a text, with their share of the marks."""
    ends = [match.start() for match in _SENTENCE_END.finditer(text.text)]
    starts = [0, *ends]
    parts = zip(starts, [*ends, len(text.text)], strict=True)
    return [
        tokenised(text, language, start, end)
        for start, end in parts
        if text.text[start:end].strip()
    ]


def tokenised(
    text: MarkedText, language: str, start: int = 0, end: int | None = None
) -> MarkedSentence:
    """The tokens of a part of a text, with the marks that they carry."""
    tokens = tokenise(text.text[start:end], language, normalise=False)
    pronouns, marked = [], set()
    at = start
    for number, token in enumerate(tokens):
        place = text.text.find(token, at)
        if place < 0:  # the tokeniser changed it: it carries no mark
            continue
        at = place + len(token)
        if (place, at) in text.pronouns:
            pronouns.append(number)
        if any(place < last and first < at for first, last in text.marked):
            marked.add(number)
    return MarkedSentence(tokens, tuple(pronouns), frozenset(marked))
