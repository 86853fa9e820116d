"""The examples of a page: items with their sentences and what became of them.

`Examples.content()` is what the script of `html/evaluation.html` reads. A line is kept once and
referred to by its number, because it may have several items and be the context of others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal


@dataclass(frozen=True)
class Mark:
    """Words of an example that matter: a pronoun or the head of its antecedent.

    `line` counts the example's lines. `repaired` says that no link led to the target words.
    """

    line: int
    source: Sequence[int]
    target: Sequence[int]
    kind: Literal["pronoun", "head"] = "pronoun"
    repaired: bool = False


@dataclass(frozen=True)
class Rendering:
    """What a candidate has for an item, with the number of its verdict.

    `reference` and `word` are the words that are compared, which are its cell in a matrix. A system
    that predicts classes may have a probability for each.
    """

    verdict: int
    reference: str
    word: str
    marks: Sequence[Mark] = ()
    note: str = ""
    probabilities: Sequence[float] = ()


@dataclass(frozen=True)
class Line:
    """A line of the source, its references and translations; numbers count from 0, or are -1."""

    number: int
    document: str
    source: str
    references: Sequence[str]
    candidates: Sequence[str]


@dataclass(frozen=True)
class Example:
    """An item: its lines (the last is its own), its place in each reference, its renderings.

    `lines` and `group` are numbers of lines and groups.
    """

    name: str
    pronoun: str
    group: int
    lines: Sequence[int]
    references: Sequence[Sequence[Mark]]
    candidates: Sequence[Rendering]


@dataclass(frozen=True)
class Terms:
    """What a page calls the things that it shows."""

    candidate: str = "any candidate"
    verdict: str = "any verdict"
    reference: str = "any in reference"
    word: str = "any in candidate"
    target: str = "reference"
    shown: str = "pronouns"
    differ: str = "candidates differ"


@dataclass
class Examples:
    """The examples of a page; `total` is how many items there are, shown or not.

    `group` is what groups of examples are called (category), `groups` the order of their names.
    `classes` are those of the probabilities. The words of references are `lemma|TAG` if they are
    `tagged`.
    """

    candidates: Sequence[str]
    verdicts: Sequence[tuple[str, str]]
    total: int
    group: str = ""
    groups: list[str] = field(default_factory=list)
    classes: Sequence[str] = ()
    tagged: bool = False
    terms: Terms = Terms()
    note: str = ""
    lines: list[Line] = field(default_factory=list)
    examples: list[Example] = field(default_factory=list)

    def add_line(
        self,
        number: int,
        source: str,
        references: Iterable[str],
        candidates: Iterable[str],
        document: str = "",
    ) -> int:
        """Keep a line; returns its number among those of the page."""
        self.lines.append(Line(number, document, source, list(references), list(candidates)))
        return len(self.lines) - 1

    def add(
        self,
        pronoun: str,
        lines: Sequence[int],
        references: Sequence[Sequence[Mark]],
        candidates: Sequence[Rendering],
        name: str = "",
        group: str = "",
    ) -> None:
        if group not in self.groups:
            self.groups.append(group)
        number = self.groups.index(group)
        self.examples.append(Example(name, pronoun, number, lines, references, candidates))

    def content(self) -> dict[str, Any]:
        """All that the script of the page reads."""
        content = {**vars(self), "terms": asdict(self.terms)}
        content["verdicts"] = [{"name": name, "kind": kind} for name, kind in self.verdicts]
        return content
