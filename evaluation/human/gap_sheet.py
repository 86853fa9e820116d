"""Gaps for people to fill, as in the human evaluation of DiscoMT 2015 (000 §3.1).

Annotators see the source and a system's translation in which the pronoun is hidden, and write which
pronouns could stand there; nothing that a system wrote can then prime them. A *sheet* is what they
get, in an order that says nothing about systems. The *key* says what each gap hides, and whose it
is; APT's case goes with it, so that both can be compared (000 Table 5).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from crosspro.data_prep.core.files.guard import FILLED_COLUMNS, GAP_COLUMNS
from crosspro.evaluation.core.evaluation import Evaluation
from crosspro.evaluation.inputs.anchors import target_pronoun
from crosspro.evaluation.inputs.document_units import Documents
from crosspro.evaluation.inputs.linked_text import Text
from crosspro.evaluation.inputs.pronoun_lists import PronounLists, normal_form
from crosspro.evaluation.metrics.apt.cases import Occurrence
from crosspro.evaluation.protest.review import BETWEEN_LINES, csv_line

GAP = "____"
SHEET_COLUMNS = (*GAP_COLUMNS, *FILLED_COLUMNS)
KEY_COLUMNS = ("example", "system", "document", "line", "position", "pronoun", "case", "output")


@dataclass(frozen=True)
class DrawnGaps:
    """A sheet and its key, as files with tabs, and how many examples they have."""

    sheet: bytes
    key: bytes
    examples: int


def draw_gaps(
    evaluation: Evaluation,
    documents: Documents | None,
    sample: int | None,
    context: int,
    seed: int,
) -> DrawnGaps:
    """The same pronouns of each candidate, all or a random sample of them, in random order.

    `context` is how many earlier lines of the document are shown.
    """
    generator = np.random.default_rng(seed)
    data, occurrences = evaluation.scored.data, evaluation.scored.items
    chosen = generator.permutation(evaluation.scored.size)[:sample].tolist()
    pairs = [(system, one) for system in range(len(occurrences)) for one in sorted(chosen)]
    sheet, key = [csv_line(SHEET_COLUMNS)], [csv_line(KEY_COLUMNS)]
    for number, at in enumerate(generator.permutation(len(pairs)).tolist(), start=1):
        system, one = pairs[at]
        occurrence = occurrences[system][one]
        anchor = occurrence.anchor
        lines = _around(anchor.sentence, context, documents)
        text = data.candidates[system].text
        hidden = hidden_positions(occurrence, data.pronouns)
        source = _shown(data.source, lines, {anchor.position: f"[[{anchor.word}]]"})
        translation = _shown(text, lines, dict.fromkeys(hidden, GAP))
        sheet.append(csv_line((str(number), source, translation, "", "")))
        words = text.words(anchor.sentence)
        key.append(
            csv_line(
                (
                    str(number),
                    evaluation.names[system],
                    "" if documents is None else _document(anchor.sentence, documents),
                    *map(str, (anchor.sentence, anchor.position)),
                    anchor.pronoun,
                    str(occurrence.case),
                    " ".join(words[position] for position in hidden),
                )
            )
        )
    return DrawnGaps(b"".join(sheet), b"".join(key), len(pairs))


def hidden_positions(occurrence: Occurrence, lists: PronounLists) -> tuple[int, ...]:
    """The words of the candidate that are hidden: its pronouns, else all that is linked."""
    side = occurrence.candidate
    pronouns = tuple(
        position
        for position, word in zip(side.positions, side.words, strict=True)
        if target_pronoun(normal_form(word), lists) is not None
    )
    return pronouns or side.positions


def _around(line: int, context: int, documents: Documents | None) -> range:
    first = max(0, line - context)
    if documents is not None:
        while documents.of_line[first] != documents.of_line[line]:
            first += 1
    return range(first, line + 1)


def _document(line: int, documents: Documents) -> str:
    return documents.names[int(documents.of_line[line])]


def _shown(text: Text, lines: Sequence[int], instead: dict[int, str]) -> str:
    """Some lines, in the last of which words are replaced."""
    shown = [text.words(line) for line in lines]
    for position, word in instead.items():
        shown[-1][position] = word
    return BETWEEN_LINES.join(" ".join(words) for words in shown)
