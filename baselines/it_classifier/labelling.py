"""Labels for every `it` of a text, and the annotation that a model may need for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from crosspro.baselines.it_classifier.classifier import load_classifier
from crosspro.baselines.it_classifier.context import (
    LABELS,
    LIGHT,
    ItContext,
    ItScorer,
    by_sentence,
    positions,
)
from crosspro.baselines.it_classifier.patterns import PatternScorer
from crosspro.data_prep.annotate.corpus import make_annotator

AT_ONCE = 1000
"""Sentences that are labelled together."""


@dataclass(frozen=True, slots=True)
class LabelledSentence:
    """A sentence and, for the position of each `it`, the probability of each label."""

    words: tuple[str, ...]
    chances: dict[int, dict[str, float]]

    def labels(self) -> dict[int, str]:
        """The most probable label of each `it`."""
        return {place: max(LABELS, key=row.__getitem__) for place, row in self.chances.items()}


def scorer_of(model: Path | None) -> ItScorer:
    """The model of a file, or the patterns if there is none."""
    return PatternScorer() if model is None else load_classifier(model)


def label_text(sentences: Iterable[Sequence[str]], scorer: ItScorer) -> Iterator[LabelledSentence]:
    """All sentences with what their `it` are; an empty sentence ends a document."""
    rest = iter(sentences)
    before: tuple[str, ...] = ()
    while chunk := [tuple(words) for words in islice(rest, AT_ONCE)]:
        contexts = []
        for words in chunk:
            contexts.append([ItContext(words, place, before) for place in positions(words)])
            before = words
        flat = annotate_contexts([one for row in contexts for one in row], scorer.annotator)
        rows = iter(scorer.probabilities(flat).tolist())
        for words, own in zip(chunk, contexts, strict=True):
            chances = {one.position: dict(zip(LABELS, next(rows), strict=True)) for one in own}
            yield LabelledSentence(words, chances)


def annotate_contexts(contexts: Sequence[ItContext], annotator: str) -> list[ItContext]:
    """The contexts with the annotation of this name (`crosspro annotate` lists them)."""
    if annotator == LIGHT:
        return list(contexts)
    groups = [own for _, own in by_sentence(contexts)]
    texts = (text for own in groups for text in (own[0].words, own[0].before) if text)
    sentences = list(dict.fromkeys(texts))
    made = make_annotator(annotator, "en", "universal").annotate(sentences)
    known = dict(zip(sentences, made, strict=True))
    found = []
    for own in groups:
        annotated, before = known[own[0].words], known.get(own[0].before)
        found += [replace(one, annotated=annotated, annotated_before=before) for one in own]
    return found
