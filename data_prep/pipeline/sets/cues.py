"""Does the number of links of a gap give its label away?

In data whose inserted placeholders had no link, a gap without a link was OTHER without exception,
and systems learnt that instead of translation; official files have no such gap.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.pipeline.sets.splits import Splits

_LINKS = ("without a link", "with one link", "with two links", "with more links")
_MIN_GAPS, _MIN_GAPS_OF_CLASS, _MIN_GAPS_WITH_LINKS = 200, 10, 20
"""Smaller sets, rarer classes and rarer numbers of links are not judged."""

_MIN_PRECISION = 0.95
_MIN_RECALL = 0.05
_MAX_ERRORS_LEFT = 0.25
"""Of the errors of a guess by class frequency."""


@dataclass(frozen=True)
class LabelLeak:
    """`right` of the `gaps` with a number of links are of one class; `recall` is their share of it.

    `links` follows the word `gap` in a sentence.
    """

    links: str
    label: str
    gaps: int
    right: int
    recall: float

    def __str__(self) -> str:
        return (
            f"a gap {self.links} is {self.label} in {100 * self.right / self.gaps:.1f} of 100 "
            f"cases ({100 * self.recall:.0f}% of all {self.label}): systems learn this instead of "
            "translation"
        )


@dataclass
class LinkTable:
    """How often gaps of each class have no, one, two or more links; blind gaps do not count."""

    task: Task
    counts: Counter[tuple[str, int]] = field(default_factory=Counter)

    def add(self, example: Example) -> None:
        """Count the gaps of a line."""
        linked = Counter(target for _, target in example.links) if example.gaps else Counter()
        for gap in example.gaps:
            if gap.label is not None:
                label = self.task.classes[self.task.class_index[gap.label]]
                self.counts[label, min(linked[gap.position], len(_LINKS) - 1)] += 1

    def leak(self) -> LabelLeak | None:
        """The number of links that gives most of a class away, if any does."""
        of_class: Counter[str] = Counter()
        for (label, _), count in self.counts.items():
            of_class[label] += count
        frequent = {label for label in of_class if of_class[label] >= _MIN_GAPS_OF_CLASS}
        total = sum(of_class[label] for label in frequent)
        if len(frequent) < 2 or total < _MIN_GAPS:
            return None
        table = {cell: count for cell, count in self.counts.items() if cell[0] in frequent}
        leaks = []
        for (label, links), right in table.items():
            gaps = sum(count for (_, other), count in table.items() if other == links)
            least = max(_MIN_PRECISION, 1 - _MAX_ERRORS_LEFT * (1 - of_class[label] / total))
            recall = right / of_class[label]
            if gaps >= _MIN_GAPS_WITH_LINKS and right / gaps >= least and recall >= _MIN_RECALL:
                leaks.append(LabelLeak(_LINKS[links], label, gaps, right, recall))
        return max(leaks, key=lambda leak: leak.recall, default=None)


def label_leaks(splits: Splits, task: Task) -> Mapping[str, LabelLeak]:
    """What links give away in train, dev and the test sets, by the name of the set."""
    sets = {"train": splits.train, "dev": splits.dev, **splits.test}
    leaks = {name: label_leak(examples, task) for name, examples in sets.items()}
    return {name: leak for name, leak in leaks.items() if leak}


def label_leak(examples: Iterable[Example], task: Task) -> LabelLeak | None:
    """What the links of a data set give away."""
    table = LinkTable(task)
    for example in examples:
        table.add(example)
    return table.leak()
