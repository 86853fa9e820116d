"""Why a system chose a class for a gap: the records of explanations.

A system answers a `GapQuestion` with `Evidence`: tables of what decided (features, fillings, paths)
and, where it can say so, how much each token spoke for the chosen class rather than for the class
that it is held against. The parts of an ensemble have explanations of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from crosspro.data_prep.core.example import Example, Gap
from crosspro.prediction.fit_report import member_label

Cell = str | float


@dataclass(frozen=True)
class GapQuestion:
    """A gap of `examples[line]`, the class that was chosen and the next best, by their numbers.

    `examples` are those of the gap's document.
    """

    examples: Sequence[Example]
    line: int
    number: int
    chosen: int
    against: int

    @property
    def example(self) -> Example:
        """The line with the gap."""
        return self.examples[self.line]

    @property
    def gap(self) -> Gap:
        """The gap."""
        return self.example.gaps[self.number]

    @property
    def row(self) -> int:
        """The number of the gap among all of the examples."""
        return sum(len(example.gaps) for example in self.examples[: self.line]) + self.number


@dataclass(frozen=True)
class EvidenceTable:
    """Rows under a heading, what mattered most first; the first column is text."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""

    def cut(self, most: int) -> EvidenceTable:
        """The first rows; the lines of the note say how many others there are."""
        left = len(self.rows) - most
        more = f"… and {left:,} more" if left > 0 else ""
        note = "\n".join(filter(None, (more, self.note)))
        return replace(self, rows=self.rows[:most], note=note)


@dataclass(frozen=True)
class Evidence:
    """What decided; `how` says in a sentence how its numbers are to be read.

    `source` and `target` have a number for each token of the line, above 0 if it speaks for the
    chosen class, and are empty where a system does not say.
    """

    how: str
    tables: tuple[EvidenceTable, ...] = ()
    source: tuple[float, ...] = ()
    target: tuple[float, ...] = ()
    members: tuple[ExplainedMember, ...] = ()


@dataclass(frozen=True)
class Explanation:
    """The class that a system chose, its probabilities, and why; no evidence if it cannot say."""

    system: str
    chosen: str
    against: str
    probabilities: Mapping[str, float]
    evidence: Evidence | None


@dataclass(frozen=True)
class ExplainedMember:
    """A part of an ensemble with its weight; `name` is what the ensemble calls it."""

    name: str
    weight: float
    explanation: Explanation

    @property
    def label(self) -> str:
        """The name, and the system if that says more."""
        return member_label(self.name, self.explanation.system)


def contribution_table(
    title: str,
    pair: tuple[str, str],
    names: Sequence[str],
    chosen: Sequence[float],
    against: Sequence[float],
) -> EvidenceTable:
    """What each feature adds to the two classes of a pair, the largest difference first."""
    rows = sorted(
        ((name, a - b, a, b) for name, a, b in zip(names, chosen, against, strict=True)),
        key=lambda row: (-abs(row[1]), row[0]),
    )
    return EvidenceTable(title, ("feature", f"{pair[0]} over {pair[1]}", *pair), tuple(rows))
