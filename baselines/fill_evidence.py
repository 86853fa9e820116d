"""Why a language model fills a gap as it does: every filling with its score, and word by word.

The score of a filler is that of the best line which has it in this gap. A token speaks for the
chosen class by what it adds to the log10 probability of the best line of that class over the best
line of the class it is held against; words before the gap are the same in both and add nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from crosspro.baselines.fill import Floats, GapFiller
from crosspro.baselines.gap_texts import target_words
from crosspro.data_prep.core.example import Example
from crosspro.prediction.evidence import Evidence, EvidenceTable

_HOW = (
    "log10 probability of the best line with each filling; tokens: what they add to {} over {} "
    "(the words that follow the gap, and the gap itself)"
)


def filling_evidence(
    filler: GapFiller, example: Example, number: int, chosen: str, against: str
) -> Evidence:
    """The fillings of a gap, the best first, and what each token adds to the chosen class."""
    size = len(filler.fillers)
    words = list(filler.fillers.words)
    spelled = words if filler.spelling is None else [*filler.spelling(example)[number], words[-1]]
    lines = [_with_filler(example, number, spelled[place]) for place in range(size - 1)]
    lines.append(_without(example, number))
    fillings = filler.fill(lines)
    scores = np.array([filling.score for filling in fillings])
    scores += filler.added
    chances = filler.probabilities([example])[number]
    classes = filler.fillers.classes
    order = [place for place in np.argsort(-scores, kind="stable").tolist() if chances[place] > 0]
    rows = tuple(
        (words[place], classes[place], float(scores[place]), float(chances[place]))
        for place in order
    )
    columns = ("filling", "class", "log10", "probability")
    added = [
        _by_token(filler, example, number, place, fillings[place].choices)
        for one in (chosen, against)
        for place in [place for place in order if classes[place] == one][:1]
    ]
    target = tuple((added[0] - added[1]).tolist()) if len(added) == 2 else ()
    table = EvidenceTable("Fillings", columns, rows)
    return Evidence(_HOW.format(chosen, against), (table,), target=target)


def _with_filler(example: Example, number: int, word: str) -> Example:
    """The line with a word in the gap, which is a gap no more."""
    target = list(example.target)
    target[example.gaps[number].position] = word
    gaps = example.gaps[:number] + example.gaps[number + 1 :]
    return replace(example, target=tuple(target), gaps=gaps)


def _without(example: Example, number: int) -> Example:
    """The line with nothing in the gap."""
    place = example.gaps[number].position
    gaps = tuple(
        replace(gap, position=gap.position - (gap.position > place))
        for gap in (*example.gaps[:number], *example.gaps[number + 1 :])
    )
    return replace(example, target=example.target[:place] + example.target[place + 1 :], gaps=gaps)


def _by_token(
    filler: GapFiller, example: Example, number: int, place: int, others: Sequence[int]
) -> Floats:
    """The log10 probability of each target token in a line that is filled throughout.

    `place` fills the gap, `others` the other gaps; the end of the line counts with its last token.
    """
    none = len(filler.fillers) - 1
    choices = [*others[:number], place, *others[number:]]
    spelled = filler.spelling(example) if filler.spelling else None
    words: list[str] = []
    tokens: list[int] = []
    gap = 0
    for position, token in enumerate(example.target):
        if gap < len(example.gaps) and position == example.gaps[gap].position:
            choice = choices[gap]
            row = spelled[gap] if spelled else filler.fillers.words
            found = [] if choice == none else [row[choice]]
            gap += 1
        else:
            found = target_words(Example((), (token,), (), ()))[0]
        words += found
        tokens += [position] * len(found)
    scores = filler.model.score(*filler.model.encode([words])).log10.astype(np.float64)
    tokens.append(len(example.target) - 1)
    added = np.zeros(len(example.target))
    np.add.at(added, tokens, scores)
    added[example.gaps[number].position] += filler.added[place]
    return added
