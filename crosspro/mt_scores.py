"""Scores of pronouns in MT output: against a reference, on contrastive sets, all of a folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from crosspro.arguments import (
    AnyPath,
    Inputs,
    Texts,
    given_path,
    is_open_file,
    names_of,
    resampling,
)

if TYPE_CHECKING:
    from crosspro.evaluation.core.metric import Metric
    from crosspro.evaluation.core.statistics import Resampling
    from crosspro.evaluation.metrics.contrastive.formats import ContrastiveSet
    from crosspro.evaluation.metrics.expected_forms.metric import ExpectedFormsSettings
    from crosspro.evaluation.output.result import Result


def contrastive(
    test_set: AnyPath | IO[str] | IO[bytes] | Sequence[Any] | dict[str, Any],
    scores: Any,
    *,
    maximise: bool = False,
    allow_unknown: bool = False,
    resamples: int = 1000,
    seed: int = 12345,
) -> Result:
    """Accuracy on a contrastive set, by scores of the reference and of each error.

    The set is the path of its JSON, or what `json.load` gives. Scores of a system are numbers, or a
    path: one for each translation of the set, in its order. Lower ones are better, as those of the
    released scripts are, unless `maximise` says otherwise.

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
    from crosspro.evaluation.metrics import make_metric
    from crosspro.evaluation.metrics.contrastive.metric import ScoredSet, read_scores

    plan, inputs = resampling(resamples, seed), Inputs()
    given = inputs.several("scores", scores, _number)
    read = _contrastive_set(inputs, test_set, allow_unknown)
    with inputs:
        found = read_scores([one.path for one in given], read, maximise)
    names = names_of(given, [one.name for one in found])
    systems = [replace(one, name=name) for one, name in zip(found, names, strict=True)]
    return _scored(make_metric("contrastive"), ScoredSet(read, tuple(systems)), plan)


def contrastive_generate(
    test_set: AnyPath,
    outputs: Texts,
    target_language: str,
    *,
    settings: ExpectedFormsSettings | None = None,
    lenient: bool = False,
    resamples: int = 1000,
    seed: int = 12345,
) -> Result:
    """Accuracy on a context set of generated translations: is the expected form in them?

    Output has a line for each instance. `settings` say which part of a line is scored, and how
    forms are found; with `lenient` an output without that part is wrong.
    """
    from crosspro.evaluation.metrics.expected_forms.expected_sets import read_expected
    from crosspro.evaluation.metrics.expected_forms.metric import (
        ExpectedForms,
        ExpectedFormsSettings,
        GeneratedSet,
    )
    from crosspro.evaluation.metrics.expected_forms.outputs import read_outputs

    plan, inputs = resampling(resamples, seed), Inputs()
    chosen = replace(settings or ExpectedFormsSettings(""), language=target_language)
    path = given_path("test_set", test_set, "the path of a file")
    given = inputs.several("outputs", outputs)
    with inputs:
        read = read_expected(path, target_language)
        files = [one.path for one in given]
        found = read_outputs(files, read, chosen.separators, chosen.part, lenient=lenient)
    names = names_of(given, [one.name for one in found])
    systems = [replace(one, name=name) for one, name in zip(found, names, strict=True)]
    return _scored(ExpectedForms(chosen), GeneratedSet(read, tuple(systems)), plan)


def _scored(metric: Metric[Any, Any, Any], data: Any, plan: Resampling | None) -> Result:
    """What a metric says of some data."""
    from crosspro.evaluation.core.evaluation import evaluate
    from crosspro.evaluation.output.result import Result

    return Result.of(evaluate(metric, data, plan))


def _contrastive_set(inputs: Inputs, value: Any, allow_unknown: bool) -> ContrastiveSet:
    from crosspro.evaluation.metrics.contrastive.formats import contrastive_set, read_contrastive

    if not (isinstance(value, AnyPath) or is_open_file(value)):
        return contrastive_set(Path("test_set"), value, allow_unknown=allow_unknown)
    path = inputs.text("test_set", value)
    with inputs:
        return read_contrastive(path, allow_unknown=allow_unknown)


def _number(value: Any) -> str:
    """A score as a file has it."""
    return repr(float(value))
