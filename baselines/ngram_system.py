"""The official baseline as a system: an n-gram model over target lemmas with a NONE penalty.

Shared tasks of 2016 and 2017 (§4 of both papers): a 5-gram model; the penalty is 0, or the best of
0, -0.5, …, -4 on dev. A line gets its best filling, all gaps together, as `crosspro lm fill` does;
the probability of a class, for ensembles, is that of all its fillers together.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import numpy as np
from pydantic import Field

from crosspro.baselines.fill import Fillers, Floats, GapFiller, filling_evidence, task_fillers
from crosspro.baselines.ngram import DEFAULT_FALLBACK
from crosspro.baselines.ngram.estimate import EstimationSettings, estimate
from crosspro.baselines.ngram.load import load_own, save_model
from crosspro.baselines.ngram.model import NGramModel
from crosspro.baselines.ngram.text import SentenceBatch, filled, read_sentences
from crosspro.data_prep.core.errors import CrossproError, input_error, quoted
from crosspro.data_prep.core.files import read_json_object, write_text
from crosspro.data_prep.core.settings import Words, settings
from crosspro.data_prep.core.task import Task
from crosspro.evaluation.metrics.submissions.scores import accuracy, confusion_counts, macro_recall
from crosspro.prediction.evidence import Evidence, GapQuestion
from crosspro.prediction.system import Classes, Examples, Probabilities, System

PENALTIES: tuple[float, ...] = tuple(0.0 - 0.5 * step for step in range(9))

Decision = Literal["best_filling", "summed"]
"""The best filling of a whole line, or for each gap the class whose fillers have most together."""
BEST_FILLING, SUMMED = DECISIONS = get_args(Decision)

_MODEL = "model.lm"
_STATE = "ngram.json"


@settings
class NGramSettings:
    """The model, its text, and how gaps are decided."""

    order: Annotated[int, Field(ge=1)] = 5
    lm: str | None = None
    texts: Words = ()
    none_penalty: float | None = None
    other_fillers: Words | None = None
    decision: Decision = "best_filling"


class NGramSystem(System):
    """Fills gaps with an n-gram model; `lm` is a model that exists, else one is trained.

    A model is trained on the targets of the training examples, gold words filled in, and on
    `texts`, files of lemmatised text. `none_penalty` is tuned on dev if it is None. `other_fillers`
    replaces the official list of words of the class OTHER, which comes from the test sets.
    `decision` is one of `DECISIONS`; the penalty is tuned for it.
    """

    name = "ngram"
    settings_class = NGramSettings
    settings: NGramSettings

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)
        self.penalty = self.settings.none_penalty or 0.0
        self.grid: dict[float, tuple[float, float]] = {}
        self.model: NGramModel

    def fit(self, task: Task, train: Examples, dev: Examples, folder: Path | None = None) -> None:
        """Train or load the model, and tune the penalty on dev unless it is given."""
        self.task = task
        self.model = (
            load_own(self.settings.lm)
            if self.settings.lm
            else train_model(train, self.settings.texts, self.settings.order)
        )
        if self.settings.none_penalty is None:
            self._tune(dev)
        if folder is not None and self.grid:
            rows = [
                {"none_penalty": p, "macro_recall": r, "accuracy": a}
                for p, (r, a) in self.grid.items()
            ]
            write_text(folder / "none_penalty.json", json.dumps(rows, indent=2) + "\n")

    def _tune(self, dev: Examples) -> None:
        labels = [gap.label for example in dev for gap in example.gaps]
        if not labels or None in labels:
            raise CrossproError("dev: expected a label for every gap, found gaps without")
        gold = np.array([self.task.class_index[label or ""] for label in labels])
        size = len(self.task.classes)
        for penalty in PENALTIES:
            found = self._decided(dev, penalty)
            counts = confusion_counts(gold, found, size)
            self.grid[penalty] = float(macro_recall(counts)), float(accuracy(counts))
        self.penalty = max(PENALTIES, key=lambda one: self.grid[one][0])

    def predict(self, examples: Examples) -> Probabilities:
        """The summed probability of the fillers of each class."""
        return self._with_penalty(examples, self.penalty)

    def decide(self, examples: Examples, probabilities: Probabilities | None = None) -> Classes:
        """The classes of the best filling of each line, or the most probable ones."""
        if self.settings.decision == SUMMED:
            return super().decide(examples, probabilities)
        return self._decided(examples, self.penalty)

    def _decided(self, examples: Examples, penalty: float) -> Classes:
        if self.settings.decision == SUMMED:
            return super().decide(examples, self._with_penalty(examples, penalty))
        return best_classes(self.task, self._filler(penalty), examples)

    def _with_penalty(self, examples: Examples, penalty: float) -> Probabilities:
        filler = self._filler(penalty)
        return by_class(self.task, filler.fillers, filler.probabilities(examples))

    def _filler(self, penalty: float) -> GapFiller:
        return GapFiller(self.model, task_fillers(self.task, self.settings.other_fillers), penalty)

    def evidence(self, question: GapQuestion) -> Evidence:
        """The fillings of the gap with their scores."""
        pair = (self.task.classes[question.chosen], self.task.classes[question.against])
        filler = self._filler(self.penalty)
        return filling_evidence(filler, question.example, question.number, *pair)

    def variants(self) -> dict[str, System]:
        """The untuned baseline, which the papers report beside the tuned one, whatever that is."""
        if self.settings.none_penalty is not None:
            return {}
        plain = NGramSystem(**{**vars(self.settings), "none_penalty": 0.0})
        plain.task, plain.model = self.task, self.model
        return {f"{self.name}_penalty_0": plain}

    def save_state(self, folder: Path) -> None:
        """Write the model and the penalty."""
        save_model(folder / _MODEL, self.model)
        write_text(folder / _STATE, json.dumps({"penalty": self.penalty}))

    def load_state(self, folder: Path) -> None:
        """Read the model and the penalty."""
        self.model = load_own(folder / _MODEL)
        penalty = read_json_object(folder / _STATE).get("penalty")
        if not isinstance(penalty, int | float) or not abs(penalty) <= sys.float_info.max:
            found = quoted(json.dumps(penalty))
            raise input_error(folder / _STATE, "penalty", "a finite number", found)
        self.penalty = float(penalty)


def train_model(train: Examples, texts: Sequence[str], order: int) -> NGramModel:
    """A model of the targets of examples and of further text."""
    sentences = [filled(example) for example in train]
    return model_of(sentences, texts, order)


def model_of(sentences: Sequence[Sequence[str]], texts: Sequence[str], order: int) -> NGramModel:
    """A model of sentences and of further text."""
    encoded = [[word.encode("utf-8") for word in sentence] for sentence in sentences]
    batches = [SentenceBatch.of(Path("train"), 1, encoded), *read_sentences(map(Path, texts))]
    return estimate(
        batches, EstimationSettings(order=order, fallback=DEFAULT_FALLBACK, skip_symbols=True)
    ).model


def by_class(task: Task, fillers: Fillers, chances: Floats) -> Probabilities:
    """Probabilities of fillers as probabilities of classes."""
    onto = np.zeros((len(fillers), len(task.classes)))
    for number, name in enumerate(fillers.classes):
        onto[number, task.class_index[name]] = 1
    return np.asarray(chances @ onto)


def best_classes(task: Task, filler: GapFiller, examples: Examples) -> Classes:
    """The class of each gap in the best filling of its line."""
    classes = [task.class_index[name] for name in filler.fillers.classes]
    chosen = [classes[number] for line in filler.fill(examples) for number in line.choices]
    return np.array(chosen, dtype=np.int64)
