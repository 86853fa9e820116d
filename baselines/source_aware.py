"""The source-aware language model of UPPSALA 2016 (§5.8) and UU-Hardmeier 2017 (§5.4).

A 6-gram model over target lemmas in which a gap is a token of its class and knows the source
pronoun: in one token with the class (`joined`, 2016), or as a token of its own before the gap
(`before`, 2017). At test time the gap may be any class for its pronoun; the best path through the
whole line decides (Viterbi), and the posteriors are the system's probabilities, for ensembles.
Pronouns keep their case, as German `Sie` and `sie` are two words.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from crosspro.baselines.fill import Fillers, GapFiller, filling_evidence
from crosspro.baselines.majority import class_counts
from crosspro.baselines.ngram.load import load_own, save_model
from crosspro.baselines.ngram.model import NGramModel
from crosspro.baselines.ngram_system import (
    SUMMED,
    Decision,
    best_classes,
    by_class,
    model_of,
)
from crosspro.data_prep.core.example import Example, Gap
from crosspro.data_prep.core.settings import settings
from crosspro.data_prep.core.task import NONE, Task
from crosspro.prediction.adjustment import (
    Adjustment,
    best_tau,
    factors,
    load_adjustment,
    save_adjustment,
)
from crosspro.prediction.dev_score import Monitor, dev_score
from crosspro.prediction.evidence import Evidence, GapQuestion
from crosspro.prediction.system import Classes, Examples, Probabilities, System

Variant = Literal["joined", "before"]
_MODEL = "model.lm"
_NEVER = -1e6


@settings
class SourceAwareSettings:
    """The model, and how gaps are decided."""

    order: Annotated[int, Field(ge=1)] = 6
    variant: Variant = "joined"
    decision: Decision = "best_filling"
    lowercase: bool = False
    tune_adjustment: bool = False
    monitor: Monitor = "macro_recall"


class SourceAwareLM(System):
    """Predicts classes as words of a sentence that mentions the source pronouns.

    `decision` is the best filling of a line, or for each gap the class with the best posterior
    (`summed`); `tune_adjustment` favours rare classes in both by as much as the dev score `monitor`
    says. `lowercase` makes one word of `Sie` and `sie`.
    """

    name = "source_aware_lm"
    settings_class: ClassVar[type] = SourceAwareSettings
    settings: SourceAwareSettings

    def __init__(self, **values: Any) -> None:
        super().__init__(**values)
        self.adjustment = Adjustment(0.0, np.zeros(0))
        self.model: NGramModel

    def fit(self, task: Task, train: Examples, dev: Examples, folder: Path | None = None) -> None:
        """Train the model on targets whose gaps are marked tokens."""
        self.task = task
        counts = class_counts(task, train)
        score = (
            dev_score(task, dev, self.settings.monitor) if self.settings.tune_adjustment else None
        )
        read = self.labelled(train)
        marked = [self._marked(e) for e in read if all(gap.label for gap in e.gaps)]
        self.model = model_of(marked, (), self.settings.order)
        self.adjustment = Adjustment(0.0, counts / counts.sum())
        if score is not None:
            self._tune(dev, score)

    def _tune(self, dev: Examples, score: Callable[[Probabilities], float]) -> None:
        """Choose how strongly rare classes are favoured, by what is then decided on dev."""
        chosen = np.eye(len(self.task.classes))

        def with_tau(tau: float) -> float:
            self.adjustment = replace(self.adjustment, tau=tau)
            return score(chosen[self.decide(dev)])

        self.adjustment = replace(self.adjustment, tau=best_tau(with_tau))

    def labelled(self, examples: Examples) -> Examples:
        """The examples as the model reads them; a system may say more of their source pronouns."""
        return examples

    def _marked(self, example: Example) -> list[str]:
        """A training sentence: each gap its class and its source pronoun."""
        words: list[str] = []
        gaps = {gap.position: gap for gap in example.gaps}
        for position, lemma in enumerate(example.lemmas):
            gap = gaps.get(position)
            if gap is None:
                words.append(lemma)
                continue
            if self.settings.variant == "before":
                words.append(self._pronoun(example, gap))
            label = self.task.classes[self.task.class_index[gap.label or ""]]
            words.append(self._token(label, example, gap))
        return words

    def _pronoun(self, example: Example, gap: Gap) -> str:
        """The source pronoun as a token that no text has; null subjects are all alike."""
        if self.task.null_subjects:
            return "@source:"
        word = example.source[gap.source_index]
        return f"@source:{word.lower() if self.settings.lowercase else word}"

    def _token(self, label: str, example: Example, gap: Gap) -> str:
        suffix = self._pronoun(example, gap) if self.settings.variant == "joined" else ""
        return f"@class:{label}{suffix}"

    def predict(self, examples: Examples) -> Probabilities:
        """Posteriors of the classes, all gaps of a line taken together."""
        return self._posteriors(examples, self._filler())

    def unadjusted(self, examples: Examples) -> Probabilities:
        """Posteriors of the classes with none favoured."""
        return self._posteriors(examples, self._filler(favoured=False))

    def _posteriors(self, examples: Examples, filler: GapFiller) -> Probabilities:
        shown = [self._with_pronouns(example) for example in self.labelled(examples)]
        return by_class(self.task, filler.fillers, filler.probabilities(shown))

    def decide(self, examples: Examples, probabilities: Probabilities | None = None) -> Classes:
        """The classes on the best path through each line, or those with the best posteriors."""
        if self.settings.decision == SUMMED:
            return super().decide(examples, probabilities)
        shown = [self._with_pronouns(example) for example in self.labelled(examples)]
        return best_classes(self.task, self._filler(), shown)

    def evidence(self, question: GapQuestion) -> Evidence:
        """The classes of the gap with the scores of their lines."""
        pair = (self.task.classes[question.chosen], self.task.classes[question.against])
        shown = self._with_pronouns(self.labelled(question.examples)[question.line])
        found = filling_evidence(self._filler(), shown, question.number, *pair)
        added = (
            {gap.position - 1 for gap in shown.gaps} if self.settings.variant == "before" else set()
        )
        target = tuple(value for place, value in enumerate(found.target) if place not in added)
        return replace(found, target=target)

    def _filler(self, favoured: bool = True) -> GapFiller:
        """Any class may fill a gap; none is left empty. Rare ones are `favoured` if tuned."""
        classes = self.task.classes
        fillers = Fillers((*classes, NONE), (*classes, classes[-1]))
        tau, frequencies = self.adjustment.tau, self.adjustment.frequencies
        favour = np.log10(factors(frequencies, tau)) if tau and favoured else None
        return GapFiller(self.model, fillers, _NEVER, self._spelling, favour)

    def _spelling(self, example: Example) -> list[list[str]]:
        return [
            [self._token(label, example, gap) for label in self.task.classes]
            for gap in example.gaps
        ]

    def _with_pronouns(self, example: Example) -> Example:
        """For the variant `before`: the target with a pronoun token before each gap."""
        if self.settings.variant == "joined":
            return example
        gaps = {gap.position: gap for gap in example.gaps}
        target: list[str] = []
        moved: list[Gap] = []
        for position, token in enumerate(example.target):
            gap = gaps.get(position)
            if gap is not None:
                target.append(self._pronoun(example, gap))
                moved.append(replace(gap, position=len(target)))
            target.append(token)
        return replace(example.with_target(target), gaps=tuple(moved))

    def save_state(self, folder: Path) -> None:
        """Write the model, and the adjustment if it was tuned."""
        save_model(folder / _MODEL, self.model)
        if self.settings.tune_adjustment:
            save_adjustment(self.adjustment, folder)

    def load_state(self, folder: Path) -> None:
        """Read them."""
        self.model = load_own(folder / _MODEL)
        if self.settings.tune_adjustment:
            self.adjustment = load_adjustment(folder, len(self.task.classes))
