"""Vocabularies: from words to the numbers of one input field, with an entry for unknown words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from crosspro.data_prep.lexicon.agreement import PronounAgreement

PAD = 0
UNK = 1
_RESERVED = ("<pad>", "<unk>")
_MOST = 2**62  # counts become 64-bit numbers


@dataclass(frozen=True)
class Vocabulary:
    """The words of a field in order of their numbers; the first two are reserved."""

    words: tuple[str, ...]
    counts: tuple[int, ...]
    index: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "index", {word: i for i, word in enumerate(self.words)})

    def __len__(self) -> int:
        return len(self.words)

    def __repr__(self) -> str:
        return f"Vocabulary({len(self)} words)"

    def number(self, word: str) -> int:
        return self.index.get(word, UNK)

    @classmethod
    def of_closed(cls, words: Sequence[str]) -> Vocabulary:
        return cls((*_RESERVED, *words), (0,) * (len(_RESERVED) + len(words)))

    @classmethod
    def of_lists(cls, words: Sequence[str], counts: Sequence[int]) -> Vocabulary:
        """A saved vocabulary; raises `ValueError` if it cannot be one."""
        if not all(isinstance(word, str) for word in words) or len({*words}) != len(words):
            raise ValueError("words that are no text, or twice there")
        if len(counts) != len(words) or not all(isinstance(number, int) for number in counts):
            raise ValueError("counts that are no numbers, or not one a word")
        if not all(0 <= number < _MOST for number in counts):
            raise ValueError("counts that no text can have")
        return cls(tuple(words), tuple(counts))


def build_vocabulary(counts: Counter[str], min_count: int) -> Vocabulary:
    """Words seen at least `min_count` times, the most frequent first; all others are unknown."""
    kept = sorted((w for w, n in counts.items() if n >= min_count), key=lambda w: (-counts[w], w))
    kept = [word for word in kept if word not in _RESERVED]
    left_out = counts.total() - sum(counts[word] for word in kept)
    return Vocabulary((*_RESERVED, *kept), (0, left_out, *(counts[word] for word in kept)))


@dataclass(frozen=True)
class Inventory:
    """Vocabularies, classes, and the nouns that each class agrees with, where that is known."""

    vocabularies: Mapping[str, Vocabulary]
    classes: tuple[str, ...]
    agreements: tuple[PronounAgreement, ...] = ()

    def size(self, field: str) -> int:
        return len(self.vocabularies[field])

    def counts(self, field: str) -> tuple[int, ...]:
        return self.vocabularies[field].counts
