"""The page of a proofread translation: both texts side by side, and a person who decides.

Doubtful words are shaded by their chance of being wrong; what a person accepts is exported as JSON,
which `decisions.read_decisions` turns into edits of the file.
"""

from __future__ import annotations

import html
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from crosspro.data_prep.core.example import Side
from crosspro.evaluation.output.page import embedded_json, fill_page
from crosspro.prediction.proofread.decisions import DECISIONS
from crosspro.prediction.proofread.doubts import DoubtKind, PronounDoubt
from crosspro.prediction.proofread.mend import written
from crosspro.prediction.proofread.output import FORMAT, Proofreading, summary
from crosspro.prediction.proofread.text import FilePlace, PlacedText, WrittenFile
from crosspro.version import __version__

_CHOICES = 3
_TIES = "'’-([„“«\""
"""What words stand behind without a space."""
_TEMPLATE = Path(__file__).resolve().parent / "page.html"


def proofreading_page(found: Proofreading) -> str:
    """The page, complete in itself."""
    task = found.model.task
    segments = found.text.segments
    documents = list(dict.fromkeys(one.document or "" for one in segments))
    numbers = {name: number for number, name in enumerate(documents)}
    sides = (
        _SegmentPlaces(found.text.source, [one.source for one in segments]),
        _SegmentPlaces(found.text.target, [one.target for one in segments]),
    )
    data = {
        "about": {
            "format": FORMAT,
            "kind": DECISIONS,
            "crosspro": __version__,
            "model": found.model.name,
            "digest": found.model.digest,
            "files": {"source": found.text.source.name, "translation": found.text.target.name},
        },
        "languages": [task.source_language, task.target_language],
        "threshold": found.threshold,
        "documents": documents,
        "segments": [
            (
                sides[0].line(number),
                sides[1].line(number),
                one.source.text,
                one.target.text,
                numbers[one.document or ""],
            )
            for number, one in enumerate(segments)
        ],
        "pronouns": [_pronoun(one, *sides, found) for one in found.pronouns],
    }
    title = f"Pronouns of {Path(found.text.target.name).name}"
    parts = {
        "title": html.escape(title),
        "subtitle": html.escape(summary(found)),
        "signature": html.escape(found.score.signature),
        "data": embedded_json(data),
    }
    return fill_page(_TEMPLATE, parts)


class _SegmentPlaces:
    """Where places of a file are in the segments of one side."""

    def __init__(self, file: WrittenFile, texts: Sequence[PlacedText]) -> None:
        self._file = file
        self._texts = texts
        starts = sorted((one.places[0], number) for number, one in enumerate(texts) if one.text)
        self._starts = [start for start, _ in starts]
        self._numbers = [number for _, number in starts]

    def line(self, number: int) -> int | None:
        """The line on which a segment begins; None of an empty one."""
        text = self._texts[number]
        return self._file.place(text.places[0], text.places[0]).line if text.text else None

    def find(self, place: FilePlace) -> tuple[int, int, int] | None:
        """The segment of a place, and its characters there."""
        start, end = self._file.span(place)
        at = bisect_right(self._starts, start) - 1
        if at < 0:
            return None
        number = self._numbers[at]
        places = self._texts[number].places
        return number, bisect_left(places, start), bisect_left(places, end)


def _pronoun(
    one: PronounDoubt, source: _SegmentPlaces, target: _SegmentPlaces, found: Proofreading
) -> dict[str, Any]:
    sides: dict[Side, _SegmentPlaces] = {"source": source, "target": target}
    pair = source.find(one.source_place) if one.source_place is not None else None
    nouns = ((noun, sides[noun.side].find(noun.place)) for noun in one.stands_for)
    return {
        "segment": one.segment,
        "start": one.start,
        "end": one.end,
        "line": one.place.line,
        "from": one.place.start,
        "to": one.place.end,
        "kind": str(one.kind),
        "word": one.word,
        "wrong": round(one.wrong, 4),
        "probability": round(one.probability, 4),
        "reason": one.reason,
        "source": pair and (*pair, one.source_word),
        "nouns": [
            (noun.side, *span, noun.word, round(noun.probability, 4), noun.gender, noun.number)
            for noun, span in nouns
            if span is not None
        ],
        "choices": _choices(one, found),
    }


def _choices(one: PronounDoubt, found: Proofreading) -> list[tuple[str, float | None]]:
    """What a person may put there: the suggestion, then words of other classes by probability."""
    text = found.text.segments[one.segment].target.text
    before, after = text[: one.start], text[one.end :]
    offered: dict[str, float | None] = {}
    if one.kind is DoubtKind.ADDITIONAL:
        offered[""] = None
    if one.suggestion:
        offered[one.suggestion] = round(one.suggestion_probability, 4)
    for label, chance in one.probabilities.items():
        word = written(label, one.word, before, after, found.model.task)
        if word and label not in (one.label, one.suggestion_label):
            offered.setdefault(word, round(chance, 4))
    offered.pop(one.word, None)
    return [
        (_spaced(word, before, after) if one.kind is DoubtKind.MISSING else word, chance)
        for word, chance in list(offered.items())[:_CHOICES]
    ]


def _spaced(word: str, before: str, after: str) -> str:
    """A word that is put between others, with spaces where it would touch them."""
    first = " " if before and not before[-1].isspace() and before[-1] not in _TIES else ""
    last = " " if after[:1].isalnum() and word[-1:] not in _TIES else ""
    return f"{first}{word}{last}"
