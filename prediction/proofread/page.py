"""The page of a proofread translation: both texts side by side, and a person who decides.

Doubtful words are shaded by their chance of being wrong. What a person decides is exported as JSON,
which `crosspro proofread --apply` writes into the file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from crosspro.data_prep.core.task import Task
from crosspro.evaluation.report.page import render_page
from crosspro.prediction.proofread.output import FORMAT, Proofreading, summary
from crosspro.prediction.proofread.suggest import written
from crosspro.prediction.proofread.text import DoubtKind, PronounDoubt
from crosspro.version import __version__

_CHOICES = 3
_TIES = "'’-([„“«\""
"""Marks behind which a word stands without a space."""
_TEMPLATE = Path(__file__).resolve().parent / "page.html"


def proofreading_page(result: Proofreading) -> str:
    task, text = result.model.task, result.text
    documents = list(dict.fromkeys(segment.document or "" for segment in text.segments))
    numbers = {name: number for number, name in enumerate(documents)}
    data = {
        "about": {
            "format": FORMAT,
            "kind": "crosspro-proofread",
            "crosspro": __version__,
            "model": result.model.name,
            "digest": result.model.digest,
            "files": {"source": text.source_name, "translation": text.target_name},
        },
        "languages": [task.source_language, task.target_language],
        "threshold": result.threshold,
        "documents": documents,
        "segments": [
            (
                *(segment.source_line, segment.target_line, segment.source, segment.target),
                numbers[segment.document or ""],
            )
            for segment in text.segments
        ],
        "pronouns": [
            _pronoun(doubt, text.segments[doubt.place.segment].target, task)
            for doubt in result.pronouns
        ],
    }
    return render_page(
        _TEMPLATE,
        title=f"Pronouns of {Path(text.target_name).name}",
        subtitle=summary(result),
        warnings=result.warnings,
        signatures=[result.signature],
        data=data,
    )


def _pronoun(doubt: PronounDoubt, target: str, task: Task) -> dict[str, Any]:
    source = doubt.source_place
    return {
        "segment": doubt.place.segment,
        "start": doubt.place.start,
        "end": doubt.place.end,
        "line": doubt.place.line,
        "kind": str(doubt.kind),
        "word": doubt.word,
        "wrong": doubt.wrong,
        "probability": round(doubt.probability, 4),
        "reason": doubt.reason,
        "source": (source.segment, source.start, source.end, doubt.source_word),
        "nouns": [
            (
                *(noun.side, noun.place.segment, noun.place.start, noun.place.end, noun.word),
                *(round(noun.probability, 4), noun.gender, noun.number),
            )
            for noun in doubt.stands_for
        ],
        "choices": _choices(doubt, target, task),
    }


def _choices(doubt: PronounDoubt, target: str, task: Task) -> list[tuple[str, float]]:
    before, after = target[: doubt.place.start], target[doubt.place.end :]
    choices: dict[str, float] = {}
    if doubt.suggestion:
        choices[doubt.suggestion] = round(doubt.suggestion_probability, 4)
    for label, chance in doubt.probabilities.items():
        word = written(label, doubt.word, before, after, task)
        if word and label not in (doubt.label, doubt.suggestion_label):
            choices.setdefault(word, round(chance, 4))
    choices.pop(doubt.word, None)
    return [
        (_spaced(word, before, after) if doubt.kind is DoubtKind.MISSING else word, chance)
        for word, chance in list(choices.items())[:_CHOICES]
    ]


def _spaced(word: str, before: str, after: str) -> str:
    first = " " if before and not before[-1].isspace() and before[-1] not in _TIES else ""
    last = " " if after[:1].isalnum() and word[-1:] not in _TIES else ""
    return f"{first}{word}{last}"
