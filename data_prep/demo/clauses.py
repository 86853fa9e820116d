"""What the scenes of the demo corpus are made of: things and people, and clauses about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from random import Random
from typing import TypeVar

from crosspro.data_prep.demo.lexicon import Invariable, Noun, load_lexicon
from crosspro.data_prep.demo.profiles import Profile
from crosspro.data_prep.demo.realise import BE, Clause, Phrase, Referent, SaidPronoun

T = TypeVar("T")
NEUTRAL_VERBS = frozenset(
    (
        *("fall", "disappear", "remain", "arrive", "change", "survive", "fail", "count", "help"),
        *("rest", "react", "follow", "vary", "tremble", "grow", "resist", "stop", "start", "age"),
    )
)
"""Verbs of things that suit people as well: they do not tell `he` from `it`."""


class Clauses:
    """Draws clauses from one random generator, with nouns by their gender in `language`."""

    def __init__(self, profile: Profile, random: Random, language: str) -> None:
        self.profile = profile
        self.random = random
        self.lexicon = load_lexicon()
        self.keys = count()
        self.things = _by_gender(self.lexicon.things, language)
        self.persons = _by_gender(self.lexicon.persons, language)
        neutral = [v for v in self.lexicon.verbs_things if v.forms["en"][0] in NEUTRAL_VERBS]
        self.neutral_verbs = tuple(neutral)

    # Clauses ------------------------------------------------------------------------------------

    def statement(
        self,
        subject: Phrase | SaidPronoun,
        *,
        neutral: bool = False,
        distractor: bool = False,
        adverb: bool = False,
    ) -> Clause:
        """The subject is old, or works; `distractor` adds another noun after the verb."""
        referent = subject.referent
        person = referent is not None and referent.person
        chosen = self.one(self.lexicon.adverbs) if adverb else None
        preposition = self.distractor() if distractor else None
        if not neutral and not distractor and self.maybe(0.5):
            adjectives = (
                self.lexicon.adjectives_persons if person else self.lexicon.adjectives_things
            )
            return Clause(self.key(), subject, BE, adjective=self.one(adjectives))
        verbs = self.lexicon.verbs_persons if person else self.lexicon.verbs_things
        if neutral:
            verbs = self.neutral_verbs
        return Clause(self.key(), subject, self.one(verbs), preposition=preposition, adverb=chosen)

    def action(self, thing: Phrase, *, distractor: bool = False) -> Clause:
        """The teacher buys the thing, for another one if there is a distractor."""
        preposition = self.distractor() if distractor else None
        person = Phrase(self.person_referent(plural=False))
        verb = self.one(self.lexicon.verbs_transitive)
        return Clause(self.key(), person, verb, object=thing, preposition=preposition)

    def farewell(self, referent: Referent) -> Clause:
        """A clause about people that ends with them, for a relative clause to follow."""
        verb = self.one(self.lexicon.verbs_event)
        return Clause(
            self.key(),
            Phrase(Referent((self.noun(self.things),))),
            verb,
            object=Phrase(referent),
            kind="event",
        )

    def random_clause(self) -> Clause:
        """Somebody does something, or something is told of a thing or a person."""
        if self.maybe(0.5):
            return self.action(Phrase(self.thing_referent()), distractor=self.maybe(0.3))
        person = self.maybe(0.5)
        referent = self.person_referent() if person else self.thing_referent()
        return self.statement(Phrase(referent), adverb=self.maybe(0.3))

    def distractor(self) -> tuple[Invariable, Phrase]:
        """A phrase such as for the garden: a noun that is no antecedent."""
        plural = self.maybe(0.3)
        return self.one(self.lexicon.prepositions), Phrase(
            Referent((self.random.choice(self.lexicon.things),), plural)
        )

    # Draws --------------------------------------------------------------------------------------

    def referent(self) -> Referent:
        """Somebody or something to speak about, as often as the profile says."""
        plural = self.maybe(self.profile.plural)
        person = self.maybe(self.profile.person_plural if plural else self.profile.person)
        return self.person_referent(plural=plural) if person else self.thing_referent(plural=plural)

    def thing_referent(self, plural: bool | None = None) -> Referent:
        """One thing, several, or two that are coordinated."""
        plural = self.maybe(self.profile.plural) if plural is None else plural
        if plural and self.maybe(0.25):
            return Referent((self.noun(self.things, plural=True), self.noun(self.things)))
        return Referent((self.noun(self.things, plural=plural),), plural)

    def person_referent(self, plural: bool | None = None) -> Referent:
        """Somebody, or several people."""
        plural = self.maybe(0.3) if plural is None else plural
        return Referent((self.noun(self.persons, plural=plural),), plural)

    def noun(
        self, nouns: Mapping[str, Sequence[Noun]], gender: str | None = None, plural: bool = False
    ) -> Noun:
        """A noun of the given gender, or of one drawn by the weights of the profile."""
        weights = self.profile.plural_genders if plural else self.profile.genders
        known = {name: weight for name, weight in weights.items() if name in nouns}
        if gender is None:
            gender = self.random.choices(list(known), list(known.values()))[0]
        return self.one(nouns[gender])

    def one(self, items: Sequence[T]) -> T:
        """One of the items, all equally likely."""
        return items[self.random.randrange(len(items))]

    def maybe(self, probability: float) -> bool:
        """True with this probability."""
        return self.random.random() < probability

    def key(self) -> str:
        """A name that no clause or slot has yet."""
        return f"k{next(self.keys)}"


def _by_gender(nouns: Sequence[Noun], language: str) -> dict[str, list[Noun]]:
    groups: dict[str, list[Noun]] = {}
    for noun in nouns:
        groups.setdefault(noun.gender[language], []).append(noun)
    return groups
