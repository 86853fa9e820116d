"""Gaps in batches, and the lines that they stand in: what features ask is worked out once a line.

All tokens of a line are padded at both ends, so that a window around any place is a slice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import Any

import numpy as np

from crosspro.baselines.features.telling import TellingContexts
from crosspro.baselines.fill import Floats, GapFiller
from crosspro.baselines.it_classifier.context import ItScorer
from crosspro.data_prep.annotate.tags import TagConverter
from crosspro.data_prep.antecedents import NounFinder, SplitTokens
from crosspro.data_prep.collector import collector_off
from crosspro.data_prep.example import Example, Gap, split_tag
from crosspro.data_prep.formats.placeholder import is_placeholder
from crosspro.data_prep.lexicon.lexicon import Lexicon
from crosspro.data_prep.task import Task
from crosspro.data_prep.token import Token

PAD = 10
"""The widest window: so many tokens on each side."""
DETERMINER = "DET"
"""In the universal tags and in those of French."""
START, END, GAP = "<s>", "</s>", "REPLACE"
_START, _END = [START] * PAD, [END] * PAD
_START_TOKENS, _END_TOKENS = (
    [Token(symbol, symbol, symbol, symbol, symbol)] * PAD for symbol in (START, END)
)
_GAP_TOKEN = Token(GAP, GAP, GAP, GAP, GAP)
_AT_ONCE = 4096

Tokens = list[str]


@dataclass(frozen=True)
class Resources:
    """What features look things up in; what is learnt may be missing where no feature asks.

    `context` is how many sentences before a gap's own are searched for nouns.
    """

    task: Task
    context: int = 0
    lexicon: Lexicon | None = None
    source_lexicon: Lexicon | None = None
    pleonastic: ItScorer | None = None
    filler: GapFiller | None = None
    telling: TellingContexts | None = None


class _Memo(dict[str, str]):
    """What is made of the target tokens that have been seen: a lemma, a tag, a universal tag."""

    def __init__(self, of: Callable[[str], str]) -> None:
        self.of = of

    def __missing__(self, token: str) -> str:
        found = self[token] = token if token in (START, END) else self.of(token)
        return found


class _Determiners(dict[str, bool]):
    """Which of the target tokens that have been seen are determiners."""

    def __init__(self, tag: Callable[[str], str]) -> None:
        self.tag = tag

    def __missing__(self, token: str) -> bool:
        found = self[token] = self.tag(token) == DETERMINER
        return found


class TargetReader:
    """Reads the tokens of a task's target; each token is looked into once."""

    def __init__(self, task: Task) -> None:
        self.tagged = task.tagged
        self.universal = None
        if task.tagged and task.tagset not in ("universal", "none"):
            self.universal = TagConverter(task.tagset, "universal", task.target_language)
        self.split = SplitTokens()
        self.determiners = _Determiners(self._tag)
        self.memos = {
            "lemma": _Memo(self._lemma),
            "tag": _Memo(self._tag),
            "universal": _Memo(self._universal_tag),
        }

    def _lemma(self, token: str) -> str:
        if is_placeholder(token):
            return GAP
        return split_tag(token)[0] if self.tagged else token

    def _tag(self, token: str) -> str:
        if is_placeholder(token):
            return GAP
        return split_tag(token)[1] if self.tagged else ""

    def _universal_tag(self, token: str) -> str:
        tag = self._tag(token)
        return (
            tag if self.universal is None or tag == GAP else self.universal(tag, self._lemma(token))
        )


class GapLine:
    """A line of data; every list of tokens has `PAD` more at each end."""

    def __init__(self, example: Example, reader: TargetReader) -> None:
        self.example = example
        self._reader = reader

    @cached_property
    def source(self) -> Tokens:
        """The source words as they are written."""
        return [*_START, *self.example.source, *_END]

    @cached_property
    def target(self) -> Tokens:
        """The target tokens as they are written."""
        return [*_START, *self.example.target, *_END]

    @cached_property
    def lemmas(self) -> Tokens:
        """The target lemmas (or words)."""
        return list(map(self._reader.memos["lemma"].__getitem__, self.target))

    @cached_property
    def tags(self) -> Tokens:
        """The target tags of the task."""
        return list(map(self._reader.memos["tag"].__getitem__, self.target))

    @cached_property
    def determiners(self) -> list[int]:
        """Where the determiners of the target are, the last first."""
        determiners = self._reader.determiners
        return [n for n, token in enumerate(self.example.target) if determiners[token]][::-1]

    def lemma(self, position: int) -> str:
        """One of the target lemmas."""
        return self._reader.memos["lemma"][self.example.target[position]]

    @cached_property
    def source_tokens(self) -> list[Token]:
        """The tokens of a parse of the source."""
        parse = self.example.source_parse
        return [*_START_TOKENS, *(parse.tokens if parse else ()), *_END_TOKENS]

    @cached_property
    def target_tokens(self) -> list[Token]:
        """The tokens of a parse of the target, in which gaps have no tags."""
        parse = self.example.target_parse
        gaps = {gap.position for gap in self.example.gaps}
        tokens: Sequence[Token] = parse.tokens if parse else ()
        inner = (_GAP_TOKEN if n in gaps else token for n, token in enumerate(tokens))
        return [*_START_TOKENS, *inner, *_END_TOKENS]

    @cached_property
    def _links(self) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
        sources: dict[int, list[int]] = {}
        targets: dict[int, list[int]] = {}
        for source, target in self.example.links:
            sources.setdefault(target, []).append(source)
            targets.setdefault(source, []).append(target)
        return sources, targets

    @property
    def sources_of(self) -> dict[int, list[int]]:
        """The source positions that each target position is linked to."""
        return self._links[0]

    @property
    def targets_of(self) -> dict[int, list[int]]:
        """The target positions that each source position is linked to."""
        return self._links[1]


class Batch:
    """Some gaps in reading order: `lines[n]`, `gaps[n]` and its line's number `indices[n]`."""

    def __init__(
        self, examples: Sequence[Example], span: range, resources: Resources, reader: TargetReader
    ) -> None:
        self.examples = examples
        self.resources = resources
        self._reader = reader
        self._columns: dict[tuple[str, int], list[str]] = {}
        self._lines: dict[int, GapLine] = {}
        self.lines: list[GapLine] = []
        self.gaps: list[Gap] = []
        self.indices: list[int] = []
        for index in span:
            for gap in examples[index].gaps:
                self.lines.append(self.line(index))
                self.gaps.append(gap)
                self.indices.append(index)
        self.span = span

    def __len__(self) -> int:
        return len(self.gaps)

    def line(self, index: int) -> GapLine:
        """The line with this number, which may stand before the batch."""
        found = self._lines.get(index)
        if found is None:
            found = self._lines[index] = GapLine(self.examples[index], self._reader)
        return found

    @cached_property
    def _source_rows(self) -> list[Tokens]:
        return self._rows("source", source=True)

    @cached_property
    def _target_rows(self) -> list[Tokens]:
        return self._rows("target", source=False)

    @cached_property
    def _source_token_rows(self) -> list[list[Token]]:
        return self._rows("source_tokens", source=True)

    @cached_property
    def _target_token_rows(self) -> list[list[Token]]:
        return self._rows("target_tokens", source=False)

    def _rows(self, of: str, *, source: bool) -> list[Any]:
        """The widest window of each gap."""
        places = [gap.source_index if source else gap.position for gap in self.gaps]
        tokens = map(attrgetter(of), self.lines)
        width = 2 * PAD + 1
        return [line[place : place + width] for line, place in zip(tokens, places, strict=True)]

    def column(self, kind: str, offset: int) -> list[str]:
        """What stands so far from the pronoun or from the gap, for all gaps."""
        found = self._columns.get((kind, offset))
        if found is None:
            place = PAD + offset
            if kind == "source word":
                found = [row[place].lower() for row in self._source_rows]
            elif kind in _PARSED:
                of = _PARSED[kind]
                found = [of(row[place]) for row in self._source_token_rows]
            elif kind == "target parse tag":
                found = [_own_tag(row[place]) for row in self._target_token_rows]
            else:
                memo = self._reader.memos[_TARGET[kind]].__getitem__
                found = [memo(row[place]) for row in self._target_rows]
            self._columns[kind, offset] = found
        return found

    @cached_property
    def nouns(self) -> NounFinder:
        """Finds the nouns before a gap."""
        resources = self.resources
        lexicons = resources.lexicon, resources.source_lexicon
        return NounFinder(self.examples, *lexicons, self._reader.split)

    @cached_property
    def chances(self) -> Floats:
        """The probability of each filler in each gap, by the language model."""
        filler = self.resources.filler
        lines = [self.examples[index] for index in self.span if self.examples[index].gaps]
        return np.zeros((len(self), 0)) if filler is None else filler.probabilities(lines)

    def earlier(self, index: int) -> Iterator[GapLine]:
        """The lines of the document before a line, the nearest first."""
        own = self.examples[index].document
        for place in range(index - 1, max(-1, index - 1 - self.resources.context), -1):
            if own is None or self.examples[place].document != own:
                return
            yield self.line(place)


def _own_tag(token: Token) -> str:
    """The tag of a parser's own set where it has one, else the universal one."""
    return token.xpos or token.upos or "_"


_TARGET = {"target lemma": "lemma", "target tag": "tag", "target universal tag": "universal"}
_PARSED: dict[str, Callable[[Token], str]] = {
    "source lemma": lambda token: token.lemma,
    "source tag": lambda token: token.upos or "_",
    "source fine tag": lambda token: token.xpos or "_",
}


def batches(
    examples: Sequence[Example], resources: Resources, at_once: int = _AT_ONCE
) -> Iterator[Batch]:
    """All gaps of the examples; lines that many of them look at are read again at each border."""
    reader = TargetReader(resources.task)
    for start in range(0, len(examples), at_once):
        span = range(start, min(start + at_once, len(examples)))
        with collector_off():
            batch = Batch(examples, span, resources, reader)
        yield batch
