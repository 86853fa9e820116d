"""How far people agree with a model that says which pronouns are wrong, the most doubtful first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from crosspro.data_prep.core.errors import input_error
from crosspro.evaluation.core.score import UNDEFINED
from crosspro.evaluation.core.statistics import wilson_interval
from crosspro.evaluation.human.items import Question, ReviewSet, SuggestedAnswer
from crosspro.evaluation.human.verdicts import Judgement, Judgements

_FIRST = (10, 25, 50, 100, 250, 500, 1000)


@dataclass(frozen=True)
class DoubtPrecision:
    """The most doubtful questions: how many there are, how they were judged, what was expected.

    `expected` is the mean chance of being wrong of those that were judged right or wrong,
    `taken` how many wrong ones have an alternative that is the suggested one.
    """

    first: int
    wrong: int
    right: int
    open: int
    expected: float
    taken: int

    @property
    def judged(self) -> int:
        """How many were found right or wrong."""
        return self.wrong + self.right

    @property
    def precision(self) -> str:
        """The share of wrong ones in per cent, with its 95% interval (Wilson's)."""
        if not self.judged:
            return UNDEFINED
        low, high = wilson_interval(self.wrong, self.judged)
        return f"{100 * self.wrong / self.judged:.1f} [{100 * low:.1f}, {100 * high:.1f}]"


def doubt_precisions(items: ReviewSet, judgements: Judgements) -> list[DoubtPrecision]:
    """The precision of the first 10, 25, … questions and of all of them."""
    ranked = list(_ranked(items, judgements))
    sizes = [size for size in _FIRST if size < len(ranked)]
    return [_precision(ranked[:size]) for size in (*sizes, len(ranked))]


_Ranked = tuple[SuggestedAnswer, Judgement | None]


def _ranked(items: ReviewSet, judgements: Judgements) -> Iterator[_Ranked]:
    """What a model and what people say of each question, the most doubtful first."""
    ranks = items.ranks or {}
    for key in sorted(ranks, key=ranks.__getitem__):
        question = items.questions[key]
        if question.shown.suggested is not None:
            yield question.shown.suggested, _judgement(question, judgements)


def _judgement(question: Question, judgements: Judgements) -> Judgement | None:
    found = (judgements.get(one.item.key) for one in question.items)
    return next((one for one in found if one is not None), None)


def _precision(ranked: Sequence[_Ranked]) -> DoubtPrecision:
    decided = [
        (said, one)
        for said, one in ranked
        if one is not None and not one.bad and one.pronoun in ("right", "wrong")
    ]
    wrong = [(said, one) for said, one in decided if one.pronoun == "wrong"]
    taken = [
        said.alternative.lower() in {word.lower() for word, _ in one.alternatives}
        for said, one in wrong
        if said.alternative
    ]
    chances = [said.wrong for said, _ in decided]
    return DoubtPrecision(
        len(ranked),
        len(wrong),
        len(decided) - len(wrong),
        len(ranked) - len(decided),
        sum(chances) / len(chances) if chances else 0.0,
        sum(taken),
    )


def precision_table(
    items: ReviewSet, judgements: Judgements, path: Path
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """The same as heading and rows; items of `path` that are not ranked are an error."""
    if items.ranks is None:
        expected = "items that say how doubtful they are, from `crosspro proofread --items`"
        raise input_error(path, "suggested", expected, "some without")
    heading = ("first", "wrong", "right", "open", "wrong %", "expected %", "suggestion taken")
    rows: list[tuple[str, ...]] = [
        (
            f"{one.first:,}",
            f"{one.wrong:,}",
            f"{one.right:,}",
            f"{one.open:,}",
            one.precision,
            f"{100 * one.expected:.1f}" if one.judged else UNDEFINED,
            f"{one.taken:,}",
        )
        for one in doubt_precisions(items, judgements)
    ]
    return heading, rows
