"""The nouns of an English text, which have no gender: words that are mostly tagged as nouns.

The light tagger tells; its mistakes are outvoted, as long as a word is seen often enough.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from crosspro.data_prep.annotate.light_tagger import light_annotation
from crosspro.data_prep.lexicon.lexicon import Entry, Lexicon

_MOST_WORDS = 3_000_000
"""So many words of a text are tagged at most: more would tell little more."""


def english_nouns(sentences: Iterable[Sequence[str]]) -> Lexicon:
    """A lexicon without genders and numbers, which has nouns only."""
    nouns: Counter[str] = Counter()
    words: Counter[str] = Counter()
    read = 0
    for sentence in sentences:
        for token in light_annotation(sentence).tokens:
            nouns[token.form] += token.tag == "NOUN"
        words.update(sentence)
        read += len(sentence)
        if read > _MOST_WORDS:
            break
    mostly = ((word, count) for word, count in nouns.items() if 2 * count > words[word])
    return Lexicon.of(Entry(word, "NOUN", count=count) for word, count in mostly)
