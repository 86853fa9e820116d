"""Asks a system why it chose the class of a gap."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crosspro.data_prep.core.errors import CrossproError
from crosspro.data_prep.core.example import Example
from crosspro.prediction.evidence import Explanation, GapQuestion
from crosspro.prediction.system import System, probabilities_of


def explain(system: System, examples: Sequence[Example], line: int, gap: int = 0) -> Explanation:
    """Why a gap of `examples[line]` gets its class; raises if the system cannot say."""
    explanation = explained(system, examples, line, gap)
    if explanation.evidence is None:
        raise CrossproError(f"{system.shown_name}: this system cannot explain its decisions")
    return explanation


def explained(system: System, examples: Sequence[Example], line: int, gap: int) -> Explanation:
    """The same, without evidence if the system has none."""
    row = GapQuestion(examples, line, gap, 0, 0).row
    chances = probabilities_of(system, examples)
    chosen = int(system.decide(examples, chances)[row])
    others = chances[row].copy()
    others[chosen] = -1
    question = GapQuestion(examples, line, gap, chosen, int(np.argmax(others)))
    classes = system.task.classes
    return Explanation(
        system.shown_name,
        classes[chosen],
        classes[question.against],
        dict(zip(classes, chances[row].tolist(), strict=True)),
        system.evidence(question),
    )
