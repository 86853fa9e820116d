"""What a person has decided on the page of a proofread translation, as edits of its file."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from crosspro.data_prep.core.errors import InputError, Problem, quoted
from crosspro.data_prep.core.files import read_json_object
from crosspro.data_prep.core.settings import check_settings
from crosspro.prediction.proofread.text import Edit, FilePlace, PlacedText, TranslatedText

DECISIONS = "crosspro-proofread"
"""What files of decisions say they are."""


@dataclass(frozen=True)
class DecidedPronoun:
    """A pronoun that somebody has looked at: its place, and what shall stand there.

    Segments and lines count from 1, characters of the line from 0.
    """

    segment: int
    line: int
    start: int
    end: int
    word: str
    replacement: str
    kind: str
    wrong: float


@dataclass(frozen=True)
class Decisions:
    """What a page exports: pronouns that are to be changed, and those that are right."""

    format: int
    kind: str
    crosspro: str
    model: str
    digest: str
    files: Mapping[str, str]
    accepted: tuple[DecidedPronoun, ...]
    kept: tuple[DecidedPronoun, ...]


def read_decisions(path: Path, text: TranslatedText) -> list[Edit]:
    """The accepted changes as edits; the words that they change must be there as they were."""
    content = read_json_object(path)
    if content.get("kind") != DECISIONS:
        expected = "decisions that a page of crosspro proofread has exported"
        found = quoted(str(content.get("kind")))
        raise InputError([Problem(str(path), None, "kind", expected, found)])
    edits: list[Edit] = []
    problems = []
    for one in check_settings(Decisions, content, path).accepted:
        span = _span(text, one)
        placed = text.segments[one.segment - 1].target if span else PlacedText("", ())
        there = placed.text[slice(*span)] if span else None
        if span is None or there != one.word:
            expected = f"{quoted(one.word)} there, which {path.name} changes"
            found = "nothing" if there is None else quoted(there)
            problems.append(Problem(text.target.name, one.line, "text", expected, found))
        else:
            edits.append(replacement(placed, *span, one.replacement))
    edits.sort()
    for before, after in pairwise(edits):
        if after.start < before.end or after[:2] == before[:2]:
            line, expected = text.target.line(after.start), f"one change of a word in {path.name}"
            problems.append(Problem(text.target.name, line, "text", expected, "two"))
    if problems:
        raise InputError(problems)
    return edits


_ELISION = re.compile(r"['’]$")
_TOKENISED = re.compile(r"\b(?:[cdjlmnst]|qu)['’] ", re.IGNORECASE)


def replacement(placed: PlacedText, start: int, end: int, word: str) -> Edit:
    """The edit of the file that puts a word for these characters, which stand together.

    A space is added where a word is no longer elided (l'aime, les aime) and removed where it is.
    """
    before = placed.text[start:end]
    if _ELISION.search(before) and not _ELISION.search(word):
        word += " " if placed.text[end : end + 1].isalpha() else ""
    elif _ELISION.search(word) and not _ELISION.search(before):
        space = placed.text[end : end + 1] == " " and not _TOKENISED.search(placed.text)
        end += space and placed.stands_together(start, end + 1)
    return placed.edit(start, end, word)


def _span(text: TranslatedText, one: DecidedPronoun) -> tuple[int, int] | None:
    """The characters of a decision in its segment, if the file has them and they can be edited."""
    if not (1 <= one.segment <= len(text.segments) and 1 <= one.line <= len(text.target.lines)):
        return None
    placed = text.segments[one.segment - 1].target
    start, end = (
        bisect_left(placed.places, place)
        for place in text.target.span(FilePlace(one.line, one.start, one.end))
    )
    if not placed.text or start > end or not placed.stands_together(start, end):
        return None
    here = text.target.place(*placed.span(start, end))
    return (start, end) if here == (one.line, one.start, one.end) else None
