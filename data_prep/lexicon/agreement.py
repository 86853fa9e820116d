"""Agreement: the number of English nouns, and the nouns that pronouns can stand for.

English nouns are those of the light tagger, whose mistakes are outvoted as long as a word is seen
often enough. They have no gender but for those of `conf/words/gender/en.tsv`, and a number by their
form. Third-person pronouns stand for nouns by gender and number. What is not known of a noun agrees
with nothing, but for the number of a noun whose gender is known: lemmas hide it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from crosspro.data_prep.annotate.light_tagger import light_annotation
from crosspro.data_prep.core.task import NONE, Task
from crosspro.data_prep.lexicon.lexicon import GENDERS, NUMBERS, Entry, Lexicon
from crosspro.data_prep.words.lists import word_lists, word_set

ENGLISH = "en"
_MOST_WORDS = 3_000_000
"""So many words of a text are tagged at most: more would tell little more."""
_NO_PLURAL = ("ss", "us", "is")
_PLURALS = (("man", "men"), ("wife", "wives"), ("lady", "ladies"), ("hero", "heroes"))
_WITH_ES = ("s", "x", "ch", "sh")


def english_nouns(sentences: Iterable[Sequence[str]]) -> Lexicon:
    """A lexicon without genders and numbers, which has nouns only."""
    return Lexicon.of(Entry(word, "NOUN", count=count) for word, count in _nouns(sentences))


def english_words(sentences: Iterable[Sequence[str]]) -> Lexicon:
    """The nouns of a text with their numbers, and the words that say a gender by themselves.

    Without a text those words alone: in lemmatised text no word shows a number.
    """
    listed = {entry.word: entry for entry in _with_gender()}
    entries = dict(listed)
    for word, count in _nouns(sentences):
        gender = listed[word.lower()].gender if word.lower() in listed else None
        entries[word] = Entry(word, "NOUN", gender, _number_by_form(word), count)
    return Lexicon.of(entries.values())


def _number_by_form(word: str) -> str:
    """The number of an English noun, as its ending says."""
    lowered = word.lower()
    plural = len(lowered) > 3 and lowered.endswith("s") and not lowered.endswith(_NO_PLURAL)
    return "Plur" if plural or lowered in word_set("number", "en", "plurals-without-s") else "Sing"


def _nouns(sentences: Iterable[Sequence[str]]) -> Iterator[tuple[str, int]]:
    """The words that are mostly nouns, and how often they are."""
    nouns: Counter[str] = Counter()
    words: Counter[str] = Counter()
    total = 0
    for sentence in sentences:
        for token in light_annotation(sentence).tokens:
            nouns[token.form] += token.tag == "NOUN"
        words.update(sentence)
        total += len(sentence)
        if total > _MOST_WORDS:
            break
    return ((word, count) for word, count in nouns.items() if 2 * count > words[word])


def _with_gender() -> Iterator[Entry]:
    """The listed nouns, their plurals, and the pronouns of the third person."""
    lists = word_lists("gender", "en")
    numbers = word_lists("number", "en")
    number_of = {word: number for number in NUMBERS for word in numbers[number]}
    for gender in GENDERS:
        for noun in lists.get(gender, ()):
            yield Entry(noun, "NOUN", gender, "Sing")
            yield Entry(_plural(noun), "NOUN", gender, "Plur")
        for pronoun in lists.get(f"pronouns-{gender}", ()):
            yield Entry(pronoun, "PRON", gender, number_of.get(pronoun, "Sing"))
    for pronoun in numbers["Plur"]:
        yield Entry(pronoun, "PRON", None, "Plur")


def _plural(noun: str) -> str:
    for ending, plural in _PLURALS:
        if noun.endswith(ending):
            return noun.removesuffix(ending) + plural
    return f"{noun}es" if noun.endswith(_WITH_ES) else f"{noun}s"


NounKind = tuple[str | None, str | None]
"""Gender and number; None is unknown, or may be either."""
_EXPLETIVES = "expletives"


@dataclass(frozen=True)
class PronounAgreement:
    """The kinds of nouns that a pronoun, or a class of them, stands for.

    One without kinds tells nothing of nouns. An `expletive` may stand for nothing at all.
    """

    kinds: tuple[NounKind, ...] = ()
    expletive: bool = False

    def agrees(self, gender: str | None, number: str | None) -> bool:
        """Whether a noun is known to be of one of these kinds."""
        return any(
            kind_gender in (None, gender)
            and (kind_number in (None, number) or (number is None and gender is not None))
            for kind_gender, kind_number in self.kinds
        )

    def differs(self, gender: str | None, number: str | None) -> bool:
        """Whether a noun is known to be of none of these kinds."""
        return bool(self.kinds) and all(
            (kind_gender is not None and gender not in (None, kind_gender))
            or (kind_number is not None and number not in (None, kind_number))
            for kind_gender, kind_number in self.kinds
        )

    def meets(self, other: PronounAgreement) -> bool:
        """Whether one noun can be of kinds of both, as far as they tell."""
        if not self.kinds or not other.kinds:
            return True
        return any(not other.differs(gender, number) for gender, number in self.kinds)


def class_agreements(task: Task) -> tuple[PronounAgreement, ...]:
    """What each class of a task stands for (`conf/words/agreement/`), if all of its words tell."""
    lists = word_lists("agreement", task.target_language)
    kinds_of: dict[str, tuple[NounKind, ...]] = defaultdict(tuple)
    for name, words in lists.items():
        if name != _EXPLETIVES:
            gender, _, number = name.rpartition(".")
            for word in words:
                kinds_of[word] += ((gender or None, number),)
    agreements = []
    for forms in task.forms.values():
        complete = all(word in kinds_of for word in forms if word != NONE)
        kinds = [kind for word in forms if complete for kind in kinds_of.get(word, ())]
        expletive = bool(kinds) and not {*lists.get(_EXPLETIVES, ())}.isdisjoint(forms)
        agreements.append(PronounAgreement(tuple(dict.fromkeys(kinds)), expletive))
    return tuple(agreements)
