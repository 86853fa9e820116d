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

from crosspro.data_prep.annotate.tokenise import tokenise
from crosspro.data_prep.bitext.segment import Segment
from crosspro.data_prep.core.errors import input_error, quoted
from crosspro.data_prep.core.task import OTHER, Task
from crosspro.data_prep.formats.shared_task import PLACEHOLDER
from crosspro.data_prep.words.language import looks_otherwise

WRITTEN_GAP = PLACEHOLDER.removesuffix("_")
"""What is typed for a gap whose source word is to be found."""
GAP = re.compile(rf"{WRITTEN_GAP}(?:_(\d{{1,9}}))?")

MOST_WORDS = 1000
MOST_CHARACTERS = 10 * MOST_WORDS
"""Of a side of a typed sentence; what is longer is no sentence."""
_FOREIGN_WORDS = 3
"""So many frequent words of another language tell that a sentence is in it."""


@dataclass(frozen=True, slots=True)
class GapMark:
    """A gap that somebody asks for: by its target token, by the source token, or by both."""

    target: int | None = None
    source: int | None = None


@dataclass(frozen=True, slots=True)
class TypedPair:
    """The tokens of both sides, with a stand-in for each gap that was written into the target.

    `where` is the name of the pair in messages.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    written: tuple[GapMark, ...] = ()
    where: str = "text"

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
    """The tokens of a pair, the last one, and of those before it."""
    return [_typed(pair, task, where) for where, pair in zip(_places(pairs), pairs, strict=True)]


def _places(pairs: Sequence[Segment]) -> list[str]:
    """The names of the sentences in messages."""
    return [*(f"context {number}" for number in range(1, len(pairs))), "text"][-len(pairs) :]


def _typed(pair: Segment, task: Task, where: str) -> TypedPair:
    source = _tokens(pair.source, task.source_language, where, "source")
    target = _tokens(pair.target, task.target_language, where, "target")
    written: list[GapMark] = []
    for place, token in enumerate(target):
        if mark := GAP.fullmatch(token):
            written.append(GapMark(place, int(mark[1]) if mark[1] else None))
            target[place] = stand_in(task)
        elif WRITTEN_GAP in token:
            expected = f"{WRITTEN_GAP} or {PLACEHOLDER}3 as a word by itself, not joined to another"
            raise input_error(where, "target", expected, quoted(token))
    return TypedPair(tuple(source), tuple(target), tuple(written), where)


def _tokens(text: str, language: str, where: str, side: str) -> list[str]:
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise input_error(where, side, "characters of Unicode", "half of a character")
    tokens = tokenise(text, language)
    if not tokens:
        raise input_error(where, side, "at least one word", "none")
    if len(tokens) > MOST_WORDS:
        raise input_error(where, side, f"at most {MOST_WORDS} tokens", str(len(tokens)))
    return tokens


def check_typed(pairs: Sequence[Segment], task: Task) -> None:
    """Refuse what is no text, no sentence, or clearly of another language.

    The frequent words tell: those of another language are many, and hardly any are of this one.
    """
    for where, pair in zip(_places(pairs), pairs, strict=True):
        for side, language in (("source", task.source_language), ("target", task.target_language)):
            text: str = getattr(pair, side)
            _check_sentence(text, where, side)
            if other := looks_otherwise([text], language, _FOREIGN_WORDS):
                shown = f"{other}: {quoted(text.strip(), 30)}"
                raise input_error(where, side, f"text in {language}", shown)


def _check_sentence(text: str, where: str, side: str) -> None:
    words = len(text.split())
    control = next((char for char in text if not char.isspace() and category(char) == "Cc"), None)
    if control is not None:
        raise input_error(where, side, "text without control characters", quoted(control))
    if not words:
        raise input_error(where, side, "a sentence", "no word")
    if words > MOST_WORDS:
        raise input_error(where, side, f"at most {MOST_WORDS:,} words", f"{words:,}")
    if len(text) > MOST_CHARACTERS:
        raise input_error(where, side, f"at most {MOST_CHARACTERS:,} characters", f"{len(text):,}")


def stand_in(task: Task) -> str:
    """The pronoun that taggers and aligners see in a gap: that of the first class with one word.

    Classes of several words have some that are no pronouns elsewhere (ce), or only half a word.
    """
    forms = [words for name, words in task.forms.items() if name != OTHER]
    return min(forms, key=len)[0] if forms else OTHER
