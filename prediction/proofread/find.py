"""Find the pronouns of a translation that translate those of the source, and judge each of them.

Each pronoun is hidden by itself, with all others as they stand, and the model says what should be
there, given both documents. How probably a pronoun is wrong follows from that (`judge.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from crosspro.data_prep.align.align import MOST_WORDS
from crosspro.data_prep.annotate.tokenise import token_places, tokenise
from crosspro.data_prep.core.errors import InputError, Problem
from crosspro.data_prep.core.example import Example, Gap
from crosspro.data_prep.core.task import NONE, OTHER, Task
from crosspro.data_prep.gaps.extract import with_gold_words
from crosspro.data_prep.lexicon.lexicon import Lexicon
from crosspro.data_prep.pipeline.pairs.pipeline import PreparedPair
from crosspro.data_prep.pipeline.pairs.typed_text import TypedPair
from crosspro.prediction.pair_prediction import PointedWord, Predictor, pointed_nouns
from crosspro.prediction.proofread.doubts import DoubtKind, PronounDoubt, StoodFor
from crosspro.prediction.proofread.judge import Judge, load_judge
from crosspro.prediction.proofread.reasons import Expected, reason
from crosspro.prediction.proofread.suggest import noun_may_follow, suggested
from crosspro.prediction.proofread.text import (
    FilePlace,
    PlacedText,
    TranslatedSegment,
    TranslatedText,
    WrittenFile,
)
from crosspro.prediction.system import System

SEGMENTS_AT_ONCE = 200
"""Segments read together, whose number bounds the memory: what progress counts in."""
_NOUNS, _NOUN_SHARE = 3, 0.1
"""How many nouns are named that a pronoun may stand for, and how probable they are at least."""
_WORTH_A_REASON = 0.05
"""How doubtful a pronoun is at least for which such nouns are looked for."""

Spans = Sequence[tuple[int, int] | None]
"""The characters of each token, None of those that the tokeniser made something else of."""


@dataclass(frozen=True)
class _Read:
    """A segment whose words are linked: its tokens with their places, and its pronouns."""

    number: int
    segment: TranslatedSegment
    prepared: PreparedPair
    source_spans: Spans
    target_spans: Spans

    @cached_property
    def example(self) -> Example:
        """The pair with what its gaps hide."""
        example = self.prepared.example
        gaps = (
            Gap(gap.position, gap.source_index, hidden.label, hidden.word or NONE)
            for gap, hidden in zip(example.gaps, self.prepared.gaps, strict=True)
        )
        return replace(example, gaps=tuple(gaps))


@dataclass(frozen=True)
class _Asked:
    """A pronoun to judge: the segment and its place among those read, which of its gaps, and what
    the model read around it."""

    read: _Read
    place: int
    gap: int
    examples: Sequence[Example]


def proofread(
    predictor: Predictor,
    text: TranslatedText,
    *,
    judge: Judge | None = None,
    progress: Callable[[int], None] = lambda segments: None,
) -> tuple[PronounDoubt, ...]:
    """What is said of each pronoun of a translation, in its order.

    `progress` is told how many segments are newly read.
    """
    judge = judge or load_judge()
    _check_lengths(text, predictor.task)
    found: list[PronounDoubt] = []
    before: list[_Read | None] = []
    for start in range(0, len(text.segments), SEGMENTS_AT_ONCE):
        part = text.segments[start : start + SEGMENTS_AT_ONCE]
        read = before + _read(predictor, part, start)
        found += _judged(predictor, text, read, len(before), judge)
        before = read[max(0, len(read) - predictor.system.context) :]
        progress(len(part))
    return tuple(found)


def _check_lengths(text: TranslatedText, task: Task) -> None:
    """Raise if segments have more words than can be linked, with all of them."""
    most = MOST_WORDS
    expected = f"at most {most:,} in a segment"
    problems = []
    for segment in text.segments:
        for file, placed, language in (
            (text.source, segment.source, task.source_language),
            (text.target, segment.target, task.target_language),
        ):
            words = len(tokenise(placed.text, language)) if len(placed.text) > most else 0
            if words > most:
                line = file.line(placed.places[0])
                problems.append(Problem(file.name, line, "words", expected, f"{words:,}"))
    if problems:
        raise InputError(problems)


def _read(
    predictor: Predictor, segments: Sequence[TranslatedSegment], first: int
) -> list[_Read | None]:
    """Segments with their links and gaps; None for those with a side that has no words."""
    task = predictor.task
    pairs = [
        TypedPair(
            tuple(tokenise(segment.source.text, task.source_language)),
            tuple(tokenise(segment.target.text, task.target_language)),
        )
        for segment in segments
    ]
    both = [place for place, pair in enumerate(pairs) if pair.source and pair.target]
    found: list[_Read | None] = [None] * len(segments)
    made = predictor.pipeline.prepare_text([pairs[place] for place in both])
    for place, prepared in zip(both, made, strict=True):
        segment, pair = segments[place], pairs[place]
        found[place] = _Read(
            first + place,
            segment,
            prepared,
            token_places(segment.source.text, pair.source),
            token_places(segment.target.text, pair.target),
        )
    return found


def _judged(
    predictor: Predictor,
    text: TranslatedText,
    read: Sequence[_Read | None],
    first: int,
    judge: Judge,
) -> list[PronounDoubt]:
    """What is said of the pronouns of some segments, from the first on; others are context."""
    system, task = predictor.system, predictor.task
    shown = {
        place: with_gold_words(one.example) for place, one in enumerate(read) if one is not None
    }
    asked = [one for place in range(first, len(read)) for one in _asked(read, shown, place, system)]
    lines = [replace(line, document=str(n)) for n, one in enumerate(asked) for line in one.examples]
    chances = system.unadjusted(lines) if lines else np.zeros((0, len(task.classes)))
    found: list[PronounDoubt] = []
    doubtful: list[tuple[int, _Asked]] = []
    for one, row in zip(asked, chances, strict=True):
        doubt = _doubt(one, dict(zip(task.classes, row.tolist(), strict=True)), text, task, judge)
        if doubt is None:
            continue
        if doubt.kind is DoubtKind.WORD and doubt.wrong >= _WORTH_A_REASON:
            doubtful.append((len(found), one))
        found.append(doubt)
    pointed = pointed_nouns(
        system,
        [one.examples for _, one in doubtful],
        [found[place].suggestion_label for place, _ in doubtful],
    )
    lexicon = system.noun_lexicons.get("target")
    for (place, one), words in zip(doubtful, pointed, strict=True):
        nouns = _nouns(words, one, read, text, lexicon, task.target_language)
        found[place] = replace(found[place], stands_for=nouns)
    found += [
        doubt for one in read[first:] if one is not None for doubt in _added(one, text, task, judge)
    ]
    said = [replace(doubt, reason=_reason(doubt, task)) for doubt in found]
    return sorted(said, key=lambda doubt: (doubt.segment, doubt.start, doubt.end))


def _asked(
    read: Sequence[_Read | None], shown: Mapping[int, Example], place: int, system: System
) -> list[_Asked]:
    """The pronouns of a segment, each as the only gap of its document."""
    own = read[place]
    if own is None:
        return []
    found = []
    for number, gap in enumerate(own.example.gaps):
        line = with_gold_words(own.example, gap)
        blind = tuple(Gap(one.position, one.source_index) for one in line.gaps)
        before = _before(read, shown, place, gap, system)
        found.append(_Asked(own, place, number, [*before, replace(line, gaps=blind)]))
    return found


def _before(
    read: Sequence[_Read | None],
    shown: Mapping[int, Example],
    place: int,
    gap: Gap,
    system: System,
) -> list[Example]:
    """The segments of a document before one, as far as a system reads before its gap."""
    own = read[place]
    document = None if own is None else own.segment.document
    words = [gap.source_index, gap.position]
    found: list[Example] = []
    for other in range(place - 1, max(0, place - system.context) - 1, -1):
        there = read[other]
        if document is None or (there is not None and there.segment.document != document):
            break
        if there is None:
            continue
        if system.reach is not None and min(words) >= system.reach:
            break
        line = shown[other]
        words = [words[0] + len(line.source), words[1] + len(line.lemmas)]
        found.insert(0, line)
    return found


def _doubt(
    asked: _Asked, chances: Mapping[str, float], text: TranslatedText, task: Task, judge: Judge
) -> PronounDoubt | None:
    """What is said of a pronoun; None if no word of a class stands there, and none is missing."""
    read = asked.read
    gap, hidden = read.example.gaps[asked.gap], read.prepared.gaps[asked.gap]
    source_span = read.source_spans[gap.source_index]
    target = read.segment.target
    if hidden.inserted:
        kind, label = DoubtKind.MISSING, OTHER
        span = _between(read, gap.position)
    else:
        kind, label = DoubtKind.WORD, hidden.label or OTHER
        typed = read.prepared.words[gap.position]
        span = None if typed is None else read.target_spans[typed[0]]
    if span is None or source_span is None or (kind is DoubtKind.WORD and label == OTHER):
        return None
    start, end = span
    word = target.text[start:end]
    around = target.text[:start], target.text[end:]
    best, other, chances = suggested(label, chances, word, *around, task)
    return PronounDoubt(
        segment=read.number,
        document=read.segment.document,
        kind=kind,
        start=start,
        end=end,
        place=_place(text.target, target, start, end),
        word=word,
        label=label,
        source_word=read.segment.source.text[slice(*source_span)],
        source_place=_place(text.source, read.segment.source, *source_span),
        probabilities=dict(sorted(chances.items(), key=lambda one: -one[1])),
        probability=chances[label],
        suggestion=other,
        suggestion_label=best,
        suggestion_probability=chances[best],
        wrong=judge.wrong(kind, label, chances, task),
        stands_for=(),
        reason="",
    )


def _between(read: _Read, position: int) -> tuple[int, int] | None:
    """Where a pronoun would stand that is missing: before the word that follows it."""
    words = read.prepared.words[position + 1 :]
    for word in words:
        span = None if word is None else read.target_spans[word[0]]
        if span is not None:
            return span[0], span[0]
    size = len(read.segment.target.text.rstrip())
    return size, size


def _added(read: _Read, text: TranslatedText, task: Task, judge: Judge) -> list[PronounDoubt]:
    """The pronouns of a segment that nothing in the source is linked to."""
    linked = {target for _, target in read.prepared.example.links}
    found, target = [], read.segment.target
    for position, word in enumerate(read.prepared.words):
        if word is None or position in linked:
            continue
        label = task.class_of(word[1].lower())
        span = read.target_spans[word[0]]
        if label == OTHER or word[1].lower() in task.linked or span is None:
            continue
        found.append(
            PronounDoubt(
                segment=read.number,
                document=read.segment.document,
                kind=DoubtKind.ADDITIONAL,
                start=span[0],
                end=span[1],
                place=_place(text.target, target, *span),
                word=target.text[slice(*span)],
                label=label,
                source_word="",
                source_place=None,
                probabilities={},
                probability=0.0,
                suggestion="",
                suggestion_label="",
                suggestion_probability=0.0,
                wrong=judge.wrong(DoubtKind.ADDITIONAL, label, {}, task),
                stands_for=(),
                reason="",
            )
        )
    return found


def _nouns(
    words: Sequence[PointedWord],
    asked: _Asked,
    read: Sequence[_Read | None],
    text: TranslatedText,
    lexicon: Lexicon | None,
    language: str,
) -> tuple[StoodFor, ...]:
    """The nouns that a pronoun seems to stand for, with their places, the best first."""
    before = [one for one in read[: asked.place] if one is not None]
    found: list[StoodFor] = []
    for word in words:
        if word.probability < _NOUN_SHARE or len(found) == _NOUNS:
            break
        there = asked.read if word.before == 0 else before[-word.before]
        noun = _noun(word, there, text, lexicon, language)
        if noun is not None:
            found.append(noun)
    return tuple(found)


def _noun(
    word: PointedWord, there: _Read, text: TranslatedText, lexicon: Lexicon | None, language: str
) -> StoodFor | None:
    if word.side == "source":
        file, placed, spans = text.source, there.segment.source, there.source_spans
    else:
        file, placed, spans = text.target, there.segment.target, there.target_spans
    span = spans[word.position]
    if span is None:
        return None
    gender = number = None
    if word.side == "target" and lexicon is not None:
        if not noun_may_follow(placed.text[: span[0]], language, lexicon.is_noun):
            return None
        gender, number = lexicon.gender(word.word), lexicon.number(word.word)
    where = _place(file, placed, *span)
    return StoodFor(word.word, word.side, where, word.probability, gender or "", number or "")


def _place(file: WrittenFile, placed: PlacedText, start: int, end: int) -> FilePlace:
    return file.place(*placed.span(start, end))


def _reason(doubt: PronounDoubt, task: Task) -> str:
    line = None if doubt.source_place is None else doubt.source_place.line
    expected = Expected(doubt.probability, doubt.suggestion, doubt.suggestion_probability)
    about = doubt.kind, doubt.word, doubt.source_word, line
    return reason(*about, expected, doubt.stands_for, task.target_language)
