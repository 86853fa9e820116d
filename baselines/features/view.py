"""What features look at: a gap with its line and the lines before it, and what they look up.

A feature is a function from a `GapView` to strings (`slot=value`); a model learns from those that
are frequent enough. `Text` holds a stretch of lines with what is worked out for all its gaps at
once, such as the probabilities of a language model.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from crosspro.baselines.fill import Floats, GapFiller, task_fillers
from crosspro.baselines.it_classifier.context import PRONOUN, ItContext, PleonasticScorer
from crosspro.baselines.ngram.model import NGramModel
from crosspro.data_prep.annotate.tags import TagConverter
from crosspro.data_prep.core.example import AnnotatedSentence, Example, Gap, Side, Token
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.formats.shared_task import is_placeholder
from crosspro.data_prep.lexicon.antecedents import Candidate, NounFinder
from crosspro.data_prep.lexicon.lexicon import Lexicon
from crosspro.data_prep.words.lists import names_of, word_lists

START, END, GAP = "<s>", "</s>", "REPLACE"
"""What windows show before and after a line, and of a gap."""
WIDEST = 10
"""The widest window: so many tokens on each side."""
_LINES_AT_ONCE = 4096
_FINE_TAGS = "fine_tags"


@dataclass(frozen=True)
class Resources:
    """What features look things up in; what is learnt is None where no feature needs it.

    `context` is the number of sentences before a gap's own that are searched for nouns.
    """

    task: Task
    context: int = 0
    lexicon: Lexicon | None = None
    source_lexicon: Lexicon | None = None
    pleonastic: PleonasticScorer | None = None
    lm: NGramModel | None = None
    telling: Mapping[str, str] | None = None

    @cached_property
    def filler(self) -> GapFiller | None:
        return GapFiller(self.lm, task_fillers(self.task)) if self.lm else None

    @cached_property
    def universal_tag(self) -> Callable[[str, str], str]:
        task = self.task
        if not task.tagged or task.tagset in ("universal", "none"):
            return lambda tag, lemma: tag
        return cache(TagConverter(task.tagset, "universal", task.target_language))

    @cached_property
    def fine_tags(self) -> dict[tuple[str, str], str]:
        if not has_finer_tags(self.task):
            return {}
        return {
            (tag, lemma): fine
            for name, lemmas in word_lists(_FINE_TAGS, self.task.target_language).items()
            for tag, _, fine in [name.partition("-")]
            for lemma in lemmas
        }


def has_finer_tags(task: Task) -> bool:
    universal = task.tagged and task.tagset == "universal"
    return universal and task.target_language in names_of(_FINE_TAGS)


def _tokens(parse: AnnotatedSentence | None) -> tuple[Token, ...]:
    return parse.tokens if parse else ()


def _tags(example: Example, make: Callable[[str, str], str]) -> Iterator[str]:
    """What is made of the tag and the lemma of each target token; gaps stay gaps."""
    for place, lemma in enumerate(example.lemmas):
        yield GAP if is_placeholder(lemma) else make(example.tag(place), lemma)


def _fine_tags(example: Example, resources: Resources) -> Iterator[str]:
    fine = resources.fine_tags
    return _tags(example, lambda tag, lemma: fine.get((tag, lemma.lower()), tag))


def _parse_tags(example: Example) -> Iterator[str]:
    """The tags of the target's parse: of the parser's own set, else universal."""
    gaps = {gap.position for gap in example.gaps}
    for place, token in enumerate(_tokens(example.target_parse)):
        yield GAP if place in gaps else token.xpos or token.upos or "_"


_COLUMNS: dict[str, Callable[[Example, Resources], Iterable[str]]] = {
    "source word": lambda line, _: map(str.lower, line.source),
    "source lemma": lambda line, _: (t.lemma for t in _tokens(line.source_parse)),
    "source tag": lambda line, _: (t.upos or "_" for t in _tokens(line.source_parse)),
    "source fine tag": lambda line, _: (t.xpos or "_" for t in _tokens(line.source_parse)),
    "target lemma": lambda line, _: (GAP if is_placeholder(w) else w for w in line.lemmas),
    "target tag": lambda line, _: _tags(line, lambda tag, lemma: tag),
    "target universal tag": lambda line, resources: _tags(line, resources.universal_tag),
    "target fine tag": _fine_tags,
    "target parse tag": lambda line, _: _parse_tags(line),
}


class Text:
    """The gaps of some lines of a text, in order."""

    def __init__(self, examples: Sequence[Example], span: range, resources: Resources) -> None:
        self.examples = examples
        self.resources = resources
        self.finder = NounFinder(examples, resources.lexicon, resources.source_lexicon)
        self._span = span
        self._columns: dict[tuple[int, str], tuple[str, ...]] = {}

    @cached_property
    def gaps(self) -> list[GapView]:
        places = [(index, gap) for index in self._span for gap in self.examples[index].gaps]
        return [GapView(self, index, gap, row) for row, (index, gap) in enumerate(places)]

    def column(self, index: int, kind: str) -> tuple[str, ...]:
        """What features read of the tokens of a line, with `WIDEST` more before and after it."""
        column = self._columns.get((index, kind))
        if column is None:
            tokens = _COLUMNS[kind](self.examples[index], self.resources)
            column = (START,) * WIDEST + tuple(tokens) + (END,) * WIDEST
            self._columns[index, kind] = column
        return column

    @cached_property
    def fillers(self) -> Floats:
        """The probability of each filler in each gap, by the language model."""
        if self.resources.filler is None:
            raise ValueError("a language model that was not learnt")
        return self.resources.filler.probabilities([self.examples[n] for n in self._span])

    @cached_property
    def filler_ranks(self) -> Floats:
        """The rank of each filler in each gap, from 1."""
        with np.errstate(divide="ignore"):
            # Fillers that the model does not know are equal, but for the last digits.
            order = np.argsort(-np.round(np.log(self.fillers), 6), axis=1, kind="stable")
        return np.asarray(order.argsort(axis=1) + 1, np.float64)

    @cached_property
    def pleonastic(self) -> dict[int, float]:
        """The probability that an English *it* refers to nothing, by the row of its gap."""
        scorer = self.resources.pleonastic
        gaps = [gap for gap in self.gaps if gap.pronoun == PRONOUN]
        if scorer is None or not gaps:
            return {}
        chances = scorer([gap.it for gap in gaps])
        return {gap.row: chance for gap, chance in zip(gaps, chances.tolist(), strict=True)}


@dataclass(frozen=True, slots=True)
class GapView:
    """A gap of the line with this index; `row` is its number among all gaps of its `Text`."""

    text: Text
    index: int
    gap: Gap
    row: int

    @property
    def example(self) -> Example:
        return self.text.examples[self.index]

    @property
    def resources(self) -> Resources:
        return self.text.resources

    @property
    def pronoun(self) -> str:
        """The source pronoun in lower case."""
        return self.near("source word", 0)[0]

    def line(self, kind: str, index: int | None = None) -> tuple[str, ...]:
        """A column of the gap's line, or of another one."""
        return self.text.column(self.index if index is None else index, kind)[WIDEST:-WIDEST]

    def near(self, kind: str, reach: int) -> tuple[str, ...]:
        """What stands from `reach` tokens before the pronoun or the gap to `reach` after it."""
        middle = self.gap.source_index if kind.startswith("source") else self.gap.position
        middle += WIDEST
        return self.text.column(self.index, kind)[middle - reach : middle + reach + 1]

    def lines_back(self) -> Iterator[int]:
        """The gap's line and those before it in its document, within the context."""
        yield self.index
        examples, document = self.text.examples, self.example.document
        first = max(0, self.index - self.resources.context)
        for index in range(self.index - 1, first - 1, -1):
            if document is None or examples[index].document != document:
                return
            yield index

    @property
    def it(self) -> ItContext:
        """An *it* with the sentence before, where sentences before count."""
        before = [self.text.examples[index].source for index in self.lines_back()][1:2]
        return ItContext(self.example.source, self.gap.source_index, *before)

    def candidates(self, side: Side) -> Iterator[Candidate]:
        return self.text.finder.before(self.index, self.gap, side, self.resources.context)


def gap_views(examples: Sequence[Example], resources: Resources) -> Iterator[GapView]:
    """All gaps of the examples; what is known of lines is forgotten after some thousands."""
    lines = range(len(examples))
    for start in range(0, len(lines), _LINES_AT_ONCE):
        yield from Text(examples, lines[start : start + _LINES_AT_ONCE], resources).gaps


StringFeature = Callable[[GapView, int], Iterable[str]]
"""What a feature says of a gap; the number is that of the settings (`target_lemmas:3`)."""


@dataclass(frozen=True)
class Feature:
    """A named feature, the layers that it cannot do without, and its number.

    `needs` are names of `crosspro.baselines.features.names`. `number` is the default of the number
    after the name, 0 if the feature takes none; it counts to `most`.
    """

    name: str
    strings: StringFeature
    needs: tuple[str, ...] = ()
    number: int = 0
    most: int = 0
    learnt: str | None = None
    """What must be learnt from training text before: `lm` or `telling`."""
    reads: frozenset[str] = frozenset()
    """Layers that it uses where there are any, and does without where not."""


@dataclass(frozen=True)
class ChosenFeature:
    """A feature of a list of settings, with its number."""

    feature: Feature
    number: int

    @property
    def written(self) -> str:
        name = self.feature.name
        return f"{name}:{self.number}" if self.feature.most else name


class Bins:
    """Bins of numbers, as `slot=bin`: `<=` the first edge that is not below a number, else `>`."""

    def __init__(self, edges: Sequence[float]) -> None:
        self._edges = edges
        self._names = (*(f"<={edge:g}" for edge in edges), f">{edges[-1]:g}")

    def name(self, number: float) -> str:
        return self._names[bisect_left(self._edges, number)]
