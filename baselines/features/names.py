"""All features by name, lists of them as settings write them, and the layers that they need.

`missing_layers: error` refuses the settings; `leave_out` trains without these features and the
report of the training names them. What was trained with a layer is never used without it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from crosspro.baselines.features import learnt, local, nouns
from crosspro.baselines.features.gaps import ChosenFeature, Feature, Resources
from crosspro.baselines.features.text import has_finer_tags
from crosspro.data_prep.core.errors import InputError, Problem, choices, quoted
from crosspro.data_prep.core.example import Example


@dataclass(frozen=True)
class Need:
    """Something that may be missing: in words, and a test of a task's data."""

    expected: str
    holds: Callable[[Resources, Sequence[Example]], bool]


def _target_tags(resources: Resources, examples: Sequence[Example]) -> bool:
    return resources.task.tagged and resources.task.tagset != "none"


def _target_parse(resources: Resources, examples: Sequence[Example]) -> bool:
    return all(example.target_parse is not None for example in examples)


def _source_parse(resources: Resources, examples: Sequence[Example]) -> bool:
    return all(example.source_parse is not None for example in examples)


NEEDS = {
    "source_parse": Need("a parse of the source (X.source.conllu beside X.data)", _source_parse),
    "source_heads": Need(
        "dependencies in a parse of the source (X.source.conllu beside X.data)",
        lambda resources, examples: (
            _source_parse(resources, examples)
            and (not examples or any(e.source_parse and e.source_parse.parsed for e in examples))
        ),
    ),
    "target_parse": Need("a parse of the target (X.target.conllu beside X.data)", _target_parse),
    "target_tags": Need("a task whose target has tags", _target_tags),
    "tags_to_convert": Need(
        "a task with tags of its own, which are not universal already",
        lambda resources, examples: (
            _target_tags(resources, examples) and resources.task.tagset != "universal"
        ),
    ),
    "finer_tags": Need(
        "a task with universal tags into a language of conf/words/fine_tags",
        lambda resources, examples: has_finer_tags(resources.task),
    ),
    "nouns": Need(
        "tags, a parse of the target or system.lexicon, to know nouns by",
        lambda resources, examples: (
            _target_tags(resources, examples)
            or resources.lexicon is not None
            or _target_parse(resources, examples)
        ),
    ),
    "english_source": Need(
        "English as source language",
        lambda resources, examples: resources.task.source_language == "en",
    ),
}


def unmet(
    features: Sequence[ChosenFeature], resources: Resources, examples: Sequence[Example]
) -> dict[str, str]:
    """The features that cannot be had from this data, with what they lack."""
    asked = {need for chosen in features for need in chosen.feature.needs}
    lacking = {need for need in asked if not NEEDS[need].holds(resources, examples)}
    return {
        chosen.written: NEEDS[need].expected
        for chosen in features
        for need in chosen.feature.needs
        if need in lacking
    }


def refuse(lacking: dict[str, str], where: str) -> None:
    """One error for all features that some data does not allow."""
    if lacking:
        raise InputError(
            Problem("settings", None, "system.features", expected, f"{quoted(name)} and {where}")
            for name, expected in lacking.items()
        )


_MODULES = (local, nouns, learnt)
FEATURES: dict[str, Feature] = {
    feature.name: feature for module in _MODULES for feature in module.FEATURES
}


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
