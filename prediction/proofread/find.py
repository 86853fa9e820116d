"""Find the pronouns of a translation that translate those of the source, and judge each of them.

Each pronoun is hidden by itself, with all others as they stand, and the model predicts it from both
documents. `judge.py` says how probably it is wrong, given this prediction.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

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
from crosspro.prediction.pair_prediction import PointedWord, Predictor, pointed_nouns
from crosspro.prediction.proofread.doubts import DoubtKind, PronounDoubt, StoodFor
from crosspro.prediction.proofread.judge import Judge, load_judge
from crosspro.prediction.proofread.reasons import reason
from crosspro.prediction.proofread.suggest import noun_may_follow, suggested
from crosspro.prediction.proofread.text import Place, Segment, TranslatedText
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

    def place(self, side: Side, span: Span) -> Place:
        """The place of characters of a side."""
        line = self.segment.source_line if side == "source" else self.segment.target_line
        return Place(self.number, line, *span)


@dataclass(frozen=True)
class HiddenPronoun:
    """A pronoun to predict: the number of its gap, and the examples that the model reads."""

    linked: LinkedSegment
    gap: int
    before: Sequence[LinkedSegment]
    examples: Sequence[Example]


def proofread(
    predictor: Predictor,
    text: TranslatedText,
    *,
    judge: Judge | None = None,
    progress: Callable[[int], None] = lambda segments: None,
) -> tuple[PronounDoubt, ...]:
    """Judge all pronouns of a translation, in their order.

    `progress` is called with the number of segments newly read.
    """
    judge = judge or load_judge()
    _check_lengths(text, predictor.task)
    doubts: list[PronounDoubt] = []
    context: list[LinkedSegment | None] = []
    for start in range(0, len(text.segments), BATCH_SEGMENTS):
        batch = text.segments[start : start + BATCH_SEGMENTS]
        linked = context + _link(predictor, batch, start)
        doubts += _judge_pronouns(predictor, linked, len(context), judge)
        context = linked[max(0, len(linked) - predictor.system.context) :]
        progress(len(batch))
    return tuple(doubts)


def _check_lengths(text: TranslatedText, task: Task) -> None:
    for segment in text.segments:
        for name, line, side, language in (
            (text.source_name, segment.source_line, segment.source, task.source_language),
            (text.target_name, segment.target_line, segment.target, task.target_language),
        ):
            words = len(tokenise(side, language)) if len(side) > MOST_WORDS else 0
            if words > MOST_WORDS:
                expected = f"at most {MOST_WORDS:,} in a segment"
                raise input_error(name, "words", expected, f"{words:,}", line)


def _link(
    predictor: Predictor, segments: Sequence[Segment], first: int
) -> list[LinkedSegment | None]:
    """Link the words of segments and find their gaps; None if a side has no words."""
    task = predictor.task
    pairs = [
        TypedPair(
            tuple(tokenise(segment.source, task.source_language)),
            tuple(tokenise(segment.target, task.target_language)),
        )
        for segment in segments
    ]
    with_words = [pair for pair in pairs if pair.source and pair.target]
    sentences = iter(predictor.pipeline.prepare_text(with_words))
    return [
        LinkedSegment(
            number,
            segment,
            next(sentences),
            token_places(segment.source, pair.source),
            token_places(segment.target, pair.target),
        )
        if pair.source and pair.target
        else None
        for number, (segment, pair) in enumerate(zip(segments, pairs, strict=True), start=first)
    ]


def _judge_pronouns(
    predictor: Predictor, linked: Sequence[LinkedSegment | None], first: int, judge: Judge
) -> list[PronounDoubt]:
    """Judge the pronouns of all segments from the first on; those before it are context."""
    system, task = predictor.system, predictor.task
    complete = {
        number: with_gold_words(segment.example)
        for number, segment in enumerate(linked)
        if segment is not None
    }
    hidden = [
        pronoun
        for number in range(first, len(linked))
        for pronoun in _hide_each(linked, complete, number, system)
    ]
    examples = [
        replace(example, document=str(number))
        for number, pronoun in enumerate(hidden)
        for example in pronoun.examples
    ]
    rows = system.unadjusted(examples) if examples else np.zeros((0, len(task.classes)))
    if not np.isfinite(rows).all():
        raise input_error(predictor.name, "probability", "finite numbers", "nan or infinity")
    doubts: dict[int, PronounDoubt] = {}
    for number, (pronoun, row) in enumerate(zip(hidden, rows.tolist(), strict=True)):
        doubt = _doubt(pronoun, dict(zip(task.classes, row, strict=True)), task, judge)
        if doubt is not None:
            doubts[number] = doubt
    doubtful = [
        number
        for number, doubt in doubts.items()
        if doubt.kind is DoubtKind.WORD and doubt.wrong >= _WORTH_A_NOUN
    ]
    pointed = pointed_nouns(
        system,
        [hidden[number].examples for number in doubtful],
        [doubts[number].suggestion_label for number in doubtful],
    )
    lexicon, language = system.noun_lexicons.get("target"), task.target_language
    for number, words in zip(doubtful, pointed, strict=True):
        nouns = _nouns(words, hidden[number], lexicon, language)
        doubts[number] = replace(doubts[number], stands_for=nouns)
    explained = (replace(doubt, reason=reason(doubt, language)) for doubt in doubts.values())
    return sorted(explained, key=lambda doubt: (doubt.place.segment, doubt.place[2:]))


def _hide_each(
    linked: Sequence[LinkedSegment | None],
    complete: Mapping[int, Example],
    number: int,
    system: System,
) -> list[HiddenPronoun]:
    """The pronouns of a segment, each as the only gap of its document."""
    segment = linked[number]
    if segment is None:
        return []
    before = [other for other in linked[:number] if other is not None]
    pronouns = []
    for place, gap in enumerate(segment.example.gaps):
        example = with_gold_words(segment.example, gap)
        gaps = tuple(Gap(gap.position, gap.source_index) for gap in example.gaps)
        context = _context(linked, complete, number, gap, system)
        examples = [*context, replace(example, gaps=gaps)]
        pronouns.append(HiddenPronoun(segment, place, before, examples))
    return pronouns


def _context(
    linked: Sequence[LinkedSegment | None],
    complete: Mapping[int, Example],
    number: int,
    gap: Gap,
    system: System,
) -> list[Example]:
    """The segments before a gap in its document, as far back as the system reads."""
    segment = linked[number]
    if segment is None or segment.segment.document is None:
        return []
    source_words, target_words = gap.source_index, gap.position
    context: list[Example] = []
    for place in range(number - 1, max(0, number - system.context) - 1, -1):
        other = linked[place]
        if other is None:
            continue
        if other.segment.document != segment.segment.document:
            break
        if system.reach is not None and min(source_words, target_words) >= system.reach:
            break
        example = complete[place]
        source_words += len(example.source)
        target_words += len(example.lemmas)
        context.insert(0, example)
    return context


def _doubt(
    pronoun: HiddenPronoun, chances: Mapping[str, float], task: Task, judge: Judge
) -> PronounDoubt | None:
    """Judge a pronoun; None if no word of a class stands there, and none is missing."""
    linked = pronoun.linked
    gap, hidden = linked.example.gaps[pronoun.gap], linked.prepared.gaps[pronoun.gap]
    source_span = linked.source_spans[gap.source_index]
    span: Span | None
    if linked.prepared.words[gap.position] is None:
        kind, label, span = DoubtKind.MISSING, OTHER, _insertion_point(linked, gap.position)
    else:
        kind, label = DoubtKind.WORD, hidden.label or OTHER
        typed = linked.prepared.words[gap.position]
        span = None if typed is None else linked.target_spans[typed[0]]
    if span is None or source_span is None or (kind is DoubtKind.WORD and label == OTHER):
        return None
    target = linked.segment.target
    word = target[slice(*span)]
    suggestion = suggested(label, chances, word, target[: span[0]], target[span[1] :], task)
    chances = suggestion.chances
    return PronounDoubt(
        document=linked.segment.document,
        kind=kind,
        place=linked.place("target", span),
        word=word,
        label=label,
        source_word=linked.segment.source[slice(*source_span)],
        source_place=linked.place("source", source_span),
        probabilities=dict(sorted(chances.items(), key=lambda item: -item[1])),
        probability=chances[label],
        suggestion=suggestion.word,
        suggestion_label=suggestion.label,
        suggestion_probability=chances[suggestion.label],
        wrong=judge.wrong(kind, label, chances, task),
    )


def _insertion_point(linked: LinkedSegment, position: int) -> Span:
    for word in linked.prepared.words[position + 1 :]:
        span = None if word is None else linked.target_spans[word[0]]
        if span is not None:
            return span[0], span[0]
    end = len(linked.segment.target.rstrip())
    return end, end


def _nouns(
    words: Sequence[PointedWord], pronoun: HiddenPronoun, lexicon: Lexicon | None, language: str
) -> tuple[StoodFor, ...]:
    nouns: list[StoodFor] = []
    for word in words:
        if word.probability < _LEAST_NOUN_PROBABILITY or len(nouns) == _MOST_NOUNS:
            break
        linked = pronoun.before[-word.before] if word.before else pronoun.linked
        noun = _noun(word, linked, lexicon, language)
        if noun is not None:
            nouns.append(noun)
    return tuple(nouns)


def _noun(
    word: PointedWord, linked: LinkedSegment, lexicon: Lexicon | None, language: str
) -> StoodFor | None:
    on_source = word.side == "source"
    span = (linked.source_spans if on_source else linked.target_spans)[word.position]
    if span is None:
        return None
    noun = StoodFor(word.word, word.side, linked.place(word.side, span), word.probability)
    if on_source or lexicon is None:
        return noun
    if not noun_may_follow(linked.segment.target[: span[0]], language, lexicon.is_noun):
        return None
    gender, number = lexicon.gender(word.word), lexicon.number(word.word)
    return replace(noun, gender=gender or "", number=number or "")
