"""Find the pronouns of a translation that translate those of the source, and judge each of them.

Each pronoun is hidden by itself, with all others as they stand, and the model predicts it from both
documents. `judge.py` says how probably it is wrong, given this prediction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

import numpy as np

from crosspro.data_prep.align.align import MOST_WORDS
from crosspro.data_prep.annotate.tokenise import token_places, tokenise
from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.example import Example, Gap, Side
from crosspro.data_prep.core.task import NONE, OTHER, Task
from crosspro.data_prep.gaps.extract import with_gold_words
from crosspro.data_prep.lexicon.lexicon import Lexicon
from crosspro.data_prep.pipeline.pairs.pipeline import PreparedPair
from crosspro.data_prep.pipeline.pairs.typed_text import TypedPair
from crosspro.prediction.pair_prediction import (
    PointedWord,
    Predictor,
    numbered_documents,
    pointed_nouns,
)
from crosspro.prediction.proofread.judge import load_judge
from crosspro.prediction.proofread.reasons import reason
from crosspro.prediction.proofread.suggest import noun_may_follow, suggested
from crosspro.prediction.proofread.text import (
    DoubtKind,
    Place,
    PronounDoubt,
    Segment,
    StoodFor,
    TranslatedText,
)
from crosspro.prediction.system import System

BATCH_SEGMENTS = 200
"""Segments read together, which bounds the memory; progress is reported after each batch."""
_MOST_NOUNS = 3
_LEAST_NOUN_PROBABILITY = 0.1
_WORTH_A_NOUN = 0.05
"""The least chance of being wrong for which antecedents are looked for."""

Span = tuple[int, int]


@dataclass(frozen=True)
class LinkedSegment:
    """A segment with linked words, and the characters of each token.

    The span of a token is None if the tokeniser has changed its characters.
    """

    number: int
    segment: Segment
    prepared: PreparedPair
    source_spans: Sequence[Span | None]
    target_spans: Sequence[Span | None]

    @cached_property
    def example(self) -> Example:
        gaps = (replace(hidden, word=hidden.word or NONE) for hidden in self.prepared.gaps)
        return replace(self.prepared.example, gaps=tuple(gaps))

    @cached_property
    def complete(self) -> Example:
        """The example with all of its pronouns, as context for others."""
        return with_gold_words(self.example)

    def place(self, side: Side, span: Span) -> Place:
        line = self.segment.source_line if side == "source" else self.segment.target_line
        return Place(self.number, line, *span)


@dataclass(frozen=True)
class HiddenPronoun:
    """A pronoun to predict: a gap of a segment, which is the only one of the examples."""

    linked: LinkedSegment
    gap: int
    context: Sequence[LinkedSegment]
    examples: Sequence[Example]


def proofread(
    predictor: Predictor,
    text: TranslatedText,
    *,
    progress: Callable[[int], None] = lambda segments: None,
) -> tuple[PronounDoubt, ...]:
    """Judge all pronouns of a translation, in their order.

    `progress` is called with the number of segments newly read.
    """
    doubts: list[PronounDoubt] = []
    context: list[LinkedSegment | None] = []
    for start in range(0, len(text.segments), BATCH_SEGMENTS):
        numbers = range(start, min(start + BATCH_SEGMENTS, len(text.segments)))
        linked = context + _link(predictor, text, numbers)
        hidden = [
            pronoun
            for place in range(len(context), len(linked))
            for pronoun in _hide_each(linked, place, predictor.system)
        ]
        if hidden:
            doubts += _judge(predictor, hidden)
        context = linked[max(0, len(linked) - predictor.system.context) :]
        progress(len(numbers))
    return tuple(doubts)


# Hiding -------------------------------------------------------------------------------------------


def _link(predictor: Predictor, text: TranslatedText, numbers: range) -> list[LinkedSegment | None]:
    """Link the words of segments and find their gaps; None if a side has no words."""
    pairs = [_tokenised(text, text.segments[number], predictor.task) for number in numbers]
    with_words = [pair for pair in pairs if pair.source and pair.target]
    prepared = iter(predictor.pipeline.prepare_text(with_words))
    linked: list[LinkedSegment | None] = []
    for number, pair in zip(numbers, pairs, strict=True):
        if not (pair.source and pair.target):
            linked.append(None)
            continue
        segment = text.segments[number]
        source_spans = token_places(segment.source, pair.source)
        target_spans = token_places(segment.target, pair.target)
        linked.append(LinkedSegment(number, segment, next(prepared), source_spans, target_spans))
    return linked


def _tokenised(text: TranslatedText, segment: Segment, task: Task) -> TypedPair:
    source = tuple(tokenise(segment.source, task.source_language))
    target = tuple(tokenise(segment.target, task.target_language))
    for name, line, tokens in (
        (text.source_name, segment.source_line, source),
        (text.target_name, segment.target_line, target),
    ):
        if len(tokens) > MOST_WORDS:
            expected = f"at most {MOST_WORDS:,} in a segment"
            raise input_error(name, "words", expected, f"{len(tokens):,}", line)
    return TypedPair(source, target)


def _hide_each(
    linked: Sequence[LinkedSegment | None], place: int, system: System
) -> Iterator[HiddenPronoun]:
    """The pronouns of a segment, each as the only gap of its document."""
    segment = linked[place]
    if segment is None:
        return
    for number, gap in enumerate(segment.example.gaps):
        example = with_gold_words(segment.example, gap)
        gaps = tuple(Gap(gap.position, gap.source_index) for gap in example.gaps)
        before = linked[max(0, place - system.context) : place]
        context = _context(segment, before, gap, system.reach)
        examples = [*(other.complete for other in context), replace(example, gaps=gaps)]
        yield HiddenPronoun(segment, number, context, examples)


def _context(
    segment: LinkedSegment, before: Sequence[LinkedSegment | None], gap: Gap, reach: int | None
) -> list[LinkedSegment]:
    """The segments before a gap in its document, as far back as the system reads."""
    source_words, target_words = gap.source_index, gap.position
    context: list[LinkedSegment] = []
    document = segment.segment.document
    for other in filter(None, reversed(before)):
        far = reach is not None and min(source_words, target_words) >= reach
        if document is None or other.segment.document != document or far:
            break
        source_words += len(other.complete.source)
        target_words += len(other.complete.lemmas)
        context.insert(0, other)
    return context


# Judging ------------------------------------------------------------------------------------------


def _judge(predictor: Predictor, hidden: Sequence[HiddenPronoun]) -> list[PronounDoubt]:
    system, task = predictor.system, predictor.task
    documents = [pronoun.examples for pronoun in hidden]
    rows = system.unadjusted(numbered_documents(documents))
    if not np.isfinite(rows).all():
        raise input_error(predictor.name, "probability", "finite numbers", "nan or infinity")
    pronouns, doubts = [], []
    for pronoun, row in zip(hidden, rows.tolist(), strict=True):
        doubt = _doubt(pronoun, dict(zip(task.classes, row, strict=True)), task)
        if doubt is not None:
            pronouns.append(pronoun)
            doubts.append(doubt)
    unsure = [
        number
        for number, doubt in enumerate(doubts)
        if doubt.kind is DoubtKind.WORD and doubt.wrong >= _WORTH_A_NOUN
    ]
    pointed = pointed_nouns(
        system,
        [pronouns[number].examples for number in unsure],
        [doubts[number].suggestion_label for number in unsure],
    )
    lexicon, language = system.noun_lexicons.get("target"), task.target_language
    for number, words in zip(unsure, pointed, strict=True):
        nouns = _nouns(words, pronouns[number], lexicon, language)
        doubts[number] = replace(doubts[number], stands_for=tuple(islice(nouns, _MOST_NOUNS)))
    explained = (replace(doubt, reason=reason(doubt, language)) for doubt in doubts)
    return sorted(explained, key=lambda doubt: (doubt.place.segment, doubt.place[2:]))


def _doubt(pronoun: HiddenPronoun, chances: Mapping[str, float], task: Task) -> PronounDoubt | None:
    """The doubt without nouns and reason; None if no word of a class stands there or is missing."""
    linked = pronoun.linked
    gap, hidden = linked.example.gaps[pronoun.gap], linked.prepared.gaps[pronoun.gap]
    source_span = linked.source_spans[gap.source_index]
    span: Span | None
    typed = linked.prepared.words[gap.position]
    if typed is None:
        kind, label, span = DoubtKind.MISSING, OTHER, _insertion_point(linked, gap.position)
    else:
        kind, label, span = DoubtKind.WORD, hidden.label or OTHER, linked.target_spans[typed[0]]
    if span is None or source_span is None or (kind is DoubtKind.WORD and label == OTHER):
        return None
    target = linked.segment.target
    word = target[slice(*span)]
    suggestion = suggested(label, chances, word, target[: span[0]], target[span[1] :], task)
    probabilities = dict(sorted(suggestion.chances.items(), key=lambda item: -item[1]))
    return PronounDoubt(
        document=linked.segment.document,
        kind=kind,
        place=linked.place("target", span),
        word=word,
        label=label,
        source_word=linked.segment.source[slice(*source_span)],
        source_place=linked.place("source", source_span),
        probabilities=probabilities,
        suggestion=suggestion.word,
        suggestion_label=suggestion.label,
        wrong=load_judge().wrong(kind, label, probabilities, task),
    )


def _insertion_point(linked: LinkedSegment, position: int) -> Span:
    for word in linked.prepared.words[position + 1 :]:
        span = None if word is None else linked.target_spans[word[0]]
        if span is not None:
            return span[0], span[0]
    end = len(linked.segment.target.rstrip())
    return end, end


def _nouns(
    words: Iterable[PointedWord], pronoun: HiddenPronoun, lexicon: Lexicon | None, language: str
) -> Iterator[StoodFor]:
    """The words that the model points at, without those of the target that are no nouns there."""
    for word in words:
        linked = pronoun.context[-word.before] if word.before else pronoun.linked
        on_source = word.side == "source"
        span = (linked.source_spans if on_source else linked.target_spans)[word.position]
        if span is None or word.probability < _LEAST_NOUN_PROBABILITY:
            continue
        gender = number = None
        if lexicon is not None and not on_source:
            if not noun_may_follow(linked.segment.target[: span[0]], language, lexicon.is_noun):
                continue
            gender, number = lexicon.gender(word.word), lexicon.number(word.word)
        place = linked.place(word.side, span)
        yield StoodFor(word.word, word.side, place, word.probability, gender or "", number or "")
