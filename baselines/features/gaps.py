"""Gaps in batches, and the lines that they stand in: what features ask is worked out once a line.

All tokens of a line are padded at both ends, so that a window around any place is a slice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from crosspro.baselines.features.pleonastic import PleonasticScorer
from crosspro.baselines.features.telling import TellingContexts
from crosspro.baselines.fill import Floats, GapFiller
from crosspro.data_prep.annotate.tags import TagConverter
from crosspro.data_prep.antecedents import NounFinder
from crosspro.data_prep.example import Example, Gap, split_tag
from crosspro.data_prep.formats.placeholder import is_placeholder
from crosspro.data_prep.lexicon.lexicon import Lexicon
from crosspro.data_prep.task import Task
from crosspro.data_prep.token import Token

PAD = 10
"""The widest window: so many tokens on each side."""
START, END, GAP = "<s>", "</s>", "REPLACE"
_START, _END = [START] * PAD, [END] * PAD
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
    pleonastic: PleonasticScorer | None = None
    filler: GapFiller | None = None
    telling: TellingContexts | None = None


class _Memo(dict[str, tuple[str, str, str]]):
    """Lemma, tag and universal tag of the target tokens that have been seen."""

    def __init__(self, task: Task) -> None:
        self.tagged = task.tagged
        self.universal = None
        if task.tagged and task.tagset not in ("universal", "none"):
            self.universal = TagConverter(task.tagset, "universal", task.target_language)

    def __missing__(self, token: str) -> tuple[str, str, str]:
        if is_placeholder(token):
            found = GAP, GAP, GAP
        else:
            lemma, tag = split_tag(token) if self.tagged else (token, "")
            found = lemma, tag, self.universal(tag, lemma) if self.universal else tag
        self[token] = found
        return found


class GapLine:
    """A line of data; every list of tokens has `PAD` more at each end."""

    def __init__(self, example: Example, memo: _Memo) -> None:
        self.example = example
        self._memo = memo

    @cached_property
    def source(self) -> Tokens:
        """The source words in lower case."""
        return [*_START, *map(str.lower, self.example.source), *_END]

    def _parsed(self, of: str) -> Tokens:
        parse = self.example.source_parse
        tokens: Sequence[Token] = parse.tokens if parse else ()
        return [*_START, *(getattr(token, of) or "_" for token in tokens), *_END]

    @cached_property
    def source_lemmas(self) -> Tokens:
        """The source lemmas of a parse."""
        return self._parsed("lemma")

    @cached_property
    def source_tags(self) -> Tokens:
        """The universal tags of a parse of the source."""
        return self._parsed("upos")

    @cached_property
    def source_fine_tags(self) -> Tokens:
        """The fine tags of a parse of the source."""
        return self._parsed("xpos")

    @cached_property
    def _split(self) -> list[tuple[str, str, str]]:
        return list(map(self._memo.__getitem__, self.example.target))

    @cached_property
    def lemmas(self) -> Tokens:
        """The target lemmas (or words)."""
        return [*_START, *(one[0] for one in self._split), *_END]

    @cached_property
    def tags(self) -> Tokens:
        """The target tags of the task."""
        return [*_START, *(one[1] for one in self._split), *_END]

    @cached_property
    def universal_tags(self) -> Tokens:
        """The target tags of the task as universal ones."""
        return [*_START, *(one[2] for one in self._split), *_END]

    @cached_property
    def parse_tags(self) -> Tokens:
        """The tags of a parse of the target: its own where it has any, else universal ones."""
        parse = self.example.target_parse
        gaps = {gap.position for gap in self.example.gaps}
        tokens: Sequence[Token] = parse.tokens if parse else ()
        tags = [token.xpos or token.upos or "_" for token in tokens]
        return [*_START, *(GAP if n in gaps else tag for n, tag in enumerate(tags)), *_END]

    @cached_property
    def sources_of(self) -> dict[int, list[int]]:
        """The source positions that each target position is linked to."""
        found: dict[int, list[int]] = {}
        for source, target in self.example.links:
            found.setdefault(target, []).append(source)
        return found

    @cached_property
    def targets_of(self) -> dict[int, list[int]]:
        """The target positions that each source position is linked to."""
        found: dict[int, list[int]] = {}
        for source, target in self.example.links:
            found.setdefault(source, []).append(target)
        return found


class Batch:
    """Some gaps in reading order: `lines[n]`, `gaps[n]` and its line's number `indices[n]`."""

    def __init__(
        self, examples: Sequence[Example], span: range, resources: Resources, memo: _Memo
    ) -> None:
        self.examples = examples
        self.resources = resources
        self._memo = memo
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
            found = self._lines[index] = GapLine(self.examples[index], self._memo)
        return found

    @cached_property
    def nouns(self) -> NounFinder:
        """Finds the nouns before a gap."""
        resources = self.resources
        return NounFinder(self.examples, resources.lexicon, resources.source_lexicon)

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


def batches(
    examples: Sequence[Example], resources: Resources, at_once: int = _AT_ONCE
) -> Iterator[Batch]:
    """All gaps of the examples; lines that many of them look at are read again at each border."""
    memo = _Memo(resources.task)
    for start in range(0, len(examples), at_once):
        yield Batch(examples, range(start, min(start + at_once, len(examples))), resources, memo)
