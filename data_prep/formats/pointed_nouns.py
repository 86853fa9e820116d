"""The nouns that a system points at as antecedents of a gap, and their table.

A row of the table is one noun, or none, for one gap: the line of the gap and its number there, the
rank, the side, the noun's line, its position there from 0, the word, the probability, and that once
the class is known which was predicted. Lines, gaps and ranks count from 1. The probabilities of all
nouns and of none are 1 together.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from crosspro.data_prep.core.example import Example, Side

COLUMNS = (
    "line",
    "gap",
    "rank",
    "side",
    "noun_line",
    "position",
    "word",
    "probability",
    "given_class",
)
HEADER = "\t".join(COLUMNS) + "\n"
NO_NOUN = "none"
"""The side of no noun."""
_NOTHING = "_"


@dataclass(frozen=True, slots=True)
class PointedNoun:
    """A noun that a gap may stand for: `sentences` before the gap's, at `index` there.

    `given` is its probability once the class of the gap is known.
    """

    side: Side
    sentences: int
    index: int
    probability: float
    given: float


PointedNouns = tuple[PointedNoun, ...]
"""The nouns of a gap, the best once the class is known first; what is missing to 1 is none."""


def in_order(nouns: Iterable[PointedNoun]) -> PointedNouns:
    """The best first; of equal ones the nearest."""
    return tuple(sorted(nouns, key=lambda one: (-one.given, one.sentences, -one.index, one.side)))


def mixed(
    several: Sequence[Sequence[PointedNouns]], weights: Sequence[float]
) -> list[PointedNouns]:
    """The weighted average of what several systems point at."""
    total = sum(weights)
    found = []
    for of_gap in zip(*several, strict=True):
        sums: dict[tuple[Side, int, int], list[float]] = {}
        for nouns, weight in zip(of_gap, weights, strict=True):
            for noun in nouns:
                key = (noun.side, noun.sentences, noun.index)
                own = sums.setdefault(key, [0.0, 0.0])
                own[0] += noun.probability * weight / total
                own[1] += noun.given * weight / total
        found.append(in_order(PointedNoun(*key, *own) for key, own in sums.items()))
    return found


def no_noun(nouns: Iterable[PointedNoun]) -> tuple[float, float]:
    """The probability that a gap stands for no noun, and that once the class is known."""
    nouns = tuple(nouns)
    left = 1 - sum(noun.probability for noun in nouns), 1 - sum(one.given for one in nouns)
    return max(0.0, left[0]), max(0.0, left[1])


def table_rows(
    examples: Sequence[Example], pointed: Iterable[PointedNouns], first_line: int, most: int
) -> str:
    """The rows of all gaps, with so many ranks at most; the first example is `first_line`."""
    found = iter(pointed)
    lines: list[str] = []
    for place, example in enumerate(examples):
        for gap in range(1, len(example.gaps) + 1):
            ranked = _ranked(next(found), examples, place, first_line)
            lines += [
                "\t".join((str(first_line + place), str(gap), str(rank), *cells)) + "\n"
                for rank, cells in enumerate(ranked[:most], start=1)
            ]
    return "".join(lines)


def _ranked(
    nouns: PointedNouns, examples: Sequence[Example], place: int, first_line: int
) -> list[tuple[str, ...]]:
    """The cells of a gap's rows after the rank: nouns, and none where it belongs."""
    rows: list[tuple[float, float, tuple[str, ...]]] = []
    for noun in nouns:
        line = place - noun.sentences
        words = examples[line].source if noun.side == "source" else examples[line].target
        where = (noun.side, str(first_line + line), str(noun.index), words[noun.index])
        rows.append((noun.given, noun.probability, where))
    probability, given = no_noun(nouns)
    rows.append((given, probability, (NO_NOUN, *[_NOTHING] * 3)))
    rows.sort(key=lambda row: -row[0])
    return [(*where, f"{share:.6f}", f"{known:.6f}") for known, share, where in rows]
