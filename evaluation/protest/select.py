"""Choosing the tokens of a suite so that they are balanced (002 §5.1).

A category has as many tokens as wanted, not as its frequency suggests. Within it, tokens are shared
out evenly by the gender of the pronoun's translation in the reference, then by whether its number
shifts in translation, then by the translation itself, then by document; where one share has too few
tokens, the others get more. Chance, from a seed, decides only between tokens that are equal in all
of this.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from crosspro.evaluation.protest.categories import BY_NAME, CATEGORIES
from crosspro.evaluation.protest.language import TargetWords
from crosspro.evaluation.protest.suite import SuiteToken

Key = Callable[[SuiteToken], Hashable]


@dataclass(frozen=True, slots=True)
class TranslationForm:
    """What balance is about: gender and number of the translation, and whether number shifts."""

    gender: str
    number: str
    shift: bool
    pronoun: str


def translation_of(token: SuiteToken, lists: TargetWords) -> TranslationForm:
    """How the first reference that has words for a token translates it."""
    words = next((one.pronoun for one in token.references if one.pronoun), ())
    pronoun = lists.pronoun(words[0]) if words else None
    if pronoun is None:
        return TranslationForm("none", "none", False, " ".join(words))
    singular = BY_NAME[token.category].pronoun == "it" or "singular" in token.category
    shift = pronoun.number == ("plural" if singular else "singular")
    # Forms of either gender (l', on, vous) and neuter ones are one share beside the two genders.
    gender = pronoun.gender if pronoun.gender in ("masculine", "feminine") else "other"
    return TranslationForm(gender, pronoun.number, shift, lists.full_forms(words[0])[0])


def select(
    tokens: Sequence[SuiteToken], wanted: Mapping[str, int], lists: TargetWords, seed: int
) -> list[SuiteToken]:
    """As many tokens of each category as are wanted and there are, in the order of the text."""
    keys: list[Key] = [
        lambda token: translation_of(token, lists).gender,
        lambda token: translation_of(token, lists).shift,
        lambda token: translation_of(token, lists).pronoun,
        lambda token: token.document,
    ]
    chosen: list[SuiteToken] = []
    for number, category in enumerate(CATEGORIES):  # each with its own chance, whatever the others
        generator = np.random.default_rng([seed, number])
        own = [token for token in tokens if token.category == category.name]
        chosen += _balanced(own, wanted.get(category.name, 0), keys, generator)
    return sorted(chosen, key=lambda token: (token.place.line, token.place.at))


def top_up(wanted: Mapping[str, int], usable: Mapping[str, int], total: int) -> dict[str, int]:
    """The wanted numbers, with what some categories lack shared out among those that have more."""
    got = {name: min(number, usable.get(name, 0)) for name, number in wanted.items()}
    spare = {name: usable.get(name, 0) - number for name, number in got.items()}
    extra = shares(list(spare.values()), max(0, total - sum(got.values())))
    return {name: got[name] + more for name, more in zip(spare, extra, strict=True)}


def shares(sizes: Sequence[int], amount: int) -> list[int]:
    """An amount shared out as evenly as sizes allow; what is left over goes to the first."""
    given = [0] * len(sizes)
    while amount > 0:
        open_shares = [index for index, size in enumerate(sizes) if given[index] < size]
        if not open_shares:
            break
        each = max(1, amount // len(open_shares))
        for index in open_shares:
            more = min(each, sizes[index] - given[index], amount)
            given[index] += more
            amount -= more
    return given


def _balanced(
    tokens: list[SuiteToken], amount: int, keys: Sequence[Key], generator: np.random.Generator
) -> list[SuiteToken]:
    if amount >= len(tokens):
        return tokens
    if not keys:
        ordered = sorted(tokens, key=lambda token: token.name)
        return [ordered[index] for index in generator.permutation(len(ordered))[:amount]]
    groups: dict[Any, list[SuiteToken]] = defaultdict(list)
    for token in tokens:
        groups[keys[0](token)].append(token)
    names = sorted(groups, key=str)
    # What cannot be shared out evenly goes to a group by chance, not always to the same one.
    names = [names[index] for index in generator.permutation(len(names))]
    sizes = shares([len(groups[name]) for name in names], amount)
    return [
        token
        for name, size in zip(names, sizes, strict=True)
        for token in _balanced(groups[name], size, keys[1:], generator)
    ]
