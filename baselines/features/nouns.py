"""Features of what stands before a gap: determiners, nouns and names, and the antecedent.

Where coreference chains are given the antecedent is the nearest noun of the pronoun's chain.
Without them it is the nearest noun that agrees in number with the source pronoun, as far as numbers
are known.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from crosspro.baselines.features.local import number_of_pronoun
from crosspro.baselines.features.view import Bins, Feature, GapView, StringFeature
from crosspro.data_prep.core.example import Side
from crosspro.data_prep.lexicon.antecedents import NOUN_TAGS, Candidate, nearest_agreeing
from crosspro.data_prep.words.lists import word_set

NAMES = frozenset({"NAM", "PROPN"})
NOUNS = NOUN_TAGS | {""}
"""All nouns; where only a lexicon or links tell them, they have no tags."""
_DETERMINER = "DET"
"""In the universal tags and in those of French."""
_VERBS = ("VER", "VERB")
_MOST = 10
PARSES = frozenset({"source_parse", "target_parse"})
"""Where a noun's gender and number are looked up first."""
_NEAR = (1, 3, 5)
"""Distances within which verbs are looked for, those of CUNI 2016."""


def preceding_determiners(view: GapView, most: int) -> Iterator[str]:
    """The nearest determiners of the target, in the line and in those before it."""
    determiners = (
        lemma
        for index in view.lines_back()
        for place, (tag, lemma) in reversed([*enumerate(_target(view, index))])
        if tag == _DETERMINER and (index != view.index or place < view.gap.position)
    )
    for rank, lemma in enumerate(islice(determiners, most), start=1):
        yield f"determiner {rank}={lemma}"


def _target(view: GapView, index: int) -> Iterator[tuple[str, str]]:
    return zip(view.line("target tag", index), view.line("target lemma", index), strict=True)


def _nouns(name: str, side: Side, tags: frozenset[str]) -> StringFeature:
    """Lemma, gender and number of the nearest nouns, by rank, and all their lemmas as a set."""

    def strings(view: GapView, most: int) -> Iterator[str]:
        nouns = (noun for noun in view.candidates(side) if noun.tag in tags)
        for rank, noun in enumerate(islice(nouns, most), start=1):
            yield from _noun(f"{name} {rank}", noun)
            yield f"{name} before={noun.lemma}"

    return strings


def _noun(slot: str, noun: Candidate) -> Iterator[str]:
    yield f"{slot}={noun.lemma}"
    if noun.gender is not None:
        yield f"{slot} gender={noun.gender}"
    if noun.number is not None:
        yield f"{slot} number={noun.number}"


def target_verbs(view: GapView, _: int) -> Iterator[str]:
    """All verbs of the target within one, three and five tokens on either side, as sets."""
    reach = _NEAR[-1]
    tags, lemmas = (view.near(f"target {kind}", reach) for kind in ("tag", "lemma"))
    for place, (tag, lemma) in enumerate(zip(tags, lemmas, strict=True)):
        if tag in _VERBS:
            for distance in _NEAR:
                if abs(place - reach) <= distance:
                    yield f"verb within {distance}={lemma}"


def antecedent(view: GapView) -> Candidate | None:
    """The noun that a gap is taken to refer to: of its chain, else the nearest that agrees."""
    if view.example.chains:
        nouns = list(view.candidates("target"))
        chained = (noun for noun in nouns if noun.in_chain)
        return next(chained, None) or nearest_agreeing(nouns, number=number_of_pronoun(view))
    return nearest_agreeing(view.candidates("target"), number=number_of_pronoun(view))


_SENTENCES = Bins((0, 1, 2))
_DISTANCES = Bins((1, 2, 3, 5, 10, 20))


def antecedents(view: GapView, _: int) -> Iterator[str]:
    """Lemma, gender, number and distance of the antecedent among the nouns of the target."""
    noun = antecedent(view)
    if noun is None:
        return
    yield from _noun("antecedent", noun)
    yield f"antecedent known by={'chain' if noun.in_chain else 'agreement'}"
    yield f"antecedent sentences back={_SENTENCES.name(noun.sentences)}"
    yield f"antecedent tokens back={_DISTANCES.name(noun.tokens)}"


def antecedent_gender(view: GapView, _: int) -> Iterator[str]:
    noun = antecedent(view)
    if noun is not None and noun.gender is not None:
        yield f"gender={noun.gender}"


_GROUPS = word_set("number", "en", "groups")


def antecedent_number(view: GapView, _: int) -> Iterator[str]:
    """The number of the last noun of the source in the pronoun's chain, else the pronoun's own."""
    of_pronoun = number_of_pronoun(view)
    chained = view.example.chains is not None
    nouns = (noun for noun in view.candidates("source") if _refers(noun, of_pronoun, chained))
    noun = next(nouns, None)
    number = (noun and noun.number) or of_pronoun
    if number is not None:
        yield f"number={number}"


def _refers(noun: Candidate, pronoun_number: str | None, chained: bool) -> bool:
    """Whether a source noun is taken for a pronoun of this number: by its chain, if there are any.

    Else the nearest that is known to agree; with a plural a group of people agrees as well, as
    coreference resolvers have it (the team … they).
    """
    if chained:
        return noun.in_chain
    group = pronoun_number == "Plur" and noun.word.lower() in _GROUPS
    return pronoun_number is not None and (noun.number == pronoun_number or group)


_SUBJECTS = frozenset({"nsubj", "nsubj:pass", "nsubjpass", "SBJ", "SB", "EP"})


def previous_subject(view: GapView, _: int) -> Iterator[str]:
    """Gender and lemma of what the nearest earlier subject of the source is linked to."""
    for noun in view.candidates("source"):
        example = view.text.examples[view.index - noun.sentences]
        parse = example.source_parse
        if parse and parse.tokens[noun.index].deprel in _SUBJECTS:
            linked = [target for source, target in example.links if source == noun.index]
            if linked:
                lemma = example.lemmas[min(linked)]
                yield f"previous subject={lemma}"
                lexicon = view.resources.lexicon
                gender = lexicon.gender(lemma) if lexicon else None
                if gender is not None:
                    yield f"previous subject gender={gender}"
            return


_CHAINS = PARSES | {"chains"}
"""Without chains the antecedent is the nearest noun that agrees, which it seldom is."""
_TAGS, _NOUNS = ("target_tags",), ("nouns",)

FEATURES = (
    Feature("preceding_determiners", preceding_determiners, _TAGS, 2, _MOST),
    *(
        Feature(name, strings, _NOUNS, number, _MOST, reads=PARSES)
        for name, strings, number in (
            ("preceding_nouns", _nouns("noun", "target", NOUNS - NAMES), 2),
            ("preceding_names", _nouns("name", "target", NAMES), 1),
            ("source_nouns", _nouns("source noun", "source", NOUNS), 2),
        )
    ),
    Feature("target_verbs", target_verbs, _TAGS),
    Feature("antecedents", antecedents, _NOUNS, reads=_CHAINS),
    Feature("antecedent_gender", antecedent_gender, _NOUNS, reads=_CHAINS),
    Feature("antecedent_number", antecedent_number, reads=_CHAINS),
    Feature("previous_subject", previous_subject, ("source_heads",)),
)
