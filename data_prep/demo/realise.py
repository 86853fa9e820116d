"""From meaning to words: an abstract sentence said in English, French, German or Spanish.

A sentence is a sequence of parts (clauses, conjunctions, punctuation). Words of two languages that
say the same carry the same `key`; that makes the word links exact. The subject of a clause has a
`slot`, carried by the pronoun or, where a language drops it, by the verb (Spanish) or by an empty
word (a translation that leaves it out).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from crosspro.data_prep.annotate.tags import pronoun_lemma
from crosspro.data_prep.core.example import AnnotatedSentence, Token
from crosspro.data_prep.demo.language import LANGUAGES, Forms, Invariable, Noun, table

NOTHING = ""
"""The form of a subject that is left out."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a sentence; `lemma` and the coarse category serve the lemmatised tasks."""

    form: str
    lemma: str
    category: str
    key: str | None = None
    slot: str | None = None


@dataclass(frozen=True)
class Referent:
    """What a noun phrase speaks of: one noun, or two that are coordinated."""

    nouns: tuple[Noun, ...]
    plural: bool = False

    @property
    def person(self) -> bool:
        return self.nouns[0].person

    def gender(self, language: str) -> str:
        """Grammatical gender; a coordination is feminine only if all its nouns are."""
        genders = {noun.gender[language] for noun in self.nouns}
        return genders.pop() if len(genders) == 1 else "m"

    @property
    def number(self) -> int:
        """0 in the singular, 1 in the plural."""
        return int(self.plural or len(self.nouns) > 1)


@dataclass(frozen=True)
class Phrase:
    """A noun phrase with a definite or an indefinite article."""

    referent: Referent
    definite: bool = True


@dataclass(frozen=True)
class SaidPronoun:
    """A pronominal subject: its form in each language, NOTHING where it is left out.

    Adjectives agree with the referent, or are masculine singular if there is none; the verb is
    plural in the languages of `plural_in` (they say, on dit, man sagt, dicen).
    """

    slot: str
    forms: dict[str, str]
    referent: Referent | None = None
    plural_in: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Clause:
    """A finite clause: subject, verb and what it takes.

    `kind` is plain, or names what has its own grammar: copula (the object is a nominative), exist
    (there is), concern (it is about), identify (a copula that is il s'agit de in French) and event
    (Spanish marks the object with a).
    """

    key: str
    subject: Phrase | SaidPronoun
    verb: Forms
    adjective: Forms | None = None
    object: Phrase | None = None
    preposition: tuple[Invariable, Phrase] | None = None
    adverb: Invariable | None = None
    infinitive: Forms | None = None
    kind: str = "plain"


@dataclass(frozen=True)
class Joint:
    """A conjunction or a punctuation mark, and the languages in which it moves the verb back."""

    forms: dict[str, str]
    subordinating_in: frozenset[str] = frozenset()


Part = Clause | Joint

JOINTS = {
    row["name"]: Joint(
        {language: row[language] for language in LANGUAGES}, frozenset(row["verb_last"].split())
    )
    for row in table("joints")
}

_VOWELS = tuple("aeiouâàéèêëîïôûùœ")
_ELIDED = {"le": "l'", "la": "l'", "que": "qu'", "de": "d'", "ce": "c'"}

_ARTICLES = {(row["kind"], row["language"]): row for row in table("articles")}
"""By `definite` or `indefinite` and language (`de-acc`: the German accusative)."""


def realise(parts: Sequence[Part], language: str) -> list[Word]:
    """The words of a sentence in a language, elisions made, first word capitalised."""
    words: list[Word] = []
    order = "main"
    for index, part in enumerate(parts):
        if isinstance(part, Clause):
            words += _clause(part, language, order)
            continue
        words += _joint(part.forms[language], f"{index}")
        if language in part.subordinating_in:
            order = "subordinate"
        elif part == JOINTS["comma"] and order == "subordinate":
            order = "inverted"  # the main clause after a fronted subordinate one
        else:
            order = "main"
    for place, word in enumerate(words):
        following = next((other.form for other in words[place + 1 :] if other.form), "")
        if language == "fr" and word.form in _ELIDED and following.startswith(_VOWELS):
            words[place] = replace(word, form=_ELIDED[word.form])
        elif language == "es" and word.form == "y" and following.startswith(("i", "hi")):
            words[place] = replace(word, form="e")
    first = next((place for place, word in enumerate(words) if word.form), 0)
    form = words[first].form
    words[first] = replace(words[first], form=form[:1].upper() + form[1:])
    return words


def _joint(text: str, key: str) -> list[Word]:
    return [
        Word(form, form, "PUNCT", f"{key}.mark")
        if form in (",", ".")
        else Word(form, form, "CONJ", f"{key}.joint")
        for form in text.split(" ")
    ]


def _clause(clause: Clause, language: str, order: str) -> list[Word]:
    subject = _subject(clause, language)
    finite = _finite(clause, language)
    rest = _complements(clause, language)
    adverb = clause.adverb[language] if clause.adverb else ""
    adverbs = _invariable(adverb, "ADV", f"{clause.key}.adv")
    verb = clause.infinitive[language][0] if clause.infinitive else ""
    infinitive = _invariable(verb, "VERB", f"{clause.key}.inf")
    if language == "en":
        return subject + finite + infinitive + rest + adverbs
    if language != "de":
        return subject + finite + adverbs + infinitive + rest
    if order == "subordinate":
        return subject + adverbs + rest + infinitive + finite
    if order == "inverted":
        return finite + subject + adverbs + rest + infinitive
    return subject + finite + adverbs + rest + infinitive


def _invariable(form: str, category: str, key: str) -> list[Word]:
    return [Word(form, form, category, key)] if form else []


_DEMONSTRATIVES = {"diese": "dieser", "dieses": "dieser"}
"""Lemmas."""


def _subject(clause: Clause, language: str) -> list[Word]:
    subject = clause.subject
    if isinstance(subject, Phrase):
        return _phrase(subject, language, f"{clause.key}.s")
    form = subject.forms[language]
    if form == NOTHING and language == "es":
        return []
    lemma = pronoun_lemma(form, "PRON", language) or _DEMONSTRATIVES.get(form, form)
    return [Word(form, lemma, "PRON", f"{clause.key}.{subject.slot}", subject.slot)]


def _agreement(clause: Clause, language: str) -> tuple[str, int]:
    subject = clause.subject
    if isinstance(subject, Phrase):
        return subject.referent.gender(language), subject.referent.number
    gender = subject.referent.gender(language) if subject.referent else "m"
    return gender, int(language in subject.plural_in)


def _finite(clause: Clause, language: str) -> list[Word]:
    lemma, singular, plural = clause.verb[language]
    number = _agreement(clause, language)[1]
    if clause.kind == "exist" and clause.object:
        number = clause.object.referent.number
    subject, key = clause.subject, f"{clause.key}.v"
    slot = None
    if isinstance(subject, SaidPronoun) and language == "es" and subject.forms["es"] == NOTHING:
        slot = subject.slot
    if clause.kind == "identify" and language == "fr":
        about = Word("de", "de", "ADP", f"{clause.key}.about")
        return [Word("s'", "se", "PRON", key), Word("agit", "agir", "VERB", key), about]
    word = Word(plural if number else singular, lemma, "VERB", key, slot)
    if clause.kind == "exist" and language == "fr":
        return [Word("y", "y", "PRON", key), word]
    if clause.kind == "concern":
        before = {"fr": "s'", "es": "se"}.get(language)
        after = {"en": "about", "fr": "de", "de": "um", "es": "de"}[language]
        reflexive = [Word(before, "se", "PRON", key)] if before else []
        return [*reflexive, word, Word(after, after, "ADP", f"{clause.key}.about")]
    return [word]


def _complements(clause: Clause, language: str) -> list[Word]:
    words: list[Word] = []
    if clause.adjective:
        gender, number = _agreement(clause, language)
        forms = clause.adjective[language]
        form = forms[2 * number + (gender == "f")]
        words.append(Word(form, forms[0], "ADJ", f"{clause.key}.a"))
    if clause.object:
        accusative = clause.kind not in ("copula", "identify")
        phrase = _phrase(clause.object, language, f"{clause.key}.o", accusative)
        if clause.kind == "event" and language == "es":  # the personal a of Spanish
            if phrase[0].form == "el":
                phrase[0] = Word("al", "al", "ADP", phrase[0].key)
            else:
                phrase.insert(0, Word("a", "a", "ADP"))
        if clause.kind == "identify" and language == "fr" and clause.object.referent.plural:
            phrase = phrase[1:]  # de and des give de
        words += phrase
    if clause.preposition:
        preposition, complement = clause.preposition
        words += _invariable(preposition[language], "ADP", f"{clause.key}.p")
        words += _phrase(complement, language, f"{clause.key}.c", accusative=True)
    return words


def _phrase(phrase: Phrase, language: str, key: str, accusative: bool = False) -> list[Word]:
    words: list[Word] = []
    referent = phrase.referent
    kind = "definite" if phrase.definite else "indefinite"
    articles = _ARTICLES[kind, "de-acc" if language == "de" and accusative else language]
    for index, noun in enumerate(referent.nouns):
        if index:
            words += _invariable(JOINTS["and"].forms[language], "CONJ", f"{key}.and")
        gender = noun.gender[language]
        plural = "fpl" if gender == "f" and articles["fpl"] else "pl"
        article = articles[plural if referent.plural else gender]
        form = noun.forms[language][int(referent.plural)]
        if article == "a" and form.startswith(tuple("aeiou")):
            article = "an"
        if article:
            words.append(Word(article, articles["lemma"], "DET", f"{key}.d{index}"))
        words.append(Word(form, noun.forms[language][0], "NOUN", f"{key}.n{index}"))
    return words


_RELATIONS = {
    "s": "nsubj", "o": "obj", "c": "obl", "a": "xcomp", "inf": "xcomp", "adv": "advmod",
    "p": "case", "about": "case", "mark": "punct",
}  # fmt: skip


def parsed(words: Sequence[Word]) -> AnnotatedSentence:
    """A parse in the manner of Universal Dependencies, but with finite verbs as heads.

    The keys of words tell their part: `k1.s.n0` is the first noun of the subject of a clause.
    """
    places = {word.key: place for place, word in enumerate(words) if word.key}
    verbs = [place for key, place in places.items() if key.endswith(".v")]
    tokens = []
    for place, word in enumerate(words):
        head, relation = _head(word, place, places, verbs)
        plural = word.category == "NOUN" and word.form.lower() != word.lemma.lower()
        tag = "." if word.category == "PUNCT" else word.category
        upos = "CCONJ" if word.category == "CONJ" else word.category
        number = "Number=Plur" if plural else ""
        tokens.append(Token(word.form, word.lemma, tag, upos, None, head, relation, number))
    return AnnotatedSentence(tuple(tokens))


def _head(word: Word, place: int, places: dict[str, int], verbs: Sequence[int]) -> tuple[int, str]:
    """The place of a word's head, and the relation between them."""
    clause, _, role = (word.key or ".case").partition(".")
    phrase, _, part = role.partition(".")
    verb = places.get(f"{clause}.v", verbs[0])
    if phrase == "v":
        if place != verb:  # of s' agit, y a the first word
            return verb, "expl"
        return (-1, "root") if verb == verbs[0] else (verbs[0], "conj")
    if word.slot is not None:
        return verb, "nsubj"
    if phrase == "joint":
        return next((later for later in verbs if later > place), verbs[0]), "mark"
    if part.startswith("d"):
        return places[f"{clause}.{phrase}.n{part[1:]}"], "det"
    if part == "and":
        return places[f"{clause}.{phrase}.n1"], "cc"
    if part == "n1":
        return places[f"{clause}.{phrase}.n0"], "conj"
    if phrase in ("p", "about"):
        return places.get(f"{clause}.{'c' if phrase == 'p' else 'o'}.n0", verb), "case"
    return verb, _RELATIONS.get(phrase, "case")
