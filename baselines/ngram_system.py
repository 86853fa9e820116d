"""The official baseline as a system: an n-gram model over target lemmas with a NONE penalty.

Shared tasks of 2016 and 2017 (003 §4, 004 §4): a 5-gram model; the penalty is 0, or the best of
0, -0.5, …, -4 on dev. All gaps of a line are filled at once, with the best of the fillings that the
official program tries, or the best of all (`best_filling`), as `crosspro lm fill` does; the
probability of a class, for ensembles, is that of all its fillers together.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from crosspro.baselines.fill import GapFiller, task_fillers
from crosspro.baselines.ngram.files import load_ngram_model, save_model
from crosspro.baselines.ngram.kneser_ney import MAX_ORDER, estimate
from crosspro.baselines.ngram.model import NGramModel
from crosspro.baselines.ngram.text import encoded, gold_sentence, read_sentences
from crosspro.baselines.official_search import ListedFillings, listed_fillings
from crosspro.data_prep.core.files import read_json_object, write_text
from crosspro.data_prep.core.settings import Words, check_settings, settings
from crosspro.data_prep.core.task import Task
from crosspro.prediction.dev_score import dev_score
from crosspro.prediction.fit_report import FitReport
from crosspro.prediction.system import Classes, Examples, Probabilities, System

PENALTIES = tuple(0.0 - 0.5 * step for step in range(9))

NGramOrder = Annotated[int, Field(ge=1, le=MAX_ORDER)]
_MODEL, _STATE = "model.npz", "ngram.json"


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


class FillingSystem(System):
    """A system that fills gaps with an n-gram model; `filler` and `read` differ."""

    model: NGramModel

    @abstractmethod
    def filler(self) -> GapFiller:
        """What may fill a gap."""

    def read(self, examples: Examples) -> Examples:
        """The examples as the model reads them."""
        return examples

    def unadjusted(self, examples: Examples) -> Probabilities:
        """The summed probability of the fillers of each class."""
        filler, index = self.filler(), self.task.class_index
        onto = np.zeros((len(filler.fillers), len(self.task.classes)))
        onto[np.arange(len(onto)), [index[name] for name in filler.fillers.classes]] = 1
        return np.asarray(filler.probabilities(self.read(examples)) @ onto)

    def choose(self, examples: Examples, probabilities: Probabilities | None = None) -> Classes:
        """The classes of the best filling of each line; `summed`: the most probable ones."""
        if self.settings.decision == "summed":
            return super().choose(examples, probabilities)
        filler = self.filler()
        classes = [self.task.class_index[name] for name in filler.fillers.classes]
        fillings = filler.fill(self.read(examples))
        return np.array([classes[n] for line in fillings for n in line], dtype=np.int64)

    def save_state(self, folder: Path) -> None:
        save_model(folder / _MODEL, self.model)

    def load_state(self, folder: Path) -> None:
        self.model = load_ngram_model(folder / _MODEL)


class NGramSystem(FillingSystem):
    """The baseline of the shared tasks."""

    name = "ngram"
    settings_class = NGramSettings
    settings: NGramSettings

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)
        self.penalty = self.settings.none_penalty or 0.0
        self._listed: tuple[Examples, list[ListedFillings]] | None = None

    @property
    def shown_name(self) -> str:
        """The name of its row in the papers (`baseline-1.5`); `baseline-tuned` if dev chooses."""
        penalty = self.settings.none_penalty
        return "baseline-tuned" if penalty is None else f"baseline{penalty:g}"

    def fit(self, task: Task, train: Examples, dev: Examples, folder: Path | None = None) -> None:
        self.task = task
        if self.settings.lm:
            self.model = load_ngram_model(self.settings.lm)
        else:
            self.model = train_model(train, self.settings.texts, self.settings.order)
        if self.settings.none_penalty is None:
            self._tune_penalty(dev)

    def _tune_penalty(self, dev: Examples) -> None:
        """Take the penalty with the best macro recall on dev; of equal ones the nearest to 0."""
        scores = {name: dev_score(self.task, dev, name) for name in ("macro_recall", "accuracy")}
        grid = []
        for self.penalty in PENALTIES:
            chosen = np.eye(len(self.task.classes))[self.decide(dev)]
            row = {name: score(chosen) for name, score in scores.items()}
            grid.append({"none_penalty": self.penalty, **row})
        best = max(grid, key=lambda row: row["macro_recall"])
        self.penalty, score = best["none_penalty"], best["macro_recall"]
        equal = all(row["macro_recall"] == score for row in grid)
        warning = "warning: the NONE penalty makes no difference on dev, so that 0 is taken"
        by_penalty = ", ".join(f"{r['none_penalty']:g}: {r['macro_recall']:.2f}" for r in grid)
        name = f"NONE penalty {self.penalty:g}"
        figures = {"monitor": "macro_recall", "score": score, "penalty": self.penalty, "grid": grid}
        self.report = FitReport(
            f"{name}; dev macro_recall by penalty: {by_penalty}",
            figures,
            (warning,) if equal else (),
        )

    def choose(self, examples: Examples, probabilities: Probabilities | None = None) -> Classes:
        """The classes of the best of the fillings that the official program tries, or of all."""
        if self.settings.decision != "official":
            return super().choose(examples, probabilities)
        fillers = self.filler().fillers
        if self._listed is None or self._listed[0] is not examples:
            with_gaps = (example for example in examples if example.gaps)
            listed = [listed_fillings(self.model, fillers, example) for example in with_gaps]
            self._listed = examples, listed  # the penalties are compared on one list
        classes = np.array([self.task.class_index[name] for name in fillers.classes])
        best = [line.choices[line.best(self.penalty)] for line in self._listed[1]]
        return np.asarray(classes[np.concatenate([np.zeros(0, np.int64), *best])], np.int64)

    def filler(self) -> GapFiller:
        fillers = task_fillers(self.task, self.settings.other_fillers)
        return GapFiller(self.model, fillers, self.penalty)

    def variants(self) -> dict[str, System]:
        """The baseline with penalty 0, which the papers report beside the tuned one."""
        if self.settings.none_penalty is not None:
            return {}
        plain = NGramSystem(**{**vars(self.settings), "none_penalty": 0.0})
        plain.task, plain.model = self.task, self.model
        return {plain.shown_name: plain}

    def save_state(self, folder: Path) -> None:
        super().save_state(folder)
        write_text(folder / _STATE, json.dumps({"penalty": self.penalty}))

    def load_state(self, folder: Path) -> None:
        super().load_state(folder)
        path = folder / _STATE
        self.penalty = check_settings(_State, read_json_object(path), path).penalty


@settings
class _State:
    """What is chosen on dev."""

    penalty: float


def train_model(train: Examples, texts: Sequence[str], order: int) -> NGramModel:
    return model_of(map(gold_sentence, train), order, texts)


def model_of(
    sentences: Iterable[Sequence[str]], order: int, texts: Sequence[str] = ()
) -> NGramModel:
    return estimate(chain(map(encoded, sentences), read_sentences(map(Path, texts))), order).model
