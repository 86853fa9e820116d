"""The records of the shared task: an example is one line of a file, a gap one placeholder in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, get_args

from crosspro.data_prep.core.token import TAG_SEPARATOR, AnnotatedSentence

Link = tuple[int, int]
"""A word link: source position, target position, both from 0."""


Side = Literal["source", "target"]
SIDES: tuple[Side, ...] = get_args(Side)


@dataclass(frozen=True, slots=True)
class Mention:
    """The tokens `first` to `last` of a sentence, which a chain refers to."""

    chain: str
    side: Side
    first: int
    last: int

    @property
    def size(self) -> int:
        """The number of its tokens."""
        return self.last - self.first + 1

    def covers(self, side: Side, index: int) -> bool:
        """Whether a token is part of the mention."""
        return self.side == side and self.first <= index <= self.last


@dataclass(frozen=True, slots=True)
class Gap:
    """One REPLACE placeholder of the target sentence.

    `source_index` is the position of the source pronoun (of the verb, where subjects are null).
    `label` and `word` are columns 1 and 2 as written in the file, None in blind files; a label may
    be a class or one of its forms, and `Task.class_index` knows both.
    """

    position: int
    source_index: int
    label: str | None = None
    word: str | None = None


@dataclass(frozen=True, slots=True)
class Example:
    """One line of a shared-task file.

    `target` holds the tokens as written, placeholders included: `lemma|TAG` where the task is
    lemmatised (`tagged`), else words. Links count positions in the target with its placeholders.
    The parses and the mentions of coreference chains are no part of the line but of files beside it
    (`data_prep.annotate.layers`), and None where there is no such file. A parse has as many tokens
    as its side; `chains` holds the mentions of both sides.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    links: tuple[Link, ...]
    gaps: tuple[Gap, ...]
    document: str | None = None
    tagged: bool = True
    source_parse: AnnotatedSentence | None = None
    target_parse: AnnotatedSentence | None = None
    chains: tuple[Mention, ...] | None = None

    @property
    def lemmas(self) -> tuple[str, ...]:
        """The target lemmas, or words where the target is inflected."""
        return tuple([lemma for lemma, _ in self._split]) if self.tagged else self.target

    @property
    def tags(self) -> tuple[str, ...]:
        """The target tags; an empty one for placeholders and untagged tokens."""
        if not self.tagged:
            return ("",) * len(self.target)
        return tuple([tag for _, tag in self._split])

    @property
    def _split(self) -> Iterator[tuple[str, str]]:
        return map(split_tag, self.target)

    def with_labels(self, labels: Iterable[str]) -> Example:
        """The same example with other labels, as in a submission; gold words are dropped."""
        gaps = tuple(
            Gap(gap.position, gap.source_index, label)
            for gap, label in zip(self.gaps, labels, strict=True)
        )
        return replace(self, gaps=gaps)


@lru_cache(maxsize=1 << 17)  # a text has few tokens that are not repeated
def split_tag(token: str) -> tuple[str, str]:
    """Lemma and tag of `lemma|TAG`; the last bar separates, so a lemma may contain bars."""
    lemma, bar, tag = token.rpartition(TAG_SEPARATOR)
    return (lemma, tag) if bar else (token, "")
