"""What is matched beside the pronoun where AutoPRF counts more than one word (001 §4).

001 asks whether it is right to count all linked words. Of 143 pronouns with a clipped count above
one, each had exactly one pronoun among its matches; the others were mostly *que* and auxiliaries.
They are sorted here by the lists of `conf/words/clipped/`; words of no list are *other*.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from crosspro.data_prep.core.words import word_lists
from crosspro.evaluation.inputs.anchors import target_pronoun
from crosspro.evaluation.inputs.pronoun_forms import readings_of
from crosspro.evaluation.inputs.pronoun_lists import PronounLists, normal_form
from crosspro.evaluation.metrics.autoprf.counts import ComparedPronoun

PRONOUN = "pronoun"
OTHER_WORD = "other"


@dataclass(frozen=True)
class AdditionalWords:
    """Occurrences whose additional words are of one kind, and what these words are."""

    kind: str
    occurrences: int
    words: Mapping[str, int]


@dataclass(frozen=True)
class ClippedCounts:
    """The occurrences that match in more than one word, and how many have a single pronoun."""

    above_one: int
    one_pronoun: int
    additional: tuple[AdditionalWords, ...]


def clipped_counts(examples: Sequence[ComparedPronoun], lists: PronounLists) -> ClippedCounts:
    """Sort what is matched beside the pronoun, the most frequent kind first.

    Of several pronouns the first counts as the one that is translated.
    """
    kinds: dict[str, tuple[int, Counter[str]]] = {}
    above = single = 0
    for example in examples:
        shared = Counter(example.reference) & Counter(example.candidate)
        words = [normal_form(word) for word in shared.elements()]
        if len(words) < 2:
            continue
        above += 1
        pronouns = [word for word in words if _kind(word, lists) == PRONOUN]
        single += len(pronouns) == 1
        if pronouns:
            words.remove(pronouns[0])
        kind = " and ".join(sorted({_kind(word, lists) for word in words}))
        number, found = kinds.get(kind, (0, Counter()))
        found.update(words)
        kinds[kind] = number + 1, found
    additional = (
        AdditionalWords(kind, number, dict(found.most_common()))
        for kind, (number, found) in kinds.items()
    )
    return ClippedCounts(above, single, tuple(sorted(additional, key=lambda one: -one.occurrences)))


def _kind(word: str, lists: PronounLists) -> str:
    """A list of the target language, what kind of pronoun it is, or neither."""
    for name, known in word_lists("clipped", lists.target_language).items():
        if word in known:
            return name
    if target_pronoun(word, lists) is not None:
        return PRONOUN
    readings = {one.kind for one in readings_of(lists.target_language).get(word, ())}
    if readings == {"reflexive"}:
        return "reflexive"
    return PRONOUN if readings & {"personal", "demonstrative"} else OTHER_WORD
