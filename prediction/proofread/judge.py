"""How probably a pronoun is wrong, from what a model says of its place: a calibrated judgement.

The probability of a word among the pronouns of the task, how far the best other one is above it,
and what the model gives to those of another gender or number are weighed by a logistic function.
Its weights are learnt from marks of professional raters by
`python -m crosspro.scripts.reproduce.proofread calibrate`, which also counts what raters miss: a
single one marks less than half of what others mark (docs/guides/proofread.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from crosspro.conf import CONF_DIR
from crosspro.data_prep.core.settings import check_settings
from crosspro.data_prep.core.task import OTHER, Task
from crosspro.data_prep.core.yaml_files import read_yaml
from crosspro.prediction.proofread.doubts import DoubtKind
from crosspro.prediction.proofread.reasons import stood_for

_LEAST = 1e-4
Share = Annotated[float, Field(ge=0, le=1)]


@dataclass(frozen=True)
class Judge:
    """What `wrong` is calculated with: weights of `features` and of none, and two shares.

    Missing pronouns are weighed by `missing`, in the same way; additional ones are wrong as often
    as `additional` says.
    """

    word: tuple[float, ...]
    missing: tuple[float, ...]
    additional: Share

    def wrong(self, kind: DoubtKind, label: str, chances: Mapping[str, float], task: Task) -> float:
        """The probability that a pronoun of a class is wrong where a model says this."""
        if kind is DoubtKind.ADDITIONAL:
            return self.additional
        weights = self.word if kind is DoubtKind.WORD else self.missing
        score = float(np.dot(weights, features(kind, label, chances, task)))
        return float(1 / (1 + np.exp(-score)))


def features(
    kind: DoubtKind, label: str, chances: Mapping[str, float], task: Task
) -> NDArray[np.float64]:
    """What speaks for and against a word: a constant, and three figures of it and its rivals.

    They are its log odds, how far the best rival is above it, and the log odds of rivals that stand
    for nouns of another gender or number. All are shares among pronouns: what the model gives to
    words of no class says little of a pronoun that is there. Of a missing one it says everything.
    """
    pronouns = {name: chance for name, chance in chances.items() if name != OTHER}
    if kind is DoubtKind.MISSING:
        best = max(pronouns.values(), default=0.0)
        return np.array([1.0, _log_odds(chances[OTHER]), np.log(best + _LEAST)])
    total = max(sum(pronouns.values()), _LEAST)
    own = pronouns.pop(label) / total
    rival = max(pronouns.values()) / total
    clashing = clashes(task.target_language, tuple(task.forms.items())).get(label, frozenset())
    other = sum(chance for name, chance in pronouns.items() if name in clashing) / total
    return np.array([1.0, _log_odds(own), max(0.0, rival - own), _log_odds(other)])


@cache
def clashes(
    language: str, forms: tuple[tuple[str, tuple[str, ...]], ...]
) -> Mapping[str, frozenset[str]]:
    """The classes whose nouns are never those of a class, for each, by their first words."""
    nouns = {name: stood_for(words[0], language) for name, words in forms if name != OTHER}
    return {
        name: frozenset(
            other
            for other, theirs in nouns.items()
            if own.kinds and theirs.kinds and not own.meets(theirs)
        )
        for name, own in nouns.items()
    }


def _log_odds(chance: float) -> float:
    kept = min(max(chance, _LEAST), 1 - _LEAST)
    return float(np.log(kept / (1 - kept)))


@cache
def load_judge() -> Judge:
    """The judge that comes with the package, for models of all directions."""
    path = CONF_DIR / "proofread.yaml"
    return check_settings(Judge, read_yaml(path), path)
