"""A metric: items of some data, statistics of each item, and a score of their sums.

Items (pronouns, gaps, instances, lines) are the same for all candidates. A metric turns each item
into numbers in named columns; every score is a function of sums of such columns. Intervals, paired
tests, groups and all outputs are written once, for every metric (`evaluation.py`, `report/`).

The smallest metric has a name, a display, and three methods:

    class Length(Metric[None, Texts, str]):
        name = "length"
        display = Display("Length of translations")

        def items(self, data):
            lines = range(len(data.reference))
            units = Units.choose(document=data.document_of_line, line=lines)
            return Items(data, tuple(data.candidates), tuple(data.candidates.values()), units)

        def statistics(self, items, candidate):
            return {
                "words": [len(line.split()) for line in items.values[candidate]],
                "wanted": [len(line.split()) for line in items.data.reference],
            }

        def score(self, sums):
            return {"length": 100 * ratio(sums["words"], sums["wanted"])}

    print(evaluate(Length(None), texts))

A column may be wide (an array with a row for each item, or `Cells`: counts of one cell for each
item, such as a confusion matrix); `sums[name]` then has the cells on its last axis. Leading axes
of sums are resamples. All scores are per cent.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, NamedTuple, TypeVar

from crosspro.evaluation.resampling import Booleans, Columns, Scores, Sums, Units

if TYPE_CHECKING:
    from crosspro.evaluation.evaluation import Evaluation
    from crosspro.evaluation.report.examples import Examples
    from crosspro.evaluation.report.tables import Table

Settings = TypeVar("Settings")
Data = TypeVar("Data")
Item = TypeVar("Item")
Kind = Literal["right", "part", "wrong", "open"]
"""What a verdict means; it decides the colour on a page."""


@dataclass(frozen=True)
class Display:
    """How tables and pages call the things of a metric."""

    title: str
    headline: str = ""
    """The measure that candidates are ordered by; the first one if empty."""
    measures: Mapping[str, str] = field(default_factory=dict)
    """Headings of measures that are not shown under their own names."""
    compared: tuple[str, ...] = ()
    """The measures that paired tests compare; all of them if empty."""
    column: str = ""
    """The heading of the headline measure in a table of several metrics."""
    counts: tuple[str, ...] = ()
    """Counts that have a column beside the scores."""
    digits: int = 2
    lower_is_better: bool = False
    candidate: str = "candidate"
    group: str = "group"
    total: str = "total"
    verdicts: tuple[tuple[str, Kind], ...] = ()
    """What an item may be, and what that means."""
    notes: tuple[str, ...] = ()
    """Lines under the scores."""

    def heading(self, name: str) -> str:
        return self.measures.get(name, name.replace("_", " "))

    def column_title(self, headline: str) -> str:
        """The heading of the headline measure beside those of other metrics."""
        return self.column or self.heading(headline)


@dataclass(frozen=True)
class Items(Generic[Data, Item]):
    """What is scored: for each candidate its items, all in the same order, and their units."""

    data: Data
    candidates: tuple[str, ...]
    values: tuple[Sequence[Item], ...]
    units: Units
    description: str = ""
    """One line above the scores: what was scored, and how much of it."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """What JSON says of the data."""
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """Lines under the scores that say how to read them."""

    @property
    def size(self) -> int:
        return len(self.units.of_item)


class Group(NamedTuple):
    """Items that are scored by themselves, such as those of one pronoun.

    `chosen` is a mask of the items. Where a mask cannot say what belongs to a group (an item has
    something of several groups), `statistics` gives the columns of each candidate instead.
    """

    breakdown: str
    name: str
    chosen: Booleans | None = None
    statistics: Callable[[int], Columns] | None = None


class Metric(ABC, Generic[Settings, Data, Item]):
    """The idea of a metric; `items`, `statistics` and `score` are all that it needs."""

    name: ClassVar[str]
    settings_class: ClassVar[Any] = None
    display: Display

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    @abstractmethod
    def items(self, data: Data) -> Items[Data, Item]:
        """What is scored."""

    @abstractmethod
    def statistics(self, items: Items[Data, Item], candidate: int) -> Columns:
        """Named columns with a number (or a row of numbers) for each item of a candidate."""

    @abstractmethod
    def score(self, sums: Sums) -> Scores:
        """Measures of sums of the columns, in per cent; nan where they are undefined."""

    # All that follows is optional.

    def groups(self, items: Items[Data, Item]) -> Iterable[Group]:
        """Groups that are scored beside the total, in the order of their rows."""
        return ()

    def counts(self, items: Items[Data, Item], candidate: int) -> Columns:
        """Plain columns that are only summed: numbers beside the scores of each group."""
        return {}

    def signature(self, items: Items[Data, Item]) -> Sequence[str]:
        """All that changes a score and is not in its name: `key:value`, for quotation.

        The signature of another program that takes part comes last, in one piece.
        """
        settings: Any = self.settings
        values = []
        for setting in fields(settings) if is_dataclass(settings) else ():
            value = getattr(settings, setting.name)
            listed = value if isinstance(value, list | tuple) else [value]
            if setting.repr:
                values.append(f"{setting.name}:{','.join(map(str, listed))}")
        return [f"{items.units.name}s:{items.units.count}", *values]

    def facts(self, items: Items[Data, Item], candidate: int) -> Mapping[str, Any]:
        """What JSON says of a candidate beside its scores, such as a confusion matrix."""
        return {}

    def details(self, items: Items[Data, Item], candidate: int) -> Iterable[Mapping[str, Any]]:
        """A record for each item of a candidate."""
        return ()

    def tables(self, evaluation: Evaluation) -> Sequence[Table]:
        """The tables of a report, without the paired differences."""
        from crosspro.evaluation.report.tables import score_tables

        return score_tables(evaluation)

    def verdicts(self, items: Items[Data, Item], candidate: int) -> Sequence[int]:
        """The number of the verdict (`display.verdicts`) on each item."""
        return ()

    def examples(self, items: Items[Data, Item], numbers: Sequence[int]) -> Examples | None:
        """Items of these numbers as the examples of a page."""
        return None
