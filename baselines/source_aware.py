"""The source-aware language model of UPPSALA (003 §5.8) and UU-Hardmeier (003 §5.10, 004 §5.4).

A 6-gram model over target lemmas in which a gap is a token of its class and knows the source
pronoun: in one token with the class (`joined`, 2016), or as a token of its own before the gap
(`before`, 2017). At test time the gap may be any class for its pronoun; the best path through the
whole line decides (Viterbi), and the posteriors are the system's probabilities, for ensembles.
Pronouns keep their case, as German `Sie` and `sie` are two words.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import ClassVar, Literal

from crosspro.baselines.fill import Fillers, GapFiller
from crosspro.baselines.ngram.model import LOWEST
from crosspro.baselines.ngram_system import FillingSystem, NGramOrder, model_of
from crosspro.data_prep.core.example import Example, Gap
from crosspro.data_prep.core.settings import settings
from crosspro.data_prep.core.task import NONE, Task
from crosspro.prediction.adjustment import class_counts
from crosspro.prediction.system import Examples

NEVER = 1e4 * LOWEST
"""The penalty of an empty gap where a gap is always a token."""


@settings
class SourceAwareSettings:
    """The order of the model, where the source pronoun stands, and how gaps are decided.

    `decision` is the best filling of a line, or for each gap the class with the best posterior
    (`summed`). `lowercase` makes one word of `Sie` and `sie`.
    """

    order: NGramOrder = 6
    variant: Literal["joined", "before"] = "joined"
    decision: Literal["best_filling", "summed"] = "best_filling"
    lowercase: bool = False


class SourceAwareLM(FillingSystem):
    """Predicts classes as words of a sentence that mentions the source pronouns."""

    name = "source_aware_lm"
    settings_class: ClassVar[type] = SourceAwareSettings
    settings: SourceAwareSettings

    def fit(self, task: Task, train: Examples, dev: Examples, folder: Path | None = None) -> None:
        self.task = task
        class_counts(task, train)  # there must be labels
        labelled = [e for e in self.labelled(train) if all(gap.label for gap in e.gaps)]
        self.model = model_of(map(self.marked, labelled), self.settings.order)

    def labelled(self, examples: Examples) -> Examples:
        """The examples as the model reads them; a system may say more of their source pronouns."""
        return examples

    def marked(self, example: Example) -> list[str]:
        """A training sentence: each gap its class and its source pronoun."""
        words = [*example.lemmas]
        for gap in reversed(example.gaps):
            label = self.task.classes[self.task.class_index[gap.label or ""]]
            before = self.settings.variant == "before"
            tokens = [self._pronoun(example, gap)] if before else []
            words[gap.position : gap.position + 1] = [*tokens, self._token(label, example, gap)]
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

    def filler(self) -> GapFiller:
        classes = self.task.classes
        fillers = Fillers((*classes, NONE), (*classes, classes[-1]))
        return GapFiller(self.model, fillers, NEVER, self._spelling)

    def _spelling(self, example: Example) -> list[list[str]]:
        return [
            [self._token(label, example, gap) for label in self.task.classes]
            for gap in example.gaps
        ]

    def read(self, examples: Examples) -> Examples:
        """The examples; with the variant `before`, the source pronoun before each gap."""
        labelled = self.labelled(examples)
        if self.settings.variant == "joined":
            return labelled
        return [self._with_pronouns(example) for example in labelled]

    def _with_pronouns(self, example: Example) -> Example:
        target = [*example.target]
        gaps = []
        for number, gap in enumerate(example.gaps):
            target.insert(gap.position + number, self._pronoun(example, gap))
            gaps.append(replace(gap, position=gap.position + number + 1))
        return replace(example.with_target(target), gaps=tuple(gaps))
