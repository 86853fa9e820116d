"""Raw sentence pairs as examples of a task: what `crosspro prepare` does to a text, done to one.

The text is tokenised, linked, and the target lemmatised and tagged if the task's is. Gaps are where
the rules of the task put them, or where the user wants them. What could not be done as in a whole
text is said in notes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from crosspro.data_prep.annotate.registry import annotation_file, make_annotator
from crosspro.data_prep.errors import CrossproError, InputError, Problem, input_error, quoted
from crosspro.data_prep.example import Example, Gap, Link
from crosspro.data_prep.formats.links import parse_link
from crosspro.data_prep.gaps.extract import Placement, make_example, source_pronouns
from crosspro.data_prep.gaps.null_subjects import null_subject_verbs
from crosspro.data_prep.gaps.rules import RULES, GapRules
from crosspro.data_prep.gaps.segments import Counts, segment_placements
from crosspro.data_prep.pairs.marked_gaps import place_marked, with_marked_links
from crosspro.data_prep.pairs.pair_links import PairAligner, PairLinks, aligner_of_package
from crosspro.data_prep.pairs.typed_text import (
    WRITTEN_GAP,
    GapMark,
    TypedPair,
    all_marks,
    typed_pair,
)
from crosspro.data_prep.task import Task
from crosspro.data_prep.token import AnnotatedSentence, Annotator, Token
from crosspro.data_prep.tokenised import TokenisedSegment

DOCUMENT = "text"
"""The document of the sentences that are typed together."""


@dataclass(frozen=True, slots=True)
class SentencePair:
    """A sentence and its translation as they are typed; links count tokens, `0-0 1-2`."""

    source: str
    target: str
    links: str | None = None


@dataclass(frozen=True, slots=True)
class PairGap:
    """What a gap of the pair hides: the word that was typed and its class, None for both if none.

    `inserted` gaps stand between words, because nothing translates the pronoun.
    """

    word: str | None
    label: str | None
    inserted: bool


@dataclass(frozen=True)
class PreparedPair:
    """A pair as the last of `examples`, blind ones; those before it are its context.

    `words` has, for each target token of it, the place of the typed word and the word; None for
    gaps that were inserted. `gaps` says what its gaps hide. Links in `positional` rest on positions
    alone.
    """

    examples: tuple[Example, ...]
    words: tuple[tuple[int, str] | None, ...]
    gaps: tuple[PairGap, ...]
    positional: frozenset[Link]
    notes: tuple[str, ...]

    @property
    def example(self) -> Example:
        """The pair itself."""
        return self.examples[-1]


@dataclass(frozen=True)
class _Annotated:
    """A typed pair with its links and what annotators say; of the source, where they can."""

    pair: TypedPair
    links: PairLinks
    target: AnnotatedSentence
    source: AnnotatedSentence | None


@dataclass(frozen=True)
class PairPipeline:
    """Makes examples of a task from pairs; annotators and aligner are loaded when first needed.

    An annotator of the source is used if it is there: it tells which pronouns are subjects.
    """

    task: Task
    annotator: str = "auto"
    source_annotator: str = "auto"
    make_aligner: Callable[[Task], PairAligner] = aligner_of_package
    rules: GapRules = field(default_factory=lambda: RULES["2017"])

    def __post_init__(self) -> None:
        for name in ("annotator", "source_annotator"):
            if annotation_file(getattr(self, name)) is not None:
                expected = "an annotator of any text, not a file"
                raise input_error("settings", name, expected, quoted(getattr(self, name)))

    def prepare(
        self,
        pair: SentencePair,
        context: Sequence[SentencePair] = (),
        gaps: Sequence[GapMark] | None = None,
    ) -> PreparedPair:
        """The pair with its gaps after the sentences of its context.

        Gaps are those that are asked for or written into the target; if there are none of either,
        those that the rules of the task find.
        """
        given = [*context, pair]
        where = _places(given)
        typed = _all_typed(given, where, self.task)
        annotated, notes = self._annotate(given, typed, where)
        shown = [
            self._example(one, name, gaps if one is annotated[-1] else None)
            for one, name in zip(annotated, where, strict=True)
        ]
        example, placements = shown[-1]
        last = annotated[-1]
        found = notes + self._link_notes(last, pair)
        examples = tuple(example for example, _ in shown)
        return PreparedPair(
            examples,
            _words(last.pair, placements),
            _hidden(last.pair, placements, self.task),
            _moved(last, example, placements),
            tuple(dict.fromkeys(found)),
        )

    def check_sizes(self, pairs: Sequence[SentencePair], most: int) -> None:
        """Raise if a side of a pair has more tokens than so many."""
        typed = _all_typed(pairs, _places(pairs), self.task)
        problems = [
            Problem(where, None, side, f"at most {most} tokens", str(len(tokens)))
            for pair, where in zip(typed, _places(pairs), strict=True)
            for side, tokens in (("source", pair.source), ("target", pair.target))
            if len(tokens) > most
        ]
        if problems:
            raise InputError(problems)

    @cached_property
    def aligner(self) -> PairAligner:
        """What links pairs, made once."""
        return self.make_aligner(self.task)

    @cached_property
    def _target_annotator(self) -> Annotator:
        tagset = "universal" if self.task.tagset == "none" else self.task.tagset
        parse = self.task.null_subjects
        return make_annotator(self.annotator, self.task.target_language, tagset, parse=parse)

    @cached_property
    def _source_annotator(self) -> Annotator | CrossproError:
        try:
            return make_annotator(self.source_annotator, self.task.source_language, "universal")
        except CrossproError as error:
            return error

    def _annotate(
        self, given: Sequence[SentencePair], typed: Sequence[TypedPair], where: Sequence[str]
    ) -> tuple[list[_Annotated], list[str]]:
        links = self._links(given, typed, where)
        targets = [pair.target for pair in typed]
        if self.task.tagged or self.task.null_subjects:
            annotated = self._target_annotator.annotate(targets)
        else:
            annotated = [
                AnnotatedSentence(tuple(Token(word, word, "") for word in words))
                for words in targets
            ]
        sources, notes = self._sources([pair.source for pair in typed])
        rows = zip(typed, links, annotated, sources, strict=True)
        return [_Annotated(*row) for row in rows], notes

    def _sources(
        self, sources: Sequence[tuple[str, ...]]
    ) -> tuple[Sequence[AnnotatedSentence | None], list[str]]:
        filtered = self.rules.filter_subjects and self.task.subject_filter.pronouns
        if not self.task.null_subjects and not filtered:
            return [None] * len(sources), []
        annotator = self._source_annotator
        if not isinstance(annotator, CrossproError):
            return annotator.annotate(sources), []
        lost = "verbs without a subject are not found" if self.task.null_subjects else ""
        lost = lost or "pronouns that are no subjects are gaps too"
        return [None] * len(sources), [f"the source is not annotated, so {lost} ({annotator})"]

    def _links(
        self, given: Sequence[SentencePair], typed: Sequence[TypedPair], where: Sequence[str]
    ) -> list[PairLinks]:
        problems: list[Problem] = []
        found: list[PairLinks | None] = []
        for pair, tokens, name in zip(given, typed, where, strict=True):
            if pair.links is None:
                found.append(None)
                continue
            links = _read_links(pair.links, tokens, name, problems)
            found.append(PairLinks(links, frozenset()))
        if problems:
            raise InputError(problems)
        asked = [pair for pair, links in zip(typed, found, strict=True) if links is None]
        made: Iterator[PairLinks] = iter(())
        if asked:
            sides = [pair.source for pair in asked], [pair.target for pair in asked]
            made = iter(self.aligner.links(*sides))
        return [next(made) if links is None else links for links in found]

    def _example(
        self, given: _Annotated, where: str, gaps: Sequence[GapMark] | None
    ) -> tuple[Example, list[Placement]]:
        pair, links = given.pair, given.links.links
        marks = all_marks(pair, gaps or ())
        if marks or gaps is not None:
            pronouns = self._pronouns(given)
            placements = place_marked(pair, links, marks, pronouns, self.task, self.rules, where)
            links = with_marked_links(links, placements)
        else:
            segment = TokenisedSegment(pair.source, pair.target, DOCUMENT)
            about = (given.target, given.source, self.rules, Counts())
            _, placements = segment_placements(self.task, segment, links, *about)
        placements = [one for one in placements if one.position is not None]
        tokens = given.target.tagged_lemmas() if self.task.tagged else pair.target
        example = make_example(
            pair.source, pair.target, tokens, links, placements, self.task, DOCUMENT
        )
        blind = tuple(Gap(gap.position, gap.source_index) for gap in example.gaps)
        return replace(example, gaps=blind), placements

    def _pronouns(self, given: _Annotated) -> list[int]:
        """The source words that a gap may translate."""
        if not self.task.null_subjects:
            return source_pronouns(given.pair.source, self.task)
        if given.source is None:
            return []
        return [phrase.first for phrase in null_subject_verbs(given.source)]

    def _link_notes(self, given: _Annotated, pair: SentencePair) -> list[str]:
        """Where links are from, and how many of them rest on positions alone."""
        if pair.links is not None:
            return ["links: as given"]
        notes = [f"links: learnt from {self.aligner.origin}"]
        links, positional = given.links.links, given.links.positional
        if links and len(positional) == len(links):
            return [f"links: from positions alone ({self.aligner.origin})"]
        if positional:
            number = f"{len(positional)} of {len(links)} links rest on positions alone"
            notes.append(f"links: {number}, as their words were not seen as translations")
        return notes


def _places(pairs: Sequence[SentencePair]) -> list[str]:
    """What pairs are called in messages; the last is the one that is asked about."""
    return [*(f"context {number}" for number in range(1, len(pairs))), "text"]


def _all_typed(given: Sequence[SentencePair], where: Sequence[str], task: Task) -> list[TypedPair]:
    typed: list[TypedPair] = []
    problems: list[Problem] = []
    for pair, name in zip(given, where, strict=True):
        try:
            typed.append(typed_pair(pair.source, pair.target, task, name))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return typed


def _read_links(
    text: str, pair: TypedPair, where: str, problems: list[Problem]
) -> tuple[Link, ...]:
    sizes = len(pair.source), len(pair.target)
    links = []
    for written in text.split():
        link = parse_link(written)
        if link is None or link[0] >= sizes[0] or link[1] >= sizes[1]:
            expected = f"links s-t inside {sizes[0]} source and {sizes[1]} target tokens"
            problems.append(Problem(where, None, "links", expected, quoted(written)))
        else:
            links.append(link)
    return tuple(sorted(set(links)))


def _inserted(placements: Sequence[Placement]) -> list[int]:
    """The places before which gaps were inserted."""
    return [p.position for p in placements if p.inserted and p.position is not None]


def _words(pair: TypedPair, placements: Sequence[Placement]) -> tuple[tuple[int, str] | None, ...]:
    inserted = _inserted(placements)
    words: list[tuple[int, str] | None] = []
    for place in range(len(pair.target) + 1):
        words += [None] * inserted.count(place)
        if place < len(pair.target):
            word = WRITTEN_GAP if place in pair.stand_ins else pair.target[place]
            words.append((place, word))
    return tuple(words)


def _hidden(pair: TypedPair, placements: Sequence[Placement], task: Task) -> tuple[PairGap, ...]:
    """In the order of the target, as the gaps of the example are."""
    found = []
    order = sorted(placements, key=lambda one: (one.position or 0, not one.inserted))
    for placement in order:
        place = placement.position or 0
        if placement.inserted or place in pair.stand_ins:
            found.append(PairGap(None, None, placement.inserted))
        else:
            word = pair.target[place]
            found.append(PairGap(word, task.class_of(word.lower()), inserted=False))
    return tuple(found)


def _moved(given: _Annotated, example: Example, placements: Sequence[Placement]) -> frozenset[Link]:
    """Positional links as those of the example count, with inserted gaps in place."""
    inserted = _inserted(placements)
    moved = {
        (source, target + sum(place <= target for place in inserted))
        for source, target in given.links.positional
    }
    return frozenset(moved & set(example.links))
