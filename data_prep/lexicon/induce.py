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
from dataclasses import dataclass
from functools import cache

from crosspro.data_prep.core.errors import choices, input_error, quoted
from crosspro.data_prep.core.words import word_lists
from crosspro.data_prep.lexicon.lexicon import Entry, Lexicon

Classes = frozenset[str]

_GENDERS = {"m": "Masc", "f": "Fem", "n": "Neut"}
_GERMAN_ENDINGS = {"": "m n", "e": "f p", "en": "m p", "em": "m n", "er": "f p", "es": "m n"}
_STEMS = "stems"
BARE_GERMAN = frozenset({"ein", *word_lists("determiners", "de")[_STEMS]})
"""Determiners without an ending: the adjective after them shows the gender (ein kleines Haus)."""
STRONG_GERMAN = {"er": frozenset("m"), "es": frozenset("n")}
WEAK_GERMAN = ("e", "en", "er", "es", "em")

LANGUAGES = ("fr", "es", "de")


@cache
def determiners(language: str) -> dict[str, Classes]:
    """The classes that each determiner of a language agrees with."""
    if language not in LANGUAGES:
        raise input_error("settings", "language", choices(LANGUAGES), quoted(language))
    lists = word_lists("determiners", language)
    found: dict[str, Classes] = {}
    for classes, words in lists.items():
        if classes != _STEMS:
            found |= dict.fromkeys(words, frozenset(classes.split()))
    for stem in lists.get(_STEMS, ()):
        for ending, written in _GERMAN_ENDINGS.items():
            found[stem + ending] = frozenset(written.split())
    return found


def classes_of(language: str) -> tuple[str, ...]:
    """The classes of nouns that a language tells apart."""
    return ("m", "f", "n", "p") if language == "de" else ("ms", "fs", "mp", "fp")


def gender_of(name: str) -> str | None:
    """The gender of a class; None for the German plural."""
    return _GENDERS.get(name[0])


def number_of(name: str) -> str:
    """The number of a class."""
    return "Plur" if name.endswith("p") else "Sing"


def singulars(word: str, language: str) -> Iterator[str]:
    """Words whose plural the word may be."""
    if language == "fr":
        if word.endswith(("s", "x")):
            yield word[:-1]
        if word.endswith("aux"):
            yield f"{word[:-3]}al"
    elif language == "es":
        if word.endswith("s"):
            yield word[:-1]
        if word.endswith("es"):
            yield word[:-2]
        if word.endswith("ces"):
            yield f"{word[:-3]}z"
        if word.endswith("iones"):
            yield f"{word[:-5]}ión"
    elif language == "de":
        for ending in ("en", "n", "e", "er", "s", "nen"):
            stem = word.removesuffix(ending)
            if stem == word or len(stem) < 2:
                continue
            yield stem
            if ending in ("e", "er"):
                yield stem.translate(_WITHOUT_UMLAUT)


_WITHOUT_UMLAUT = str.maketrans("äöüÄÖÜ", "aouAOU")


Sentence = Sequence[str]
Evidence = Counter[Classes]
"""How often a word was seen with each set of classes that the words before it agree with."""

_BETWEEN = 2
"""German adjectives between determiner and noun, at most."""


@dataclass(frozen=True)
class InductionSettings:
    """What a word must show to be listed.

    `confidence` is the share of its determiners that must agree with its class. `noun_share` is the
    share of all its occurrences that must follow a determiner (French and Spanish), and
    `adjective_share` that of the occurrences after a determiner with a noun behind, beyond which
    the word is an adjective.
    """

    min_count: int = 3
    confidence: float = 0.9
    noun_share: float = 0.15
    adjective_share: float = 0.5


def induce(
    sentences: Iterable[Sentence], language: str, settings: InductionSettings | None = None
) -> Lexicon:
    """A lexicon of the nouns of a text, and of the adjectives before them (French, Spanish)."""
    return induced([Counted.of(sentences, language)], language, settings)


def induced(
    parts: Iterable[Counted], language: str, settings: InductionSettings | None = None
) -> Lexicon:
    """The same from what was counted in parts of a text."""
    settings = settings or InductionSettings()
    counted = Counted()
    for part in parts:
        counted.update(part)
    if language == "de":
        return Lexicon.of(_entries(counted.after, "NOUN", language, settings))
    adjectives = counted.adjectives(settings)
    entries = list(_entries(adjectives, "ADJ", language, settings))
    agreeing = {
        entry.word: frozenset(
            name
            for name in classes_of(language)
            if entry.gender in (None, gender_of(name)) and entry.number in (None, number_of(name))
        )
        for entry in entries
    }
    nouns = counted.nouns(set(adjectives), agreeing, settings)
    common = {word: evidence for word, evidence in nouns.items() if word.islower()}
    names = {word: evidence for word, evidence in nouns.items() if not word.islower()}
    entries += _entries(common, "NOUN", language, settings)
    entries += _entries(names, "PROPN", language, settings)
    return Lexicon.of(entries)


class Counted:
    """What stands after the determiners of a text, one and two words on.

    In German it is the nouns alone that are counted, with inflected adjectives before them.
    """

    def __init__(self) -> None:
        self.after: dict[str, Evidence] = defaultdict(Counter)
        self.next: dict[str, Counter[tuple[Classes, str]]] = defaultdict(Counter)
        self.total: Counter[str] = Counter()

    @classmethod
    def of(cls, sentences: Iterable[Sentence], language: str) -> Counted:
        """What a text shows."""
        known, made = determiners(language), cls()
        if language == "de":
            made.after = _german_evidence(sentences, known)
            return made
        for sentence in sentences:
            made.add(sentence, known)
        return made

    def update(self, other: Counted) -> None:
        """Add what was counted in the text behind."""
        for word, evidence in other.after.items():
            self.after[word].update(evidence)
        for word, following in other.next.items():
            self.next[word].update(following)
        self.total.update(other.total)

    def add(self, sentence: Sentence, known: dict[str, Classes]) -> None:
        """Count a sentence of a language that is not German."""
        self.total.update(sentence)
        for place, word in enumerate(sentence[:-1]):
            classes = known.get(word.lower())
            following = sentence[place + 1]
            if classes is None or not _is_word(following) or following.lower() in known:
                continue
            self.after[following][classes] += 1
            if place + 2 < len(sentence) and _is_word(sentence[place + 2]):
                self.next[following][classes, sentence[place + 2]] += 1

    def nounlike(self, word: str, settings: InductionSettings) -> bool:
        """Whether the word follows determiners often enough."""
        return self.after[word].total() >= settings.noun_share * self.total[word] > 0

    def adjectives(self, settings: InductionSettings) -> dict[str, Evidence]:
        """Words after a determiner that mostly have another such word behind them."""
        like = {word for word in list(self.after) if self.nounlike(word, settings)}
        found = {}
        for word, evidence in self.after.items():
            behind = sum(n for (_, second), n in self.next[word].items() if second in like)
            if word.islower() and behind > settings.adjective_share * evidence.total():
                found[word] = evidence
        return found

    def nouns(
        self, adjectives: set[str], agreeing: dict[str, Classes], settings: InductionSettings
    ) -> dict[str, Evidence]:
        """The evidence of all other words: after a determiner, or after one and an adjective."""
        found: dict[str, Evidence] = defaultdict(Counter)
        for word, evidence in self.after.items():
            if word not in adjectives and self.nounlike(word, settings):
                found[word].update(evidence)
        for adjective in adjectives:
            for (classes, word), count in self.next[adjective].items():
                both = classes & agreeing.get(adjective, classes)
                if word in found and both:
                    found[word][both] += count
        return found


def _german_evidence(
    sentences: Iterable[Sentence], known: dict[str, Classes]
) -> dict[str, Evidence]:
    """Capitalised words after a determiner, with inflected adjectives between them."""
    found: dict[str, Evidence] = defaultdict(Counter)
    for sentence in sentences:
        for place, word in enumerate(sentence):
            determiner = word.lower()
            classes = known.get(determiner)
            if classes is None:
                continue
            for following in sentence[place + 1 : place + 2 + _BETWEEN]:
                if following[:1].isupper():
                    if _is_word(following):
                        found[following][classes] += 1
                    break
                if following in known or not following.endswith(WEAK_GERMAN):
                    break
                if determiner in BARE_GERMAN:
                    classes = classes & STRONG_GERMAN.get(following[-2:], classes) or classes
    return found


def _is_word(token: str) -> bool:
    return token.replace("-", "").isalpha() and len(token) > 1


def _entries(
    words: dict[str, Evidence], category: str, language: str, settings: InductionSettings
) -> list[Entry]:
    entries = []
    for word, evidence in words.items():
        count = evidence.total()
        if count >= settings.min_count:
            gender, number = _decide(evidence, classes_of(language), settings)
            if gender or number:
                entries.append(Entry(word, category, gender, number, count))
    return _with_genders_of_singulars(entries, language)


def _decide(
    evidence: Evidence, names: tuple[str, ...], settings: InductionSettings
) -> tuple[str | None, str | None]:
    """Gender and number that nearly all determiners agree with, where no rival comes near.

    The number is asked of the classes of that gender (and of the German plural, which has none), or
    of all where the gender is not known.
    """
    gender, sure = _best(evidence, {name: gender_of(name) for name in names}, settings)
    if not sure:
        numbers = {name: number_of(name) for name in names}
    elif gender is None:
        return None, "Plur"
    else:
        numbers = {n: number_of(n) for n in names if gender_of(n) in (gender, None)}
    number, number_sure = _best(evidence, numbers, settings)
    return gender if sure else None, number if number_sure else None


def _best(
    evidence: Evidence, values: Mapping[str, str | None], settings: InductionSettings
) -> tuple[str | None, bool]:
    """The value of the classes that agree most often, and whether that is sure."""
    agrees: Counter[str | None] = Counter(dict.fromkeys(values.values(), 0))
    for classes, count in evidence.items():
        for value in {values[name] for name in classes if name in values}:
            agrees[value] += count
    total = evidence.total()
    (best, most), *rivals = agrees.most_common()
    margin = max(2, (1 - settings.confidence) / 2 * total)
    sure = most >= settings.confidence * total
    return best, sure and all(most - count >= margin for _, count in rivals)


def _with_genders_of_singulars(entries: list[Entry], language: str) -> list[Entry]:
    """The entries; plurals without a gender take that of their singular, if it has one only."""
    known = {entry.word: entry.gender for entry in entries if entry.gender}
    made = []
    for entry in entries:
        if entry.gender is None and entry.number == "Plur":
            genders = {
                known[singular] for singular in singulars(entry.word, language) if singular in known
            }
            entry = entry._replace(gender=genders.pop() if len(genders) == 1 else None)
        made.append(entry)
    return made
