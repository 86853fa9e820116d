"""All features by name, and lists of them as settings write them: `target_lemmas:3`."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

from crosspro.baselines.features import (
    alignment,
    learnt_features,
    nouns,
    pleonastic,
    reference,
    source,
    windows,
)
from crosspro.baselines.features.feature import ChosenFeature, Feature
from crosspro.data_prep.core.errors import Problem, choices, quoted

_MODULES = (source, alignment, pleonastic, windows, nouns, reference, learnt_features)
FEATURES: dict[str, Feature] = {
    feature.name: feature for module in _MODULES for feature in module.FEATURES
}


def chosen_features(written: Sequence[str]) -> tuple[list[ChosenFeature], list[Problem]]:
    """The features of a list, in its order, and what is wrong with the list."""
    problems: list[Problem] = []
    chosen = [one for name in written if (one := _chosen(name, problems)) is not None]
    names = [one.feature.name for one in chosen]
    problems += [_problem("each feature once", name) for name in _repeated(names)]
    if not written:
        problems.append(_problem("at least one feature", "none", as_it_is=True))
    return chosen, problems


def _chosen(written: object, problems: list[Problem]) -> ChosenFeature | None:
    if not isinstance(written, str):
        problems.append(_problem("names of features", repr(written), as_it_is=True))
        return None
    name, colon, number = written.partition(":")
    feature = FEATURES.get(name)
    if feature is None:
        near = difflib.get_close_matches(name, FEATURES, 1)
        hint = f" (did you mean {near[0]}?)" if near else ""
        problems.append(_problem(choices(FEATURES), f"{quoted(written)}{hint}", as_it_is=True))
        return None
    if not colon:
        return ChosenFeature(feature, feature.number)
    if not feature.most:
        problems.append(_problem(f"{name} without a number", written))
    elif not (number.isascii() and number.isdigit() and 1 <= int(number) <= feature.most):
        problems.append(_problem(f"{name}: and a number from 1 to {feature.most}", written))
    else:
        return ChosenFeature(feature, int(number))
    return None


def _problem(expected: str, found: str, *, as_it_is: bool = False) -> Problem:
    shown = found if as_it_is else quoted(found)
    return Problem("settings", None, "system.features", expected, shown)


def _repeated(names: Iterable[str]) -> list[str]:
    seen: set[str] = set()
    twice = [name for name in names if name in seen or seen.add(name)]  # type: ignore[func-returns-value]
    return list(dict.fromkeys(twice))
