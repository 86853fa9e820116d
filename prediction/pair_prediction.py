"""What a system says of a sentence pair: probabilities for each gap, and the words it points at.

A `Predictor` is a model for people who have text: it fills the gaps of a translation as it is
typed, with links from the prior that the model brings.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from weakref import WeakKeyDictionary

import numpy as np

from crosspro.data_prep.align.align import default_settings
from crosspro.data_prep.align.prior import Prior, load_prior
from crosspro.data_prep.annotate.layers import layers_in
from crosspro.data_prep.core.errors import InputError, Problem, input_error, quoted
from crosspro.data_prep.core.example import Example, Side
from crosspro.data_prep.core.files import is_archive
from crosspro.data_prep.core.task import OTHER, Task
from crosspro.data_prep.formats.pointed_nouns import PointedNouns
from crosspro.data_prep.pipeline.pairs.pair_links import PairAligner, aligner_of_package
from crosspro.data_prep.pipeline.pairs.pipeline import PairPipeline, PreparedPair
from crosspro.data_prep.pipeline.pairs.typed_text import (
    GAP,
    MOST_WORDS,
    WRITTEN_GAP,
    GapMark,
    SentencePair,
    TypedPair,
    check_typed,
    given_context,
    typed_pairs,
)
from crosspro.prediction.model_archive import PRIOR, archived_bytes
from crosspro.prediction.output import layer_notes, predicted
from crosspro.prediction.system import System, load_system


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


_PIPELINES: WeakKeyDictionary[System, PairPipeline] = WeakKeyDictionary()


def own_pipeline(system: System, run: Path | None = None) -> PairPipeline:
    """What prepares pairs for a system, made once, for it learns and loads for seconds.

    Links are made by the prior that its run brings, where the system is from one that does.
    """
    known = _PIPELINES.get(system)
    if known is None or known.task != system.task:
        aligner = partial(model_aligner, runs=[] if run is None else [run])
        known = _PIPELINES[system] = PairPipeline(system.task, make_aligner=aligner)
    return known


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
    return pointed_by_gap(system, examples)[gap] if system.points else ()


def pointed_by_gap(system: System, examples: Sequence[Example]) -> list[tuple[PointedWord, ...]]:
    """The words that a system points at for each gap of the last example; none if it does not."""
    number = len(examples[-1].gaps)
    if not system.points or not number:
        return [()] * number
    return [
        _pointed(examples, nouns) for nouns in predicted(system, examples).antecedents()[-number:]
    ]


def pointed_nouns(
    system: System, documents: Sequence[Sequence[Example]], classes: Sequence[str]
) -> list[tuple[PointedWord, ...]]:
    """The words that a system points at for the only gap of each document, given its class."""
    if not system.points or not documents:
        return [()] * len(documents)
    lines = [replace(line, document=str(n)) for n, some in enumerate(documents) for line in some]
    given = np.array([system.task.class_index[name] for name in classes], dtype=np.int64)
    found = system.antecedents(lines, given)
    return [_pointed(some, nouns) for some, nouns in zip(documents, found, strict=True)]


def _pointed(examples: Sequence[Example], nouns: PointedNouns) -> tuple[PointedWord, ...]:
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


UNFILLED = "…"
"""What stands in a filled text where the class says no word."""
_SHOWN, _SHARE, _POINTED = 5, 0.01, 0.1
_ENDS = frozenset('.!?…:«“"¿¡')


@dataclass(frozen=True)
class FilledPronoun:
    """A gap with the class that the model decides on, and what it is the translation of.

    `probabilities` has every class, the most probable first. `source` is the source word that the
    gap translates, at `source_index`; `hidden` the word that was hidden, if one was. `antecedents`
    are words that it probably stands for, the best first, where the model points at any.
    """

    label: str
    probabilities: Mapping[str, float]
    source: str
    source_index: int
    hidden: str | None
    antecedents: tuple[PointedWord, ...]


@dataclass(frozen=True)
class FilledText:
    """A translation whose gaps are filled.

    `text` has the first word of each class, the hidden word if it is of the class, or `…`.
    """

    model: str
    text: str
    gaps: tuple[FilledPronoun, ...]
    notes: tuple[str, ...]

    def __str__(self) -> str:
        lines = [self.text]
        for number, gap in enumerate(self.gaps, start=1):
            hidden = f", hidden: {gap.hidden}" if gap.hidden else ""
            lines.append(f"{number}. {gap.source}{hidden}")
            width = max(map(len, likely(gap.probabilities)))
            lines += [
                f"   {label:{width}}  {chance:.2f}"
                for label, chance in likely(gap.probabilities).items()
            ]
            if gap.antecedents:
                lines.append(f"   stands for {', '.join(map(_named, gap.antecedents))}")
        return "\n".join(lines)


def likely(probabilities: Mapping[str, float]) -> dict[str, float]:
    """The classes worth showing: those of one percent or more, five at most, at least the first."""
    shown = [(label, one) for label, one in probabilities.items() if one >= _SHARE][:_SHOWN]
    return dict(shown or list(probabilities.items())[:1])


def _named(word: PointedWord) -> str:
    far = {0: "", 1: ", a sentence before"}.get(word.before, f", {word.before} sentences before")
    return f"{word.word} ({word.probability:.2f}{far})"


@dataclass(frozen=True)
class Predictor:
    """A model and what it needs to read sentences as they are typed."""

    name: str
    system: System
    pipeline: PairPipeline

    @property
    def task(self) -> Task:
        """What the model predicts."""
        return self.system.task

    def fill(
        self,
        source: str,
        target: str,
        context: Iterable[tuple[str, str]] = (),
        hide: Iterable[str] = (),
    ) -> FilledText:
        """Fill the gaps of a translation: each REPLACE in the target, and each word of `hide`.

        `context` has the pairs of sentences before, the oldest first. Of a word to be hidden that
        is there several times, those are hidden that translate a pronoun of the source.
        """
        pair, system = SentencePair(source, target), self.system
        before = given_context(context)
        check_typed([*before, pair], self.task)
        self.pipeline.check_sizes([*before, pair], MOST_WORDS)
        before = before[len(before) - min(len(before), system.context) :]
        (typed,) = typed_pairs([pair], self.task)
        marks = self._hidden(pair, typed, [hide] if isinstance(hide, str) else list(hide))
        if not marks and not typed.written:
            expected = f"a gap: {WRITTEN_GAP} in the place of a pronoun, or a word to hide (--hide)"
            raise input_error("text", "target", expected, "none")
        parse = system.reads_source_parse
        prepared = self.pipeline.prepare(pair, before, marks or None, parse=parse)
        found = predict_last(system, prepared.examples)
        notes = layer_notes(system, "text", layers_in(prepared.examples)) if before else []
        example = prepared.example
        gaps = tuple(
            FilledPronoun(
                one.label,
                dict(sorted(one.probabilities.items(), key=lambda item: -item[1])),
                example.source[gap.source_index],
                gap.source_index,
                hidden.word,
                tuple(word for word in words if word.probability >= _POINTED)[:_SHOWN],
            )
            for one, gap, hidden, words in zip(
                found,
                example.gaps,
                prepared.gaps,
                pointed_by_gap(system, prepared.examples),
                strict=True,
            )
        )
        words = {
            place[0]: _word(gap, self.task)
            for gap, here in zip(gaps, example.gaps, strict=True)
            if (place := prepared.words[here.position]) is not None
        }
        text = _filled(target, typed, words)
        return FilledText(self.name, text, gaps, (*prepared.notes, *notes))

    def _hidden(self, pair: SentencePair, typed: TypedPair, words: Sequence[str]) -> list[GapMark]:
        """The places of the words to be hidden; all faults are raised."""
        marks: list[GapMark] = []
        problems: list[Problem] = []
        for word in dict.fromkeys(word.lower().strip().replace("’", "'") for word in words):
            places = [
                place
                for place, one in enumerate(typed.target)
                if one.lower() == word and place not in typed.stand_ins
            ]
            if len(places) > 1:
                places = [one for one in places if one in self._translations(pair)] or places
            if not places:
                problems.append(Problem("text", None, "hide", "a word of the target", quoted(word)))
            marks += [GapMark(place) for place in places]
        if problems:
            raise InputError(problems)
        return marks

    def _translations(self, pair: SentencePair) -> set[int]:
        """The places of the target that the rules of the task would hide."""
        prepared = self.pipeline.prepare(pair, gaps=None)
        found = (prepared.words[gap.position] for gap in prepared.example.gaps)
        return {word[0] for word in found if word is not None}


def load_predictor(run: Path, name: str | None = None) -> Predictor:
    """A model of a run or an archive, ready to fill gaps; `name` is what it is called."""
    system = load_system(run)
    return Predictor(name or run.stem, system, own_pipeline(system, run))


def model_aligner(task: Task, runs: Sequence[Path]) -> PairAligner:
    """Links by the prior that the first of some models brings, else by texts of the package."""
    prior = next((one for one in map(model_prior, runs) if one is not None), None)
    if prior is None:
        return aligner_of_package(task)
    return PairAligner(default_settings(task), prior, "the training text of the model")


def model_prior(run: Path) -> Prior | None:
    """What a run or an archive brings to link the words of single sentences, if it does."""
    if not is_archive(run):
        return load_prior(run / PRIOR) if (run / PRIOR).is_file() else None
    content = archived_bytes(run, PRIOR)
    if content is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / PRIOR
        place.write_bytes(content)
        return load_prior(place)


def _word(gap: FilledPronoun, task: Task) -> str:
    """What a class says: the word that was hidden if it is of the class, else the first one."""
    if gap.label == OTHER:
        return UNFILLED
    if gap.hidden and task.class_of(gap.hidden.lower()) == gap.label:
        return gap.hidden
    return task.forms.get(gap.label, (gap.label,))[0]


def _filled(text: str, typed: TypedPair, words: Mapping[int, str]) -> str:
    """The text as it was typed, with words in the places of some tokens."""
    spans = {place: _span(text, typed, place) for place in sorted(words)}
    if None in spans.values():  # the tokeniser has made something else of the word
        text = " ".join(
            WRITTEN_GAP if place in typed.stand_ins else word
            for place, word in enumerate(typed.target)
        )
        spans = {place: _span(text, typed, place) for place in spans}
    parts: list[str] = []
    end = 0
    for place, span in spans.items():
        if span is None:
            continue
        word, before = words[place], text[: span[0]].rstrip()
        if not before or before[-1] in _ENDS:
            word = word[:1].upper() + word[1:]
        parts += [text[end : span[0]], word]
        end = span[1]
        if text[end - 1] in "'’" and word[-1] not in "'’" and text[end : end + 1].isalnum():
            parts.append(" ")  # c'est: elle est
        if word.endswith("'") and text[end : end + 1] == " ":
            end += 1
    return "".join([*parts, text[end:]])


def _span(text: str, typed: TypedPair, place: int) -> tuple[int, int] | None:
    """Where a target token is in a text: of equal ones, the one with as many of them before it."""
    written = typed.stand_ins
    pattern, alike = GAP, sorted(written)
    if place not in written:
        word = typed.target[place]
        alike = [
            one for one, other in enumerate(typed.target) if other == word and one not in written
        ]
        letters = re.escape(word).replace("'", "['’]")
        pattern = re.compile(rf"(?<!\w){letters}" + (r"(?!\w)" if word[-1:].isalnum() else ""))
    found = [match.span() for match in pattern.finditer(text)]
    return found[alike.index(place)] if len(found) == len(alike) else None
