"""What the documents of the demo corpus are about: short scenes with one or more pronouns.

Each scene is one to four sentences in abstract form, about things and people. For every pronoun it
records its `Origin`: what kind of use it is, and how many sentences back its class is decided.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from random import Random
from typing import TypeVar

from crosspro.data_prep.core.task import Task
from crosspro.data_prep.demo.language import (
    Invariable,
    Noun,
    Profile,
    adjectives,
    persons,
    table,
    things,
    verbs,
)
from crosspro.data_prep.demo.realise import (
    AND,
    BE,
    BECAUSE,
    BUT,
    CAN,
    COMMA,
    CONCERN,
    EXIST,
    FRONTED_WHEN,
    NOTHING,
    STOP,
    THAT,
    WHEN,
    Clause,
    Joint,
    Part,
    Phrase,
    Referent,
    SaidPronoun,
)

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
        self.keys = count()
        self.things = _by_gender(things(), language)
        self.persons = _by_gender(persons(), language)
        neutral = [v for v in verbs("things") if v.forms["en"][0] in NEUTRAL_VERBS]
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
        kind = "persons" if referent is not None and referent.person else "things"
        chosen = self.one(table("adverbs")) if adverb else None
        preposition = self.distractor() if distractor else None
        if not neutral and not distractor and self.maybe(0.5):
            return Clause(self.key(), subject, BE, adjective=self.one(adjectives(kind)))
        verb = self.one(self.neutral_verbs if neutral else verbs(kind))
        return Clause(self.key(), subject, verb, preposition=preposition, adverb=chosen)

    def action(self, thing: Phrase, *, distractor: bool = False) -> Clause:
        """The teacher buys the thing, for another one if there is a distractor."""
        preposition = self.distractor() if distractor else None
        person = Phrase(self.person_referent(plural=False))
        verb = self.one(verbs("transitive"))
        return Clause(self.key(), person, verb, object=thing, preposition=preposition)

    def farewell(self, referent: Referent) -> Clause:
        """A clause about people that ends with them, for a relative clause to follow."""
        verb = self.one(verbs("event"))
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
        return self.one(table("prepositions")), Phrase(
            Referent((self.random.choice(things()),), plural)
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


_ALL = frozenset({"en", "fr", "de", "es"})


@dataclass(frozen=True)
class Origin:
    """The kind of a pronoun, and how many sentences `back` one must read to know its class."""

    kind: str
    back: int


@dataclass(frozen=True)
class Sentence:
    """An abstract sentence and the origin of the pronoun in each slot."""

    parts: tuple[Part, ...]
    origins: dict[str, Origin] = field(default_factory=dict)


class Scenes(Clauses):
    """Draws scenes for one task from one random generator."""

    def __init__(self, task: Task, profile: Profile, random: Random) -> None:
        self.task = task
        self.source = task.source_language
        self.target = task.target_language
        self.into_english = self.target == "en"
        self.foreign = self.source if self.into_english else self.target
        super().__init__(profile, random, self.foreign)
        self.makers: dict[str, Callable[[], Iterator[Sentence]]] = {
            "same_sentence": self.same_sentence,
            "object": self.object,
            "cataphora": self.cataphora,
            "previous_sentence": lambda: self.other_sentence(0),
            "sentences_back": lambda: self.other_sentence(self.random.choice((1, 2))),
            "weather": self.weather,
            "that_clause": self.that_clause,
            "event": self.event,
            "predicative": self.predicative,
            "generic": self.generic,
            "existential": self.existential,
            "about": self.about,
            "addressee": self.addressee,
            "relative": self.relative,
            "left_out": self.left_out,
            "narration": self.narration,
        }

    def draw(self) -> list[Sentence]:
        """The sentences of a random scene."""
        names = list(self.profile.scenes)
        weights = list(self.profile.scenes.values())
        return list(self.makers[self.random.choices(names, weights)[0]]())

    # Scenes -------------------------------------------------------------------------------------

    def same_sentence(self) -> Iterator[Sentence]:
        """The machine falls without the key, but it works."""
        referent = self.referent()
        first = self.statement(Phrase(referent), distractor=self.maybe(0.5))
        pronoun, origins = self.anaphor(referent, "same_sentence", 0)
        joint = self.random.choice((BUT, BECAUSE, WHEN))
        yield Sentence((first, joint, self.statement(pronoun), STOP), origins)

    def object(self) -> Iterator[Sentence]:
        """The teacher buys the machine for the garden because it is old."""
        referent = self.thing_referent()
        first = self.action(Phrase(referent), distractor=self.maybe(0.5))
        pronoun, origins = self.anaphor(referent, "same_sentence", 0)
        joint = self.random.choice((BECAUSE, WHEN))
        yield Sentence((first, joint, self.statement(pronoun), STOP), origins)

    def cataphora(self) -> Iterator[Sentence]:
        """When it is old, the machine falls."""
        referent = self.referent()
        pronoun, origins = self.anaphor(referent, "cataphora", 0)
        parts = (FRONTED_WHEN, self.statement(pronoun), COMMA, self.statement(Phrase(referent)))
        yield Sentence((*parts, STOP), origins)

    def other_sentence(self, between: int) -> Iterator[Sentence]:
        """The teacher buys the machine. [It rains.] It is old."""
        referent = self.referent()
        opening = self.statement(Phrase(referent), distractor=self.maybe(0.4))
        if not referent.person and self.maybe(0.6):
            opening = self.action(Phrase(referent), distractor=self.maybe(0.4))
        yield Sentence((opening, STOP))
        for _ in range(between):
            yield from self.weather() if referent.person or self.maybe(0.3) else self.small_talk()
        pronoun, origins = self.anaphor(referent, "other_sentence", 1 + between)
        statement = self.statement(pronoun, neutral=self.maybe(0.7), adverb=self.maybe(0.5))
        neutral = statement.verb in self.neutral_verbs
        if self.is_decided(referent, statement, neutral):
            origins = {pronoun.slot: replace(origins[pronoun.slot], back=0)}
        yield Sentence((statement, STOP), origins)

    def is_decided(self, referent: Referent, statement: Clause, neutral: bool) -> bool:
        """Whether a pronoun's own sentence decides its class.

        It tells the number and, at times, through the predicate the gender or that it is a thing.
        """
        subject = statement.subject
        pronoun = subject.forms[self.source] if isinstance(subject, SaidPronoun) else ""
        agreeing = self.task.target == "inflected" or self.into_english
        adjective = statement.adjective.forms[self.foreign] if statement.adjective else ()
        gender_shown = bool(pronoun and self.into_english) or (
            agreeing and len(set(adjective[2 * referent.number : 2 * referent.number + 2])) == 2
        )
        if not self.into_english:
            return gender_shown or (self.target == "de" and bool(referent.number))
        is_thing = not neutral and not referent.person
        if referent.number or is_thing or (not neutral and gender_shown):
            return True
        return self.source == "de" and referent.gender("de") == "n"

    def weather(self) -> Iterator[Sentence]:
        """It rains often."""
        pronoun, origins = self.pleonastic("weather", {"il": 1.0}, {"es": 1.0}, {"it": 1.0})
        verb = self.one(verbs("weather"))
        clause = Clause(self.key(), pronoun, verb, adverb=self.one(table("adverbs")))
        yield Sentence((clause, STOP), origins)

    def that_clause(self) -> Iterator[Sentence]:
        """It is clear that the machine works."""
        known = adjectives("that")
        number = self.random.randrange(len(known))
        often = 0.92 if number % 2 else 0.08  # French usage differs by adjective: il est, c'est
        pronoun, origins = self.pleonastic(
            "that_clause", {"il": often, "ce": 1 - often}, {"es": 1.0}, {"it": 1.0}
        )
        clause = Clause(self.key(), pronoun, BE, adjective=known[number])
        yield Sentence((clause, THAT, self.random_clause(), STOP), origins)

    def event(self) -> Iterator[Sentence]:
        """The teacher sings. It surprises the queen."""
        yield Sentence((self.random_clause(), STOP))
        pronoun, origins = self.pleonastic(
            "event",
            {"cela": 0.3, "ça": 0.7} if self.task.target == "inflected" else {"cela": 1.0},
            {"das": 0.6, "es": 0.4} if self.target == "de" else {"es": 1.0},
            {"it": 0.8, "this": 0.12, "that": 0.08},
            french_source="cela",
        )
        verb = self.one(verbs("event"))
        person = Phrase(self.person_referent())
        clause = Clause(self.key(), pronoun, verb, object=person, kind="event")
        yield Sentence((clause, STOP), origins)

    def predicative(self) -> Iterator[Sentence]:
        """It is a machine. They are machines; from French, il s' agit d' une machine."""
        plural = self.maybe(self.profile.plural)
        referent = Referent((self.noun(self.things),), plural)
        english = {"these": 0.25, "they": 0.75} if plural else {"it": 0.85, "this": 0.15}
        pronoun, origins = self.pleonastic(
            "predicative",
            {"ce": 1.0},
            {"das": 0.4, "es": 0.6} if self.target == "de" else {"es": 1.0},
            english,
            plural=plural,
        )
        thing = Phrase(referent, definite=False)
        kind = "identify" if self.source == "fr" else "copula"
        yield Sentence((Clause(self.key(), pronoun, BE, object=thing, kind=kind), STOP), origins)

    def generic(self) -> Iterator[Sentence]:
        """They say that the machine works."""
        pronoun, origins = self.pleonastic(
            "generic",
            {"on": 1.0},
            {"man": 1.0},
            {"they": 1.0},
            french_source="on",
            german_source="man",
            plural_in=frozenset({"en", "es"}),
        )
        clause = Clause(self.key(), pronoun, self.one(verbs("saying")))
        yield Sentence((clause, THAT, self.random_clause(), STOP), origins)

    def existential(self) -> Iterator[Sentence]:
        """There is a machine."""
        pronoun, origins = self.pleonastic(
            "existential", {"il": 1.0}, {"es": 1.0}, {"there": 1.0}, english_source="there"
        )
        referent = Referent((self.noun(self.things),), self.maybe(0.3))
        thing = Phrase(referent, definite=False)
        yield Sentence(
            (Clause(self.key(), pronoun, EXIST, object=thing, kind="exist"), STOP), origins
        )

    def about(self) -> Iterator[Sentence]:
        """It is about a machine."""
        pronoun, origins = self.pleonastic(
            "about", {"il": 1.0}, {"es": 1.0}, {"it": 0.6, "this": 0.4}
        )
        thing = Phrase(Referent((self.noun(self.things),)), definite=False)
        clause = Clause(self.key(), pronoun, CONCERN, object=thing, kind="concern")
        yield Sentence((clause, STOP), origins)

    def addressee(self) -> Iterator[Sentence]:
        """You can see the machine."""
        pronoun, origins = self.pleonastic(
            "addressee",
            {"vous": 1.0},
            {"Sie": 1.0},
            {"you": 1.0},
            french_source="vous",
            english_source="you",
            german_source="Sie",
            plural=True,
        )
        verb = self.one(verbs("transitive"))
        thing = Phrase(Referent((self.noun(self.things),), self.maybe(0.3)))
        yield Sentence(
            (Clause(self.key(), pronoun, CAN, object=thing, infinitive=verb), STOP), origins
        )

    def relative(self) -> Iterator[Sentence]:
        """The machine is old, and it works: la machine est vieille, qui fonctionne."""
        referent = self.referent()
        form = {"fr": "qui", "en": "who" if referent.person else "which"}.get(self.target)
        if form is None:
            gender = "pl" if referent.number else referent.gender("de")
            form = {"m": "der", "f": "die", "n": "das", "pl": "die"}[gender]
        pronoun, origins = self.anaphor(referent, "relative", 0, translated=form)
        joint = Joint({**_comma_and(), self.target: ","}, frozenset({self.target}))
        first = self.action(Phrase(referent)) if not referent.person else self.farewell(referent)
        yield Sentence((first, joint, self.statement(pronoun), STOP), origins)

    def left_out(self) -> Iterator[Sentence]:
        """The machine shines and it works: la machine brille et fonctionne."""
        referent = self.referent()
        pronoun, origins = self.anaphor(referent, "left_out", 0, translated=NOTHING)
        first, second = self.statement(Phrase(referent)), self.statement(pronoun)
        yield Sentence((first, AND, second, STOP), origins)

    def narration(self) -> Iterator[Sentence]:
        """The teacher buys the machine: nothing to predict."""
        yield Sentence((self.random_clause(), STOP))

    def small_talk(self) -> Iterator[Sentence]:
        """The teacher sings: a sentence without anything that `it` could mean."""
        phrase = Phrase(self.person_referent(plural=False))
        yield Sentence((self.statement(phrase, adverb=self.maybe(0.5)), STOP))

    # Pronouns -----------------------------------------------------------------------------------

    def anaphor(
        self, referent: Referent, kind: str, back: int, translated: str | None = None
    ) -> tuple[SaidPronoun, dict[str, Origin]]:
        """A pronoun for a referent; `translated` is the target form where it is no such pronoun."""
        forms = {language: _anaphor_form(referent, language) for language in ("en", "fr", "de")}
        forms["es"] = NOTHING
        chances = {forms[self.target]: 1.0}
        if translated is not None:
            chances = {translated: 1.0}
        elif self.profile.demonstrative and not referent.person and not referent.number:
            demonstrative = _demonstrative(referent, self.target)
            share = self.profile.demonstrative
            chances = {forms[self.target]: 1 - share, demonstrative: share}
        forms[self.target] = self.draw_form(chances)
        slot = self.key()
        pronoun = SaidPronoun(slot, forms, referent, _ALL if referent.number else frozenset())
        return pronoun, {slot: Origin(kind, back)}

    def pleonastic(
        self,
        kind: str,
        french: dict[str, float],
        german: dict[str, float],
        english: dict[str, float],
        *,
        french_source: str = "il",
        german_source: str = "es",
        english_source: str | None = None,
        plural: bool = False,
        plural_in: frozenset[str] | None = None,
    ) -> tuple[SaidPronoun, dict[str, Origin]]:
        """A subject without antecedent: its chances as a translation, its form as a source."""
        if plural_in is None:
            plural_in = _ALL if plural else frozenset()
        they = "they" if "en" in plural_in else "it"
        forms = {"en": english_source or they, "fr": french_source, "de": german_source}
        forms["es"] = NOTHING
        chances = {"fr": french, "de": german, "en": english}[self.target]
        forms[self.target] = self.draw_form(chances)
        slot = self.key()
        return SaidPronoun(slot, forms, None, plural_in), {slot: Origin(kind, 0)}

    def draw_form(self, chances: dict[str, float]) -> str:
        """A form, drawn by its chances."""
        return self.random.choices(list(chances), list(chances.values()))[0]


def _comma_and() -> dict[str, str]:
    return {language: f", {word}" for language, word in AND.forms.items()}


def _anaphor_form(referent: Referent, language: str) -> str:
    gender = referent.gender(language)
    if language == "en":
        return "they" if referent.number else {"m": "he", "f": "she", "n": "it"}[gender]
    if language == "fr":
        return ("elle" if gender == "f" else "il") + ("s" if referent.number else "")
    return "sie" if referent.number else {"m": "er", "f": "sie", "n": "es"}[gender]


def _demonstrative(referent: Referent, language: str) -> str:
    gender = referent.gender(language)
    forms = {
        "en": {"n": "this"},
        "fr": {"m": "celui-ci", "f": "celle-ci"},
        "de": {"m": "dieser", "f": "diese", "n": "dieses"},
    }
    return forms[language][gender]
