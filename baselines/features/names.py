"""All features by name, lists of them as settings write them, and the layers that they need.

`missing_layers: error` refuses the settings; `leave_out` trains without these features, and the
report of the training names them. What was trained with a layer is never used without it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from crosspro.baselines.features import learnt, local, nouns
from crosspro.baselines.features.view import ChosenFeature, Feature, Resources, has_finer_tags
from crosspro.data_prep.core.errors import InputError, Problem, choices, quoted
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.task import Task

FEATURES: dict[str, Feature] = {
    feature.name: feature for module in (local, nouns, learnt) for feature in module.FEATURES
}


def _has_tags(task: Task) -> bool:
    return task.tagged and task.tagset != "none"


def _parsed(side: str, examples: Sequence[Example]) -> bool:
    return all(getattr(example, f"{side}_parse") is not None for example in examples)


def _has_heads(examples: Sequence[Example]) -> bool:
    parses = [example.source_parse for example in examples]
    return not parses or (None not in parses and any(p.parsed for p in parses if p is not None))


Need = tuple[str, Callable[[Resources, Sequence[Example]], bool]]
"""Something that may be missing: in words, and a test of a task's data."""

NEEDS: dict[str, Need] = {
    "source_parse": (
        "a parse of the source (X.source.conllu beside X.data)",
        lambda resources, examples: _parsed("source", examples),
    ),
    "source_heads": (
        "dependencies in a parse of the source (X.source.conllu beside X.data)",
        lambda resources, examples: _has_heads(examples),
    ),
    "target_parse": (
        "a parse of the target (X.target.conllu beside X.data)",
        lambda resources, examples: _parsed("target", examples),
    ),
    "target_tags": (
        "a task whose target has tags",
        lambda resources, examples: _has_tags(resources.task),
    ),
    "tags_to_convert": (
        "a task with tags of its own, which are not universal already",
        lambda resources, examples: (
            _has_tags(resources.task) and resources.task.tagset != "universal"
        ),
    ),
    "finer_tags": (
        "a task with universal tags into a language of conf/words/fine_tags",
        lambda resources, examples: has_finer_tags(resources.task),
    ),
    "nouns": (
        "tags, a parse of the target or system.lexicon, to know nouns by",
        lambda resources, examples: (
            _has_tags(resources.task)
            or resources.lexicon is not None
            or _parsed("target", examples)
        ),
    ),
    "english_source": (
        "English as source language",
        lambda resources, examples: resources.task.source_language == "en",
    ),
}


def unmet(
    features: Sequence[ChosenFeature], resources: Resources, examples: Sequence[Example]
) -> dict[str, str]:
    """The features that cannot be had from this data, with what they lack."""
    needs = {need for chosen in features for need in chosen.feature.needs}
    lacking = {need for need in needs if not NEEDS[need][1](resources, examples)}
    return {
        chosen.written: NEEDS[need][0]
        for chosen in features
        for need in chosen.feature.needs
        if need in lacking
    }


def refuse(lacking: dict[str, str], data: str) -> None:
    """One error for all features that some data does not allow."""
    if lacking:
        raise InputError(
            Problem("settings", None, "system.features", expected, f"{quoted(name)} and {data}")
            for name, expected in lacking.items()
        )


def chosen_features(written: Sequence[str]) -> list[ChosenFeature]:
    """The features of a list, in its order; raises `ValueError` at the first that is wrong."""
    if not written:
        raise ValueError("at least one feature is needed")
    chosen = [_chosen(name) for name in written]
    names = [choice.feature.name for choice in chosen]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"feature {name} should be there once")
    return chosen


def _chosen(written: str) -> ChosenFeature:
    name, colon, number = written.partition(":")
    feature = FEATURES.get(name)
    if feature is None:
        raise ValueError(f"feature {quoted(written)} should be {choices(FEATURES)}")
    if not colon:
        return ChosenFeature(feature, feature.number)
    if not feature.most:
        raise ValueError(f"feature {quoted(written)} takes no number")
    if not (number.isascii() and number.isdigit() and 1 <= int(number) <= feature.most):
        raise ValueError(f"feature {quoted(written)} needs a number from 1 to {feature.most}")
    return ChosenFeature(feature, int(number))
