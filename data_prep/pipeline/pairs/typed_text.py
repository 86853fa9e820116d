"""A sentence pair as it is typed: its tokens, and the gaps that are written into the target.

`REPLACE` stands where a pronoun is missing, `REPLACE_6` also says that it translates source token
6. Taggers and aligners have never seen such a word, so they are shown a pronoun of the task in its
place; no system gets to see that one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any
from unicodedata import category

from crosspro.data_prep.annotate.bitext import Segment
from crosspro.data_prep.annotate.tokenise import tokenise
from crosspro.data_prep.core.errors import input_error, quoted
from crosspro.data_prep.core.task import OTHER, Task
from crosspro.data_prep.formats.shared_task import PLACEHOLDER
from crosspro.data_prep.words.language import looks_otherwise

WRITTEN_GAP = PLACEHOLDER.removesuffix("_")
"""What is typed for a gap whose source word is to be found."""
GAP = re.compile(rf"{WRITTEN_GAP}(?:_(\d{{1,9}}))?")

MOST_WORDS, MOST_CHARACTERS = 1000, 10_000
"""Limits of each side of a typed sentence."""
_FOREIGN_WORDS = 3
"""A sentence with this many frequent words of another language is taken to be in that language."""


@dataclass(frozen=True, slots=True)
class GapMark:
    """A gap that somebody asks for: by its target token, by the source token, or by both."""

    target: int | None = None
    source: int | None = None


@dataclass(frozen=True, slots=True)
class TypedPair:
    """The tokens of both sides, with a stand-in for each gap that was written into the target.

    `name` is that of the pair in messages.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    written: tuple[GapMark, ...] = ()
    name: str = "text"

    @property
    def stand_ins(self) -> frozenset[int]:
        """The places of the target whose word is not the user's."""
        return frozenset(mark.target for mark in self.written if mark.target is not None)

    def with_words(self, word: str) -> TypedPair:
        """The pair with another word in its gaps."""
        gaps = self.stand_ins
        words = (word if place in gaps else token for place, token in enumerate(self.target))
        return replace(self, target=tuple(words))


def given_context(context: Any) -> list[Segment]:
    """The sentences before, which must be pairs of texts."""
    listed = isinstance(context, Iterable) and not isinstance(context, str | bytes)
    pairs = [*context] if listed else [context]
    for pair in pairs:
        is_pair = isinstance(pair, list | tuple) and len(pair) == 2
        if not is_pair or not all(isinstance(text, str) for text in pair):
            raise input_error("text", "context", "pairs (source, target)", quoted(repr(pair))[1:-1])
    return [Segment(*pair) for pair in pairs]


def typed_pairs(pairs: Sequence[Segment], task: Task) -> list[TypedPair]:
    """The tokens of a pair, the last one, and of those before it.

    Text that is no sentence, or that is clearly in another language, is refused.
    """
    names = [*(f"context {number}" for number in range(1, len(pairs))), "text"]
    return [_typed(pair, task, name) for name, pair in zip(names, pairs, strict=False)]


def _typed(pair: Segment, task: Task, name: str) -> TypedPair:
    source = _tokens(pair.source, task.source_language, name, "source")
    target = _tokens(pair.target, task.target_language, name, "target")
    written: list[GapMark] = []
    for position, token in enumerate(target):
        if match := GAP.fullmatch(token):
            written.append(GapMark(position, int(match[1]) if match[1] else None))
            target[position] = stand_in(task)
        elif WRITTEN_GAP in token:
            expected = f"{WRITTEN_GAP} or {PLACEHOLDER}3 as a word by itself, not joined to another"
            raise input_error(name, "target", expected, quoted(token))
    return TypedPair(tuple(source), tuple(target), tuple(written), name)


def _tokens(text: str, language: str, name: str, side: str) -> list[str]:
    for character in text:
        if category(character) in ("Cc", "Cs") and not character.isspace():
            expected = "text without control characters and surrogates"
            raise input_error(name, side, expected, quoted(character))
    if len(text) > MOST_CHARACTERS:
        raise input_error(name, side, f"at most {MOST_CHARACTERS:,} characters", f"{len(text):,}")
    if other := looks_otherwise([text], language, _FOREIGN_WORDS):
        shown = f"{other}: {quoted(text.strip(), 30)}"
        raise input_error(name, side, f"text in {language}", shown)
    tokens = tokenise(text, language)
    if not 0 < len(tokens) <= MOST_WORDS:
        raise input_error(name, side, f"1 to {MOST_WORDS:,} words", f"{len(tokens):,}")
    return tokens


def stand_in(task: Task) -> str:
    """The pronoun that taggers and aligners see in a gap: that of the first class with one word.

    Classes of several words have some that are no pronouns elsewhere (ce), or only half a word.
    """
    forms = [words for name, words in task.forms.items() if name != OTHER]
    return min(forms, key=len)[0] if forms else OTHER
