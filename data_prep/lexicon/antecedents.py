"""Candidate antecedents: the nouns before a gap, in its own sentence and in those before it.

On the target side a noun is known by its tag (NOM, NAM or NOUN of lemmatised data), else by a parse
of the target, else by the lexicon. On the source side it is known by a parse, else by a lexicon of
the source language, else by a link to a noun of the target. Gender and number come from a parse,
else from a lexicon; as lemmas hide the number, that of a lemmatised noun comes from the parse of a
source noun that it is linked to. Where coreference chains are known, candidates in the chain of the
pronoun are marked: through their own mentions, or through links from the source's.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from crosspro.data_prep.core.example import AnnotatedSentence, Example, Gap, Side, Token
from crosspro.data_prep.lexicon.lexicon import GENDERS, NUMBERS, Lexicon

NOUN_TAGS = frozenset({"NOUN", "PROPN", "NOM", "NAM"})
"""Nouns and names in the universal tags and in TreeTagger's French ones."""

NounForm = tuple[str, str | None, str | None]
"""Lemma, gender and number of a noun."""


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
    target = finder.before(index, gap, "target", sentences_back)
    return [*target, *finder.before(index, gap, "source", sentences_back)]


class NounFinder:
    """Finds the nouns before the gaps of some sentences, each of which is analysed once."""

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
        self, index: int, gap: Gap, side: Side, sentences_back: int | None = None
    ) -> Iterator[Candidate]:
        """The nouns of one side before a gap of `document[index]`, the nearest first."""
        example = self.document[index]
        chains = pronoun_chains(example, gap) if example.chains else frozenset()
        pivot = gap.position if side == "target" else gap.source_index
        before = pivot  # tokens from the beginning of the sentence to the gap
        for distance, sentence in enumerate(_back(self.document, index, sentences_back)):
            view = self._view(sentence)
            before += len(view.words(side)) if distance else 0
            for place in view.nouns(side):
                if distance or place < pivot:
                    yield view.candidate(side, place, distance, before - place, chains)

    def nouns(self, index: int, side: Side, tags: Container[str]) -> list[int]:
        """The places of the nouns of a side of `document[index]` that have one of some tags.

        Nouns that only a lexicon or links have told have an empty one.
        """
        view = self._view(index)
        return [place for place in reversed(view.nouns(side)) if view.tag(side, place) in tags]

    def form(self, index: int, side: Side, place: int) -> NounForm:
        """Lemma, gender and number of a noun."""
        return self._view(index).form(side, place)

    def _view(self, index: int) -> _View:
        if index not in self._views:
            self._views[index] = _View(self.document[index], *self._lexicons)
        return self._views[index]


def nouns_of(
    example: Example,
    side: Side,
    lexicon: Lexicon | None = None,
    source_lexicon: Lexicon | None = None,
) -> dict[int, tuple[str | None, str | None]]:
    """The nouns of a sentence by place, the last first, with gender and number."""
    view = _View(example, lexicon, source_lexicon)
    return {place: view.form(side, place)[1:] for place in view.nouns(side)}


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
    target = _innermost(example, "target", gap.position)
    return frozenset(target | _innermost(example, "source", gap.source_index))


def _back(document: Sequence[Example], index: int, limit: int | None) -> Iterator[int]:
    """The places of the sentence and of those before it in its document, the nearest first."""
    name = document[index].document
    first = 0 if limit is None else max(0, index - limit)
    yield index
    for place in range(index - 1, first - 1, -1):
        if name is None or document[place].document != name:
            return
        yield place


def _innermost(example: Example, side: Side, place: int) -> set[str]:
    around = [mention for mention in example.chains or () if mention.covers(side, place)]
    smallest = min((mention.size for mention in around), default=0)
    return {mention.chain for mention in around if mention.size == smallest}


class _View:
    """What is known of the words of one example, on both sides."""

    def __init__(
        self, example: Example, lexicon: Lexicon | None, source_lexicon: Lexicon | None
    ) -> None:
        self.example = example
        self.lexicons: dict[Side, Lexicon | None] = {"target": lexicon, "source": source_lexicon}
        self._forms: dict[tuple[Side, int], NounForm] = {}
        self._linked: dict[tuple[Side, int], tuple[str, ...]] = {}

    def words(self, side: Side) -> Sequence[str]:
        return self.example.source if side == "source" else self.example.lemmas

    def nouns(self, side: Side) -> tuple[int, ...]:
        """The places of the nouns of a side, the last first."""
        return self._target_nouns if side == "target" else self._source_nouns

    @cached_property
    def _target_nouns(self) -> tuple[int, ...]:
        gaps = {gap.position for gap in self.example.gaps}
        tags = self.example.tags
        if tags is not None:
            nouns = [place for place, tag in enumerate(tags) if tag in NOUN_TAGS]
        else:
            nouns = self._nouns_of_layers("target") or []
        return tuple(place for place in reversed(nouns) if place not in gaps)

    @cached_property
    def _source_nouns(self) -> tuple[int, ...]:
        nouns = self._nouns_of_layers("source")
        if nouns is None:
            targets = frozenset(self._target_nouns)
            nouns = sorted({source for source, target in self.example.links if target in targets})
        return tuple(reversed(nouns))

    def _nouns_of_layers(self, side: Side) -> list[int] | None:
        """The nouns of a parse or a lexicon; None where there is neither."""
        parse, lexicon = self.parse(side), self.lexicons[side]
        if parse is not None:
            return [n for n, token in enumerate(parse.tokens) if _tag(token) in NOUN_TAGS]
        if lexicon is None:
            return None
        return [n for n, word in enumerate(self.words(side)) if lexicon.is_noun(word)]

    def parse(self, side: Side) -> AnnotatedSentence | None:
        return self.example.source_parse if side == "source" else self.example.target_parse

    def token(self, side: Side, place: int) -> Token | None:
        parse = self.parse(side)
        return None if parse is None else parse.tokens[place]

    def tag(self, side: Side, place: int) -> str:
        if side == "target" and self.example.tagged:
            return self.example.tag(place)
        token = self.token(side, place)
        return "" if token is None else _tag(token)

    def form(self, side: Side, place: int) -> NounForm:
        """Lemma, gender and number of a noun."""
        if (side, place) not in self._forms:
            token, word = self.token(side, place), self.words(side)[place]
            is_lemma = token is None or (side == "target" and self.example.tagged)
            lemma = word if is_lemma or token is None else token.lemma
            form = lemma, self._gender(side, place), self._number(side, place)
            self._forms[side, place] = form
        return self._forms[side, place]

    def _gender(self, side: Side, place: int) -> str | None:
        token, lexicon = self.token(side, place), self.lexicons[side]
        parsed = "" if token is None else token.feature("Gender")
        if parsed in GENDERS:
            return parsed
        return None if lexicon is None else lexicon.gender(self.words(side)[place])

    def _number(self, side: Side, place: int) -> str | None:
        parse, lexicon = self.parse(side), self.lexicons[side]
        if side == "target" and self.example.tagged:  # a lemma hides its number
            if self.example.source_parse is None and self.lexicons["source"] is None:
                return None
            nouns = [source for source in self._sources(place) if source in self._source_nouns]
            numbers = {self._number("source", noun) for noun in nouns} - {None}
            return numbers.pop() if len(numbers) == 1 else None
        parsed = "" if parse is None else parse.number(place)
        if parsed in NUMBERS:
            return parsed
        return None if lexicon is None else lexicon.number(self.words(side)[place])

    def _sources(self, place: int) -> list[int]:
        """The source places that a target place is linked to."""
        return [source for source, target in self.example.links if target == place]

    def linked(self, side: Side, place: int) -> tuple[str, ...]:
        """The words of the other side at the links of a word."""
        if (side, place) not in self._linked:
            here, there = (0, 1) if side == "source" else (1, 0)
            places = sorted(link[there] for link in self.example.links if link[here] == place)
            words = self.words("target" if side == "source" else "source")
            self._linked[side, place] = tuple(words[other] for other in places)
        return self._linked[side, place]

    def in_chains(self, side: Side, place: int, chains: frozenset[str]) -> bool:
        """Whether the word heads a mention of one of the chains, or the source words it renders."""
        if not chains or not self.example.chains:
            return False
        sources = self._sources(place) if side == "target" else ()
        return self._heads(side, place, chains) or any(
            self._heads("source", source, chains) for source in sources
        )

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

    def candidate(
        self, side: Side, place: int, sentences: int, tokens: int, chains: frozenset[str]
    ) -> Candidate:
        lemma, gender, number = self.form(side, place)
        return Candidate(
            side,
            sentences,
            tokens,
            place,
            self.words(side)[place],
            lemma,
            self.tag(side, place),
            gender,
            number,
            self.linked(side, place),
            self.in_chains(side, place, chains),
        )


def _tag(token: Token) -> str:
    return token.upos or token.tag
