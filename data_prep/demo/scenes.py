"""What the documents of the demo corpus are about: short scenes with one or more pronouns.

Each scene is one to four sentences in abstract form, about things and people.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from random import Random
from types import MappingProxyType
from typing import TypeVar

from crosspro.data_prep.core.task import Task
from crosspro.data_prep.demo.language import (
    GRAMMAR,
    Invariable,
    Noun,
    Profile,
    adjectives,
    neutral_verbs,
    persons,
    table,
    things,
    verbs,
)
from crosspro.data_prep.demo.realise import (
    JOINTS,
    NOTHING,
    Clause,
    Joint,
    Part,
    Phrase,
    Referent,
    SaidPronoun,
)

T = TypeVar("T")
Sentence = tuple[Part, ...]
Chances = dict[str, float]
"""The forms of a pronoun in a translation, and how likely each is."""

_ALL, _NONE = frozenset({"en", "fr", "de", "es"}), frozenset[str]()


class Scenes:
    """Draws scenes for one task from one random generator, with nouns by their gender."""

    def __init__(self, task: Task, profile: Profile, random: Random) -> None:
        self.task, self.profile, self.random = task, profile, random
        self.source, self.target = task.source_language, task.target_language
        foreign = self.source if self.target == "en" else self.target
        self.keys = count()
        self.things = _by_gender(things(), foreign)
        self.persons = _by_gender(persons(), foreign)

    def draw(self) -> list[Sentence]:
        """The sentences of a random scene."""
        name = self.weighted(self.profile.scenes)
        if name == "previous_sentence":
            sentences = self.other_sentence(0)
        elif name == "sentences_back":
            sentences = self.other_sentence(self.random.choice((1, 2)))
        else:
            sentences = getattr(self, name)()
        return [(*sentence, JOINTS["stop"]) for sentence in sentences]

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
        chosen = self.pick(table("adverbs")) if adverb else None
        preposition = self.distractor() if distractor else None
        if not neutral and not distractor and self.maybe(0.5):
            return Clause(self.key(), subject, GRAMMAR["be"], adjective=self.pick(adjectives(kind)))
        verb = self.pick(neutral_verbs() if neutral else verbs(kind))
        return Clause(self.key(), subject, verb, preposition=preposition, adverb=chosen)

    def action(self, thing: Phrase, *, distractor: bool = False) -> Clause:
        """The teacher buys the thing, for another one if there is a distractor."""
        preposition = self.distractor() if distractor else None
        person = Phrase(self.person_referent(plural=False))
        verb = self.pick(verbs("transitive"))
        return Clause(self.key(), person, verb, object=thing, preposition=preposition)

    def farewell(self, referent: Referent) -> Clause:
        """A clause about people that ends with them, for a relative clause to follow."""
        verb = self.pick(verbs("event"))
        thing = Phrase(Referent((self.noun(self.things),)))
        return Clause(self.key(), thing, verb, object=Phrase(referent), kind="event")

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
        preposition = self.pick(table("prepositions"))
        return preposition, Phrase(Referent((self.random.choice(things()),), plural))

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
        plural = self.maybe(0.3) if plural is None else plural
        return Referent((self.noun(self.persons, plural=plural),), plural)

    def noun(self, nouns: Mapping[str, Sequence[Noun]], plural: bool = False) -> Noun:
        """A noun of a gender that is drawn by the weights of the profile."""
        weights = self.profile.plural_genders if plural else self.profile.genders
        return self.pick(
            nouns[self.weighted({name: weights[name] for name in weights if name in nouns})]
        )

    def weighted(self, weights: Mapping[str, float]) -> str:
        return self.random.choices(list(weights), list(weights.values()))[0]

    def pick(self, items: Sequence[T]) -> T:
        return items[self.random.randrange(len(items))]

    def maybe(self, probability: float) -> bool:
        return self.random.random() < probability

    def key(self) -> str:
        """A name that no clause or slot has yet."""
        return f"k{next(self.keys)}"

    # Scenes -------------------------------------------------------------------------------------

    def same_sentence(self) -> Iterator[Sentence]:
        """The machine falls without the key, but it works."""
        referent = self.referent()
        first = self.statement(Phrase(referent), distractor=self.maybe(0.5))
        pronoun = self.anaphor(referent)
        joint = self.random.choice((JOINTS["but"], JOINTS["because"], JOINTS["when"]))
        yield first, joint, self.statement(pronoun)

    def object(self) -> Iterator[Sentence]:
        """The teacher buys the machine for the garden because it is old."""
        referent = self.thing_referent()
        first = self.action(Phrase(referent), distractor=self.maybe(0.5))
        pronoun = self.anaphor(referent)
        joint = self.random.choice((JOINTS["because"], JOINTS["when"]))
        yield first, joint, self.statement(pronoun)

    def cataphora(self) -> Iterator[Sentence]:
        """When it is old, the machine falls."""
        referent = self.referent()
        pronoun = self.anaphor(referent)
        first, second = self.statement(pronoun), self.statement(Phrase(referent))
        yield JOINTS["fronted_when"], first, JOINTS["comma"], second

    def other_sentence(self, between: int) -> Iterator[Sentence]:
        """The teacher buys the machine. [It rains.] It is old."""
        referent = self.referent()
        opening = self.statement(Phrase(referent), distractor=self.maybe(0.4))
        if not referent.person and self.maybe(0.6):
            opening = self.action(Phrase(referent), distractor=self.maybe(0.4))
        yield (opening,)
        for _ in range(between):
            yield from self.weather() if referent.person or self.maybe(0.3) else self.small_talk()
        pronoun = self.anaphor(referent)
        yield (self.statement(pronoun, neutral=self.maybe(0.7), adverb=self.maybe(0.5)),)

    def weather(self) -> Iterator[Sentence]:
        """It rains often."""
        pronoun = self.pleonastic("il", "es", "it")
        verb = self.pick(verbs("weather"))
        clause = Clause(self.key(), pronoun, verb, adverb=self.pick(table("adverbs")))
        yield (clause,)

    def note(self) -> Sentence:
        """Works often: no subject, so that a language model learns to leave pronouns out."""
        nobody = SaidPronoun("", dict.fromkeys(_ALL, NOTHING))
        return self.statement(nobody, neutral=True, adverb=self.maybe(0.5)), JOINTS["stop"]

    def that_clause(self) -> Iterator[Sentence]:
        """It is clear that the machine works."""
        number = self.random.randrange(len(adjectives("that")))
        often = 0.92 if number % 2 else 0.08  # French usage differs by adjective: il est, c'est
        pronoun = self.pleonastic({"il": often, "ce": 1 - often}, "es", "it")
        clause = Clause(self.key(), pronoun, GRAMMAR["be"], adjective=adjectives("that")[number])
        yield clause, JOINTS["that"], self.random_clause()

    def event(self) -> Iterator[Sentence]:
        """The teacher sings. It surprises the queen."""
        yield (self.random_clause(),)
        pronoun = self.pleonastic(
            {"cela": 0.3, "ça": 0.7} if self.task.target == "inflected" else "cela",
            {"das": 0.6, "es": 0.4},
            {"it": 0.8, "this": 0.12, "that": 0.08},
            source={"fr": "cela"},
        )
        verb = self.pick(verbs("event"))
        person = Phrase(self.person_referent())
        yield (Clause(self.key(), pronoun, verb, object=person, kind="event"),)

    def predicative(self) -> Iterator[Sentence]:
        """It is a machine. They are machines; from French, il s' agit d' une machine."""
        plural = self.maybe(self.profile.plural)
        referent = Referent((self.noun(self.things),), plural)
        english = {"these": 0.25, "they": 0.75} if plural else {"it": 0.85, "this": 0.15}
        german = {"das": 0.4, "es": 0.6}
        pronoun = self.pleonastic("ce", german, english, _ALL if plural else _NONE)
        thing = Phrase(referent, definite=False)
        kind = "identify" if self.source == "fr" else "copula"
        yield (Clause(self.key(), pronoun, GRAMMAR["be"], object=thing, kind=kind),)

    def generic(self) -> Iterator[Sentence]:
        """They say that the machine works."""
        plural_in = frozenset({"en", "es"})
        source = {"fr": "on", "de": "man"}
        pronoun = self.pleonastic("on", "man", "they", plural_in, source)
        clause = Clause(self.key(), pronoun, self.pick(verbs("saying")))
        yield clause, JOINTS["that"], self.random_clause()

    def existential(self) -> Iterator[Sentence]:
        """There is a machine."""
        pronoun = self.pleonastic("il", "es", "there", source={"en": "there"})
        referent = Referent((self.noun(self.things),), self.maybe(0.3))
        thing = Phrase(referent, definite=False)
        yield (Clause(self.key(), pronoun, GRAMMAR["exist"], object=thing, kind="exist"),)

    def about(self) -> Iterator[Sentence]:
        """It is about a machine."""
        pronoun = self.pleonastic("il", "es", {"it": 0.6, "this": 0.4})
        thing = Phrase(Referent((self.noun(self.things),)), definite=False)
        clause = Clause(self.key(), pronoun, GRAMMAR["concern"], object=thing, kind="concern")
        yield (clause,)

    def addressee(self) -> Iterator[Sentence]:
        """You can see the machine."""
        source = {"fr": "vous", "en": "you", "de": "Sie"}
        pronoun = self.pleonastic("vous", "Sie", "you", _ALL, source)
        verb = self.pick(verbs("transitive"))
        thing = Phrase(Referent((self.noun(self.things),), self.maybe(0.3)))
        yield (Clause(self.key(), pronoun, GRAMMAR["can"], object=thing, infinitive=verb),)

    def relative(self) -> Iterator[Sentence]:
        """The machine is old, and it works: la machine est vieille, qui fonctionne."""
        referent = self.referent()
        form = {"fr": "qui", "en": "who" if referent.person else "which"}.get(self.target)
        if form is None:
            gender = "pl" if referent.number else referent.gender("de")
            form = {"m": "der", "f": "die", "n": "das", "pl": "die"}[gender]
        pronoun = self.anaphor(referent, form)
        comma_and = {language: f", {word}" for language, word in JOINTS["and"].forms.items()}
        joint = Joint({**comma_and, self.target: ","}, frozenset({self.target}))
        first = self.action(Phrase(referent)) if not referent.person else self.farewell(referent)
        yield first, joint, self.statement(pronoun)

    def left_out(self) -> Iterator[Sentence]:
        """The machine shines and it works: la machine brille et fonctionne."""
        referent = self.referent()
        pronoun = self.anaphor(referent, NOTHING)
        first, second = self.statement(Phrase(referent)), self.statement(pronoun)
        yield first, JOINTS["and"], second

    def narration(self) -> Iterator[Sentence]:
        """The teacher buys the machine: nothing to predict."""
        yield (self.random_clause(),)

    def small_talk(self) -> Iterator[Sentence]:
        """The teacher sings: a sentence without anything that `it` could mean."""
        phrase = Phrase(self.person_referent(plural=False))
        yield (self.statement(phrase, adverb=self.maybe(0.5)),)

    # Pronouns -----------------------------------------------------------------------------------

    def anaphor(self, referent: Referent, translated: str | None = None) -> SaidPronoun:
        """A pronoun for a referent; `translated` is the target form where it is no such pronoun."""
        forms = {language: _anaphor_form(referent, language) for language in ("en", "fr", "de")}
        forms["es"] = NOTHING
        chances = {forms[self.target] if translated is None else translated: 1.0}
        if translated is None and not referent.person and not referent.number:
            share = self.profile.demonstrative
            chances = {forms[self.target]: 1 - share, _demonstrative(referent, self.target): share}
        forms[self.target] = self.weighted(chances)
        plural_in = _ALL if referent.number else _NONE
        return SaidPronoun(self.key(), forms, referent, plural_in)

    def pleonastic(
        self,
        french: str | Chances,
        german: str | Chances,
        english: str | Chances,
        plural_in: frozenset[str] = _NONE,
        source: Mapping[str, str] = MappingProxyType({}),
    ) -> SaidPronoun:
        """A subject without antecedent: its translations, and its form where it is the source."""
        forms = {"en": "they" if "en" in plural_in else "it", "fr": "il", "de": "es"}
        forms |= {**source, "es": NOTHING}
        chances = {"fr": french, "de": german, "en": english}[self.target]
        forms[self.target] = self.weighted({chances: 1.0} if isinstance(chances, str) else chances)
        return SaidPronoun(self.key(), forms, None, plural_in)


def _by_gender(nouns: Sequence[Noun], language: str) -> dict[str, list[Noun]]:
    groups: dict[str, list[Noun]] = {}
    for noun in nouns:
        groups.setdefault(noun.gender[language], []).append(noun)
    return groups


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
