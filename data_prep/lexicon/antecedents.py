"""Candidate antecedents: the nouns before a gap, in its own sentence and in those before it.

On the target side a noun is known by its tag (NOM, NAM or NOUN of lemmatised data), else by a parse
of the target, else by the lexicon. On the source side it is known by a parse, else by a lexicon of
the source language, else by a link to a noun of the target. Gender and number come from a parse,
else from a lexicon; as lemmas hide the number, that of a lemmatised noun comes from the parse of a
source noun that it is linked to. Where coreference chains are known, candidates in the chain of the
pronoun are marked: through their own mentions, or through links from the source's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from crosspro.data_prep.core.example import Example, Gap, Side, Token
from crosspro.data_prep.lexicon.lexicon import GENDERS, NUMBERS, Lexicon

NOUN_TAGS = frozenset({"NOUN", "PROPN", "NOM", "NAM"})
"""Nouns and names in the universal tags and in TreeTagger's French ones."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A noun before a gap.

    `sentences` says how many sentences before the gap's it stands, and `tokens` how many tokens
    before the gap (target) or before the source pronoun (source) in the running text of its side.
    `index` is its position in its sentence. `word` and `lemma` are alike where only one is known;
    `tag` is empty where there is none.
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
    in_chain: bool = False


class NounFinder:
    """Finds the nouns before the gaps of some sentences, each of which is analysed once."""

    def __init__(
        self,
        document: Sequence[Example],
        lexicon: Lexicon | None = None,
        source_lexicon: Lexicon | None = None,
    ) -> None:
        self.document = document
        self._nouns = cache(lambda index: _Nouns(document[index], lexicon, source_lexicon))

    def before(
        self, index: int, gap: Gap, side: Side, sentences_back: int | None = None
    ) -> Iterator[Candidate]:
        """The nouns of one side before a gap of `document[index]`, the nearest first.

        At most `sentences_back` sentences are searched before the gap's own, all of the document if
        it is None. A sentence of another document ends the search, and where the document is not
        known, the sentence stands alone.
        """
        example = self.document[index]
        chains = pronoun_chains(example, gap)
        pivot = gap.position if side == "target" else gap.source_index
        before = pivot  # tokens from the beginning of the sentence to the gap
        for distance, sentence in enumerate(self._back(index, sentences_back)):
            nouns = self._nouns(sentence)
            before += len(nouns.words[side]) if distance else 0
            for place in nouns.places(side):
                if distance or place < pivot:
                    word, tag = nouns.words[side][place], nouns.tag(side, place)
                    in_chain = nouns.in_chains(side, place, chains)
                    features = nouns.features(side, place)
                    yield Candidate(
                        side, distance, before - place, place, word, nouns.lemma(side, place), tag,
                        *features, in_chain,
                    )  # fmt: skip

    def _back(self, index: int, limit: int | None) -> Iterator[int]:
        """The places of the sentence and of those before it in its document, the nearest first."""
        document = self.document[index].document
        first = 0 if limit is None else max(0, index - limit)
        yield index
        for place in range(index - 1, first - 1, -1):
            if document is None or self.document[place].document != document:
                return
            yield place


def nouns_of(example: Example, side: Side) -> dict[int, tuple[str | None, str | None]]:
    """The nouns of a sentence by place, the last first, with gender and number."""
    nouns = _Nouns(example, None, None)
    return {place: nouns.features(side, place) for place in nouns.places(side)}


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


def _innermost(example: Example, side: Side, place: int) -> set[str]:
    around = [mention for mention in example.chains or () if mention.covers(side, place)]
    smallest = min((mention.size for mention in around), default=0)
    return {mention.chain for mention in around if mention.size == smallest}


class _Nouns:
    """The nouns of one example, on both sides, and what is known of them."""

    def __init__(
        self, example: Example, lexicon: Lexicon | None, source_lexicon: Lexicon | None
    ) -> None:
        self.example = example
        self.words = {"source": example.source, "target": example.lemmas}
        self.parses = {"source": example.source_parse, "target": example.target_parse}
        self.lexicons = {"source": source_lexicon, "target": lexicon}
        self.places = cache(self._places)
        self.features = cache(self._features)

    def _places(self, side: Side) -> tuple[int, ...]:
        """The places of the nouns of a side, the last first."""
        nouns: Iterable[int] = ()
        lexicon = self.lexicons[side]
        if self._lemmatised(side) or self.parses[side] is not None:
            nouns = [n for n in range(len(self.words[side])) if self.tag(side, n) in NOUN_TAGS]
        elif lexicon is not None:
            nouns = [place for place, word in enumerate(self.words[side]) if lexicon.is_noun(word)]
        elif side == "source":
            targets = frozenset(self.places("target"))
            nouns = {source for source, target in self.example.links if target in targets}
        gaps = {gap.position for gap in self.example.gaps} if side == "target" else ()
        return tuple(place for place in sorted(nouns, reverse=True) if place not in gaps)

    def _lemmatised(self, side: Side) -> bool:
        return side == "target" and self.example.tagged

    def _token(self, side: Side, place: int) -> Token | None:
        parse = self.parses[side]
        return None if parse is None else parse.tokens[place]

    def tag(self, side: Side, place: int) -> str:
        if self._lemmatised(side):
            return self.example.tag(place)
        token = self._token(side, place)
        return "" if token is None else token.upos or token.tag

    def lemma(self, side: Side, place: int) -> str:
        token = None if self._lemmatised(side) else self._token(side, place)
        return self.words[side][place] if token is None else token.lemma

    def _features(self, side: Side, place: int) -> tuple[str | None, str | None]:
        """Gender and number of a noun."""
        token, parse, lexicon = self._token(side, place), self.parses[side], self.lexicons[side]
        word = self.words[side][place]
        gender: str | None = "" if token is None else token.feature("Gender")
        number: str | None = "" if parse is None else parse.number(place)
        if gender not in GENDERS:
            gender = None if lexicon is None else lexicon.gender(word)
        if self._lemmatised(side):  # a lemma hides its number
            number = self._source_number(place)
        elif number not in NUMBERS:
            number = None if lexicon is None else lexicon.number(word)
        return gender, number

    def _source_number(self, place: int) -> str | None:
        """The number of the source nouns that a target noun is linked to, if they agree."""
        nouns = set(self._sources(place)) & set(self.places("source"))
        numbers = {self.features("source", noun)[1] for noun in nouns} - {None}
        return numbers.pop() if len(numbers) == 1 else None

    def _sources(self, place: int) -> list[int]:
        """The source places that a target place is linked to."""
        return [source for source, target in self.example.links if target == place]

    def in_chains(self, side: Side, place: int, chains: frozenset[str]) -> bool:
        """Whether the word heads a mention of one of the chains, or the source words it renders."""
        sources = self._sources(place) if chains and side == "target" else ()
        return self._heads(side, place, chains) or any(
            self._heads("source", source, chains) for source in sources
        )

    def _heads(self, side: Side, place: int, chains: frozenset[str]) -> bool:
        """Whether the word belongs to a mention of a chain and no parse shows another head."""
        if not chains or not _innermost(self.example, side, place) & chains:
            return False
        token = self._token(side, place)
        if token is None or not token.deprel:
            return True
        return any(
            mention.chain in chains
            and mention.covers(side, place)
            and not mention.covers(side, token.head)
            for mention in self.example.chains or ()
        )
