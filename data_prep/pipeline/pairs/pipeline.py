"""Sentence pairs as examples of a task: what `crosspro prepare` does to a text, done to one.

The text is tokenised, linked, and the target lemmatised and tagged if the task's is. Gaps are where
the rules of the task put them, or where the user wants them. Notes say what could not be done as in
a whole text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from crosspro.data_prep.annotate.bitext import Segment
from crosspro.data_prep.annotate.corpus import Annotator, make_annotator
from crosspro.data_prep.core.errors import CrossproError
from crosspro.data_prep.core.example import AnnotatedSentence, Example, Gap, Link
from crosspro.data_prep.core.task import OTHER, Task
from crosspro.data_prep.gaps.clitics import attached
from crosspro.data_prep.gaps.extract import RULES, GapRules, source_pronouns
from crosspro.data_prep.gaps.null_subjects import linked_verb, null_subject_verbs
from crosspro.data_prep.gaps.segments import Counts, LinkedSegment, segment_placements
from crosspro.data_prep.pipeline.pairs.marked_gaps import (
    all_marks,
    place_marked,
    with_marked_links,
)
from crosspro.data_prep.pipeline.pairs.pair_links import (
    LinkChances,
    PairAligner,
    bundled_aligner,
)
from crosspro.data_prep.pipeline.pairs.typed_text import (
    WRITTEN_GAP,
    GapMark,
    TypedPair,
    typed_pairs,
)

TypedWord = tuple[int, str]
"""The place of a word among those that were typed, and the word."""

DOCUMENT = "text"
"""The document of the sentences that are typed together."""

_UNSEEN, _CLITIC = 1e-3, 0.03
"""Vote for a link between words never seen as translations: by the aligner, or by the rule of
clitics, which the aligner knows to be articles."""
_VERB = 0.1
"""Vote for a verb that was found in the place of its pronoun."""
_LINKED_ELSEWHERE = 0.1
"""Factor of the vote for a pronoun that is linked to another one of the target, too."""
_BESIDE = 3
"""How far from its place, in words, a pronoun may stand whose link was lost."""
_SENTENCE_ENDS = frozenset(".!?:;")
_ADDRESS = frozenset({"Sie", "Ihnen"})
"""German words of formal address, which are capital within a sentence."""


@dataclass(frozen=True)
class PreparedPair:
    """A sentence pair as a blind example, after the pairs of its context.

    `words` has the typed word of each target token, None for gaps that stand between words, because
    nothing translates the pronoun. `gaps` are those of the example with the word that was typed
    there and its class, if any.
    """

    example: Example
    words: tuple[TypedWord | None, ...]
    gaps: tuple[Gap, ...]
    context: tuple[PreparedPair, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def examples(self) -> tuple[Example, ...]:
        """All sentences as examples, which are one document."""
        return (*(pair.example for pair in self.context), self.example)


@dataclass(frozen=True)
class _LinkedPair:
    """A typed pair with links and annotation; `parse` is for systems that read one."""

    typed: TypedPair
    chances: LinkChances
    segment: LinkedSegment
    parse: AnnotatedSentence | None


@dataclass(frozen=True)
class PairPipeline:
    """Makes examples of a task from pairs; annotators and aligner are loaded when first needed.

    An annotator of the source is used if it is there: it tells which pronouns are subjects, and
    parses the source for systems that read a parse.
    """

    task: Task
    make_aligner: Callable[[Task], PairAligner] = bundled_aligner

    def prepare(
        self,
        pair: Segment,
        context: Sequence[Segment] = (),
        gaps: Sequence[GapMark] | None = None,
        parse: bool = False,
    ) -> PreparedPair:
        """The pair with its gaps after the sentences of its context.

        Gaps are those that are asked for or written into the target; if there are none of either,
        those that the rules of the task find. So it is in the context, but in tasks for use, where
        the text before is known, and hidden only where a gap is written. With `parse`, examples
        have the annotation of the source as a parse of it.
        """
        *before, linked = pairs = self._linked(typed_pairs([*context, pair], self.task), parse)
        context_gaps: Sequence[GapMark] | None = () if self.task.linked else None
        context_pairs = tuple(self._prepared(earlier, context_gaps) for earlier in before)
        notes = self._notes(pairs, parse)
        return replace(self._prepared(linked, gaps), context=context_pairs, notes=notes)

    def prepare_text(self, pairs: Sequence[TypedPair]) -> list[PreparedPair]:
        """Pairs of a text, each with the gaps that the rules of the task find in it.

        A pronoun that is wrong is linked less surely than a right one. So a source pronoun that is
        linked to none, and one of the target beside its place that is linked to none, are a gap.
        """
        prepared = []
        for linked in self._linked(pairs, parse=False):
            pair = self._prepared(linked, None)
            marks = self._pairs_left(linked.typed, pair)
            prepared.append(self._prepared(linked, marks) if marks else pair)
        return prepared

    # Rules, aligner and annotators ----------------------------------------------------------------

    @cached_property
    def rules(self) -> GapRules:
        """How the task places gaps: as in the last year that it was held, or as tasks for use."""
        if self.task.linked:
            return RULES["text"]
        return RULES.get(str(max(self.task.years, default=0)), RULES["2017"])

    @cached_property
    def aligner(self) -> PairAligner:
        return self.make_aligner(self.task)

    @cached_property
    def _target_annotator(self) -> Annotator:
        tagset = "universal" if self.task.tagset == "none" else self.task.tagset
        parse = self.task.null_subjects
        return make_annotator("auto", self.task.target_language, tagset, parse=parse)

    @cached_property
    def _source_annotator(self) -> Annotator | CrossproError:
        try:
            return make_annotator("auto", self.task.source_language, "universal")
        except CrossproError as error:
            return error

    @property
    def _parses_verbs(self) -> bool:
        """Whether verbs without a subject are looked for in a parse; tasks for use have none."""
        return self.task.null_subjects and not self.task.linked

    @property
    def _filters_subjects(self) -> bool:
        return self.rules.filter_subjects and bool(self.task.subject_filter.pronouns)

    # Links and annotation -------------------------------------------------------------------------

    def _linked(self, pairs: Sequence[TypedPair], parse: bool) -> list[_LinkedPair]:
        sources: Sequence[AnnotatedSentence | None] = [None] * len(pairs)
        targets: Sequence[AnnotatedSentence | None] = sources
        links = self._aligned(pairs)
        if self.task.tagged or self._parses_verbs:
            targets = self._target_annotator.annotate([pair.target for pair in pairs])
        judged = self._parses_verbs or self._filters_subjects
        annotator = self._source_annotator if judged or parse else None
        if annotator is not None and not isinstance(annotator, CrossproError):
            sources = annotator.annotate([pair.source for pair in pairs])
        linked = []
        for pair, chances, target, source in zip(pairs, links, targets, sources, strict=True):
            segment = LinkedSegment(
                *(pair.source, pair.target, tuple(chances), DOCUMENT),
                target_annotation=target,
                source_annotation=source if judged else None,
            )
            if self.rules.clitics:
                segment = segment.with_clitics(self.task)
            linked.append(_LinkedPair(pair, chances, segment, source if parse else None))
        return linked

    def _aligned(self, pairs: Sequence[TypedPair]) -> list[LinkChances]:
        return self.aligner.links([pair.source for pair in pairs], [pair.target for pair in pairs])

    def _notes(self, pairs: Sequence[_LinkedPair], parse: bool) -> tuple[str, ...]:
        notes = []
        if self.aligner.prior is None:
            notes.append("links: from positions alone, as no prior of these languages is known")
        if parse or self._parses_verbs or self._filters_subjects:
            if isinstance(self._source_annotator, CrossproError):
                notes.append(f"the source is not annotated: {self._source_annotator}")
            elif parse and not any(pair.parse and pair.parse.parsed for pair in pairs):
                notes.append("the parse of the source has no dependencies; spacy:MODEL makes them")
        return tuple(notes)

    # Gaps -----------------------------------------------------------------------------------------

    def _prepared(self, linked: _LinkedPair, marks: Sequence[GapMark] | None) -> PreparedPair:
        """The pair with gaps at the marks and where they are written, else by the rules."""
        pair, segment, task = linked.typed, linked.segment, self.task
        marked = all_marks(pair, marks or ())
        if marked or marks is not None:
            votes = self._votes(pair, self._verbs(segment, marked))
            pronouns = self._pronouns(segment)
            links = segment.links
            placements = place_marked(pair, links, marked, pronouns, votes, task, self.rules)
            segment = replace(segment, links=with_marked_links(links, placements))
        else:
            _, placements = segment_placements(task, segment, self.rules, Counts())
        placements = [placement for placement in placements if placement.position is not None]
        example = segment.example(task, placements, self.rules.one_link)
        words: list[TypedWord | None] = [
            (place, WRITTEN_GAP if place in pair.stand_ins else word)
            for place, word in enumerate(pair.target)
        ]
        inserted = [placement.position or 0 for placement in placements if placement.inserted]
        for position in sorted(inserted, reverse=True):
            words.insert(position, None)
        hidden = []
        for gap in example.gaps:
            word = words[gap.position]
            if word is None or word[0] in pair.stand_ins:
                hidden.append(replace(gap, label=None, word=None))
            else:
                label = task.class_of(word[1].lower())
                hidden.append(replace(gap, label=label, word=word[1]))
        blind = tuple(Gap(gap.position, gap.source_index) for gap in example.gaps)
        example = replace(example, gaps=blind, source_parse=linked.parse)
        return PreparedPair(example, tuple(words), tuple(hidden))

    def _pronouns(self, segment: LinkedSegment) -> list[int]:
        """The source words that a gap may translate."""
        if not self._parses_verbs:
            return source_pronouns(segment.source, self.task)
        parse = segment.source_annotation
        return [] if parse is None else [phrase.first for phrase in null_subject_verbs(parse)]

    def _votes(self, pair: TypedPair, verbs: Mapping[int, int]) -> dict[Link, float]:
        """The vote for each source word to be the one that a written gap translates.

        Every word of a class is tried in the gaps: whether it would be linked, and how often the
        source word is translated so. `verbs` get a vote for being found at all.
        """
        votes = {(verb, place): _VERB for place, verb in verbs.items()}
        if not pair.stand_ins:
            return votes
        pronouns = {*source_pronouns(pair.source, self.task)}
        classes = [forms for name, forms in self.task.forms.items() if name != OTHER]
        words = dict.fromkeys(word for forms in classes for word in forms)
        tried = [pair.with_words(word) for word in words]
        other_pronouns = self._target_pronouns(pair)
        for trial, chances in zip(tried, self._aligned(tried), strict=True):
            segment = LinkedSegment(trial.source, trial.target, tuple(chances))
            links = (segment.with_clitics(self.task) if self.rules.clitics else segment).links
            elsewhere = {source for source, target in links if target in other_pronouns}
            for link in links:
                if link in votes or (link[0] in pronouns and link[1] in pair.stand_ins):
                    chance = chances.get(link)
                    if chance is None:
                        chance = _UNSEEN if link in chances else _CLITIC
                    factor = _LINKED_ELSEWHERE if link[0] in elsewhere else 1.0
                    votes[link] = votes.get(link, 0.0) + factor * chance
        return votes

    def _target_pronouns(self, pair: TypedPair) -> set[int]:
        """The places of pronouns in the target, which a source word has that is linked to them."""
        return {
            place
            for place, word in enumerate(pair.target)
            if place not in pair.stand_ins
            and word.lower() not in self.task.linked
            and self.task.class_of(word.lower()) != OTHER
        }

    def _verbs(self, segment: LinkedSegment, marks: Sequence[GapMark]) -> dict[int, int]:
        """The source verb of each marked place whose pronoun may be a part of it, or be left out.

        A verb that its pronoun is written to (verlo, dit-il) is linked to the place or beside it.
        """
        verbs = {}
        language = self.task.source_language
        for place in (mark.target for mark in marks if mark.source is None):
            if place is None:
                continue
            with_pronoun = (
                source
                for near in (place, place - 1, place + 1)
                for source, target in segment.links
                if target == near and attached(segment.source[source], language)
            )
            verb = next(with_pronoun, None)
            if verb is None and self.task.null_subjects and self.task.linked:
                verb = linked_verb(segment.source, segment.target, segment.links, place)
            if verb is not None:
                verbs[place] = verb
        return verbs

    # Pronouns that are left over ------------------------------------------------------------------

    def _pairs_left(self, pair: TypedPair, prepared: PreparedPair) -> list[GapMark]:
        """The gaps of a sentence with those of pronouns on both sides that are left over, if any.

        What a wrong pronoun should be linked to has a gap between words, or hides some other word.
        """
        example, words = prepared.example, prepared.words
        places = {gap.position for gap in example.gaps} | {target for _, target in example.links}
        free = self._target_pronouns(pair) - {word[0] for n in places if (word := words[n])}
        marks: list[GapMark] = []
        moved = False
        costs: list[tuple[int, int, int]] = []
        for gap, hidden in zip(example.gaps, prepared.gaps, strict=True):
            following = (word[0] for word in words[gap.position :] if word is not None)
            here = next(following, len(pair.target))
            if hidden.label not in (None, OTHER):
                meant = self._meant(pair, prepared, here, gap.source_index)
                moved |= meant != here
                marks.append(GapMark(meant, gap.source_index))
                continue
            marks.append(GapMark(None if words[gap.position] is None else here, gap.source_index))
            costs += [
                (abs(place - here), place, gap.source_index)
                for place in free
                if abs(place - here) <= _BESIDE
                and _SENTENCE_ENDS.isdisjoint(pair.target[min(place, here) : max(place, here)])
            ]
        left: dict[int, int] = {}
        for _, place, source in sorted(costs):
            if source not in left and place not in left.values():
                left[source] = place
        if not left and not moved:
            return []
        return [replace(mark, target=left.get(mark.source or 0, mark.target)) for mark in marks]

    def _meant(self, pair: TypedPair, prepared: PreparedPair, here: int, source: int) -> int:
        """The place of the pronoun that a source word is linked to, beside a formal address.

        Of “schließen Sie es” both are linked to “it” where the source has no “you”.
        """
        if not self._is_address(pair, here):
            return here
        words, example = prepared.words, prepared.example
        taken = {word[0] for gap in example.gaps if (word := words[gap.position])}
        linked = {word[0] for s, t in example.links if s == source and (word := words[t])}
        others = (linked & self._target_pronouns(pair)) - taken
        return min((place for place in others if not self._is_address(pair, place)), default=here)

    def _is_address(self, pair: TypedPair, place: int) -> bool:
        """Whether a pronoun is one of formal address, not one that stands for somebody else."""
        german = self.task.target_language == "de"
        inside = 0 < place < len(pair.target) and pair.target[place - 1][-1:].isalpha()
        return german and inside and pair.target[place] in _ADDRESS
