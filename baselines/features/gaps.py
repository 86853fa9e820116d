"""What a feature is: a name that settings list, and columns of values for a batch of gaps.

A batch holds the gaps of some lines and the text that they stand in, so that what features ask is
worked out for all of them at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from crosspro.baselines.features.text import (
    END,
    GAP,
    START,
    Codes,
    Lines,
    RunningText,
    TokenReader,
    Values,
    lines_back,
)
from crosspro.baselines.fill import Floats, GapFiller
from crosspro.baselines.it_classifier.context import ItScorer
from crosspro.data_prep.core.example import AnnotatedSentence, Example, Gap, Side, Token
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.lexicon.antecedents import NounFinder
from crosspro.data_prep.lexicon.lexicon import Lexicon

if TYPE_CHECKING:
    from crosspro.baselines.features.learnt import TellingContexts

WIDEST = 10
"""The widest window: so many tokens on each side."""
_START_TOKEN, _END_TOKEN, _GAP_TOKEN = (
    Token(symbol, symbol, symbol, symbol, symbol) for symbol in (START, END, GAP)
)
AT_ONCE = 4096
"""Lines of a batch; the numbers that a training gives to values hang on it."""


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


class Batch:
    """Some gaps in reading order: `lines[n]`, `gaps[n]` and its line's number `indices[n]`."""

    def __init__(
        self, examples: Sequence[Example], span: range, resources: Resources, reader: TokenReader
    ) -> None:
        self.examples = examples
        self.span = span
        self.resources = resources
        self.reader = reader
        self._codes: dict[tuple[str, int], Codes] = {}
        self._words: dict[tuple[str, int], list[str]] = {}
        self.lines: list[Example] = []
        self.gaps: list[Gap] = []
        self.indices: list[int] = []
        for index in span:
            example = examples[index]
            for gap in example.gaps:
                self.lines.append(example)
                self.gaps.append(gap)
                self.indices.append(index)

    def __len__(self) -> int:
        return len(self.gaps)

    @cached_property
    def source(self) -> RunningText:
        """The source of the gaps' own lines, in which their pronouns stand."""
        return self._text("source", lines_back(self.examples, self.indices, 0))

    @cached_property
    def target(self) -> RunningText:
        """The target of the gaps' lines and of the lines before that they look back to."""
        return self._text("target", self._lines)

    @cached_property
    def source_back(self) -> RunningText:
        """The source of the same lines."""
        return self._text("source", self._lines)

    def running(self, side: Side) -> RunningText:
        """The lines of the gaps and those that they look back to."""
        return self.target if side == "target" else self.source_back

    @cached_property
    def _lines(self) -> Lines:
        return lines_back(self.examples, self.indices, self.resources.context)

    def _text(self, side: Side, lines: Lines) -> RunningText:
        chosen = [self.examples[number] for number in lines.numbers]
        if side == "source":
            places = np.array([gap.source_index for gap in self.gaps], np.int64)
            sides = [example.source for example in chosen]
            return RunningText(lines, sides, places, self.reader.source.__getitem__)
        places = np.array([gap.position for gap in self.gaps], np.int64)
        sides = [example.target for example in chosen]
        return RunningText(lines, sides, places, self.reader.target.__getitem__)

    def codes(self, kind: str, offset: int) -> Codes:
        """What is so far from the pronoun or from the gap, by the numbers of a reading."""
        found = self._codes.get((kind, offset))
        if found is None:
            text = self.source if kind.startswith("source") else self.target
            tokens = text.codes[text.near(offset)]
            found = self._codes[kind, offset] = self.reader.readings[kind].of(tokens)
        return found

    def column(self, kind: str, offset: int) -> Sequence[str | None]:
        """What is so far from the pronoun or from the gap, for all gaps."""
        if kind in self.reader.readings:
            return Values(self.codes(kind, offset), self.reader.readings[kind].names)
        return self.words(kind, offset)

    def words(self, kind: str, offset: int) -> list[str]:
        """The same written out."""
        found = self._words.get((kind, offset))
        if found is None:
            if kind in self.reader.readings:
                names = self.reader.readings[kind].names
                found = [names[code] for code in self.codes(kind, offset).tolist()]
            else:
                source = kind.startswith("source")
                places = (self.source if source else self.target).near(offset).tolist()
                tokens = self._source_tokens if source else self._target_tokens
                of = _PARSED[kind]
                found = [of(tokens[place]) for place in places]
            self._words[kind, offset] = found
        return found

    @cached_property
    def _source_tokens(self) -> list[Token]:
        """The parse of the running source."""
        lines = [self.examples[number] for number in self.source.lines.numbers]
        return _tokens([(example.source, example.source_parse) for example in lines])

    @cached_property
    def _target_tokens(self) -> list[Token]:
        """The parse of the running target, in which gaps have no tags."""
        lines = [self.examples[number] for number in self.target.lines.numbers]
        tokens = _tokens([(example.lemmas, example.target_parse) for example in lines])
        for place in self.target.gaps.tolist():
            tokens[place] = _GAP_TOKEN
        return tokens

    @cached_property
    def nouns(self) -> NounFinder:
        """Finds the nouns before a gap."""
        resources = self.resources
        lexicons = resources.lexicon, resources.source_lexicon
        return NounFinder(self.examples, *lexicons)

    @cached_property
    def chances(self) -> Floats:
        """The probability of each filler in each gap, by the language model."""
        filler = self.resources.filler
        lines = [self.examples[index] for index in self.span if self.examples[index].gaps]
        return np.zeros((len(self), 0)) if filler is None else filler.probabilities(lines)


def _tokens(sides: Sequence[tuple[Sequence[str], AnnotatedSentence | None]]) -> list[Token]:
    """The tokens of parses, one after the other, and what stands for the ends of a line."""
    found: list[Token] = []
    for words, parse in sides:
        found += parse.tokens if parse else [_END_TOKEN] * len(words)
    return [*found, _START_TOKEN, _END_TOKEN]


_PARSED: dict[str, Callable[[Token], str]] = {
    "source lemma": lambda token: token.lemma,
    "source tag": lambda token: token.upos or "_",
    "source fine tag": lambda token: token.xpos or "_",
    # The tag of a parser's own set where it has one, else the universal one.
    "target parse tag": lambda token: token.xpos or token.upos or "_",
}


def batches(
    examples: Sequence[Example],
    resources: Resources,
    at_once: int = AT_ONCE,
) -> Iterator[Batch]:
    """All gaps of the examples; lines that gaps look back to are read again at each border."""
    reader = TokenReader(resources.task)
    lines = range(len(examples))
    for start in range(0, len(lines), at_once):
        yield Batch(examples, lines[start : start + at_once], resources, reader)


Column = tuple[str, Sequence[str | None]]
"""A slot and its value for each gap, None where there is none; `slot=value` is what is learnt from.

A slot may come more than once: then its values are a set. Columns whose values come again and again
are best `Values`."""

Extractor = Callable[[Batch, int], Iterable[Column]]
"""Makes the columns of a batch; their slots are the same for every batch. The number is that of the
settings (`target_lemmas:3`), 0 for features that take none."""


@dataclass(frozen=True)
class Feature:
    """A named extractor: what it says, the layers it cannot do without, and its number.

    `needs` are names of `crosspro.baselines.features.names`. `number` is what the number after the
    name is where none is given, 0 if the feature takes none; it counts to `most`.
    """

    name: str
    says: str
    columns: Extractor
    needs: tuple[str, ...] = ()
    number: int = 0
    most: int = 0
    learnt: str | None = None
    """What must be learnt from training text before: `lm` or `telling`."""
    reads: tuple[str, ...] = ()
    """Layers that it looks at where there are any, and does without where not."""
    without_chains: str = ""
    """What it says where there are no coreference chains, of a feature that reads them."""

    @property
    def layers(self) -> frozenset[str]:
        """All layers that it makes use of and does not insist on."""
        return frozenset(self.reads) | ({"chains"} if self.without_chains else frozenset())


@dataclass(frozen=True)
class ChosenFeature:
    """A feature of a list of settings, with its number."""

    feature: Feature
    number: int

    @property
    def written(self) -> str:
        """As in the settings."""
        name = self.feature.name
        return f"{name}:{self.number}" if self.feature.most else name


class Bins:
    """Bins of numbers: `<=` the first edge that is not below a number, else `>` the last."""

    def __init__(self, edges: Sequence[float]) -> None:
        self._edges = np.array(edges)
        self.names = (*(f"<={edge:g}" for edge in edges), f">{edges[-1]:g}")

    def column(self, numbers: NDArray[Any]) -> Values:
        """The bins of some numbers."""
        return Values(np.searchsorted(self._edges, numbers, side="left"), self.names)
