"""Lemmas and tags of English from word lists, endings and neighbours: no model, no package.

The tags are the 12 universal ones. It is right for most function words and for what stands around
`it`, which is all that is asked of it; where HanTa is installed or a parse is given, they are
better (`crosspro annotate`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from crosspro.data_prep.core.example import AnnotatedSentence, Token
from crosspro.data_prep.words.lists import word_lists, word_set

CLASSES = ("PRON", "DET", "ADP", "CONJ", "PRT", "ADV", "VERB", "ADJ")
_ADJECTIVE_ENDINGS = ("ous", "ful", "ive", "able", "ible", "ical", "less", "ish", "ant", "ent")
_DOUBLED = "bdgmnprt"


@cache
def word_list(name: str) -> frozenset[str]:
    """A list of `conf/words/tagger/en.tsv`."""
    return word_set("tagger", "en", name)


@cache
def _listed_tags() -> dict[str, str]:
    """The tag of each listed word; the first class wins."""
    return {word: tag for tag in reversed(CLASSES) for word in word_lists("tagger", "en")[tag]}


@cache
def _irregular() -> dict[str, str]:
    pairs = (pair.rpartition("=") for pair in word_lists("tagger", "en")["irregular"])
    return {form: base for form, _, base in pairs}


def light_annotation(words: Sequence[str]) -> AnnotatedSentence:
    """The words with lemmas and tags."""
    tokens: list[Token] = []
    for place, word in enumerate(words):
        before = words[place - 1].lower() if place else ""
        tag = _tag(word, before, tokens[-1].tag if tokens else "", first=place == 0)
        tokens.append(Token(word, _lemma(word.lower(), tag), tag))
    return AnnotatedSentence(tuple(tokens))


def _tag(word: str, before: str, tag_before: str, *, first: bool) -> str:
    lowered = word.lower()
    if not any(map(str.isalnum, word)):
        return "."
    if lowered in _listed_tags():
        return _listed_tags()[lowered]
    if lowered[0].isdigit():
        return "NUM"
    if word[0].isupper() and not first:
        return "NOUN"
    if lowered in word_list("no-adverbs"):
        return "ADJ"
    if lowered.endswith("ly"):
        return "ADV"
    if lowered.endswith(_ADJECTIVE_ENDINGS):
        return "ADJ"
    if before in word_list("before-a-base") or before in word_list("subjects"):
        return "VERB"
    if lowered.endswith(("ed", "ing")) and len(lowered) > 4 and tag_before not in ("DET", "ADJ"):
        return "VERB"
    return "NOUN"


def _lemma(word: str, tag: str) -> str:
    """The base of a verb or noun, near enough: other forms of a word get the same lemma."""
    if tag == "VERB":
        if word in _irregular():
            return _irregular()[word]
        for ending in ("ing", "ed"):
            stem = word.removesuffix(ending)
            if stem != word and len(stem) > 2:
                return stem[:-1] if stem[-1] == stem[-2] and stem[-1] in _DOUBLED else stem
    if tag in ("VERB", "NOUN") and len(word) > 3 and word.endswith("s") and word[-2] not in "su":
        if word.endswith("ies"):
            return f"{word[:-3]}y"
        return word[:-2] if word.endswith(("ches", "shes", "sses", "xes")) else word[:-1]
    return word
