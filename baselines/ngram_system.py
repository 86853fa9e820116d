"""The official baseline as a system: an n-gram model over target lemmas with a NONE penalty.

Shared tasks of 2016 and 2017 (003 §4, 004 §4): a 5-gram model; the penalty is 0, or the best of
0, -0.5, …, -4 on dev. All gaps of a line are filled at once, with the best of the fillings that the
official program tries, or the best of all (`best_filling`), as `crosspro lm fill` does; the
probability of a class, for ensembles, is that of all its fillers together.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from crosspro.baselines.fill import Fillers, Floats, GapFiller, filling_evidence, task_fillers
from crosspro.baselines.ngram.files import load_ngram_model, save_model
from crosspro.baselines.ngram.kneser_ney import MAX_ORDER, estimate
from crosspro.baselines.ngram.model import NGramModel
from crosspro.baselines.ngram.text import encoded, gold_sentence, read_sentences
from crosspro.baselines.official_search import ListedFillings, listed_fillings
from crosspro.data_prep.core.errors import input_error, quoted
from crosspro.data_prep.core.files import read_json_object, write_text
from crosspro.data_prep.core.settings import Words, settings
from crosspro.data_prep.core.task import Task
from crosspro.prediction.dev_score import dev_score
from crosspro.prediction.evidence import Evidence, GapQuestion
from crosspro.prediction.fit_report import FitReport
from crosspro.prediction.system import Classes, Examples, Probabilities, System

PENALTIES = tuple(0.0 - 0.5 * step for step in range(9))

NGramOrder = Annotated[int, Field(ge=1, le=MAX_ORDER)]
Decision = Literal["best_filling", "summed"]
"""The best filling of a whole line, or for each gap the class whose fillers have most together."""

MODEL = "model.npz"
_STATE, _GRID = "ngram.json", "none_penalty.json"


@settings
class NGramSettings:
    """The model, or the text to estimate it from, and how gaps are decided.

    `lm` is a model that exists; else one is estimated from the targets of the training examples,
    gold words filled in, and from `texts`, files of lemmatised text. `none_penalty` is tuned on dev
    if it is None. `other_fillers` replaces the official words of the class OTHER, which come from
    the test sets.
    """

    order: NGramOrder = 5
    lm: str | None = None
    texts: Words = ()
    none_penalty: float | None = None
    other_fillers: Words | None = None
    decision: Literal["official", "best_filling", "summed"] = "official"


class NGramSystem(System):
    """Fills gaps with an n-gram model."""

    name = "ngram"
    settings_class = NGramSettings
    settings: NGramSettings
    model: NGramModel

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)
        self.penalty = self.settings.none_penalty or 0.0
        self._listed: tuple[Examples, list[ListedFillings]] | None = None

    def fit(self, task: Task, train: Examples, dev: Examples, folder: Path | None = None) -> None:
        """Estimate or load the model, and tune the penalty on dev unless it is set."""
        self.task = task
        if self.settings.lm:
            self.model = load_ngram_model(self.settings.lm)
        else:
            self.model = train_model(train, self.settings.texts, self.settings.order)
        if self.settings.none_penalty is not None:
            return
        recall, accuracy = dev_score(task, dev, "macro_recall"), dev_score(task, dev, "accuracy")
        grid: dict[float, float] = {}
        rows = []
        for self.penalty in PENALTIES:
            chosen = np.eye(len(task.classes))[self.decide(dev)]
            grid[self.penalty] = recall(chosen)
            scores = {"macro_recall": recall(chosen), "accuracy": accuracy(chosen)}
            rows.append({"none_penalty": self.penalty, **scores})
        self.penalty = max(PENALTIES, key=grid.__getitem__)
        by_penalty = ", ".join(f"{penalty:g}: {score:.2f}" for penalty, score in grid.items())
        equal = "warning: the NONE penalty makes no difference on dev, so that 0 is taken"
        best = f"NONE penalty {self.penalty:g}"
        self.report = FitReport(
            f"{best}; dev macro_recall by penalty: {by_penalty}",
            {
                "monitor": "macro_recall",
                "score": grid[self.penalty],
                "penalty": self.penalty,
                "grid": rows,
            },
            (equal,) if len(set(grid.values())) == 1 else (),
            f"{best}, chosen by dev macro_recall {grid[self.penalty]:.2f}",
        )
        if folder is not None:
            write_text(folder / _GRID, json.dumps(rows, indent=2) + "\n")

    def predict(self, examples: Examples) -> Probabilities:
        """The summed probability of the fillers of each class."""
        filler = self._filler()
        return by_class(self.task, filler.fillers, filler.probabilities(examples))

    def decide(self, examples: Examples, probabilities: Probabilities | None = None) -> Classes:
        """The classes of the best filling of each line, or the most probable ones."""
        if self.settings.decision == "summed":
            return super().decide(examples, probabilities)
        if self.settings.decision == "best_filling":
            return best_classes(self.task, self._filler(), examples)
        fillers = self._filler().fillers
        if self._listed is None or self._listed[0] is not examples:
            with_gaps = (example for example in examples if example.gaps)
            listed = [listed_fillings(self.model, fillers, example) for example in with_gaps]
            self._listed = examples, listed  # the penalties are compared on one list
        classes = np.array([self.task.class_index[name] for name in fillers.classes])
        best = [line.choices[line.best(self.penalty)] for line in self._listed[1]]
        return np.asarray(classes[np.concatenate([np.zeros(0, np.int64), *best])], np.int64)

    def _filler(self) -> GapFiller:
        fillers = task_fillers(self.task, self.settings.other_fillers)
        return GapFiller(self.model, fillers, self.penalty)

    def evidence(self, question: GapQuestion) -> Evidence:
        """The fillings of the gap with their scores."""
        chosen, against = self.task.classes[question.chosen], self.task.classes[question.against]
        return filling_evidence(self._filler(), question.example, question.number, chosen, against)

    def variants(self) -> dict[str, System]:
        """The baseline with penalty 0, which the papers report beside the tuned one."""
        if self.settings.none_penalty is not None:
            return {}
        plain = NGramSystem(**{**vars(self.settings), "none_penalty": 0.0})
        plain.task, plain.model = self.task, self.model
        return {f"{self.name}_penalty_0": plain}

    def save_state(self, folder: Path) -> None:
        """Write the model and the penalty."""
        save_model(folder / MODEL, self.model)
        write_text(folder / _STATE, json.dumps({"penalty": self.penalty}))

    def load_state(self, folder: Path) -> None:
        """Read the model and the penalty."""
        self.model = load_ngram_model(folder / MODEL)
        penalty = read_json_object(folder / _STATE).get("penalty")
        # JSON numbers are finite as they are read.
        if not isinstance(penalty, int | float) or isinstance(penalty, bool):
            found = quoted(json.dumps(penalty))
            raise input_error(folder / _STATE, "penalty", "a number", found)
        self.penalty = float(penalty)


def train_model(train: Examples, texts: Sequence[str], order: int) -> NGramModel:
    """A model of the targets of examples with their gold words, and of further text."""
    return model_of(map(gold_sentence, train), order, texts)


def model_of(
    sentences: Iterable[Sequence[str]], order: int, texts: Sequence[str] = ()
) -> NGramModel:
    """A model of sentences and of files of text."""
    return estimate(chain(map(encoded, sentences), read_sentences(map(Path, texts))), order).model


def by_class(task: Task, fillers: Fillers, chances: Floats) -> Probabilities:
    """Probabilities of fillers as probabilities of classes."""
    onto = np.zeros((len(fillers), len(task.classes)))
    onto[np.arange(len(fillers)), [task.class_index[name] for name in fillers.classes]] = 1
    return np.asarray(chances @ onto)


def best_classes(task: Task, filler: GapFiller, examples: Examples) -> Classes:
    """The class of each gap in the best filling of its line."""
    classes = [task.class_index[name] for name in filler.fillers.classes]
    chosen = [classes[number] for line in filler.fill(examples) for number in line.choices]
    return np.array(chosen, dtype=np.int64)
