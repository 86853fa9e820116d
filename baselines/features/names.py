"""All features by name, lists of them as settings write them, and the layers that they need.

Features that the training data does not allow are left out, and the report of the training names
them. What was trained with a layer is never used without it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from crosspro.baselines.features import learnt, local, nouns
from crosspro.baselines.features.view import ChosenFeature, Feature, Resources, has_finer_tags
from crosspro.data_prep.core.errors import InputError, Problem, choices, quoted
from crosspro.data_prep.core.example import Example

FEATURES: dict[str, Feature] = {
    feature.name: feature for module in (local, nouns, learnt) for feature in module.FEATURES
}


def _has_tags(resources: Resources, examples: Sequence[Example]) -> bool:
    return resources.task.tagged and resources.task.tagset != "none"


def _source_parsed(resources: Resources, examples: Sequence[Example]) -> bool:
    return all(example.source_parse is not None for example in examples)


def _target_parsed(resources: Resources, examples: Sequence[Example]) -> bool:
    return all(example.target_parse is not None for example in examples)


def _has_heads(resources: Resources, examples: Sequence[Example]) -> bool:
    parses = [example.source_parse for example in examples]
    return not parses or (None not in parses and any(p.parsed for p in parses if p is not None))


Need = tuple[str, Callable[[Resources, Sequence[Example]], bool]]
"""Something that may be missing: in words, and a test of a task's data."""

NEEDS: dict[str, Need] = {
    "source_parse": ("a parse of the source (X.source.conllu beside X.data)", _source_parsed),
    "source_heads": (
        "dependencies in a parse of the source (X.source.conllu beside X.data)",
        _has_heads,
    ),
    "target_parse": ("a parse of the target (X.target.conllu beside X.data)", _target_parsed),
    "target_tags": ("a task whose target has tags", _has_tags),
    "tags_to_convert": (
        "a task with tags of its own, which are not universal already",
        lambda at, examples: _has_tags(at, examples) and at.task.tagset != "universal",
    ),
    "finer_tags": (
        "a task with universal tags into a language of conf/words/fine_tags",
        lambda at, examples: has_finer_tags(at.task),
    ),
    "nouns": (
        "tags, a parse of the target or system.lexicon, to know nouns by",
        lambda at, examples: (
            _has_tags(at, examples) or at.lexicon is not None or _target_parsed(at, examples)
        ),
    ),
    "english_source": (
        "English as source language",
        lambda at, examples: at.task.source_language == "en",
    ),
}


def unmet(
    features: Sequence[ChosenFeature], resources: Resources, examples: Sequence[Example]
) -> dict[str, str]:
    """The features that cannot be had from this data, with what they lack."""
    needs = {need for chosen in features for need in chosen.feature.needs}
    lacking = {name: NEEDS[name][0] for name in needs if not NEEDS[name][1](resources, examples)}
    return {
        chosen.written: lacking[need]
        for chosen in features
        for need in chosen.feature.needs
        if need in lacking
    }


def refuse(lacking: dict[str, str], data: str) -> None:
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
    if len({choice.feature.name for choice in chosen}) < len(chosen):
        raise ValueError(f"each feature should be there once: {', '.join(written)}")
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
