"""Why a feature system chose a class: what its features add, and on which tokens they stand.

A feature of a window (`target lemma -1=être`) or of an n-gram in one (`source word +1..+2=is a`)
counts with its tokens, shared among them; what is said of the source pronoun counts with that word.
Other features stand on no token.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from crosspro.prediction.evidence import Evidence, GapQuestion, contribution_table

_PLACE = re.compile(r"(source|target) [a-z ]+ ([+-]\d+)(?:\.\.([+-]\d+))?=", re.DOTALL)
PRONOUN = "pronoun"
"""What a first step calls all classes but OTHER."""
_PRONOUN = re.compile(r"source pronoun( as written)?=")


@dataclass(frozen=True)
class ExplainedStep:
    """Why a step of a system chose as it did: what each feature adds to each of its choices.

    `features` are written as `slot=value`; `there` says whether the gap has them (a forest also
    asks for what is not there). `values` and `base` are those of `Contributions`.
    """

    name: str
    choices: tuple[str, ...]
    probabilities: NDArray[np.float64]
    features: tuple[str, ...]
    there: tuple[bool, ...]
    values: NDArray[np.float64]
    base: NDArray[np.float64]


Sums = tuple[tuple[float, ...], tuple[float, ...]]


def token_sums(question: GapQuestion, features: Sequence[str], values: Sequence[float]) -> Sums:
    """The values of the features that stand on each source and each target token."""
    example, gap = question.example, question.gap
    sides = {"source": np.zeros(len(example.source)), "target": np.zeros(len(example.lemmas))}
    middle = {"source": gap.source_index, "target": gap.position}
    for feature, value in zip(features, values, strict=True):
        if _PRONOUN.match(feature):
            sides["source"][gap.source_index] += value
            continue
        match = _PLACE.match(feature)
        if not match:
            continue
        side, first, last = match[1], int(match[2]), int(match[3] or match[2])
        places = [middle[side] + offset for offset in range(first, last + 1)]
        inside = [place for place in places if 0 <= place < len(sides[side])]
        if inside:
            sides[side][inside] += value / len(inside)
    return tuple(sides["source"].tolist()), tuple(sides["target"].tolist())


def feature_evidence(
    question: GapQuestion, steps: Sequence[ExplainedStep], classes: Sequence[str]
) -> Evidence:
    """The features of each step; tokens are those of the step that parts the two classes."""
    chosen, against = classes[question.chosen], classes[question.against]
    tables = []
    sums: Sums = ((), ())
    for step in steps:
        if step.values.shape[1] < 2:  # there was nothing to learn
            continue
        better, worse, parts = _pair(step, chosen, against)
        names = [
            feature if there else f"{feature} (not there)"
            for feature, there in zip(step.features, step.there, strict=True)
        ]
        first, second = (
            [*step.values[:, number].tolist(), float(step.base[number])]
            for number in (better, worse)
        )
        pair = (step.choices[better], step.choices[worse])
        title = f"Features, {step.name}" if len(steps) > 1 else "Features"
        tables.append(contribution_table(title, pair, [*names, "(base)"], first, second))
        if parts and not sums[0]:
            differences = step.values[:, better] - step.values[:, worse]
            sums = token_sums(question, step.features, differences.tolist())
    how = (
        f"what each feature adds to the score of {chosen} and of {against} (in a forest: to their "
        "probabilities); tokens: the features that stand on them, together"
    )
    return Evidence(how, tuple(tables), *sums)


def _pair(step: ExplainedStep, chosen: str, against: str) -> tuple[int, int, bool]:
    """The two choices of a step to compare, and whether they part the two classes.

    A first step knows pronouns as one; a second one knows no OTHER, and then its best choices are
    compared.
    """
    numbers = {name: number for number, name in enumerate(step.choices)}
    better, worse = (numbers.get(name, numbers.get(PRONOUN)) for name in (chosen, against))
    parts = better is not None and worse is not None and better != worse
    order = np.argsort(-step.probabilities, kind="stable").tolist()
    if better is None:
        better = order[0]
    if not parts or worse is None:
        worse = next(number for number in order if number != better)
    return better, worse, parts
