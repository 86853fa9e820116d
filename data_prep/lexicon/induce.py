"""Gender and number of French, Spanish and German nouns, learnt from text by agreement.

A noun follows a determiner (la maison), perhaps with adjectives between them (la petite maison),
which agree with it. A class of nouns is a gender and a number in short: `ms` and `fp` for French
and Spanish; German has no gender in the plural, so its classes are `m`, `f`, `n` and `p`. Each
determiner lists the classes that it agrees with (`conf/words/determiners/`): the fewer, the more it
tells. Each time, the classes that all of these words agree with are counted (`fs` for la, `ms fs`
for l'). A gender is known if nearly all determiners of the word agree with it and clearly fewer
with any other; so is a number. Plural forms take the gender of their singular where their own
determiners do not show it.

In French and Spanish an adjective before its noun is told from a noun by what follows it: another
word that itself follows determiners. In German nouns have capitals. Text of lemmas teaches nothing,
as the lemma of a determiner has no gender; look-ups by lemma work, since lemmas are singular forms.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache

from crosspro.data_prep.core.errors import choices, input_error, quoted
from crosspro.data_prep.lexicon.lexicon import Entry, Lexicon
from crosspro.data_prep.words.lists import word_lists

Classes = frozenset[str]
Evidence = Counter[Classes]
"""How often a word was seen with each set of classes that the words before it agree with."""

LANGUAGES = ("fr", "es", "de")
_GENDERS = {"m": "Masc", "f": "Fem", "n": "Neut"}
_GERMAN_ENDINGS = {"": "m n", "e": "f p", "en": "m p", "em": "m n", "er": "f p", "es": "m n"}
_STEMS = "stems"
_BARE_GERMAN = frozenset({"ein", *word_lists("determiners", "de")[_STEMS]})
"""Determiners without an ending: the adjective after them shows the gender (ein kleines Haus)."""
_STRONG_GERMAN = {"er": frozenset("m"), "es": frozenset("n")}
_WEAK_GERMAN = ("e", "en", "er", "es", "em")
_GERMAN_ADJECTIVES = 2
"""Adjectives between determiner and noun, at most."""
_SINGULARS = {
    "fr": (("s", ""), ("x", ""), ("aux", "al")),
    "es": (("s", ""), ("es", ""), ("ces", "z"), ("iones", "ión")),
}
"""What an ending of a plural is in the singular."""
_WITHOUT_UMLAUT = str.maketrans("äöüÄÖÜ", "aouAOU")


MIN_COUNT = 3
"""Occurrences after a determiner (or a determiner and an adjective) that a word must have."""
_CONFIDENCE = 0.9
"""The share of a word's determiners that must agree with its class."""
_NOUN_SHARE = 0.15
"""The share of all occurrences of a noun that must follow a determiner (French and Spanish)."""
_ADJECTIVE_SHARE = 0.5
"""Words of which more occurrences after a determiner have a noun behind them are adjectives."""


@cache
def determiners(language: str) -> dict[str, Classes]:
    """The classes that each determiner of a language agrees with."""
    if language not in LANGUAGES:
        raise input_error("settings", "language", choices(LANGUAGES), quoted(language))
    agreeing: dict[str, Classes] = {}
    lists = word_lists("determiners", language)
    for classes, words in lists.items():
        if classes != _STEMS:
            agreeing |= dict.fromkeys(words, frozenset(classes.split()))
    for stem in lists.get(_STEMS, ()):
        for ending, classes in _GERMAN_ENDINGS.items():
            agreeing[stem + ending] = frozenset(classes.split())
    return agreeing


def classes_of(language: str) -> tuple[str, ...]:
    return ("m", "f", "n", "p") if language == "de" else ("ms", "fs", "mp", "fp")


def _gender(name: str) -> str | None:
    return _GENDERS.get(name[0])


def _number(name: str) -> str:
    return "Plur" if name.endswith("p") else "Sing"


def singulars(word: str, language: str) -> Iterator[str]:
    """Words whose plural the word may be."""
    for ending, singular in _SINGULARS.get(language, ()):
        if word.endswith(ending):
            yield word.removesuffix(ending) + singular
    if language == "de":
        for ending in ("en", "n", "e", "er", "s", "nen"):
            stem = word.removesuffix(ending)
            if stem != word and len(stem) > 1:
                yield stem
                if ending in ("e", "er"):
                    yield stem.translate(_WITHOUT_UMLAUT)


def induce(sentences: Iterable[Sequence[str]], language: str) -> Lexicon:
    """A lexicon of the nouns of a text, and of the adjectives before them (French, Spanish)."""
    if language == "de":
        evidence = _german_evidence(sentences)
        return Lexicon.of(_entries(evidence, "NOUN", language))
    text = _Counts(sentences, language)
    adjectives = text.adjectives()
    entries = _entries(adjectives, "ADJ", language)
    agreeing = {
        entry.word: frozenset(
            name
            for name in classes_of(language)
            if entry.gender in (None, _gender(name)) and entry.number in (None, _number(name))
        )
        for entry in entries
    }
    nouns = text.nouns(set(adjectives), agreeing)
    for category, is_common in (("NOUN", True), ("PROPN", False)):
        words = {word: nouns[word] for word in nouns if word.islower() == is_common}
        entries += _entries(words, category, language)
    return Lexicon.of(entries)


class _Counts:
    """What stands after the determiners of a French or Spanish text, one and two words on."""

    def __init__(self, sentences: Iterable[Sequence[str]], language: str) -> None:
        self.after: dict[str, Evidence] = defaultdict(Counter)
        self.next: dict[str, Counter[tuple[Classes, str]]] = defaultdict(Counter)
        self.total: Counter[str] = Counter()
        agreeing = determiners(language)
        for sentence in sentences:
            self.total.update(sentence)
            for place, word in enumerate(sentence[:-1]):
                classes = agreeing.get(word.lower())
                following = sentence[place + 1]
                if classes is None or not _is_word(following) or following.lower() in agreeing:
                    continue
                self.after[following][classes] += 1
                if place + 2 < len(sentence) and _is_word(sentence[place + 2]):
                    self.next[following][classes, sentence[place + 2]] += 1

    def is_nounlike(self, word: str) -> bool:
        """Whether the word follows determiners often enough."""
        total = self.total[word]
        return self.after[word].total() >= _NOUN_SHARE * total > 0

    def adjectives(self) -> dict[str, Evidence]:
        """Words after a determiner that mostly have another such word behind them."""
        nounlike = {word for word in self.after if self.is_nounlike(word)}
        adjectives = {}
        for word, evidence in self.after.items():
            behind = sum(n for (_, second), n in self.next[word].items() if second in nounlike)
            if word.islower() and behind > _ADJECTIVE_SHARE * evidence.total():
                adjectives[word] = evidence
        return adjectives

    def nouns(self, adjectives: set[str], agreeing: Mapping[str, Classes]) -> dict[str, Evidence]:
        """The evidence of all other words: after a determiner, or after one and an adjective."""
        nouns = {
            word: evidence.copy()
            for word, evidence in self.after.items()
            if word not in adjectives and self.is_nounlike(word)
        }
        for adjective in adjectives:
            for (classes, word), count in self.next[adjective].items():
                both = classes & agreeing.get(adjective, classes)
                if word in nouns and both:
                    nouns[word][both] += count
        return nouns


def _german_evidence(sentences: Iterable[Sequence[str]]) -> dict[str, Evidence]:
    """Capitalised words after a determiner, with inflected adjectives between them."""
    agreeing = determiners("de")
    nouns: dict[str, Evidence] = defaultdict(Counter)
    for sentence in sentences:
        for place, word in enumerate(sentence):
            determiner = word.lower()
            classes = agreeing.get(determiner)
            if classes is None:
                continue
            for following in sentence[place + 1 : place + 2 + _GERMAN_ADJECTIVES]:
                if following[:1].isupper():
                    if _is_word(following):
                        nouns[following][classes] += 1
                    break
                if following in agreeing or not following.endswith(_WEAK_GERMAN):
                    break
                if determiner in _BARE_GERMAN:
                    classes = classes & _STRONG_GERMAN.get(following[-2:], classes) or classes
    return nouns


def _is_word(token: str) -> bool:
    return token.replace("-", "").isalpha() and len(token) > 1


def _entries(words: Mapping[str, Evidence], category: str, language: str) -> list[Entry]:
    """The words with a gender or a number; plurals without a gender take that of their singular."""
    entries = []
    for word, evidence in words.items():
        count = evidence.total()
        if count >= MIN_COUNT:
            gender, number = _decide(evidence, classes_of(language))
            if gender or number:
                entries.append(Entry(word, category, gender, number, count))
    gender_of = {entry.word: entry.gender for entry in entries if entry.gender}
    for place, entry in enumerate(entries):
        if entry.gender is None and entry.number == "Plur":
            forms = singulars(entry.word, language)
            genders = {gender_of[form] for form in forms if form in gender_of}
            entries[place] = entry._replace(gender=genders.pop() if len(genders) == 1 else None)
    return entries


def _decide(evidence: Evidence, names: Sequence[str]) -> tuple[str | None, str | None]:
    """Gender and number that nearly all determiners agree with, where no rival comes near.

    The number is that of the classes of this gender (and of the German plural, which has none), or
    of all where the gender is not known.
    """
    gender, sure = _best(evidence, {name: _gender(name) for name in names})
    if sure and gender is None:
        return None, "Plur"
    fitting = [name for name in names if not sure or _gender(name) in (gender, None)]
    number, number_sure = _best(evidence, {name: _number(name) for name in fitting})
    return gender if sure else None, number if number_sure else None


def _best(evidence: Evidence, values: Mapping[str, str | None]) -> tuple[str | None, bool]:
    """The value of the classes that agree most often, and whether that is sure."""
    agrees: Counter[str | None] = Counter(dict.fromkeys(values.values(), 0))
    for classes, count in evidence.items():
        for value in {values[name] for name in classes if name in values}:
            agrees[value] += count
    total = evidence.total()
    (best, most), *rivals = agrees.most_common()
    margin = max(2, (1 - _CONFIDENCE) / 2 * total)
    sure = most >= _CONFIDENCE * total
    return best, sure and all(most - count >= margin for _, count in rivals)
