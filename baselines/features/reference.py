"""What a pronoun may refer to: an antecedent, its gender and number, the subject before.

Where coreference chains are given the antecedent is the nearest noun of the pronoun's chain.
Without them it is the nearest noun that agrees in number with the source pronoun, as far as numbers
are known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from crosspro.baselines.features.feature import Column, Feature, bins
from crosspro.baselines.features.gaps import Batch
from crosspro.baselines.features.nouns import PARSES, nouns_before
from crosspro.baselines.features.source import number_of_pronoun
from crosspro.data_prep.antecedents import Candidate, nearest_agreeing

_DISTANCES = (1, 2, 3, 5, 10, 20)
_NEAREST = "of the nearest noun that agrees in number, which is seldom the antecedent"
_SUBJECTS = frozenset({"nsubj", "nsubj:pass", "nsubjpass", "SBJ", "SB", "EP"})


def antecedent(batch: Batch, number: int) -> Candidate | None:
    """The noun that a gap of the batch is taken to refer to."""
    wanted = number_of_pronoun(batch.lines[number], batch.gaps[number])
    nouns: Iterable[Candidate] = nouns_before(batch, number)
    if batch.lines[number].example.chains:
        nouns = list(nouns)
        for noun in nouns:
            if noun.in_chain:
                return noun
    return nearest_agreeing(nouns, number=wanted)


def antecedents(batch: Batch, _: int) -> Iterator[Column]:
    """Lemma, gender, number and distance of the antecedent among the nouns of the target."""
    found = [antecedent(batch, number) for number in range(len(batch))]
    slots: dict[str, Callable[[Candidate], str | None]] = {
        "antecedent": lambda noun: noun.lemma,
        "antecedent gender": lambda noun: noun.gender,
        "antecedent number": lambda noun: noun.number,
        "antecedent known by": lambda noun: "chain" if noun.in_chain else "agreement",
        "antecedent sentences back": lambda noun: bins(noun.sentences, (0, 1, 2)),
        "antecedent tokens back": lambda noun: bins(noun.tokens, _DISTANCES),
    }
    for slot, of in slots.items():
        yield slot, [None if noun is None else of(noun) for noun in found]


def antecedent_gender(batch: Batch, _: int) -> Iterator[Column]:
    """The gender of the antecedent alone."""
    found = [antecedent(batch, number) for number in range(len(batch))]
    yield "gender", [None if noun is None else noun.gender for noun in found]


def antecedent_number(batch: Batch, _: int) -> Iterator[Column]:
    """The number of the last noun of the source in the pronoun's chain, else the pronoun's own."""
    values: list[str | None] = []
    for number, (line, gap) in enumerate(zip(batch.lines, batch.gaps, strict=True)):
        own = number_of_pronoun(line, gap)
        chained = line.example.chains
        nouns = nouns_before(batch, number, "source") if chained else iter(())
        last = next((noun.number for noun in nouns if noun.in_chain), None)
        values.append(last or own)
    yield "number", values


def previous_subject(batch: Batch, _: int) -> Iterator[Column]:
    """Gender and lemma of what the nearest earlier subject of the source is linked to."""
    genders: list[str | None] = []
    lemmas: list[str | None] = []
    lexicon = batch.resources.lexicon
    for number, index in enumerate(batch.indices):
        subject = next(
            (n for n in nouns_before(batch, number, "source") if _is_subject(batch, index, n)), None
        )
        linked = subject.linked[0] if subject and subject.linked else None
        lemmas.append(linked)
        genders.append(lexicon.gender(linked) if lexicon and linked else None)
    yield "previous subject", lemmas
    yield "previous subject gender", genders


def _is_subject(batch: Batch, index: int, noun: Candidate) -> bool:
    parse = batch.examples[index - noun.sentences].source_parse
    return parse is not None and parse.tokens[noun.index].deprel in _SUBJECTS


FEATURES = (
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
        without_chains="the number of the pronoun itself, as pronoun_number, so that the primary "
        "and the contrastive run of LIMSI 2016 are one",
    ),
    Feature(
        "previous_subject",
        "gender and lemma of the nearest earlier subject's translation",
        previous_subject,
        ("source_heads",),
    ),
)
