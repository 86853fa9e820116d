"""What people judge, whatever metric it comes from: lines of text, and words marked in them.

A *review item* is a pronoun in one system's output. Items of several systems that show the same
translation of the same pronoun are one *question*: it is asked once, and its answer holds for all.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property

from crosspro.data_prep.core.example import Link
from crosspro.evaluation.protest.suite import Positions, Words
from crosspro.evaluation.protest.verdicts import Item, Value

Key = tuple[str, str]
"""What names a question: a token, and a digest of the translation that is seen."""


@dataclass(frozen=True, slots=True)
class ReviewCandidate:
    """A system's translation of a line, and links to it from `source`, its own tokenisation."""

    words: Words
    links: tuple[Link, ...] = ()
    source: Words | None = None


@dataclass(frozen=True, slots=True)
class ReviewLine:
    """A line of a document in all its versions; a system may have none of a line of context."""

    document: str
    source: Words
    references: tuple[Words, ...]
    candidates: Mapping[str, ReviewCandidate]


@dataclass(frozen=True, slots=True)
class MarkedWords:
    """Words that matter: their line, and where they are in source, references and candidate."""

    line: int
    source: Positions
    references: tuple[Positions, ...]
    candidate: Positions


@dataclass(frozen=True, slots=True)
class KnownAnswer:
    """What should be said about an item of a tutorial or an attention check, and why."""

    pronoun: tuple[Value, ...]
    antecedent: tuple[Value, ...] = ()
    feedback: str = ""


@dataclass(frozen=True, slots=True)
class ReviewItem:
    """A pronoun in a system's output. `matches` says that a metric takes it for right already."""

    item: Item
    group: str
    pronoun: MarkedWords
    antecedent: MarkedWords | None = None
    matches: bool = False
    why: str = ""
    answer: KnownAnswer | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """An item, and all systems whose items show the same."""

    shown: ReviewItem
    items: tuple[ReviewItem, ...]

    @property
    def key(self) -> Key:
        """What names it in a plan."""
        return self.shown.item.token, self.shown.item.digest

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems that translate so."""
        return tuple(one.item.system for one in self.items)

    @property
    def matches(self) -> bool:
        """Whether a metric takes the translation for right."""
        return self.shown.matches


@dataclass(frozen=True)
class ReviewSet:
    """Lines of text and the items in them; `digest` names what verdicts belong to."""

    title: str
    digest: str
    lines: tuple[ReviewLine, ...]
    items: tuple[ReviewItem, ...]
    languages: tuple[str, str] = field(default=("", ""))

    @cached_property
    def questions(self) -> dict[Key, Question]:
        """The questions by their keys, in the order of the items."""
        together: dict[Key, list[ReviewItem]] = {}
        for one in self.items:
            together.setdefault((one.item.token, one.item.digest), []).append(one)
        return {key: Question(some[0], tuple(some)) for key, some in together.items()}

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """The systems in the order in which they come."""
        return tuple(dict.fromkeys(one.item.system for one in self.items))

    def document(self, item: ReviewItem) -> str:
        """The document that an item is in."""
        return self.lines[item.pronoun.line].document

    def context(self, item: ReviewItem, before: int, after: int = 0) -> list[int]:
        """The lines to show: some around the pronoun's, and those from the antecedent's on.

        All of them are of the same document.
        """
        marked = [item.pronoun.line, *([item.antecedent.line] if item.antecedent else ())]
        first = max(0, min(item.pronoun.line - before, *marked, item.pronoun.line))
        last = min(len(self.lines) - 1, max(item.pronoun.line + after, *marked, 0))
        document = self.document(item)
        return [at for at in range(first, last + 1) if self.lines[at].document == document]


def set_digest(lines: Iterable[ReviewLine], tokens: Iterable[str]) -> str:
    """A short name for the texts that systems translate, and the tokens in them.

    Systems are no part of it: one more may join a campaign.
    """
    texts = [(line.document, line.source, line.references) for line in lines]
    content = json.dumps([texts, list(dict.fromkeys(tokens))], ensure_ascii=False)
    return hashlib.sha256(content.encode("utf-8")).hexdigest()[:12]


def item_digest(name: str, marks: Iterable[MarkedWords | None], words: Iterable[Words]) -> str:
    """A short name for what is seen of a translation: the marked lines, and the marks in them."""
    places = [None if one is None else asdict(one)["candidate"] for one in marks]
    content = json.dumps([name, places, list(words)], ensure_ascii=False)
    return hashlib.sha256(content.encode("utf-8")).hexdigest()[:12]
