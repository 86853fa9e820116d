"""English words: the nouns of a text, which words are mostly tagged as nouns, and what they say.

The light tagger tells; its mistakes are outvoted, as long as a word is seen often enough. Nouns
have no gender but for those of `conf/words/gender/en.tsv`, and a number by their form.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from crosspro.data_prep.annotate.light_tagger import light_annotation
from crosspro.data_prep.core.words import word_lists, word_set
from crosspro.data_prep.lexicon.lexicon import GENDERS, NUMBERS, Entry, Lexicon

_MOST_WORDS = 3_000_000
"""So many words of a text are tagged at most: more would tell little more."""
_NOUN = "NOUN"
_NO_PLURAL = ("ss", "us", "is")
_PLURALS = (("man", "men"), ("wife", "wives"), ("lady", "ladies"), ("hero", "heroes"))
_WITH_ES = ("s", "x", "ch", "sh")


def english_nouns(sentences: Iterable[Sequence[str]]) -> Lexicon:
    """A lexicon without genders and numbers, which has nouns only."""
    return Lexicon.of(Entry(word, _NOUN, count=count) for word, count in _nouns(sentences))


def english_words(sentences: Iterable[Sequence[str]]) -> Lexicon:
    """The nouns of a text with their numbers, and the words that say a gender by themselves.

    Without a text those words alone: in lemmatised text no word shows a number.
    """
    listed = {entry.word: entry for entry in _with_gender()}
    found = (
        Entry(word, _NOUN, listed[word.lower()].gender if word.lower() in listed else None,
              number_by_form(word), count)
        for word, count in _nouns(sentences)
    )  # fmt: skip
    nouns = {entry.word: entry for entry in found}
    return Lexicon.of([*nouns.values(), *(e for e in listed.values() if e.word not in nouns)])


def number_by_form(word: str) -> str:
    """The number of an English noun, as its ending says."""
    lowered = word.lower()
    plural = len(lowered) > 3 and lowered.endswith("s") and not lowered.endswith(_NO_PLURAL)
    return "Plur" if plural or lowered in _plurals_without_s() else "Sing"


def _plurals_without_s() -> frozenset[str]:
    return word_set("number", "en", "plurals-without-s")


def _nouns(sentences: Iterable[Sequence[str]]) -> Iterator[tuple[str, int]]:
    """The words that are mostly nouns, and how often they are."""
    nouns: Counter[str] = Counter()
    words: Counter[str] = Counter()
    read = 0
    for sentence in sentences:
        for token in light_annotation(sentence).tokens:
            nouns[token.form] += token.tag == _NOUN
        words.update(sentence)
        read += len(sentence)
        if read > _MOST_WORDS:
            break
    return ((word, count) for word, count in nouns.items() if 2 * count > words[word])


def _with_gender() -> Iterator[Entry]:
    """The listed nouns, their plurals, and the pronouns of the third person."""
    lists = word_lists("gender", "en")
    numbers = word_lists("number", "en")
    number_of = {word: number for number in NUMBERS for word in numbers[number]}
    for gender in GENDERS:
        for noun in lists.get(gender, ()):
            yield Entry(noun, _NOUN, gender, "Sing")
            yield Entry(_plural(noun), _NOUN, gender, "Plur")
        for pronoun in lists.get(f"pronouns-{gender}", ()):
            yield Entry(pronoun, "PRON", gender, number_of.get(pronoun, "Sing"))
    for pronoun in numbers["Plur"]:
        yield Entry(pronoun, "PRON", None, "Plur")


def _plural(noun: str) -> str:
    for ending, plural in _PLURALS:
        if noun.endswith(ending):
            return noun.removesuffix(ending) + plural
    return f"{noun}es" if noun.endswith(_WITH_ES) else f"{noun}s"
