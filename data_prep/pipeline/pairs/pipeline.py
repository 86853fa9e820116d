"""What comes of a typed pair: examples, and how their tokens and gaps go back to what was typed.

Raw sentence pairs as examples of a task: what `crosspro prepare` does to a text, done to one.

The text is tokenised, linked, and the target lemmatised and tagged if the task's is. Gaps are where
the rules of the task put them, or where the user wants them. What could not be done as in a whole
text is said in notes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from crosspro.data_prep.annotate.corpus import annotation_file, make_annotator
from crosspro.data_prep.annotate.tokenise import TokenisedSegment
from crosspro.data_prep.core.errors import CrossproError, InputError, Problem, input_error, quoted
from crosspro.data_prep.core.example import AnnotatedSentence, Annotator, Example, Gap, Link, Token
from crosspro.data_prep.core.task import OTHER, Task
from crosspro.data_prep.gaps.clitics import attached, clitic_links
from crosspro.data_prep.gaps.extract import (
    RULES,
    GapRules,
    Placement,
    make_example,
    source_pronouns,
)
from crosspro.data_prep.gaps.null_subjects import linked_verb, null_subject_verbs
from crosspro.data_prep.gaps.segments import Counts, segment_placements
from crosspro.data_prep.pipeline.pairs.pair_links import PairAligner, PairLinks, aligner_of_package
from crosspro.data_prep.pipeline.pairs.typed_text import (
    WRITTEN_GAP,
    GapMark,
    SentencePair,
    TypedPair,
    all_marks,
    place_marked,
    typed_pairs,
    with_marked_links,
)

TypedWord = tuple[int, str]
"""The place of a word among those that were typed, and the word."""


@dataclass(frozen=True, slots=True)
class PairGap:
    """What a gap of the pair hides: the word that was typed and its class, None for both if none.

    `inserted` gaps stand between words, because nothing translates the pronoun.
    """

    word: str | None
    label: str | None
    inserted: bool


@dataclass(frozen=True)
class PreparedSentence:
    """A sentence pair as a blind example.

    `words` has the typed word of each target token, None for gaps that were inserted, and `gaps`
    what its gaps hide. Links in `positional` rest on positions alone.
    """

    example: Example
    words: tuple[TypedWord | None, ...]
    gaps: tuple[PairGap, ...]
    positional: frozenset[Link]


@dataclass(frozen=True)
class PreparedPair:
    """A pair, the last of `sentences`, after those of its context; and what is to be said of it."""

    sentences: tuple[PreparedSentence, ...]
    notes: tuple[str, ...]

    @property
    def examples(self) -> tuple[Example, ...]:
        """All sentences as examples, which are one document."""
        return tuple(sentence.example for sentence in self.sentences)

    @property
    def example(self) -> Example:
        """The pair itself."""
        return self.sentences[-1].example

    @property
    def words(self) -> tuple[TypedWord | None, ...]:
        """The typed word of each target token of the pair."""
        return self.sentences[-1].words

    @property
    def gaps(self) -> tuple[PairGap, ...]:
        """What the gaps of the pair hide."""
        return self.sentences[-1].gaps

    @property
    def positional(self) -> frozenset[Link]:
        """The links of the pair that rest on positions alone."""
        return self.sentences[-1].positional


def prepared_sentence(
    example: Example,
    pair: TypedPair,
    placements: Sequence[Placement],
    positional: frozenset[Link],
    task: Task,
) -> PreparedSentence:
    """An example with what is known of its tokens; positional links count typed words."""
    inserted = [p.position for p in placements if p.inserted and p.position is not None]
    words: list[TypedWord | None] = []
    for place in range(len(pair.target) + 1):
        words += [None] * inserted.count(place)
        if place < len(pair.target):
            word = WRITTEN_GAP if place in pair.stand_ins else pair.target[place]
            words.append((place, word))
    moved = {
        (source, target + sum(place <= target for place in inserted))
        for source, target in positional
    }
    found = frozenset(moved & set(example.links))
    return PreparedSentence(example, tuple(words), _hidden(pair, placements, task), found)


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


DOCUMENT = "text"
"""The document of the sentences that are typed together."""

_UNSEEN, _CLITIC = 1e-3, 0.03
"""What speaks for a source word that is linked to a gap but was never seen to be translated so: by
the aligner, or by the rule of clitics, which it knows to be articles."""
_FOUND, _SAID = 0.1, 0.1
"""What speaks for a verb because it was found, and how much still speaks for a pronoun that is
linked to one of the target, too."""
_BESIDE = 3
"""How far from its place, in words, a pronoun may stand whose link was lost."""
_SENTENCE_ENDS = frozenset(".!?:;")
_ADDRESS = frozenset({"Sie", "Ihnen"})
"""German words of formal address, which are capital within a sentence."""
_PARSE = "its annotator makes none; spacy:MODEL does"


def _is_address(pair: TypedPair, place: int, language: str) -> bool:
    """Whether a pronoun is one of formal address, not one that stands for somebody else."""
    inside = 0 < place < len(pair.target) and pair.target[place - 1][-1:].isalpha()
    return language == "de" and inside and pair.target[place] in _ADDRESS


@dataclass(frozen=True)
class _Annotated:
    """A typed pair with its links and what annotators say; of the source, where they can.

    `source` tells which pronouns are subjects, `parse` is for systems that read one.
    """

    pair: TypedPair
    links: PairLinks
    target: AnnotatedSentence
    source: AnnotatedSentence | None
    parse: AnnotatedSentence | None


@dataclass(frozen=True)
class PairPipeline:
    """Makes examples of a task from pairs; annotators and aligner are loaded when first needed.

    An annotator of the source is used if it is there: it tells which pronouns are subjects, and
    parses the source for systems that read a parse.
    """

    task: Task
    annotator: str = "auto"
    source_annotator: str = "auto"
    make_aligner: Callable[[Task], PairAligner] = aligner_of_package

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
        parse: bool = False,
    ) -> PreparedPair:
        """The pair with its gaps after the sentences of its context.

        Gaps are those that are asked for or written into the target; if there are none of either,
        those that the rules of the task find. So it is in the context, but in tasks for use, where
        what stands before is known, and hidden only where a gap is written. With `parse`, examples
        have what the annotator of the source says as a parse of it.
        """
        typed = typed_pairs([*context, pair], self.task)
        annotated, notes = self._annotate(typed, parse)
        before: Sequence[GapMark] | None = () if self.task.linked else None
        sentences = tuple(
            self._sentence(one, gaps if one is annotated[-1] else before) for one in annotated
        )
        return PreparedPair(sentences, (*notes, *self._link_notes(annotated[-1])))

    def prepare_text(
        self, pairs: Sequence[TypedPair], left_over: bool = True
    ) -> list[PreparedSentence]:
        """Pairs of a text, each with the gaps that the rules of the task find in it.

        A pronoun that is wrong is linked less surely than a right one. So a source pronoun that is
        linked to none, and one of the target beside its place that is linked to none, are a gap,
        unless not `left_over`.
        """
        annotated, _ = self._annotate(pairs, parse=False)
        found = []
        for one in annotated:
            made = self._sentence(one, None)
            marks = self._pairs_left(one.pair, made) if left_over else []
            found.append(self._sentence(one, marks) if marks else made)
        return found

    def _pairs_left(self, pair: TypedPair, made: PreparedSentence) -> list[GapMark]:
        """The gaps of a sentence with those of pronouns on both sides that are left over, if any.

        What a wrong pronoun should be linked to has a gap between words, or hides some other word.
        """
        placed = {word[0] for gap in made.example.gaps if (word := made.words[gap.position])}
        linked = {target for _, target in made.example.links}
        placed |= {word[0] for place in linked if (word := made.words[place])}
        free = self._said(pair) - placed
        marks: list[GapMark] = []
        moved = False
        costs: list[tuple[int, int, int]] = []
        for gap, hidden in zip(made.example.gaps, made.gaps, strict=True):
            typed = [word[0] for word in made.words[gap.position :] if word is not None]
            here = typed[0] if typed else len(pair.target)
            if hidden.label not in (None, OTHER):
                meant = self._meant(pair, made, here, gap.source_index)
                moved |= meant != here
                marks.append(GapMark(meant, gap.source_index))
                continue
            costs += [
                (abs(place - here), place, gap.source_index)
                for place in free
                if abs(place - here) <= _BESIDE
                and _SENTENCE_ENDS.isdisjoint(pair.target[min(place, here) : max(place, here)])
            ]
            marks.append(GapMark(None if hidden.inserted else here, gap.source_index))
        left: dict[int, int] = {}
        for _, place, source in sorted(costs):
            if source not in left and place not in left.values():
                left[source] = place
        if not left and not moved:
            return []
        return [replace(mark, target=left.get(mark.source or 0, mark.target)) for mark in marks]

    def _meant(self, pair: TypedPair, made: PreparedSentence, here: int, source: int) -> int:
        """The place of the pronoun that a source word is linked to, beside a formal address.

        Of “schließen Sie es” both are linked to “it” where the source has no “you”.
        """
        if not _is_address(pair, here, self.task.target_language):
            return here
        taken = {word[0] for gap in made.example.gaps if (word := made.words[gap.position])}
        linked = (made.words[target] for one, target in made.example.links if one == source)
        others = ({word[0] for word in linked if word} & self._said(pair)) - taken
        return min(
            (one for one in others if not _is_address(pair, one, self.task.target_language)),
            default=here,
        )

    def check_sizes(self, pairs: Sequence[SentencePair], most: int) -> None:
        """Raise if a side of a pair has more tokens than so many."""
        problems = [
            Problem(pair.where, None, side, f"at most {most} tokens", str(len(tokens)))
            for pair in typed_pairs(pairs, self.task)
            for side, tokens in (("source", pair.source), ("target", pair.target))
            if len(tokens) > most
        ]
        if problems:
            raise InputError(problems)

    @cached_property
    def rules(self) -> GapRules:
        """How the task places gaps: as in the last year that it was held, or as tasks for use."""
        if self.task.linked:
            return RULES["text"]
        return RULES.get(str(max(self.task.years, default=0)), RULES["2017"])

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
        self, typed: Sequence[TypedPair], parse: bool
    ) -> tuple[list[_Annotated], list[str]]:
        links = self._links(typed)
        targets = [pair.target for pair in typed]
        if self.task.tagged or (self.task.null_subjects and not self._verbs_alone):
            annotated = self._target_annotator.annotate(targets)
        else:
            annotated = [
                AnnotatedSentence(tuple(Token(word, word, "") for word in words))
                for words in targets
            ]
        sources, notes = self._sources([pair.source for pair in typed], parse)
        nothing = [None] * len(typed)
        both = (sources if self._subjects_asked else nothing), (sources if parse else nothing)
        rows = zip(typed, links, annotated, *both, strict=True)
        return [_Annotated(*row) for row in rows], notes

    @property
    def _subjects_asked(self) -> bool:
        """Whether gaps depend on what the subjects of the source are."""
        filtered = self.rules.filter_subjects and bool(self.task.subject_filter.pronouns)
        return (self.task.null_subjects and not self._verbs_alone) or filtered

    @property
    def _for_use(self) -> bool:
        """Whether the task is one for use, whose gaps are found without annotators."""
        return bool(self.task.linked) and self.source_annotator == "auto"

    @property
    def _verbs_alone(self) -> bool:
        """Whether verbs without a subject are looked for without a parse."""
        return self.task.null_subjects and self._for_use

    def _sources(
        self, sources: Sequence[tuple[str, ...]], parse: bool
    ) -> tuple[Sequence[AnnotatedSentence | None], list[str]]:
        if not self._subjects_asked and not parse:
            return [None] * len(sources), []
        annotator = self._source_annotator
        if not isinstance(annotator, CrossproError):
            found = annotator.annotate(sources)
            tags_only = parse and not any(one.parsed for one in found)
            return found, [f"the parse of the source has no dependencies ({_PARSE})"] * tags_only
        lost = ["there is no parse of it"] if parse else []
        if self.task.null_subjects:
            lost.append("verbs without a subject are not found")
        elif self._subjects_asked:
            lost.append("pronouns that are no subjects are gaps too")
        told = f"the source is not annotated, so {' and '.join(lost)} ({annotator})"
        return [None] * len(sources), [told]

    def _links(self, typed: Sequence[TypedPair]) -> list[PairLinks]:
        asked = [pair for pair in typed if pair.links is None]
        made: Iterator[PairLinks] = iter(())
        if asked:
            made = iter(self._aligned(asked))
        return [
            next(made) if pair.links is None else PairLinks(pair.links, frozenset())
            for pair in typed
        ]

    def _aligned(self, pairs: Sequence[TypedPair]) -> list[PairLinks]:
        return self.aligner.links([pair.source for pair in pairs], [pair.target for pair in pairs])

    def _votes(self, pair: TypedPair, verbs: Mapping[int, int]) -> dict[Link, float]:
        """How much speaks for each source word to be the one that a written gap translates.

        Every word of a class is tried in the gaps: whether it would be linked, and how often the
        source word is translated so. For `verbs` speaks that they were found at all.
        """
        votes = {(verb, place): _FOUND for place, verb in verbs.items()}
        pronouns = {*source_pronouns(pair.source, self.task)}
        if pair.links is not None:
            votes |= {link: 1.0 for link in pair.links if link[0] in pronouns}
        if pair.links is not None or not pair.stand_ins:
            return votes
        words = dict.fromkeys(
            word for name, forms in self.task.forms.items() if name != OTHER for word in forms
        )
        tried = [pair.with_words(word) for word in words]
        said = self._said(pair)
        for one, found in zip(tried, self._aligned(tried), strict=True):
            links = self._with_clitics(one, found.links)
            elsewhere = {source for source, target in links if target in said}
            for link in links:
                if link in votes or (link[0] in pronouns and link[1] in pair.stand_ins):
                    unseen = _UNSEEN if link in found.links else _CLITIC
                    chance = found.chances.get(link, unseen)
                    share = _SAID if link[0] in elsewhere else 1.0
                    votes[link] = votes.get(link, 0.0) + share * chance
        return votes

    def _said(self, pair: TypedPair) -> set[int]:
        """The places of pronouns in the target, which a source word has that is linked to them."""
        return {
            place
            for place, word in enumerate(pair.target)
            if place not in pair.stand_ins
            and word.lower() not in self.task.linked
            and self.task.class_of(word.lower()) != OTHER
        }

    def _with_clitics(self, pair: TypedPair, links: Sequence[Link]) -> tuple[Link, ...]:
        """The links with those of clitics, if the rules of the task look for them."""
        if not self.rules.clitics:
            return tuple(links)
        languages = self.task.source_language, self.task.target_language
        return tuple(clitic_links(languages, pair.source, pair.target, links))

    def _sentence(self, given: _Annotated, gaps: Sequence[GapMark] | None) -> PreparedSentence:
        pair = given.pair
        links = self._with_clitics(pair, given.links.links)
        marks = all_marks(pair, gaps or ())
        if marks or gaps is not None:
            votes = self._votes(pair, self._verbs(pair, links, marks))
            asked = self._pronouns(given), self.task, self.rules, votes
            placements = place_marked(pair, links, marks, *asked)
            links = with_marked_links(links, placements)
        else:
            segment = TokenisedSegment(pair.source, pair.target, DOCUMENT)
            about = (given.target, given.source, self.rules, Counts())
            _, placements = segment_placements(self.task, segment, links, *about)
        placements = [placement for placement in placements if placement.position is not None]
        columns = given.target.columns if self.task.tagged else (tuple(pair.target), None)
        text = pair.source, pair.target, columns, links
        example = make_example(*text, placements, self.task, DOCUMENT, self.rules.one_link)
        blind = tuple(Gap(gap.position, gap.source_index) for gap in example.gaps)
        shown = replace(example, gaps=blind, source_parse=given.parse)
        return prepared_sentence(shown, pair, placements, given.links.positional, self.task)

    def _pronouns(self, given: _Annotated) -> list[int]:
        """The source words that a gap may translate."""
        if not self.task.null_subjects or self._for_use:
            return source_pronouns(given.pair.source, self.task)
        if given.source is None:
            return []
        return [phrase.first for phrase in null_subject_verbs(given.source)]

    def _verbs(
        self, pair: TypedPair, links: Sequence[Link], marks: Sequence[GapMark]
    ) -> dict[int, int]:
        """The source verb of each marked place whose pronoun may be a part of it, or not be said.

        A verb that its pronoun is written to (verlo, dit-il) is linked to the place or beside it.
        """
        words = pair.source, pair.target
        verbs = {}
        for place in (mark.target for mark in marks if mark.source is None):
            if place is None:
                continue
            found = [
                source
                for near in (place, place - 1, place + 1)
                for source, target in links
                if target == near and attached(pair.source[source], self.task.source_language)
            ]
            verb = found[0] if found else None
            if verb is None and self._verbs_alone:
                verb = linked_verb(*words, links, place)
            if verb is not None:
                verbs[place] = verb
        return verbs

    def _link_notes(self, given: _Annotated) -> list[str]:
        """Where links are from, and how many of them rest on positions alone."""
        if given.pair.links is not None:
            return ["links: as given"]
        notes = [f"links: learnt from {self.aligner.origin}"]
        links, positional = given.links.links, given.links.positional
        if links and len(positional) == len(links):
            return [f"links: from positions alone ({self.aligner.origin})"]
        if positional:
            number = f"{len(positional)} of {len(links)} links rest on positions alone"
            notes.append(f"links: {number}, as their words were not seen as translations")
        return notes
