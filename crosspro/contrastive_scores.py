"""Scores on contrastive sets: of systems that score translations, and of translations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from crosspro.data_prep.core.errors import input_error

if TYPE_CHECKING:
    from crosspro.evaluation.evaluation import Evaluation

ContrastiveData = str | Path | Sequence[Mapping[str, Any]]
"""A set: the path of its JSON, or what `json.load` gives."""


def contrastive(
    test_set: ContrastiveData,
    scores: Mapping[str, Sequence[float]],
    *,
    maximise: bool = False,
    resamples: int = 1000,
    seed: int = 12345,
) -> Evaluation:
    """Accuracy on a contrastive set, by scores of the reference and of each error.

    Scores of a system are numbers, one for each translation of the set, in its order. Lower ones
    are better unless `maximise`.

    >>> import crosspro
    >>> instance = {
    ...     "src pronoun": "it",
    ...     "ref pronoun": "elle",
    ...     "src segment": "It sleeps.",
    ...     "ref segment": "Elle dort.",
    ...     "errors": [{"contrastive": "Il dort.", "replacement": "il"}],
    ... }
    >>> result = crosspro.contrastive([instance, instance], {"A": [1.5, 2.5, 3, 2]}, resamples=0)
    >>> result.scores["A"]["accuracy"].value
    50.0
    """
    import numpy as np

    from crosspro.evaluation.evaluation import evaluate
    from crosspro.evaluation.metrics.contrastive import Contrastive, ScoredSet, SystemScores
    from crosspro.evaluation.metrics.contrastive_sets import contrastive_set, read_objects
    from crosspro.evaluation.resampling import resampling_or_none

    resampling = resampling_or_none(resamples, seed)
    name, content = _content(test_set, read_objects)
    instances = contrastive_set(name, content)
    systems = []
    for system, numbers in scores.items():
        values = np.asarray(numbers, dtype=np.float64)
        if values.shape != (instances.candidates,) or np.isnan(values).any():
            expected = f"{instances.candidates} numbers, one for each translation"
            raise input_error(system, "scores", expected, f"{values.size}, or not a number")
        systems.append(SystemScores(system, values, maximise, origin=("scores:list",)))
    return evaluate(Contrastive(None), ScoredSet(instances, tuple(systems)), resampling)


def expected_forms(
    test_set: ContrastiveData,
    translations: Mapping[str, Sequence[str]],
    language: str,
    *,
    match: Literal["words", "released"] = "words",
    resamples: int = 1000,
    seed: int = 12345,
) -> Evaluation:
    """Accuracy of translations of a contrastive set: is the expected form a word of them?

    A system has a translation for each instance, in `language`. ctxpro's sets are read as well.
    """
    from crosspro.evaluation.evaluation import evaluate
    from crosspro.evaluation.metrics.contrastive_sets import read_objects
    from crosspro.evaluation.metrics.expected_forms import (
        ExpectedForms,
        ExpectedFormsSettings,
        GeneratedSet,
        expected_set,
    )
    from crosspro.evaluation.resampling import resampling_or_none

    resampling = resampling_or_none(resamples, seed)
    name, content = _content(test_set, read_objects)
    instances = expected_set(name, content, language)
    for system, lines in translations.items():
        if len(lines) != len(instances.instances):
            expected = f"{len(instances.instances)} translations, one for each instance"
            raise input_error(system, "translations", expected, str(len(lines)))
    metric = ExpectedForms(ExpectedFormsSettings(language, match))
    return evaluate(metric, GeneratedSet(instances, translations), resampling)


def _content(test_set: ContrastiveData, read: Any) -> tuple[str, Any]:
    """The name and the content of a set."""
    if isinstance(test_set, str | Path):
        return Path(test_set).name, read(Path(test_set))
    return "test_set", test_set
