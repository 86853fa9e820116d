"""A metric: items of some data, statistics of each item, a score of their sums, and verdicts.

What is scored stands in a text as *items* (pronouns, gaps, instances, lines), the same for all
systems. A metric turns each item into a row of numbers; every score is a function of sums of such
rows, so intervals and paired tests resample sums and never look at text again. All of that is
written once, in `evaluation.py`, and so are the outputs; a metric brings its idea and, where it has
more to show, tables as plain data.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from crosspro.evaluation.core.score import PERCENT, Scale
from crosspro.evaluation.core.statistics import (
    Floats,
    ResampledUnits,
    UnitTable,
    side_by_side,
    tally,
)
from crosspro.evaluation.core.tables import Figure, Matrix, Table

if TYPE_CHECKING:
    from crosspro.evaluation.core.evaluation import Evaluation

TOTAL = "total"
Booleans = NDArray[np.bool_]
Settings = TypeVar("Settings")
Data = TypeVar("Data")
Item = TypeVar("Item")
Scores = Mapping[str, Floats]
"""The values of each measure, one for each row of sums; not a number where it is not defined."""


@dataclass(frozen=True)
class Scored(Generic[Data, Item]):
    """What is scored: items of all systems in the same order, and the unit of each item.

    `facts` are what the JSON says of the data as a whole.
    """

    data: Data
    systems: tuple[str, ...]
    items: tuple[Sequence[Item], ...]
    units: ResampledUnits
    facts: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """How many items each system has."""
        return len(self.units.of_item)


class Part(NamedTuple):
    """Some of what is scored: everything, or a group of a breakdown.

    `chosen` are its items (all if None), `columns` its statistics (all if None), and `score` turns
    their sums into measures, where it is not that of the metric. `rows` are statistics of its own,
    where those of the metric do not tell the group. Parts of one name are one group.
    """

    breakdown: str = ""
    group: str = TOTAL
    chosen: Booleans | None = None
    columns: Sequence[int] | None = None
    score: Callable[[Floats], Scores] | None = None
    rows: Floats | None = None
    resampled: bool = True
    counts: Mapping[str, int] | None = None
    """What was counted, where sums of statistics do not tell."""

    @property
    def is_total(self) -> bool:
        """Whether it is of everything, so that systems are compared by it."""
        return not self.breakdown and self.group == TOTAL


class Metric(ABC, Generic[Settings, Data, Item]):
    """The idea of a metric; its settings are a dataclass."""

    name: ClassVar[str]
    title: ClassVar[str]
    settings_class: ClassVar[Any]
    measures: Mapping[str, str]
    """The measures that are shown, and how each is written."""
    headline: str
    """The measure by which the best system is known."""
    lower_is_better: ClassVar[bool] = False
    """Whether the best system is the one with the lowest value."""
    needs: ClassVar[str]
    """The data that are scored: gold, text, linked or judged text, or a set by scores or
    by translations."""
    called: ClassVar[str]
    """What the metric is called where several stand side by side; `{}` is the set it scores."""
    column: ClassVar[str] = ""
    """What its headline is called there, where that is another name."""
    variants: ClassVar[Mapping[str, tuple[str, Mapping[str, Any]]]] = {}
    """Metrics that it is several of there: by key, what each is called, and its settings."""
    scale: ClassVar[Scale] = PERCENT
    """How measures are shown."""
    system: ClassVar[str] = "candidate"
    """What a system is called in a heading."""
    total_title: ClassVar[str] = TOTAL
    """What the row of everything is called."""
    grouped: ClassVar[str] = "group"
    """What a group is called in a heading."""
    shown_counts: ClassVar[Mapping[str, str]] = {}
    """The counts that have a column beside the scores of groups, and its heading."""
    fractions: ClassVar[Mapping[str, tuple[str, str]]] = {}
    """Measures that stand beside a fraction of two counts."""
    hidden_breakdowns: ClassVar[Sequence[str]] = ()
    """Breakdowns that are not among the usual scores."""
    groups_in_csv: ClassVar[bool] = True
    printed_matrices: ClassVar[bool] = False
    """Whether text has the matrices, too, which pages always have."""
    matrix_titles: ClassVar[tuple[str, tuple[str, str], tuple[str, ...]]] = (
        "Matrix",
        ("Reference", "candidate"),
        ("(others)", "OTHER", "NONE"),
    )
    """The title of matrices, what is in rows and columns, and labels that are never right."""
    examples_note: ClassVar[str] = ""
    wrong_first: ClassVar[bool] = False
    """Whether a page that cannot show all examples rather shows wrong ones."""
    verdict_kinds: ClassVar[Sequence[tuple[str, str]]] = ()
    """The names of verdicts on an item, and what each means: right, part, wrong or open."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    @classmethod
    def lacks(cls, settings: Mapping[str, Any]) -> str:
        """Why it cannot be computed with these settings: a package or a table that is missing."""
        return ""

    @abstractmethod
    def items(self, data: Data) -> Scored[Data, Item]:
        """What is scored."""

    @abstractmethod
    def statistics(self, scored: Scored[Data, Item], system: int) -> Floats:
        """A row of numbers for each item of a system."""

    @abstractmethod
    def score(self, sums: Floats) -> Scores:
        """The measures of sums of such rows."""

    def verdicts(self, scored: Scored[Data, Item], system: int) -> Sequence[int]:
        """The number of the verdict on each item of a system."""
        return ()

    @abstractmethod
    def described(
        self, scored: Scored[Data, Item], part: Part, measure: str, system: int
    ) -> list[str]:
        """What a signature says of a score, before how it was resampled."""

    def other_programs(self, scored: Scored[Data, Item], measure: str) -> Sequence[str]:
        """The signatures of other programs that take part."""
        return ()

    def parts(self, scored: Scored[Data, Item], system: int) -> Iterable[Part]:
        """The groups of a system's scores, in the order in which they are shown."""
        return (Part(),)

    def compared(self, measures: Iterable[str]) -> list[str]:
        """The measures of a total by which systems are compared."""
        return list(measures)

    def counts(self, sums: Floats) -> Mapping[str, int]:
        """What was counted, from the sums of all statistics of a part."""
        return {}

    def table(self, scored: Scored[Data, Item], rows: Sequence[Floats], part: Part) -> UnitTable:
        """The statistics of each unit of a part, for one system or two side by side."""
        if part.columns is not None:
            rows = [own[:, list(part.columns)] for own in rows]
        if part.chosen is None:
            units = [scored.units.sums(own) for own in rows]
        else:
            among = scored.units.among(part.chosen)
            units = [among.sums(own[part.chosen]) for own in rows]
        return tally(units[0]) if len(units) == 1 else side_by_side(units[0], units[1])

    # What is shown beside the scores ------------------------------------------------------------

    def heading(self, scored: Scored[Data, Item]) -> str:
        """What stands over the scores: what was scored, and how much of it."""
        return self.title

    def notes(self, scored: Scored[Data, Item]) -> tuple[str, ...]:
        """What stands under the scores."""
        return ()

    def tables(self, evaluation: Evaluation) -> Sequence[Table]:
        """Tables beside those that every metric has."""
        return ()

    def matrices(self, scored: Scored[Data, Item]) -> Sequence[Matrix]:
        """What became of what, for each system."""
        return ()

    def figure(self, scored: Scored[Data, Item]) -> Figure | None:
        """Bars, where there is something to draw."""
        return None

    def of_system(self, scored: Scored[Data, Item], system: int) -> Mapping[str, Any]:
        """What the JSON says of a system beside its scores."""
        return {}

    def details(self, scored: Scored[Data, Item], system: int) -> Iterator[Mapping[str, Any]]:
        """A record for each item of a system."""
        return iter(())

    def examples(self, scored: Scored[Data, Item], numbers: Sequence[int]) -> Any:
        """Items of these numbers as the examples of a page (`output.examples.Examples`)."""
        return None
