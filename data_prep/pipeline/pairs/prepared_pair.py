"""What comes of a typed pair: examples, and how their tokens and gaps go back to what was typed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from crosspro.data_prep.core.example import Example, Link
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.gaps.extract import Placement
from crosspro.data_prep.pipeline.pairs.typed_text import WRITTEN_GAP, TypedPair

TypedWord = tuple[int, str]
"""The place of a word among those that were typed, and the word."""


@dataclass(frozen=True, slots=True)
class PairGap:
    """What a gap of the pair hides: the word that was typed and its class, None for both if none.

    `inserted` gaps stand between words, because nothing translates the pronoun.
    """

    word: str | None
    label: str | None
    inserted: bool


@dataclass(frozen=True)
class PreparedSentence:
    """A sentence pair as a blind example.

    `words` has the typed word of each target token, None for gaps that were inserted, and `gaps`
    what its gaps hide. Links in `positional` rest on positions alone.
    """

    example: Example
    words: tuple[TypedWord | None, ...]
    gaps: tuple[PairGap, ...]
    positional: frozenset[Link]


@dataclass(frozen=True)
class PreparedPair:
    """A pair, the last of `sentences`, after those of its context; and what is to be said of it."""

    sentences: tuple[PreparedSentence, ...]
    notes: tuple[str, ...]

    @property
    def examples(self) -> tuple[Example, ...]:
        """All sentences as examples, which are one document."""
        return tuple(sentence.example for sentence in self.sentences)

    @property
    def example(self) -> Example:
        """The pair itself."""
        return self.sentences[-1].example

    @property
    def words(self) -> tuple[TypedWord | None, ...]:
        """The typed word of each target token of the pair."""
        return self.sentences[-1].words

    @property
    def gaps(self) -> tuple[PairGap, ...]:
        """What the gaps of the pair hide."""
        return self.sentences[-1].gaps

    @property
    def positional(self) -> frozenset[Link]:
        """The links of the pair that rest on positions alone."""
        return self.sentences[-1].positional


def prepared_sentence(
    example: Example,
    pair: TypedPair,
    placements: Sequence[Placement],
    positional: frozenset[Link],
    task: Task,
) -> PreparedSentence:
    """An example with what is known of its tokens; positional links count typed words."""
    inserted = [p.position for p in placements if p.inserted and p.position is not None]
    words: list[TypedWord | None] = []
    for place in range(len(pair.target) + 1):
        words += [None] * inserted.count(place)
        if place < len(pair.target):
            word = WRITTEN_GAP if place in pair.stand_ins else pair.target[place]
            words.append((place, word))
    moved = {
        (source, target + sum(place <= target for place in inserted))
        for source, target in positional
    }
    found = frozenset(moved & set(example.links))
    return PreparedSentence(example, tuple(words), _hidden(pair, placements, task), found)


def _hidden(pair: TypedPair, placements: Sequence[Placement], task: Task) -> tuple[PairGap, ...]:
    """In the order of the target, as the gaps of the example are."""
    found = []
    order = sorted(placements, key=lambda one: (one.position or 0, not one.inserted))
    for placement in order:
        place = placement.position or 0
        if placement.inserted or place in pair.stand_ins:
            found.append(PairGap(None, None, placement.inserted))
        else:
            word = pair.target[place]
            found.append(PairGap(word, task.class_of(word.lower()), inserted=False))
    return tuple(found)
