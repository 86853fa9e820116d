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

HEADER = "line\tgap\trank\tside\tnoun_line\tposition\tword\tprobability\tgiven_class\n"
NO_NOUN = ("none", "_", "_", "_")
"""Side, line, position and word where a gap stands for no noun."""


@dataclass(frozen=True, slots=True)
class PointedNoun:
    """A noun that a gap may stand for: `sentences` before the gap's, at `index` there.

    `given_class` is its probability once the class of the gap is known.
    """

    side: Side
    sentences: int
    index: int
    probability: float
    given_class: float


PointedNouns = tuple[PointedNoun, ...]
"""The nouns of a gap, the best once the class is known first; the rest to 1 is no noun."""


def in_order(nouns: Iterable[PointedNoun]) -> PointedNouns:
    """The best first; of equal ones the nearest."""
    return tuple(
        sorted(nouns, key=lambda noun: (-noun.given_class, noun.sentences, -noun.index, noun.side))
    )


def no_noun(nouns: Iterable[PointedNoun]) -> tuple[float, float]:
    """The probability that a gap stands for no noun, and that once the class is known."""
    nouns = tuple(nouns)
    left = 1 - sum(noun.probability for noun in nouns), 1 - sum(noun.given_class for noun in nouns)
    return max(0.0, left[0]), max(0.0, left[1])


def table_rows(
    examples: Sequence[Example], pointed: Iterable[PointedNouns], first_line: int, most: int
) -> str:
    """The rows of all gaps, with so many ranks at most; the first example is `first_line`."""
    of_gaps = iter(pointed)
    rows: list[str] = []
    for place, example in enumerate(examples):
        for gap in range(1, len(example.gaps) + 1):
            nouns = next(of_gaps)
            probability, given_class = no_noun(nouns)
            ranked = [(given_class, probability, NO_NOUN)]
            for noun in nouns:
                line = place - noun.sentences
                words = examples[line].source if noun.side == "source" else examples[line].target
                cells = (str(noun.side), str(first_line + line), str(noun.index), words[noun.index])
                ranked.append((noun.given_class, noun.probability, cells))
            ranked.sort(key=lambda row: (-row[0], row[2] == NO_NOUN))
            for rank, (given_class, probability, cells) in enumerate(ranked[:most], start=1):
                start = f"{first_line + place}\t{gap}\t{rank}"
                chances = f"{probability:.6f}\t{given_class:.6f}"
                rows.append("\t".join((start, *cells, chances)) + "\n")
    return "".join(rows)
