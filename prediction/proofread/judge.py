"""How probably a pronoun is wrong, given a model's probabilities: a calibrated logistic function.

Its features are the probability of the word among the pronouns of the task, how far the best other
one is above it, and what the model gives to pronouns of another gender or number. Its weights are
learnt from marks of professional raters (`python -m crosspro.scripts.reproduce.proofread
calibrate`), and corrected for what raters miss: one marks less than half of what others mark.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from crosspro.conf import CONF_DIR
from crosspro.data_prep.core.settings import check_settings, read_yaml
from crosspro.data_prep.core.task import OTHER, Task
from crosspro.prediction.proofread.reasons import stood_for
from crosspro.prediction.proofread.text import DoubtKind

_LEAST = 1e-4


@dataclass(frozen=True)
class Judge:
    """The weights of `features` for words and for missing pronouns."""

    word: tuple[float, ...]
    missing: tuple[float, ...]

    def wrong(self, kind: DoubtKind, label: str, chances: Mapping[str, float], task: Task) -> float:
        """The probability that a pronoun of class `label` is wrong, given those of all classes."""
        weights = self.word if kind is DoubtKind.WORD else self.missing
        score = float(np.dot(weights, features(kind, label, chances, task)))
        return float(1 / (1 + np.exp(-score)))


@cache
def load_judge() -> Judge:
    """The calibration that comes with the package, for models of all directions."""
    path = CONF_DIR / "proofread.yaml"
    return check_settings(Judge, read_yaml(path), path)


def features(
    kind: DoubtKind, label: str, chances: Mapping[str, float], task: Task
) -> NDArray[np.float64]:
    """A constant, the log odds of a word, its distance to the best rival, and the log odds of
    rivals that stand for nouns of another gender or number.

    All are shares among pronouns: the probability of OTHER says little about a pronoun that stands
    there. For a missing pronoun it says everything.
    """
    pronouns = {name: chances[name] for name in task.classes if name != OTHER}
    if kind is DoubtKind.MISSING:
        best = max(pronouns.values(), default=0.0)
        return np.array([1.0, _log_odds(chances[OTHER]), np.log(best + _LEAST)])
    total = max(sum(pronouns.values()), _LEAST)
    word = pronouns.pop(label) / total
    rival = max(pronouns.values()) / total
    clashing = clashes(task.target_language, tuple(task.forms.items())).get(label, frozenset())
    other = sum(chance for name, chance in pronouns.items() if name in clashing) / total
    return np.array([1.0, _log_odds(word), max(0.0, rival - word), _log_odds(other)])


@cache
def clashes(
    language: str, forms: tuple[tuple[str, tuple[str, ...]], ...]
) -> Mapping[str, frozenset[str]]:
    """For each class, the classes that never stand for the same nouns, by their first words."""
    nouns = {name: stood_for(words[0], language) for name, words in forms if name != OTHER}
    return {
        name: frozenset(other for other, rival in nouns.items() if not kinds.meets(rival))
        for name, kinds in nouns.items()
    }


def _log_odds(chance: float) -> float:
    kept = min(max(chance, _LEAST), 1 - _LEAST)
    return float(np.log(kept / (1 - kept)))
