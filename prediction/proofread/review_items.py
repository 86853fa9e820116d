"""Doubtful pronouns as items of a review campaign: people confirm what a model suggests, or not.

Words of an item are those between spaces, cut where a pronoun in question begins and ends; so what
is marked are the very characters of the file, whatever a tokeniser would make of them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from pathlib import Path

from crosspro.evaluation.human.items import (
    MarkedWords,
    ReviewCandidate,
    ReviewItem,
    ReviewLine,
    ReviewSet,
    SuggestedAnswer,
    item_digest,
    set_digest,
)
from crosspro.evaluation.human.metric_items import KEPT_CONTEXT
from crosspro.evaluation.human.verdicts import Item, Value
from crosspro.prediction.proofread.doubts import DoubtKind, PronounDoubt
from crosspro.prediction.proofread.output import Proofreading
from crosspro.prediction.proofread.text import TranslatedText

_WORD = re.compile(r"\S+")
Span = tuple[int, int]


def review_items(found: Proofreading, chosen: Sequence[PronounDoubt]) -> ReviewSet:
    """Some pronouns of a translation as items, with the lines around them.

    What is doubtful has the verdict *wrong* filled in, and the suggested pronoun.
    """
    text, name = found.text, Path(found.text.target.name).name
    kept = sorted({at for one in chosen for at in _around(text, one.segment)})
    numbers = {segment: number for number, segment in enumerate(kept)}
    sources: dict[int, list[Span]] = {}
    targets: dict[int, list[Span]] = {}
    for one in chosen:
        sources.setdefault(one.segment, []).extend(_source_spans(text, one))
        targets.setdefault(one.segment, []).append((one.start, one.end))
    lines: list[ReviewLine] = []
    part = 0
    for number, at in enumerate(kept):
        part += number > 0 and kept[number - 1] != at - 1
        segment = text.segments[at]
        source = _cut(segment.source.text, sources.get(at, ()))
        target = _cut(segment.target.text, targets.get(at, ()))
        document = segment.document or (f"part {part}" if part else "")
        words = tuple(segment.target.text[slice(*span)] for span in target)
        shown = tuple(segment.source.text[slice(*span)] for span in source)
        lines.append(ReviewLine(document, shown, (), {name: ReviewCandidate(words)}))
    items = []
    for one in chosen:
        number, segment = numbers[one.segment], text.segments[one.segment]
        source = _cut(segment.source.text, sources[one.segment])
        target = _cut(segment.target.text, targets[one.segment])
        marks = MarkedWords(
            number,
            _inside(source, _source_spans(text, one)),
            (),
            _inside(target, [(one.start, one.end)]),
        )
        token = _token(one)
        digest = item_digest(token, (marks,), (lines[number].candidates[name].words,))
        verdict: Value | None = "wrong" if found.is_doubtful(one) else None
        items.append(
            ReviewItem(
                Item(token, name, digest, one.word, "", False),
                one.source_word.lower() or str(one.kind),
                marks,
                why=one.reason,
                suggested=SuggestedAnswer(round(one.wrong, 4), _alternative(one), verdict),
            )
        )
    task = found.model.task
    digest = set_digest(lines, (one.item.token for one in items))
    languages = (task.source_language, task.target_language)
    return ReviewSet(f"Pronouns of {name}", digest, tuple(lines), tuple(items), languages)


def _around(text: TranslatedText, segment: int) -> Iterable[int]:
    """A segment and those around it in its document."""
    first, last = max(0, segment - KEPT_CONTEXT), segment + KEPT_CONTEXT
    document = text.segments[segment].document
    for other in range(first, min(last, len(text.segments) - 1) + 1):
        if text.segments[other].document == document:
            yield other


def _source_spans(text: TranslatedText, one: PronounDoubt) -> list[Span]:
    """The characters of the source pronoun in its segment, if there is one."""
    if one.source_place is None:
        return []
    places = text.segments[one.segment].source.places
    start, end = text.source.span(one.source_place)
    return [(bisect_left(places, start), bisect_left(places, end))]


def _cut(text: str, spans: Iterable[Span]) -> list[Span]:
    """The words of a text, cut where one of some spans begins or ends."""
    bounds = sorted({place for span in spans for place in span})
    found: list[Span] = []
    for word in _WORD.finditer(text):
        inner = [place for place in bounds if word.start() < place < word.end()]
        ends = [*inner, word.end()]
        found += zip([word.start(), *inner], ends, strict=True)
    return found


def _inside(words: Sequence[Span], spans: Iterable[Span]) -> tuple[int, ...]:
    """The words that lie in one of some spans."""
    every = list(spans)
    return tuple(
        at
        for at, (start, end) in enumerate(words)
        if any(first <= start and end <= last for first, last in every)
    )


def _alternative(one: PronounDoubt) -> str:
    """What might stand there, unless it is the same word, read otherwise: *ihr* for *her*."""
    return "" if one.suggestion.lower() == one.word.lower() else one.suggestion


def _token(one: PronounDoubt) -> str:
    """The name of an item: its line and character from 1, as editors count.

    Where nothing stands the source pronoun is named as well, for several may be missing there.
    """
    place, source = one.place, one.source_place
    if one.kind is not DoubtKind.MISSING or source is None:
        return f"{place.line}:{place.start + 1}"
    return f"{place.line}:{place.start + 1}-{source.line}:{source.start + 1}"
