"""Does the number of links of a gap give its label away?

In data whose inserted placeholders had no link, a gap without a link was OTHER without exception,
and systems learnt that instead of translation; official files have no such gap.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import sqrt

from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.pipeline.sets.splits import Splits

_LINKS = ("without a link", "with one link", "with two links", "with more links")
_MIN_GAPS = 200
_MIN_GAPS_OF_CLASS = 10
"""Classes with fewer gaps, and sets with fewer, are not judged."""

_MIN_PRECISION = 0.95
_MIN_RECALL = 0.05
_MAX_ERRORS_LEFT = 0.25
"""Of the errors of a guess by class frequency."""

_Z = 1.96


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
        if not example.gaps:
            return
        linked = Counter(target for _, target in example.links)
        for gap in example.gaps:
            if gap.label is not None:
                label = self.task.classes[self.task.class_index[gap.label]]
                self.counts[label, min(linked[gap.position], len(_LINKS) - 1)] += 1

    def leak(self) -> LabelLeak | None:
        """The number of links that gives most of a class away, if any does."""
        of_class: Counter[str] = Counter()
        for (label, _), count in self.counts.items():
            of_class[label] += count
        frequent = {label for label, count in of_class.items() if count >= _MIN_GAPS_OF_CLASS}
        total = sum(of_class[label] for label in frequent)
        if len(frequent) < 2 or total < _MIN_GAPS:
            return None
        with_links: Counter[int] = Counter()
        for (label, links), count in self.counts.items():
            with_links[links] += count if label in frequent else 0
        leaks = []
        for (label, links), right in self.counts.items():
            if label not in frequent:
                continue
            gaps, recall = with_links[links], right / of_class[label]
            least = 1 - _MAX_ERRORS_LEFT * (1 - of_class[label] / total)
            pure = right / gaps >= _MIN_PRECISION and wilson_low(right, gaps) >= least
            if pure and recall >= _MIN_RECALL:
                leaks.append(LabelLeak(_LINKS[links], label, gaps, right, recall))
        return max(leaks, key=lambda leak: leak.recall, default=None)


def wilson_low(right: int, total: int) -> float:
    """The lower end of Wilson's 95% interval of a share."""
    share = right / total
    spread = sqrt(share * (1 - share) / total + (_Z / total) ** 2 / 4)
    return (share + _Z**2 / (2 * total) - _Z * spread) / (1 + _Z**2 / total)


def label_leak(examples: Iterable[Example], task: Task) -> LabelLeak | None:
    """What the links of a data set give away."""
    counts = LinkTable(task)
    for example in examples:
        counts.add(example)
    return counts.leak()


def label_leaks(splits: Splits, task: Task) -> Mapping[str, LabelLeak]:
    """What links give away in train, dev and the test sets, by the name of the set."""
    sets = {"train": splits.train, "dev": splits.dev, **splits.test}
    leaks = {name: label_leak(examples, task) for name, examples in sets.items()}
    return {name: leak for name, leak in leaks.items() if leak is not None}
