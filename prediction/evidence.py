"""The records of explanations: why a system chose a class for a gap.

A system answers a `GapQuestion` with `Evidence`: tables of what decided (features, fillings, paths
of a chain).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from crosspro.data_prep.core.example import Example, Gap

Cell = str | float


@dataclass(frozen=True)
class GapQuestion:
    """A gap of `examples[line]`, the number of the chosen class and that of the next best.

    `examples` are those of the gap's document.
    """

    examples: Sequence[Example]
    line: int
    number: int
    chosen: int
    against: int

    @property
    def example(self) -> Example:
        return self.examples[self.line]

    @property
    def gap(self) -> Gap:
        return self.example.gaps[self.number]

    @property
    def row(self) -> int:
        return sum(len(example.gaps) for example in self.examples[: self.line]) + self.number


@dataclass(frozen=True)
class EvidenceTable:
    """Rows under a heading, the most important first; the first column is text."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""

    def cut(self, most: int) -> EvidenceTable:
        """The first rows; the note says how many others there are."""
        left = len(self.rows) - most
        note = f"… and {left:,} more" if left > 0 else self.note
        return replace(self, rows=self.rows[:most], note=note)


@dataclass(frozen=True)
class Evidence:
    """What decided; `how` says in a sentence how its numbers are to be read."""

    how: str
    tables: tuple[EvidenceTable, ...] = ()


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
