"""Candidate antecedents: the nouns before a gap, in its own sentence and in those before it.

On the target side a noun is known by its tag (NOM, NAM or NOUN of lemmatised data), else by a parse
of the target, else by the lexicon. On the source side it is known by a parse, else by a lexicon of
the source language, else by a link to a noun of the target. Gender and number come from a parse,
else from a lexicon; as lemmas hide the number, that of a lemmatised noun comes from the parse of a
source noun that it is linked to. Where coreference chains are given, candidates in the chain of the
pronoun are marked: through their own mentions, or through links from the source's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from crosspro.data_prep.core.example import AnnotatedSentence, Example, Gap, Side, Token
from crosspro.data_prep.lexicon.lexicon import GENDERS, NUMBERS, Lexicon

NOUN_TAGS = frozenset({"NOUN", "PROPN", "NOM", "NAM"})
"""Nouns and names in the universal tags and in TreeTagger's French ones."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A noun before a gap.

    `sentences` says how many sentences before the gap's it stands, and `tokens` how many tokens
    before the gap (target) or before the source pronoun (source) in the running text of its side.
    `index` is its position in its sentence. `word` and `lemma` are alike where only one is known;
    `tag` is empty where there is none. `linked` are the words of the other side at its links.
    """

    side: Side
    sentences: int
    tokens: int
    index: int
    word: str
    lemma: str
    tag: str
    gender: str | None
    number: str | None
    linked: tuple[str, ...] = ()
    in_chain: bool = False


def antecedent_candidates(
    document: Sequence[Example],
    index: int,
    gap: Gap,
    sentences_back: int | None = None,
    lexicon: Lexicon | None = None,
    source_lexicon: Lexicon | None = None,
) -> list[Candidate]:
    """The nouns before a gap of `document[index]`: those of the target, then those of the source.

    On each side the nearest comes first. At most `sentences_back` sentences are searched before the
    gap's own, all of the document if it is None. A sentence of another document ends the search,
    and where the document is not known, the sentence stands alone.
    """
    finder = NounFinder(document, lexicon, source_lexicon)
    return [
        candidate
        for side in ("target", "source")
        for candidate in finder.before(index, gap, side, sentences_back)
    ]


class NounFinder:
    """Finds the nouns before the gaps of some sentences; what is known of each is worked out once.

    Many gaps are asked about faster here than one by one with `antecedent_candidates`.
    """

    def __init__(
        self,
        document: Sequence[Example],
        lexicon: Lexicon | None = None,
        source_lexicon: Lexicon | None = None,
    ) -> None:
        self.document = document
        self._lexicons = lexicon, source_lexicon
        self._views: dict[int, _View] = {}

    def before(
        self,
        index: int,
        gap: Gap,
        side: Side,
        sentences_back: int | None = None,
    ) -> Iterator[Candidate]:
        """The nouns of one side before a gap of `document[index]`, the nearest first."""
        own = self.document[index]
        chains = pronoun_chains(own, gap) if own.chains else frozenset()
        pivot = gap.position if side == "target" else gap.source_index
        before = pivot  # tokens from the beginning of the sentence to the gap
        for distance, place_in_text in enumerate(_back(self.document, index, sentences_back)):
            view = self._view(place_in_text)
            before += view.size(side) if distance else 0
            for place in view.nouns(side):
                if distance or place < pivot:
                    yield view.candidate(side, place, distance, before - place, chains)

    def _view(self, index: int) -> _View:
        view = self._views.get(index)
        if view is None:
            view = self._views[index] = _View(self.document[index], *self._lexicons)
        return view


def nouns_of(
    example: Example,
    side: Side,
    lexicon: Lexicon | None = None,
    source_lexicon: Lexicon | None = None,
) -> dict[int, tuple[str | None, str | None]]:
    """The nouns of a sentence by place, the last first, with the gender and number of candidates.

    For who finds out otherwise which of them stand before a gap.
    """
    view = _View(example, lexicon, source_lexicon)
    nouns = view.nouns(side)
    return {place: (view.gender(side, place), view.number(side, place)) for place in nouns}


def nearest_agreeing(
    candidates: Iterable[Candidate], gender: str | None = None, number: str | None = None
) -> Candidate | None:
    """The nearest noun of the target with this gender and number; an unknown number agrees."""
    for candidate in candidates:
        if candidate.side != "target" or (gender and candidate.gender != gender):
            continue
        if number is None or candidate.number in (None, number):
            return candidate
    return None


def pronoun_chains(example: Example, gap: Gap) -> frozenset[str]:
    """The chains that the pronoun belongs to: those of the smallest mention around it."""
    return frozenset(
        chain for side, place in _places(gap) for chain in _innermost(example, side, place)
    )


def _places(gap: Gap) -> tuple[tuple[Side, int], tuple[Side, int]]:
    return ("target", gap.position), ("source", gap.source_index)


def _back(document: Sequence[Example], index: int, limit: int | None) -> Iterator[int]:
    """The places of the sentence and of those before it in its document, the nearest first."""
    own = document[index].document
    first = 0 if limit is None else max(0, index - limit)
    yield index
    for place in range(index - 1, first - 1, -1):
        if own is None or document[place].document != own:
            return
        yield place


def _innermost(example: Example, side: Side, place: int) -> set[str]:
    around = [mention for mention in example.chains or () if mention.covers(side, place)]
    smallest = min((mention.size for mention in around), default=0)
    return {mention.chain for mention in around if mention.size == smallest}


_Known = tuple[str, str, str, str | None, str | None, tuple[str, ...]]
"""Word, lemma, tag, gender, number and linked words of a noun."""

NounForm = tuple[str, str | None, str | None]
"""Lemma, gender and number of a noun."""


class _View:
    """What is known of the words of one example, on both sides."""

    def __init__(
        self, example: Example, lexicon: Lexicon | None, source_lexicon: Lexicon | None
    ) -> None:
        self.example = example
        self.lexicons: dict[Side, Lexicon | None] = {"target": lexicon, "source": source_lexicon}
        self._nouns: dict[Side, tuple[int, ...]] = {}
        self._known: dict[tuple[Side, int], _Known] = {}
        self._forms: dict[tuple[Side, int], NounForm] = {}

    @cached_property
    def gaps(self) -> frozenset[int]:
        return frozenset(gap.position for gap in self.example.gaps)

    def sources(self, place: int) -> list[int]:
        """The source places that a target place is linked to."""
        return [source for source, target in self.example.links if target == place]

    def nouns(self, side: Side) -> tuple[int, ...]:
        """The places of the nouns of a side, the last first."""
        found = self._nouns.get(side)
        if found is None:
            places = self._noun_places(side)
            if side == "target":
                places = (place for place in places if place not in self.gaps)
            found = self._nouns[side] = tuple(sorted(places, reverse=True))
        return found

    def _noun_places(self, side: Side) -> Iterable[int]:
        parse, lexicon = self.parse(side), self.lexicons[side]
        if side == "target" and self.example.tags is not None:
            return [p for p, tag in enumerate(self.example.tags) if tag in NOUN_TAGS]
        if parse is not None:
            return [p for p, one in enumerate(parse.tokens) if (one.upos or one.tag) in NOUN_TAGS]
        if lexicon is not None:
            return [p for p in range(self.size(side)) if lexicon.is_noun(self.word(side, p))]
        if side == "target":
            return ()
        nouns = frozenset(self.nouns("target"))
        return {source for source, target in self.example.links if target in nouns}

    def size(self, side: Side) -> int:
        return len(self.example.source if side == "source" else self.example.lemmas)

    def word(self, side: Side, place: int) -> str:
        return (self.example.source if side == "source" else self.example.lemmas)[place]

    def parse(self, side: Side) -> AnnotatedSentence | None:
        return self.example.source_parse if side == "source" else self.example.target_parse

    def token(self, side: Side, place: int) -> Token | None:
        parse = self.parse(side)
        return None if parse is None else parse.tokens[place]

    def tag(self, side: Side, place: int) -> str:
        if side == "target" and self.example.tagged:
            return self.example.tag(place)
        token = self.token(side, place)
        return "" if token is None else token.upos or token.tag

    def gender(self, side: Side, place: int) -> str | None:
        token, lexicon = self.token(side, place), self.lexicons[side]
        parsed = "" if token is None else token.feature("Gender")
        if parsed in GENDERS:
            return parsed
        return None if lexicon is None else lexicon.gender(self.word(side, place))

    def number(self, side: Side, place: int) -> str | None:
        parse, lexicon = self.parse(side), self.lexicons[side]
        parsed = "" if parse is None else parse.number(place)
        if side == "target" and self.example.tagged:  # what is there is the lemma
            if self.example.source_parse is None and self.lexicons["source"] is None:
                return None
            nouns = [source for source in self.sources(place) if source in self.nouns("source")]
            numbers = {self.number("source", noun) for noun in nouns} - {None}
            return numbers.pop() if len(numbers) == 1 else None
        if parsed in NUMBERS:
            return parsed
        return None if lexicon is None else lexicon.number(self.word(side, place))

    def in_chains(self, side: Side, place: int, chains: frozenset[str]) -> bool:
        """Whether the word heads a mention of one of the chains, or the source words it renders."""
        if not chains or not self.example.chains:
            return False
        if self._heads(side, place, chains):
            return True
        sources = self.sources(place) if side == "target" else ()
        return any(self._heads("source", source, chains) for source in sources)

    def _heads(self, side: Side, place: int, chains: frozenset[str]) -> bool:
        """Whether the word belongs to a mention of a chain and no parse shows another head."""
        if not _innermost(self.example, side, place) & chains:
            return False
        token = self.token(side, place)
        if token is None or not token.deprel:
            return True
        return any(
            mention.chain in chains
            and mention.covers(side, place)
            and not mention.covers(side, token.head)
            for mention in self.example.chains or ()
        )

    def form(self, side: Side, place: int) -> NounForm:
        """Lemma, gender and number of a noun."""
        found = self._forms.get((side, place))
        if found is None:
            token = self.token(side, place)
            given = token is None or (side == "target" and self.example.tagged)
            found = self._forms[side, place] = (
                self.word(side, place) if given or token is None else token.lemma,
                self.gender(side, place),
                self.number(side, place),
            )
        return found

    def known(self, side: Side, place: int) -> _Known:
        """What is known of a noun, wherever it is seen from."""
        found = self._known.get((side, place))
        if found is None:
            if side == "source":
                targets = [to for source, to in self.example.links if source == place]
                linked = [self.example.lemmas[to] for to in sorted(targets)]
            else:
                linked = [self.example.source[to] for to in sorted(self.sources(place))]
            lemma, gender, number = self.form(side, place)
            found = self._known[side, place] = (
                self.word(side, place),
                lemma,
                self.tag(side, place),
                gender,
                number,
                tuple(linked),
            )
        return found

    def candidate(
        self, side: Side, place: int, sentences: int, tokens: int, chains: frozenset[str]
    ) -> Candidate:
        known, in_chain = self.known(side, place), self.in_chains(side, place, chains)
        return Candidate(side, sentences, tokens, place, *known, in_chain)
