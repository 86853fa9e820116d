"""What a system says of a sentence pair: probabilities for each gap, and the words it points at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from crosspro.data_prep.annotate.layers import layers_in
from crosspro.data_prep.core.example import Example, Side
from crosspro.data_prep.pipeline.pairs.pipeline import PairPipeline, PreparedPair
from crosspro.data_prep.pipeline.pairs.typed_text import GapMark, SentencePair
from crosspro.prediction.output import layer_notes, predicted
from crosspro.prediction.system import System


@dataclass(frozen=True)
class GapPrediction:
    """The class that a system decides on, and the probability of every class."""

    label: str
    probabilities: Mapping[str, float]


@dataclass(frozen=True)
class PairPrediction:
    """A prepared pair and the prediction for each of its gaps, in the order of the target.

    `notes` say what was done otherwise than in a whole text, or than in the system's training.
    """

    system: str
    pair: PreparedPair
    gaps: tuple[GapPrediction, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class PointedWord:
    """A word that a system takes for the antecedent, and how probable that is, given its class.

    `before` counts sentences from that of the gap backwards.
    """

    word: str
    side: Side
    before: int
    position: int
    probability: float


def predict_pair(
    system: System,
    pipeline: PairPipeline,
    pair: SentencePair,
    context: Sequence[SentencePair] = (),
    gaps: Sequence[GapMark] | None = None,
) -> PairPrediction:
    """Prepare a pair with the sentences before it and predict its gaps."""
    prepared = pipeline.prepare(pair, context, gaps, parse=system.reads_source_parse)
    notes = layer_notes(system, "text", layers_in(prepared.examples))
    found = predict_last(system, prepared.examples)
    return PairPrediction(system.shown_name, prepared, found, (*prepared.notes, *notes))


def as_learnt(system: System, examples: Sequence[Example]) -> Sequence[Example]:
    """Typed text as a system reads it: without the parse, if it was not trained with one."""
    if system.reads_source_parse:
        return examples
    return [replace(example, source_parse=None) for example in examples]


def predict_last(system: System, examples: Sequence[Example]) -> tuple[GapPrediction, ...]:
    """The predictions for the gaps of the last example; those before it are its document."""
    number = len(examples[-1].gaps)
    if not number:
        return ()
    found = predicted(system, examples)
    chosen, chances, classes = found.classes, found.probabilities, system.task.classes
    return tuple(
        GapPrediction(classes[int(label)], dict(zip(classes, row.tolist(), strict=True)))
        for label, row in zip(chosen[-number:], chances[-number:], strict=True)
    )


def pointed_words(system: System, examples: Sequence[Example], gap: int) -> tuple[PointedWord, ...]:
    """The words that a system points at for a gap (from 0) of the last example, the best first."""
    if not system.points:
        return ()
    every = predicted(system, examples).antecedents()
    nouns = every[len(every) - len(examples[-1].gaps) + gap]
    return tuple(
        PointedWord(
            getattr(examples[-1 - noun.sentences], noun.side)[noun.index],
            noun.side,
            noun.sentences,
            noun.index,
            noun.given,
        )
        for noun in nouns
    )
