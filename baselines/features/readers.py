"""Reads the tokens of both sides: each token and each n-gram of tags is looked into once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

from crosspro.baselines.features.running import END, START
from crosspro.baselines.features.values import NOTHING, Codes, Lookup, NumberedNames, Values
from crosspro.data_prep.annotate.tags import TagConverter
from crosspro.data_prep.core.example import split_tag
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.core.words import names_of, word_lists
from crosspro.data_prep.formats.shared_task import is_placeholder
from crosspro.data_prep.lexicon.antecedents import SplitTokens

GAP = "REPLACE"
_FINE_TAGS = "fine_tags"
_MOST_TAGS = 64
"""Of so many tags there is a table of all trigrams."""


class TokenReading:
    """What is made of tokens, such as their lemmas."""

    def __init__(self, tokens: NumberedNames, make: Callable[[str], str]) -> None:
        self._tokens = tokens
        self._make = make
        self._made = NumberedNames()
        self.names = self._made.names
        self.of = Lookup(self._code)

    def code(self, value: str) -> int:
        """The number of a value; `NOTHING` if no token has it so far."""
        return self._made.get(value, NOTHING)

    def _code(self, token_code: int) -> int:
        token = self._tokens.names[token_code]
        return self._made[token if token in (START, END) else self._make(token)]


class TagNGrams:
    """The n-grams of a tag set; while its tags are few, each is written once."""

    def __init__(self, tags: Sequence[str]) -> None:
        self._tags = tags
        self._names: list[str] = []
        self._of = Lookup(self._code)

    def column(self, columns: Sequence[Codes]) -> Sequence[str | None]:
        """The n-grams of columns of tags that follow each other."""
        if len(self._tags) > _MOST_TAGS:
            words = (map(self._tags.__getitem__, codes.tolist()) for codes in columns)
            return list(map(" ".join, zip(*words, strict=True)))
        keys = np.ones(len(columns[0]), np.int64)  # so that bigrams and trigrams differ
        for codes in columns:
            keys = keys * _MOST_TAGS + codes
        return Values(self._of(keys), self._names)

    def _code(self, key: int) -> int:
        tags: list[str] = []
        while key > 1:
            key, tag = divmod(key, _MOST_TAGS)
            tags.append(self._tags[tag])
        self._names.append(" ".join(reversed(tags)))
        return len(self._names) - 1


class TokenReader:
    """Reads the tokens of a task's source and target."""

    def __init__(self, task: Task) -> None:
        self.tagged = task.tagged
        self._universal = None
        if task.tagged and task.tagset not in ("universal", "none"):
            self._universal = TagConverter(task.tagset, "universal", task.target_language)
        self._fine = finer_tags(task.target_language) if has_finer_tags(task) else {}
        self.split = SplitTokens()
        self.source, self.target = NumberedNames(), NumberedNames()
        self.readings = {
            "source word": TokenReading(self.source, str.lower),
            "target lemma": TokenReading(self.target, self._lemma),
            "target tag": TokenReading(self.target, self._tag),
            "target universal tag": TokenReading(self.target, self._universal_tag),
            "target fine tag": TokenReading(self.target, self._fine_tag),
        }
        self.tag_ngrams = {
            kind: TagNGrams(self.readings[kind].names)
            for kind in ("target tag", "target universal tag", "target fine tag")
        }

    def tagged_as(self, tags: frozenset[str], tokens: Codes) -> Codes:
        """The places of those target tokens that have one of some tags."""
        reading = self.readings["target tag"]
        codes = reading.of(tokens)
        wanted = [code for tag in tags if (code := reading.code(tag)) != NOTHING]
        return np.flatnonzero(np.isin(codes, wanted))

    def _lemma(self, token: str) -> str:
        if is_placeholder(token):
            return GAP
        return split_tag(token)[0] if self.tagged else token

    def _tag(self, token: str) -> str:
        if is_placeholder(token):
            return GAP
        return split_tag(token)[1] if self.tagged else ""

    def _universal_tag(self, token: str) -> str:
        tag = self._tag(token)
        if self._universal is None or tag == GAP:
            return tag
        return self._universal(tag, self._lemma(token))

    def _fine_tag(self, token: str) -> str:
        tag = self._tag(token)
        return self._fine.get((tag, self._lemma(token).lower()), tag)


def has_finer_tags(task: Task) -> bool:
    """Whether the target has universal tags in a language with lists of finer ones."""
    universal = task.tagged and task.tagset == "universal"
    return universal and task.target_language in names_of(_FINE_TAGS)


@cache
def finer_tags(language: str) -> dict[tuple[str, str], str]:
    """The finer tag of a universal one and a lemma: `conf/words/fine_tags/`."""
    found: dict[tuple[str, str], str] = {}
    for name, lemmas in word_lists(_FINE_TAGS, language).items():
        tag, _, fine = name.partition("-")
        found |= {(tag, lemma): fine for lemma in lemmas}
    return found
