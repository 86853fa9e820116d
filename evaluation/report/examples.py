"""The examples of a page: items with their sentences and what became of them.

`Examples.content()` is what the script of `html/evaluation.html` reads. A line is kept once and
referred to by its number, because it may have several items and be the context of others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
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
    lines: list[dict[str, Any]] = field(default_factory=list)
    examples: list[dict[str, Any]] = field(default_factory=list)

    def add_line(
        self,
        number: int,
        source: str,
        references: Sequence[str],
        candidates: Sequence[str],
        document: str = "",
    ) -> int:
        """Keep a line, whose number counts from 0; returns its number among those of the page."""
        self.lines.append(
            {
                "number": number,
                "document": document,
                "source": source,
                "references": references,
                "candidates": candidates,
            }
        )
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
        """An item: its lines (the last is its own), its place in each reference, its renderings."""
        if group not in self.groups:
            self.groups.append(group)
        self.examples.append(
            {
                "name": name,
                "pronoun": pronoun,
                "group": self.groups.index(group),
                "lines": lines,
                "references": references,
                "candidates": candidates,
            }
        )

    def content(self) -> dict[str, Any]:
        """All that the script of the page reads."""
        verdicts = [{"name": name, "kind": kind} for name, kind in self.verdicts]
        return {**vars(self), "verdicts": verdicts}
