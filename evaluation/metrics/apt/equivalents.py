"""Equivalent pronouns estimated from judged examples (000 §2.5).

A sample of translated pronouns is judged right or wrong by people. Of the pairs of a candidate's
pronoun t and a different pronoun r of the reference, those with less than 5% of the sample are
dropped, and those with p(right | t, r) > 0.5 are equivalents. Identical pronouns are one pronoun.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from crosspro.data_prep.core.errors import InputError, Problem, choices, input_error, quoted
from crosspro.data_prep.core.files import read_text_lines
from crosspro.data_prep.core.task import NONE, OTHER
from crosspro.evaluation.core.evaluation import Evaluation
from crosspro.evaluation.core.statistics import wilson_interval
from crosspro.evaluation.inputs.pronoun_lists import Equivalent, PronounLists, normal_form

LEAST_SHARE = 0.05
LEAST_PROBABILITY = 0.5
SHEET_COLUMNS = (
    "sentence",
    "position",
    "pronoun",
    "reference",
    "candidate",
    "correct",
    "source text",
    "reference text",
    "candidate text",
)
"""A sheet to be judged: `correct` is empty, to be filled with 1 or 0."""
NEEDED_COLUMNS = ("reference", "candidate", "correct")
_RIGHT, _WRONG = ("1", "yes", "right", "correct"), ("0", "no", "wrong", "incorrect")


@dataclass(frozen=True, slots=True)
class Judged:
    """A candidate's pronoun beside the reference's (labels), and whether it was judged right.

    `right` is None where nobody had to judge: the two are the same, or one is no pronoun.
    """

    candidate: str
    reference: str
    right: bool | None


@dataclass(frozen=True, slots=True)
class PairEstimate:
    """How often a candidate's pronoun was right where the reference has another one.

    `low` and `high` are the 95% Wilson interval of the probability; `why` says what became of the
    pair: equivalent, too rare, or not probable enough.
    """

    candidate: str
    reference: str
    examples: int
    right: int
    share: float
    low: float
    high: float
    why: str

    @property
    def probability(self) -> float:
        """The share of examples that were judged right."""
        return self.right / self.examples

    @property
    def kept(self) -> bool:
        """Whether the two pronouns are equivalents."""
        return self.why == "equivalent"


def draw_sheet(evaluation: Evaluation, size: int, seed: int) -> str:
    """A random sample of the first candidate's occurrences, to be judged."""
    data, occurrences = evaluation.scored.data, evaluation.scored.items[0]
    size = min(size, len(occurrences))
    generator = np.random.default_rng(seed)
    chosen = sorted(generator.choice(len(occurrences), size, replace=False).tolist())
    lines = ["\t".join(SHEET_COLUMNS)]
    for number in chosen:
        occurrence = occurrences[number]
        anchor = occurrence.anchor
        source, ours, theirs = (
            text.words(anchor.sentence)
            for text in (data.source, data.reference.text, data.candidates[0].text)
        )
        source[anchor.position] = f"[{source[anchor.position]}]"
        for words, side in ((ours, occurrence.reference), (theirs, occurrence.candidate)):
            for position in side.positions:
                words[position] = f"[{words[position]}]"
        cells = [str(anchor.sentence), str(anchor.position), anchor.pronoun, *occurrence.cell, ""]
        lines.append("\t".join([*cells, " ".join(source), " ".join(ours), " ".join(theirs)]))
    return "\n".join(lines) + "\n"


def read_judged(path: str | Path, lists: PronounLists) -> list[Judged]:
    """Read judged examples: a table with tabs and at least the columns of `NEEDED_COLUMNS`."""
    lines = list(read_text_lines(Path(path)))
    columns = lines[0].split("\t") if lines else []
    missing = [name for name in NEEDED_COLUMNS if name not in columns]
    if missing:
        expected = f"columns {', '.join(NEEDED_COLUMNS)}"
        raise input_error(path, "heading", expected, quoted("\t".join(columns)), 1)
    places = [columns.index(name) for name in NEEDED_COLUMNS]
    problems: list[Problem] = []
    found = []
    for number, line in enumerate(lines[1:], start=2):
        cells = line.split("\t")
        if not line.strip():
            continue
        if len(cells) <= max(places):
            expected = f"{len(columns)} columns"
            problems.append(Problem(str(path), number, "columns", expected, str(len(cells))))
            continue
        reference, candidate, verdict = (cells[place].strip() for place in places)
        labels = []
        for name, word in (("reference", reference), ("candidate", candidate)):
            label = _label(word, lists)
            if label is None:
                expected = choices((*lists.target_pronouns, OTHER, NONE))
                problems.append(Problem(str(path), number, name, expected, quoted(word)))
            labels.append(label or "")
        right = _verdict(verdict)
        # Nobody has to judge what is the same, or has no pronoun of the list on a side.
        needed = labels[0] != labels[1] and not {OTHER, NONE} & set(labels)
        if right is None and (verdict or needed):
            expected = choices((*_RIGHT, *_WRONG))
            problems.append(Problem(str(path), number, "correct", expected, quoted(verdict)))
        found.append(Judged(labels[1], labels[0], right))
    if problems:
        raise InputError(problems)
    return found


def _label(word: str, lists: PronounLists) -> str | None:
    if word in (OTHER, NONE):
        return word
    if word in ("-", ""):
        return NONE
    return lists.labels.get(normal_form(word))


def _verdict(written: str) -> bool | None:
    if written.lower() in _RIGHT:
        return True
    return False if written.lower() in _WRONG else None


def estimate(
    judged: Sequence[Judged],
    least_share: float = LEAST_SHARE,
    least_probability: float = LEAST_PROBABILITY,
    pooled: bool = False,
) -> list[PairEstimate]:
    """All pairs of different pronouns, the frequent ones first.

    With `pooled`, t for r and r for t are one pair; the paper estimates each direction by itself.
    """
    seen: Counter[tuple[str, str]] = Counter()
    right: Counter[tuple[str, str]] = Counter()
    for example in judged:
        pair = example.candidate, example.reference
        if pair[0] == pair[1] or OTHER in pair or NONE in pair:
            continue
        if pooled:
            pair = min(pair), max(pair)
        seen[pair] += 1
        right[pair] += bool(example.right)
    found = []
    for pair, number in sorted(seen.items(), key=lambda item: (-item[1], item[0])):
        share, probability = number / len(judged), right[pair] / number
        why = "equivalent"
        if share < least_share:
            why = "too rare"
        elif probability <= least_probability:
            why = "not probable"
        low, high = wilson_interval(right[pair], number)
        found.append(PairEstimate(*pair, number, right[pair], share, low, high, why))
    return found


def with_equivalents(lists: PronounLists, estimates: Sequence[PairEstimate]) -> PronounLists:
    """The lists with the estimated equivalents; probabilities are pooled over kept directions."""
    seen: Counter[tuple[str, ...]] = Counter()
    right: Counter[tuple[str, ...]] = Counter()
    for one in estimates:
        if one.kept:
            pair = tuple(sorted((one.candidate, one.reference)))
            seen[pair] += one.examples
            right[pair] += one.right
    groups = tuple(Equivalent(pair, round(right[pair] / seen[pair], 4)) for pair in seen)
    return replace(lists, equivalent=groups)
