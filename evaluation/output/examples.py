"""The examples of a page: pronouns with their sentences and what became of them.

`Examples.content` is what the script of `html/evaluation.html` reads, as JSON objects with the
fields of these classes. A line is kept once and referred to by its number, because it may have
several pronouns and be the context of others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

Kind = Literal["right", "part", "wrong", "open"]
MarkKind = Literal["pronoun", "head"]


@dataclass(frozen=True)
class ExampleVerdict:
    """A case or status that an example may have; `kind` gives it a colour."""

    name: str
    kind: Kind


@dataclass(frozen=True)
class Mark:
    """Words of an example that matter: a pronoun or the head of its antecedent.

    `line` counts the example's lines. `repaired` says that no link led to the target words.
    """

    line: int
    source: Sequence[int]
    target: Sequence[int]
    kind: MarkKind = "pronoun"
    repaired: bool = False


@dataclass(frozen=True)
class Rendering:
    """The translation of a pronoun by a candidate, with its verdict.

    `reference` and `word` are the words that are compared, which are its cell in the matrix. A
    system that predicts classes may have a probability for each.
    """

    verdict: int
    reference: str
    word: str
    marks: Sequence[Mark] = ()
    note: str = ""
    probabilities: Sequence[float] = ()


@dataclass(frozen=True)
class Line:
    """A line of the source, its references, and its translation by each candidate.

    Lines are counted from 0; the number is -1 where the text has no lines.
    """

    number: int
    document: str
    source: str
    references: Sequence[str]
    candidates: Sequence[str]


@dataclass(frozen=True)
class PronounExample:
    """A pronoun of the source, where it is in each reference, and what became of it.

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
    verdict: str = "any case"
    reference: str = "any in reference"
    word: str = "any in candidate"
    target: str = "reference"
    shown: str = "pronouns"
    differ: str = "candidates differ"


class Examples:
    """Collects the examples of a page; `total` is how many pronouns there are, shown or not.

    `group` is what groups of examples are called (category), `groups` the order of their names.
    `classes` are those of the probabilities. The words of references are `lemma|TAG` if they are
    `tagged`.
    """

    def __init__(
        self,
        candidates: Sequence[str],
        verdicts: Sequence[ExampleVerdict],
        total: int,
        group: str = "",
        groups: Iterable[str] = (),
        classes: Sequence[str] = (),
        tagged: bool = False,
        terms: Terms | None = None,
    ) -> None:
        self.candidates = tuple(candidates)
        self.verdicts = tuple(verdicts)
        self.total = total
        self.group = group
        self.groups = list(groups)
        self.classes = tuple(classes)
        self.tagged = tagged
        self.terms = terms or Terms()
        self.lines: list[Line] = []
        self.examples: list[PronounExample] = []

    def __len__(self) -> int:
        return len(self.examples)

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
        """Keep a pronoun, in the group of this name."""
        if group not in self.groups:
            self.groups.append(group)
        number = self.groups.index(group)
        self.examples.append(PronounExample(name, pronoun, number, lines, references, candidates))

    def content(self) -> dict[str, Any]:
        """Everything that the script of the page reads."""
        return {
            "candidates": self.candidates,
            "verdicts": self.verdicts,
            "classes": self.classes,
            "tagged": self.tagged,
            "terms": asdict(self.terms),
            "group": self.group,
            "groups": self.groups,
            "lines": self.lines,
            "examples": self.examples,
        }


def spread_over(total: int, limit: int) -> range | list[int]:
    """The numbers of the examples that are shown: all, or as many as allowed, evenly spread."""
    if total <= limit:
        return range(total)
    return [number * total // limit for number in range(limit)]
