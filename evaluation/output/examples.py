"""The examples of a page: pronouns with their texts, links and verdicts, as compact data.

A page may hold tens of thousands of pronouns, so texts, links and words are kept once in pools, and
everything refers to them by number. What the script of `html/report.html` reads:

- `lines`: number, document, source, references, candidates; the last two are lists of versions
  [text, links, source in the version's own tokenisation or -1].
- `examples`: name, pronoun, group, lines, references, candidates. The references are lists of
  marks, the candidates renderings [verdict, reference word, candidate word, note, marks], and a
  sixth item, the probabilities of `classes` in thousandths, where a system gave them.
- A mark is [which of the example's lines, kind, repaired, source positions, target positions].
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from crosspro.data_prep.core.example import Link

Kind = Literal["right", "part", "wrong", "open"]
MarkKind = Literal["pronoun", "head"]

_MARK_KINDS: tuple[MarkKind, ...] = ("pronoun", "head")


@dataclass(frozen=True, slots=True)
class ExampleVerdict:
    """A case or status that an example may have; `kind` gives it a colour."""

    name: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Version:
    """A line in one translation: words separated by single spaces, and links from the source.

    `source` is the source as this translation's links count it, where it is another tokenisation.
    """

    text: str
    links: Sequence[Link] = ()
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Mark:
    """Words of an example that matter: a pronoun or the head of its antecedent.

    `line` counts the example's lines. `repaired` says that no link led to the target words.
    """

    line: int
    source: Sequence[int]
    target: Sequence[int]
    kind: MarkKind = "pronoun"
    repaired: bool = False


@dataclass(frozen=True, slots=True)
class Rendering:
    """What a pronoun became in a candidate: its verdict, its place in the matrix, and where it is.

    `cell` is the word of the reference that it is compared with, and the candidate's word. A system
    that predicts classes may give the probability of each.
    """

    verdict: int
    cell: tuple[str, str]
    marks: Sequence[Mark] = ()
    note: str = ""
    probabilities: Sequence[float] = ()


@dataclass(frozen=True, slots=True)
class Terms:
    """What a page calls the things that it shows."""

    candidate: str = "any candidate"
    verdict: str = "any case"
    reference: str = "any in reference"
    word: str = "any in candidate"
    target: str = "reference"
    shown: str = "pronouns"
    differ: str = "candidates differ"


class _Pool:
    """Things that are kept once and known by their number."""

    def __init__(self) -> None:
        self.items: list[Any] = []
        self.numbers: dict[Any, int] = {}

    def number(self, item: Any) -> int:
        """The number of a thing, new or known."""
        number = self.numbers.setdefault(item, len(self.items))
        if number == len(self.items):
            self.items.append(item)
        return number


class Examples:
    """Collects the examples of a page; `total` is how many pronouns there are, shown or not.

    `group` is what groups of examples are called (category), `groups` the order of their names.
    `classes` are those of the renderings' probabilities. The words of references are `lemma|TAG` if
    they are `tagged`.
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
        self.classes = tuple(classes)
        self.tagged = tagged
        self.terms = terms or Terms()
        self._texts, self._links, self._words = _Pool(), _Pool(), _Pool()
        self._pronouns, self._groups = _Pool(), _Pool()
        for name in groups:
            self._groups.number(name)
        self._lines: list[list[Any]] = []
        self._examples: list[list[Any]] = []

    def __len__(self) -> int:
        return len(self._examples)

    def add_line(
        self,
        number: int,
        source: str,
        references: Iterable[Version],
        candidates: Iterable[Version],
        document: str = "",
    ) -> int:
        """Keep a line in all its versions; what it is known by comes back.

        Its number in the text counts from 0; -1 where the text has no lines.
        """
        versions = [[self._version(one) for one in side] for side in (references, candidates)]
        self._lines.append([number, document, self._texts.number(source), *versions])
        return len(self._lines) - 1

    def add(
        self,
        pronoun: str,
        lines: Sequence[int],
        references: Iterable[Sequence[Mark]],
        candidates: Iterable[Rendering],
        name: str = "",
        group: str = "",
    ) -> None:
        """Keep a pronoun of the source, where it is in each reference, and what became of it."""
        ours = [[_mark(mark) for mark in marks] for marks in references]
        theirs = [self._rendering(candidate) for candidate in candidates]
        numbers = self._pronouns.number(pronoun), self._groups.number(group)
        self._examples.append([name, *numbers, list(lines), ours, theirs])

    def content(self) -> dict[str, Any]:
        """Everything, for the page's script."""
        return {
            "candidates": self.candidates,
            "verdicts": [[verdict.name, verdict.kind] for verdict in self.verdicts],
            "classes": self.classes,
            "tagged": self.tagged,
            "terms": asdict(self.terms),
            "group": self.group,
            "groups": self._groups.items,
            "pronouns": self._pronouns.items,
            "words": self._words.items,
            "texts": self._texts.items,
            "links": self._links.items,
            "lines": self._lines,
            "examples": self._examples,
        }

    def _version(self, version: Version) -> list[int]:
        flat = tuple(place for link in version.links for place in link)
        own = -1 if version.source is None else self._texts.number(version.source)
        return [self._texts.number(version.text), self._links.number(flat), own]

    def _rendering(self, rendering: Rendering) -> list[Any]:
        words = [self._words.number(word) for word in rendering.cell]
        marks = [_mark(mark) for mark in rendering.marks]
        shares = [round(1000 * share) for share in rendering.probabilities]
        return [rendering.verdict, *words, rendering.note, marks, *([shares] if shares else [])]


def _mark(mark: Mark) -> list[Any]:
    kind = _MARK_KINDS.index(mark.kind)
    return [mark.line, kind, int(mark.repaired), list(mark.source), list(mark.target)]


def spread_over(total: int, limit: int) -> range | list[int]:
    """The numbers of the examples that are shown: all, or as many as allowed, evenly spread."""
    if total <= limit:
        return range(total)
    return [number * total // limit for number in range(limit)]
