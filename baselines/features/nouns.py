"""Features of what stands before a gap: determiners, nouns and names, and the antecedent.

Where coreference chains are given the antecedent is the nearest noun of the pronoun's chain.
Without them it is the nearest noun that agrees in number with the source pronoun, as far as numbers
are known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from crosspro.baselines.features.gaps import Batch, Bins, Column, Extractor, Feature
from crosspro.baselines.features.local import pronoun_numbers
from crosspro.baselines.features.text import NOTHING, Codes, RunningText, Values
from crosspro.data_prep.core.example import Side
from crosspro.data_prep.core.words import word_set
from crosspro.data_prep.lexicon.antecedents import NOUN_TAGS, Candidate, nearest_agreeing

NAMES = frozenset({"NAM", "PROPN"})
NOUNS = NOUN_TAGS | {""}
"""All nouns; where only a lexicon or links tell them, they have no tags."""
_NO_NOUN = (None, None, None)
NounColumns = tuple[Sequence[str | None], ...]
"""Three columns: lemmas, genders and numbers."""


class Preceding:
    """Some places of a running text that stand before gaps, the nearest first."""

    def __init__(self, text: RunningText, places: Codes) -> None:
        self.text = text
        self._places = places
        self._first, self._after = text.before(places)

    def nearest(self, rank: int) -> Codes:
        """The place with this rank, from 0, before each gap; `NOTHING` if there are not so many."""
        chosen = self._after - 1 - rank
        there = chosen >= self._first
        found = np.full(len(chosen), NOTHING)
        found[there] = self._places[chosen[there]]
        return found


def tags_before(batch: Batch, tags: frozenset[str]) -> Preceding:
    """The tokens of the target with one of some tags."""
    return Preceding(batch.target, batch.reader.tagged_as(tags, batch.target.codes))


def nouns_before(batch: Batch, side: Side, tags: frozenset[str] = NOUNS) -> Preceding:
    """The nouns of a side with one of some tags."""
    return line_by_line(batch.running(side), lambda line: batch.nouns.nouns(line, side, tags))


def line_by_line(text: RunningText, places: Callable[[int], Iterable[int]]) -> Preceding:
    """What is found in each line of a text by itself."""
    found = [
        start + place
        for start, line in zip(text.starts.tolist(), text.lines.numbers, strict=False)
        for place in places(line)
    ]
    return Preceding(text, np.array(found, np.int64))


def noun_columns(batch: Batch, side: Side, places: Codes) -> NounColumns:
    """Lemma, gender and number of the nouns at some places of a side's running text.

    A noun finder is asked once for each noun.
    """
    nouns, which = np.unique(places, return_inverse=True)
    nothing = [_NO_NOUN] * int(NOTHING in nouns[:1])
    located = batch.running(side).line_and_place(nouns[len(nothing) :])
    form = batch.nouns.form
    found = (form(line, side, place) for line, place in zip(*located, strict=True))
    forms = [*nothing, *found]
    rows = (forms[number] for number in which.tolist())
    return tuple(zip(*rows, strict=True)) or ((), (), ())


_DETERMINERS = frozenset({"DET"})
"""In the universal tags and in those of French."""
_VERBS = ("VER", "VERB")
_MOST = 10
PARSES = ("source_parse", "target_parse")
"""Where a noun's gender and number are looked up first."""
_NEAR = (1, 3, 5)
"""Distances within which verbs are looked for, those of CUNI 2016."""


def preceding_determiners(batch: Batch, most: int) -> Iterator[Column]:
    """The nearest determiners of the target, in the line and in those before it."""
    determiners = tags_before(batch, _DETERMINERS)
    reading = batch.reader.readings["target lemma"]
    for rank in range(most):
        places = determiners.nearest(rank)
        lemmas = Values(reading.of(batch.target.codes[places]), reading.names)
        yield f"determiner {rank + 1}", lemmas.only(places != NOTHING)


def _nouns(what: str, side: Side, tags: frozenset[str]) -> Extractor:
    """Lemma, gender and number of the nearest nouns, by rank, and all their lemmas as a set."""

    def columns(batch: Batch, most: int) -> Iterator[Column]:
        nouns = nouns_before(batch, side, tags)
        for rank in range(most):
            lemmas, genders, numbers = noun_columns(batch, side, nouns.nearest(rank))
            yield f"{what} {rank + 1}", lemmas
            yield f"{what} {rank + 1} gender", genders
            yield f"{what} {rank + 1} number", numbers
            yield f"{what} before", lemmas

    return columns


def target_verbs(batch: Batch, _: int) -> Iterator[Column]:
    """All verbs of the target within one, three and five tokens on either side, as sets."""
    tags, lemmas = (batch.reader.readings[f"target {one}"] for one in ("tag", "lemma"))
    for near in range(1, _NEAR[-1] + 1):
        for offset in (near, -near):
            found = batch.codes("target tag", offset)
            is_verb = np.isin(found, [tags.code(tag) for tag in _VERBS])
            verbs = Values(batch.codes("target lemma", offset), lemmas.names).only(is_verb)
            for distance in _NEAR:
                if near <= distance:
                    yield f"verb within {distance}", verbs


_SENTENCES = Bins((0, 1, 2))
_DISTANCES = Bins((1, 2, 3, 5, 10, 20))
_KNOWN_BY = ("agreement", "chain")
_NEAREST = "of the nearest noun that agrees in number, which is seldom the antecedent"
_GROUPS = word_set("number", "en", "groups")
_SUBJECTS = frozenset({"nsubj", "nsubj:pass", "nsubjpass", "SBJ", "SB", "EP"})


def _candidates(batch: Batch, number: int, side: Side) -> Iterator[Candidate]:
    """The nouns before a gap of the batch, the nearest first."""
    context = batch.resources.context
    return batch.nouns.before(batch.indices[number], batch.gaps[number], side, context)


def antecedent(batch: Batch, number: int, agreeing: str | None) -> Candidate | None:
    """The noun that a gap of the batch is taken to refer to: of its chain, or of this number."""
    nouns: Iterable[Candidate] = _candidates(batch, number, "target")
    if batch.lines[number].chains:
        nouns = list(nouns)
        for noun in nouns:
            if noun.in_chain:
                return noun
    return nearest_agreeing(nouns, number=agreeing)


def antecedent_places(batch: Batch) -> tuple[Codes, NDArray[np.bool_]]:
    """Where the antecedent of each gap is in the running target, and whether a chain tells so."""
    places, of_chain = np.full(len(batch), NOTHING), np.zeros(len(batch), bool)
    text = batch.target
    numbers = pronoun_numbers(batch)
    chained = np.array([bool(line.chains) for line in batch.lines], bool)
    for number in np.flatnonzero(chained).tolist():
        noun = antecedent(batch, number, numbers[number])
        if noun is not None:
            places[number] = text.starts[text.lines.own[number] - noun.sentences] + noun.index
            of_chain[number] = noun.in_chain
    nouns = nouns_before(batch, "target")
    left, rank = np.flatnonzero(~chained), 0
    while len(left):
        nearest = nouns.nearest(rank)[left]
        left, nearest = left[nearest != NOTHING], nearest[nearest != NOTHING]
        own = [numbers[gap] for gap in left.tolist()]
        pairs = zip(own, noun_columns(batch, "target", nearest)[2], strict=True)
        agrees = np.array([one is None or noun in (None, one) for one, noun in pairs], bool)
        places[left[agrees]] = nearest[agrees]
        left, rank = left[~agrees], rank + 1
    return places, of_chain


def antecedents(batch: Batch, _: int) -> Iterator[Column]:
    """Lemma, gender, number and distance of the antecedent among the nouns of the target."""
    places, of_chain = antecedent_places(batch)
    lemmas, genders, numbers = noun_columns(batch, "target", places)
    yield "antecedent", lemmas
    yield "antecedent gender", genders
    yield "antecedent number", numbers
    text, there = batch.target, places != NOTHING
    lines = text.lines.own - text.rows(places)
    yield "antecedent known by", Values(of_chain.astype(np.int64), _KNOWN_BY).only(there)
    yield "antecedent sentences back", _SENTENCES.column(lines).only(there)
    yield "antecedent tokens back", _DISTANCES.column(text.gaps - places).only(there)


def antecedent_gender(batch: Batch, _: int) -> Iterator[Column]:
    """The gender of the antecedent alone."""
    places, _of_chain = antecedent_places(batch)
    yield "gender", noun_columns(batch, "target", places)[1]


def antecedent_number(batch: Batch, _: int) -> Iterator[Column]:
    """The number of the last noun of the source in the pronoun's chain, else the pronoun's own."""
    values: list[str | None] = []
    for number, own in enumerate(pronoun_numbers(batch)):
        nouns = _candidates(batch, number, "source")
        chained = batch.lines[number].chains
        last = next((noun for noun in nouns if _refers(noun, own, chained is not None)), None)
        values.append((last and last.number) or own)
    yield "number", values


def _refers(noun: Candidate, own: str | None, chained: bool) -> bool:
    """Whether a source noun is taken for a pronoun of this number: by its chain, if there are any.

    Else the nearest that is known to agree; with a plural a group of people agrees as well, as
    coreference resolvers have it (the team … they).
    """
    if chained:
        return noun.in_chain
    group = own == "Plur" and noun.word.lower() in _GROUPS
    return own is not None and (noun.number == own or group)


def previous_subject(batch: Batch, _: int) -> Iterator[Column]:
    """Gender and lemma of what the nearest earlier subject of the source is linked to."""
    text, lexicon = batch.source_back, batch.resources.lexicon
    places = line_by_line(text, lambda line: _subjects(batch, line)).nearest(0)
    lines, inside = text.line_and_place(places)
    lemmas: list[str | None] = [None] * len(batch)
    for number in np.flatnonzero(places != NOTHING).tolist():
        lemmas[number] = _linked_lemma(batch, lines[number], inside[number])
    yield "previous subject", lemmas
    genders = [lexicon.gender(lemma) if lexicon and lemma else None for lemma in lemmas]
    yield "previous subject gender", genders


def _subjects(batch: Batch, line: int) -> list[int]:
    """The nouns of a source that are subjects in its parse."""
    parse = batch.examples[line].source_parse
    nouns = batch.nouns.nouns(line, "source", NOUNS) if parse else ()
    return [place for place in nouns if parse and parse.tokens[place].deprel in _SUBJECTS]


def _linked_lemma(batch: Batch, line: int, place: int) -> str | None:
    """The first lemma of the target that a source word is linked to."""
    example = batch.examples[line]
    linked = [target for source, target in example.links if source == place]
    return example.lemmas[min(linked)] if linked else None


FEATURES = (
    Feature(
        "preceding_determiners",
        "so many determiners of the target before the gap",
        preceding_determiners,
        ("target_tags",),
        2,
        _MOST,
    ),
    Feature(
        "preceding_nouns",
        "so many nouns of the target before the gap, with gender and number",
        _nouns("noun", "target", NOUNS - NAMES),
        ("nouns",),
        2,
        _MOST,
        reads=PARSES,
    ),
    Feature(
        "preceding_names",
        "so many names of the target before the gap, where tags tell them from nouns",
        _nouns("name", "target", NAMES),
        ("nouns",),
        1,
        _MOST,
        reads=PARSES,
    ),
    Feature(
        "source_nouns",
        "so many nouns of the source before the pronoun, with gender and number",
        _nouns("source noun", "source", NOUNS),
        ("nouns",),
        2,
        _MOST,
        reads=PARSES,
    ),
    Feature(
        "target_verbs",
        "all verbs of the target within 1, 3 and 5 tokens of the gap",
        target_verbs,
        ("target_tags",),
    ),
    Feature(
        "antecedents",
        "the noun that the pronoun is taken to refer to: of its chain, else the nearest to agree",
        antecedents,
        ("nouns",),
        reads=PARSES,
        without_chains=_NEAREST,
    ),
    Feature(
        "antecedent_gender",
        "the gender of that noun",
        antecedent_gender,
        ("nouns",),
        reads=PARSES,
        without_chains=_NEAREST,
    ),
    Feature(
        "antecedent_number",
        "the number of the last noun in the source's chain, else of the pronoun",
        antecedent_number,
        reads=PARSES,
        without_chains="of the nearest source noun that agrees with the pronoun, a group of people "
        "with they as well; the pronoun's own where none does",
    ),
    Feature(
        "previous_subject",
        "gender and lemma of the nearest earlier subject's translation",
        previous_subject,
        ("source_heads",),
    ),
)
