"""The page of a proofread translation: both texts side by side, and a person who decides.

Doubtful words are shaded by their chance of being wrong; what a person accepts is exported as JSON,
which `decisions.read_decisions` turns into edits of the file.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from crosspro.data_prep.core.example import Side
from crosspro.evaluation.report.page import render_page
from crosspro.prediction.proofread.decisions import DECISIONS
from crosspro.prediction.proofread.doubts import DoubtKind, PronounDoubt
from crosspro.prediction.proofread.output import FORMAT, Proofreading, summary
from crosspro.prediction.proofread.suggest import written
from crosspro.prediction.proofread.text import FilePlace, PlacedText, WrittenFile
from crosspro.version import __version__

_CHOICES = 3
_TIES = "'’-([„“«\""
"""What words stand behind without a space."""
_TEMPLATE = Path(__file__).resolve().parent / "page.html"


def proofreading_page(proofreading: Proofreading) -> str:
    """The page, complete in itself."""
    task = proofreading.model.task
    segments = proofreading.text.segments
    documents = list(dict.fromkeys(segment.document or "" for segment in segments))
    numbers = {name: number for number, name in enumerate(documents)}
    sides = (
        _SegmentPlaces(proofreading.text.source, [segment.source for segment in segments]),
        _SegmentPlaces(proofreading.text.target, [segment.target for segment in segments]),
    )
    data = {
        "about": {
            "format": FORMAT,
            "kind": DECISIONS,
            "crosspro": __version__,
            "model": proofreading.model.name,
            "digest": proofreading.model.digest,
            "files": {
                "source": proofreading.text.source.name,
                "translation": proofreading.text.target.name,
            },
        },
        "languages": [task.source_language, task.target_language],
        "threshold": proofreading.threshold,
        "documents": documents,
        "segments": [
            (
                sides[0].line(number),
                sides[1].line(number),
                segment.source.text,
                segment.target.text,
                numbers[segment.document or ""],
            )
            for number, segment in enumerate(segments)
        ],
        "pronouns": [_pronoun(doubt, *sides, proofreading) for doubt in proofreading.pronouns],
    }
    return render_page(
        _TEMPLATE,
        title=f"Pronouns of {Path(proofreading.text.target.name).name}",
        subtitle=summary(proofreading),
        warnings=(),
        signatures=[proofreading.signature],
        data=data,
    )


class _SegmentPlaces:
    """Where places of a file are in the segments of one side."""

    def __init__(self, file: WrittenFile, texts: Sequence[PlacedText]) -> None:
        self._file = file
        self._texts = texts
        starts = sorted((text.places[0], number) for number, text in enumerate(texts) if text.text)
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
    doubt: PronounDoubt, source: _SegmentPlaces, target: _SegmentPlaces, proofreading: Proofreading
) -> dict[str, Any]:
    sides: dict[Side, _SegmentPlaces] = {"source": source, "target": target}
    pair = source.find(doubt.source_place) if doubt.source_place is not None else None
    nouns = ((noun, sides[noun.side].find(noun.place)) for noun in doubt.stands_for)
    return {
        "segment": doubt.segment,
        "start": doubt.start,
        "end": doubt.end,
        "line": doubt.place.line,
        "from": doubt.place.start,
        "to": doubt.place.end,
        "kind": str(doubt.kind),
        "word": doubt.word,
        "wrong": round(doubt.wrong, 4),
        "probability": round(doubt.probability, 4),
        "reason": doubt.reason,
        "source": pair and (*pair, doubt.source_word),
        "nouns": [
            (noun.side, *span, noun.word, round(noun.probability, 4), noun.gender, noun.number)
            for noun, span in nouns
            if span is not None
        ],
        "choices": _choices(doubt, proofreading),
    }


def _choices(doubt: PronounDoubt, proofreading: Proofreading) -> list[tuple[str, float | None]]:
    """What a person may put there: the suggestion, then words of other classes by probability."""
    text = proofreading.text.segments[doubt.segment].target.text
    before, after = text[: doubt.start], text[doubt.end :]
    offered: dict[str, float | None] = {}
    if doubt.kind is DoubtKind.ADDITIONAL:
        offered[""] = None
    if doubt.suggestion:
        offered[doubt.suggestion] = round(doubt.suggestion_probability, 4)
    for label, chance in doubt.probabilities.items():
        word = written(label, doubt.word, before, after, proofreading.model.task)
        if word and label not in (doubt.label, doubt.suggestion_label):
            offered.setdefault(word, round(chance, 4))
    offered.pop(doubt.word, None)
    return [
        (_spaced(word, before, after) if doubt.kind is DoubtKind.MISSING else word, chance)
        for word, chance in list(offered.items())[:_CHOICES]
    ]


def _spaced(word: str, before: str, after: str) -> str:
    """A word that is put between others, with spaces where it would touch them."""
    first = " " if before and not before[-1].isspace() and before[-1] not in _TIES else ""
    last = " " if after[:1].isalnum() and word[-1:] not in _TIES else ""
    return f"{first}{word}{last}"
