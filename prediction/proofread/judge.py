"""How probably a pronoun is wrong, from what a model says of its place: a calibrated judgement.

The probability of a word among the pronouns of the task, and how far the best other one is above
it, are weighed by a logistic function. Its weights are learnt from marks of professional raters by
`python -m crosspro.scripts.reproduce.proofread calibrate`, which also counts what raters miss: a
single one marks less than half of what others mark (docs/proofread.md).
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
from crosspro.data_prep.core.settings import checked
from crosspro.data_prep.core.task import OTHER
from crosspro.data_prep.core.yaml_files import read_yaml
from crosspro.prediction.proofread.doubts import DoubtKind

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

    def wrong(self, kind: DoubtKind, label: str, chances: Mapping[str, float]) -> float:
        """The probability that a pronoun of a class is wrong where a model says this."""
        if kind is DoubtKind.ADDITIONAL:
            return self.additional
        weights = self.word if kind is DoubtKind.WORD else self.missing
        score = float(np.dot(weights, features(kind, label, chances)))
        return float(1 / (1 + np.exp(-score)))


def features(kind: DoubtKind, label: str, chances: Mapping[str, float]) -> NDArray[np.float64]:
    """What speaks for and against a word: a constant, its log odds, and two of its rivals.

    The odds of a word are those among pronouns: what the model gives to words of no class says
    little of a pronoun that is there. For a missing pronoun it says everything.
    """
    others = [chance for name, chance in chances.items() if name not in (label, OTHER)]
    best, other = max(others, default=0.0), chances.get(OTHER, 0.0)
    if kind is DoubtKind.MISSING:
        return np.array([1.0, _log_odds(other), np.log(best + _LEAST)])
    own = chances[label] / max(chances[label] + sum(others), _LEAST)
    rival = best / max(chances[label] + sum(others), _LEAST)
    return np.array([1.0, _log_odds(own), max(0.0, rival - own), rival])


def _log_odds(chance: float) -> float:
    kept = min(max(chance, _LEAST), 1 - _LEAST)
    return float(np.log(kept / (1 - kept)))


@cache
def load_judge() -> Judge:
    """The judge that comes with the package, for models of all directions."""
    path = CONF_DIR / "proofread.yaml"
    return checked(Judge, read_yaml(path)[0], path)
