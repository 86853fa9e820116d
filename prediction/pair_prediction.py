"""Predictions for text as people write it: a sentence, its translation, and what they stand in.

`Predictor` is a model with the pipeline that tokenises and links a sentence pair. `Prediction` is
the result for a pair, and for a line of a five-column file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from crosspro.data_prep.align.prior import load_prior
from crosspro.data_prep.annotate.bitext import Segment
from crosspro.data_prep.annotate.layers import layers_in
from crosspro.data_prep.annotate.tokenise import token_places, tokenise
from crosspro.data_prep.core.errors import input_error, printable, quoted
from crosspro.data_prep.core.example import Example, Gap, Side
from crosspro.data_prep.core.task import OTHER, Task
from crosspro.data_prep.formats.pointed_nouns import PointedNouns
from crosspro.data_prep.pipeline.pairs.pair_links import PairAligner
from crosspro.data_prep.pipeline.pairs.pipeline import PairPipeline, PreparedPair
from crosspro.data_prep.pipeline.pairs.typed_text import (
    WRITTEN_GAP,
    given_context,
)
from crosspro.prediction.model_archive import PRIOR, opened_run
from crosspro.prediction.output import Predicted, predicted
from crosspro.prediction.system import System, load_saved, model_folder

UNFILLED = "…"
"""Stands in a filled text where the class has no word of its own."""
_SHOWN, _SHARE, _POINTED = 5, 0.01, 0.1
"""Classes and antecedents shown of a gap at most, and from which probability on."""
_ENDS = frozenset('.!?…:«“"¿¡')


@dataclass(frozen=True)
class PointedWord:
    """A word that a system takes for the antecedent, and its probability, given the class.

    `before` counts sentences from that of the gap backwards.
    """

    word: str
    side: Side
    before: int
    position: int
    probability: float

    def __str__(self) -> str:
        far = f", {self.before} sentences before" if self.before > 1 else ", a sentence before"
        return f"{self.word} ({self.probability:.2f}{far if self.before else ''})"


@dataclass(frozen=True, repr=False)
class PredictedGap:
    """The class of a gap, all probabilities (the largest first), and the source word it translates.

    `hidden` is the word that was hidden, if any; `antecedents` are words that the gap probably
    stands for, the best first, if the model points at any.
    """

    label: str
    probabilities: Mapping[str, float]
    source: str
    source_index: int
    hidden: str | None = None
    antecedents: tuple[PointedWord, ...] = ()

    def __repr__(self) -> str:
        likely = likely_classes(self.probabilities).items()
        shown = ", ".join(f"{label} {probability:.2f}" for label, probability in likely)
        return f"<PredictedGap {printable(quoted(self.source))}: {shown}>"


@dataclass(frozen=True, repr=False)
class Prediction:
    """A sentence pair with its gaps filled.

    `text` is the translation with the first word of each class, the hidden word if it is of the
    class, or `…`. `example` is the pair as a line of a five-column file, with the predicted labels,
    and `context` the examples before it that the model read.
    """

    model: str
    text: str
    gaps: tuple[PredictedGap, ...]
    example: Example
    context: tuple[Example, ...] = ()
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = [self.text]
        for number, gap in enumerate(self.gaps, start=1):
            hidden = f", hidden: {gap.hidden}" if gap.hidden else ""
            lines.append(f"{number}. {gap.source}{hidden}")
            likely = likely_classes(gap.probabilities)
            width = max(map(len, likely))
            lines += [f"   {label:{width}}  {share:.2f}" for label, share in likely.items()]
            if gap.antecedents:
                lines.append(f"   stands for {', '.join(map(str, gap.antecedents))}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Prediction {printable(quoted(self.text, 100))}>"


def likely_classes(probabilities: Mapping[str, float]) -> dict[str, float]:
    """The classes worth showing: those of one percent or more, five at most, at least the first."""
    likely = [pair for pair in probabilities.items() if pair[1] >= _SHARE][:_SHOWN]
    return dict(likely or list(probabilities.items())[:1])


# Examples -----------------------------------------------------------------------------------------


def predictions(results: Predicted) -> list[Prediction]:
    """A `Prediction` for each example; examples without gaps have one, too."""
    system = results.system
    rows = zip(results.probabilities.tolist(), results.antecedents(), strict=True)
    every = []
    for number, example in enumerate(results.labelled()):
        read = results.examples[: number + 1]
        gaps = tuple(_predicted_gap(system.task, read, gap, *next(rows)) for gap in example.gaps)
        words = {gap.position: gap.label or UNFILLED for gap in example.gaps}
        text = " ".join(words.get(place, word) for place, word in enumerate(example.target))
        every.append(Prediction(system.shown_name, text, gaps, example))
    return every


def _predicted_gap(
    task: Task,
    examples: Sequence[Example],
    gap: Gap,
    probabilities: Sequence[float],
    nouns: PointedNouns,
) -> PredictedGap:
    """A labelled gap of the last example."""
    by_class = zip(task.classes, probabilities, strict=True)
    words = _pointed_words(examples, nouns)
    return PredictedGap(
        gap.label or "",
        dict(sorted(by_class, key=lambda pair: -pair[1])),
        examples[-1].source[gap.source_index],
        gap.source_index,
        antecedents=tuple(word for word in words if word.probability >= _POINTED)[:_SHOWN],
    )


def _pointed_words(examples: Sequence[Example], nouns: PointedNouns) -> tuple[PointedWord, ...]:
    return tuple(
        PointedWord(
            getattr(examples[-1 - noun.sentences], noun.side)[noun.index],
            noun.side,
            noun.sentences,
            noun.index,
            noun.given_class,
        )
        for noun in nouns
    )


def pointed_nouns(
    system: System, documents: Sequence[Sequence[Example]], classes: Sequence[str]
) -> list[tuple[PointedWord, ...]]:
    """The words that a system points at for the only gap of each document, given its class."""
    if not system.points or not documents:
        return [()] * len(documents)
    numbers = np.array([system.task.class_index[name] for name in classes], dtype=np.int64)
    nouns = system.antecedents(numbered_documents(documents), numbers)
    return list(map(_pointed_words, documents, nouns))


def numbered_documents(documents: Sequence[Sequence[Example]]) -> list[Example]:
    """The lines of all documents, each named by its number."""
    return [
        replace(line, document=str(number))
        for number, document in enumerate(documents)
        for line in document
    ]


# Sentence pairs -----------------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class Predictor:
    """A model and what it needs to read sentences as they are typed."""

    name: str
    system: System
    pipeline: PairPipeline

    def __repr__(self) -> str:
        return f"<Predictor {self.name}: {self.task.name}>"

    @property
    def task(self) -> Task:
        return self.system.task

    def predict(
        self,
        source: str,
        target: str,
        context: Iterable[tuple[str, str]] = (),
    ) -> Prediction:
        """Predict the gaps of a translation: each REPLACE in the target.

        Without any, the pronouns that the rules of the task find are hidden and predicted.
        `context` has the pairs of sentences before, the oldest first.
        """
        return self._predict([(Segment(source, target), given_context(context))])[0]

    def predict_many(
        self, pairs: Iterable[tuple[str, str]], documents: Sequence[object] | None = None
    ) -> list[Prediction]:
        """Predict many pairs at once, which is faster.

        `documents` has the document of each pair: those before it in its document are its context.
        Without it no pair has context.
        """
        listed = given_context(pairs)
        names = range(len(listed)) if documents is None else list(documents)
        if len(names) != len(listed):
            expected = f"{len(listed)}, one for each pair"
            raise input_error("text", "documents", expected, str(len(names)))
        jobs = []
        for number, pair in enumerate(listed):
            first = number
            while first and names[first - 1] == names[number]:
                first -= 1
            jobs.append((pair, listed[first:number]))
        return self._predict(jobs)

    def _predict(self, jobs: Sequence[tuple[Segment, Sequence[Segment]]]) -> list[Prediction]:
        """The predictions for pairs with their contexts."""
        if not jobs:
            return []
        prepared = [self._prepared(pair, context) for pair, context in jobs]
        documents = [pair.examples for pair in prepared]
        results = predictions(predicted(self.system, numbered_documents(documents)))
        ends = np.cumsum([len(document) for document in documents])
        return [
            self._with_words(job[0].target, pair, results[end - 1])
            for job, pair, end in zip(jobs, prepared, ends.tolist(), strict=True)
        ]

    def _prepared(self, pair: Segment, context: Sequence[Segment]) -> PreparedPair:
        system = self.system
        before = context[len(context) - min(len(context), system.context) :]
        prepared = self.pipeline.prepare(pair, before)
        if not prepared.gaps:
            expected = f"a pronoun of the task, or {WRITTEN_GAP} in the place of one"
            raise input_error("text", "target", expected, "none")
        notes = system.layer_warnings("text", layers_in(prepared.examples)) if before else []
        return replace(prepared, notes=(*prepared.notes, *notes))

    def _with_words(self, target: str, prepared: PreparedPair, result: Prediction) -> Prediction:
        gaps = tuple(
            replace(gap, hidden=hidden.word)
            for gap, hidden in zip(result.gaps, prepared.gaps, strict=True)
        )
        words = {
            place[0]: _word(gap, self.task)
            for gap, position in zip(gaps, prepared.example.gaps, strict=True)
            if (place := prepared.words[position.position]) is not None
        }
        example = prepared.example.with_labels([gap.label for gap in gaps])
        text = _filled(target, self.task.target_language, words)
        return Prediction(self.name, text, gaps, example, prepared.examples[:-1], prepared.notes)


def load_predictor(run: Path, name: str | None = None) -> Predictor:
    """The model of a run or an archive; words are linked by the prior that it brings."""
    with opened_run(run) as folder:
        system = load_saved(model_folder(folder))
        prior = load_prior(folder / PRIOR) if (folder / PRIOR).is_file() else None
    pipeline = PairPipeline(system.task)
    if prior is not None:
        aligner = PairAligner(system.task.symmetrisation, prior)
        pipeline = PairPipeline(system.task, lambda task: aligner)
    return Predictor(name or run.stem, system, pipeline)


def _word(gap: PredictedGap, task: Task) -> str:
    """The word of a class: the hidden word if it is of the class, else the first one."""
    if gap.label == OTHER:
        return UNFILLED
    if gap.hidden and task.class_of(gap.hidden.lower()) == gap.label:
        return gap.hidden
    return task.forms.get(gap.label, (gap.label,))[0]


def _filled(text: str, language: str, words: Mapping[int, str]) -> str:
    """A text with words in the places of some of its tokens."""
    tokens = tokenise(text, language)
    spans = token_places(text, tokens)
    if any(spans[place] is None for place in words):  # the tokeniser has changed the word
        text = " ".join(tokens)
        spans = token_places(text, tokens)
    parts: list[str] = []
    end = 0
    for place, word in sorted(words.items()):
        span = spans[place]
        if span is None:
            continue
        before = text[: span[0]].rstrip()
        if not before or before[-1] in _ENDS:
            word = word[:1].upper() + word[1:]
        parts += [text[end : span[0]], word]
        end = span[1]
        if text[end - 1] in "'’" and word[-1] not in "'’" and text[end : end + 1].isalnum():
            parts.append(" ")  # c'est: elle est
        if word.endswith("'") and text[end : end + 1] == " ":
            end += 1
    return "".join([*parts, text[end:]])
