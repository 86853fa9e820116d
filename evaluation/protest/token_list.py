"""The tokens of a suite as other metrics take them: a line and a position each (001 §5).

`crosspro apt --tokens` scores exactly these pronouns.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from crosspro.evaluation.inputs.anchors import source_pronoun
from crosspro.evaluation.inputs.pronoun_lists import PronounLists
from crosspro.evaluation.protest.categories import BY_NAME
from crosspro.evaluation.protest.suite import Suite, SuiteToken


@dataclass(frozen=True)
class TokenList:
    """Places of tokens in the order of the text, and the forms of those that are left out."""

    places: tuple[tuple[int, int], ...]
    forms: Mapping[str, int]
    left_out: Mapping[str, int]

    def text(self) -> str:
        """The list as `apt --tokens` reads it."""
        return "".join(f"{line} {position}\n" for line, position in self.places)


def token_position(suite: Suite, token: SuiteToken) -> int:
    """Where a token is in its line; of several words, the one that is the pronoun."""
    words = suite.source[token.place.line]
    pronouns = BY_NAME[token.category].pronoun.split("/")
    same = (at for at in token.place.at if words[at].lower() in pronouns)
    return next(same, token.place.at[0])


def token_list(suite: Suite, lists: PronounLists | None = None) -> TokenList:
    """The tokens of a suite; with lists only those that are source pronouns there."""
    places = []
    forms: Counter[str] = Counter()
    left_out: Counter[str] = Counter()
    for token in suite.tokens:
        position = token_position(suite, token)
        word = suite.source[token.place.line][position].lower()
        if lists is not None and source_pronoun(word, lists) is None:
            left_out[word] += 1
        else:
            forms[word] += 1
            places.append((token.place.line, position))
    return TokenList(tuple(sorted(places)), forms, left_out)
