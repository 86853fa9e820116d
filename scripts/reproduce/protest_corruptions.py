"""Controlled corruptions of a suite's reference, with the matches that must be left by category.

What must be left is derived from the suite and from what was changed, never from the scorer: tokens
are chosen so that a change reaches no other token unless that one is counted, too.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from random import Random

from crosspro.data_prep.core.example import Link
from crosspro.evaluation.protest.categories import CATEGORIES
from crosspro.evaluation.protest.language import TargetWords
from crosspro.evaluation.protest.match import Alternative
from crosspro.evaluation.protest.suite import Suite, SuiteToken
from crosspro.evaluation.protest.text import SystemOutput

Spot = tuple[int, int]
"""A word of the reference: line and position."""


@dataclass(frozen=True)
class Corruption:
    """A damaged copy of the reference, the tokens it must lose, and what must win some back."""

    output: SystemOutput
    lost: frozenset[str] = frozenset()
    silver: dict[str, list[Alternative]] = field(default_factory=dict)
    halves: dict[str, list[Alternative]] = field(default_factory=dict)

    def expected(self, suite: Suite) -> dict[str, int]:
        """Automatic matches that must be left in each category."""
        return by_category(token for token in suite.tokens if token.name not in self.lost)

    def expected_silver(self, suite: Suite) -> dict[str, int]:
        """Tokens of each category that silver alternatives must win back."""
        return by_category(token for token in suite.tokens if token.name in self.silver)


def by_category(tokens: Iterable[SuiteToken]) -> dict[str, int]:
    """How many tokens there are of each category."""
    counts = Counter(token.category for token in tokens)
    return {category.name: counts[category.name] for category in CATEGORIES}


class Corrupter:
    """Damages the first reference of a suite in known ways."""

    def __init__(
        self,
        suite: Suite,
        links: Sequence[Sequence[Link]],
        lists: TargetWords,
        share: float = 0.3,
        seed: int = 1,
    ) -> None:
        self.suite = suite
        self.links = [tuple(own) for own in links]
        self.lists = lists
        self.share = share
        self.random = Random(seed)
        self.users: dict[Spot, set[str]] = defaultdict(set)
        for token in suite.tokens:
            for spot in (self.pronoun_spot(token), *self.head_spots(token)):
                self.users[spot].add(token.name)

    def intact(self) -> Corruption:
        """The reference itself: nothing is lost."""
        return Corruption(self.output("reference", {}))

    def swapped_pronouns(self) -> Corruption:
        """A share of each category's pronouns exchanged for others of the same role."""
        chosen = self.sample(self.stands_alone)
        changes = {self.pronoun_spot(token): self.other_pronoun(token) for token in chosen}
        return Corruption(self.output("swapped", changes), _names(chosen))

    def replaced_heads(self) -> Corruption:
        """Heads replaced by a word of no text; tokens of one antecedent are lost together."""
        chosen = self.sample(lambda token: token.anaphoric)
        spots = {spot for token in chosen for spot in self.head_spots(token)}
        lost = [
            token
            for token in self.suite.tokens
            if token.anaphoric and spots.issuperset(self.head_spots(token))
        ]
        return Corruption(self.output("heads", dict.fromkeys(spots, "zzz")), _names(lost))

    def dropped_words(self) -> Corruption:
        """A share of the pronouns left out of the text, with their links."""
        chosen = self.sample(self.stands_alone)
        spots = {self.pronoun_spot(token) for token in chosen}
        return Corruption(self.without("dropped", spots), _names(chosen))

    def other_genders(self) -> Corruption:
        """Both halves of anaphoric pairs changed, as with bicyclette/elle for vélo/il (002 §6).

        The new pairs are right, and silver alternatives say so for every second of them; for the
        others there are only halves: the pronoun with another head, and the head with another
        pronoun, which must not be put together.
        """
        chosen = self.sample(lambda token: token.anaphoric and self.pair_is_alone(token))
        changes: dict[Spot, str] = {}
        silver: dict[str, list[Alternative]] = {}
        halves: dict[str, list[Alternative]] = {}
        for number, token in enumerate(chosen):
            pronoun, noun = self.other_pronoun(token), f"zzz{number}"
            changes[self.pronoun_spot(token)] = pronoun
            changes |= dict.fromkeys(self.head_spots(token), noun)
            if number % 2:
                silver[token.name] = [Alternative((pronoun,), (noun,))]
            else:
                original = token.references[0]
                halves[token.name] = [
                    Alternative((pronoun,), ("zzzz",)),
                    Alternative(original.pronoun, (noun,)),
                ]
        return Corruption(self.output("genders", changes), _names(chosen), silver, halves)

    def sample(self, eligible: Callable[[SuiteToken], bool]) -> list[SuiteToken]:
        """A share of the eligible tokens of each category, at least one where there is any."""
        chosen: list[SuiteToken] = []
        for category in CATEGORIES:
            own = [t for t in self.suite.tokens if t.category == category.name]
            able = [token for token in own if eligible(token)]
            wanted = min(len(able), max(1, round(self.share * len(own))))
            chosen += self.random.sample(able, wanted) if able else []
        return chosen

    def pronoun_spot(self, token: SuiteToken) -> Spot:
        """Where the reference's pronoun is."""
        return token.place.line, token.references[0].pronoun_at[0]

    def head_spots(self, token: SuiteToken) -> list[Spot]:
        """Where the reference's words for the head are."""
        if token.antecedent is None:
            return []
        return [(token.antecedent.line, at) for at in token.references[0].head_at]

    def stands_alone(self, token: SuiteToken) -> bool:
        """Whether a change of the pronoun's word is lost for this token, and for no other.

        The word serves this token only, it occurs once in its line, and no other pronoun of the
        line was found by repair, which depends on the words around.
        """
        spot = self.pronoun_spot(token)
        line = self.suite.references[0][spot[0]]
        forms = self.lists.pronoun_forms(token.references[0].pronoun)
        alike = [at for at, word in enumerate(line) if forms & self.lists.pronoun_forms([word])]
        return (
            self.users[spot] == {token.name}
            and alike == [spot[1]]
            and all(
                self.is_linked(other)
                for other in self.suite.tokens
                if other.place.line == spot[0] and other.name != token.name
            )
        )

    def is_linked(self, token: SuiteToken) -> bool:
        """Whether the pronoun's word has a link, and was not found by repair."""
        line, at = self.pronoun_spot(token)
        return any(target == at for _, target in self.links[line])

    def pair_is_alone(self, token: SuiteToken) -> bool:
        """The same for the pronoun and for the words of the head; the pronoun must be linked."""
        heads = self.head_spots(token)
        alone = all(self.users[spot] == {token.name} for spot in heads)
        return alone and self.is_linked(token) and self.stands_alone(token)

    def other_pronoun(self, token: SuiteToken) -> str:
        """A pronoun that fills the same slot but has no form in common with the reference's."""
        own = self.lists.pronoun_forms(token.references[0].pronoun)
        others = [
            form
            for form, pronoun in self.lists.pronouns.items()
            if token.slot.takes(pronoun)
            and "-" not in form
            and not own & self.lists.pronoun_forms([form])
        ]
        return self.random.choice(sorted(others))

    def output(self, name: str, changes: dict[Spot, str]) -> SystemOutput:
        """The reference with some words exchanged."""
        text = [list(line) for line in self.suite.references[0]]
        for (line, at), word in changes.items():
            text[line][at] = word
        words = [tuple(line) for line in text]
        return SystemOutput(name, self.suite.source, words, self.links)

    def without(self, name: str, spots: set[Spot]) -> SystemOutput:
        """The reference with some words left out, and the links that remain."""
        words, links = [], []
        for number, line in enumerate(self.suite.references[0]):
            kept = [at for at in range(len(line)) if (number, at) not in spots]
            place = {at: new for new, at in enumerate(kept)}
            words.append(tuple(line[at] for at in kept))
            links.append(tuple((s, place[t]) for s, t in self.links[number] if t in place))
        return SystemOutput(name, self.suite.source, words, links)


def _names(tokens: Sequence[SuiteToken]) -> frozenset[str]:
    return frozenset(token.name for token in tokens)
