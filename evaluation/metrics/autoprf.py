"""AutoPRF: precision and recall of the words linked to source pronouns (Hardmeier & Federico 2010).

For each source pronoun, the candidate words linked to it are compared with the reference words
linked to it. Matches are clipped for each occurrence (001 §2, the default) or over the whole text
(000 §3.2), or each occurrence counts as a single pronoun (001 §4): recall is then APT without the
lists of identical and equivalent pronouns and without repair, over the occurrences that have a
reference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from pydantic import ConfigDict
from pydantic import dataclasses as pydantic_dataclasses

from crosspro.data_prep.core.task import NONE, OTHER
from crosspro.data_prep.words.lists import word_lists
from crosspro.evaluation.links import LinkedSentence
from crosspro.evaluation.metric import Display, Group, Items
from crosspro.evaluation.metrics.linked_metric import LinkedMetric, LinkedPronoun, Side
from crosspro.evaluation.pronouns import Anchor, PronounLists, normal_form, readings_of
from crosspro.evaluation.resampling import Columns, Scores, Sums, ratio
from crosspro.evaluation.texts import Texts

PRONOUN = "pronoun"


@pydantic_dataclasses.dataclass(
    frozen=True, config=ConfigDict(extra="forbid", arbitrary_types_allowed=True)
)
class AutoPrfSettings:
    """How matches are clipped, and which words are compared."""

    clipping: Literal["occurrence", "corpus"] = "occurrence"
    one_pronoun: bool = False
    pronouns: PronounLists | str | None = None


@dataclass(frozen=True, slots=True)
class ComparedPronoun(LinkedPronoun):
    """A source pronoun with the words that are compared, and how many match.

    Under corpus clipping matches belong to the text and not to an example.
    """

    matches: int


class AutoPrf(LinkedMetric[ComparedPronoun]):
    """Precision, recall and F1 in total and by source pronoun."""

    name = "autoprf"
    settings_class = AutoPrfSettings
    display = Display(
        "Precision and recall of pronouns (AutoPRF)",
        headline="f1",
        column="AutoPRF F1",
        measures={"f1": "F1"},
        counts=("matches", "candidate", "reference"),
        group=PRONOUN,
        verdicts=(
            ("same words", "right"),
            ("some words", "part"),
            ("other words", "wrong"),
            ("not in cand.", "wrong"),
            ("not in ref.", "open"),
            ("in neither", "open"),
        ),
    )

    def anchors(self, texts: Texts, lists: PronounLists) -> list[Anchor]:
        """The source pronouns in lower case or capitalised: IT is no pronoun."""
        anchors = super().anchors(texts, lists)
        return [
            anchor
            for anchor in anchors
            if anchor.word in (anchor.pronoun, anchor.pronoun.capitalize())
        ]

    def compare(
        self, texts: Texts, anchors: Sequence[Anchor], lists: PronounLists
    ) -> list[list[ComparedPronoun]]:
        words = texts.linked
        references, *candidates = (
            [_linked_side(words.sentence(translation, anchor.line), anchor) for anchor in anchors]
            for translation in (words.reference, *words.candidates.values())
        )
        return [
            [self._compared(*sides, lists) for sides in zip(anchors, references, each, strict=True)]
            for each in candidates
        ]

    def _compared(
        self, anchor: Anchor, reference: Side, candidate: Side, lists: PronounLists
    ) -> ComparedPronoun:
        matches = (Counter(reference.words) & Counter(candidate.words)).total()
        if self.settings.one_pronoun:
            first, second = _single(reference.words, candidate.words, lists)
            reference, candidate = replace(reference, words=first), replace(candidate, words=second)
            matches = int(bool(first) and first == second != (OTHER,))
        cell = " ".join(reference.words) or NONE, " ".join(candidate.words) or NONE
        return ComparedPronoun(anchor, reference, candidate, cell, matches)

    def statistics(self, items: Items[Texts, ComparedPronoun], candidate: int) -> Columns:
        """Candidate words, reference words and matches.

        Where matches are clipped over the text, they follow from the counts of each word in
        reference and candidate, which stand in their place.
        """
        examples = items.values[candidate]
        sides = {
            "candidate": [example.translation.words for example in examples],
            "reference": [example.reference.words for example in examples],
        }
        columns: dict[str, Any] = {name: list(map(len, words)) for name, words in sides.items()}
        if self.settings.clipping == "occurrence":
            return {**columns, "matches": [example.matches for example in examples]}
        every = [example for pronouns in items.values for example in pronouns]
        references = {word for example in every for word in example.reference.words}
        candidates = {word for example in every for word in example.translation.words}
        number = {word: at for at, word in enumerate(sorted((references & candidates) - {OTHER}))}
        for name, words_of_items in sides.items():
            counts = np.zeros((len(examples), max(len(number), 1)))
            for row, words in zip(counts, words_of_items, strict=True):
                np.add.at(row, [number[word] for word in words if word in number], 1)
            columns[f"{name}_words"] = counts
        return columns

    def score(self, sums: Sums) -> Scores:
        candidate, reference = sums["candidate"], sums["reference"]
        if self.settings.clipping == "occurrence":
            matches = sums["matches"]
        else:
            matches = np.minimum(sums["reference_words"], sums["candidate_words"]).sum(axis=-1)
        precision, recall = ratio(matches, candidate), ratio(matches, reference)
        f1 = np.where(
            np.isnan(precision + recall), np.nan, ratio(2 * matches, candidate + reference)
        )
        return {"precision": 100 * precision, "recall": 100 * recall, "f1": 100 * f1}

    def counts(self, items: Items[Texts, ComparedPronoun], candidate: int) -> Columns:
        columns = self.statistics(items, candidate)
        return {name: column for name, column in columns.items() if not name.endswith("_words")}

    def groups(self, items: Items[Texts, ComparedPronoun]) -> Iterable[Group]:
        pronouns = np.array([example.anchor.pronoun for example in items.values[0]], dtype=object)
        for pronoun in self.lists(items.data).source_pronouns:
            chosen = np.asarray(pronouns == pronoun, dtype=bool)
            if chosen.any():
                yield Group(PRONOUN, pronoun, chosen)

    def signature(self, items: Items[Texts, ComparedPronoun]) -> Sequence[str]:
        settings = self.settings
        return [
            *super().signature(items),
            f"clipping:{settings.clipping}",
            f"words:{'one-pronoun' if settings.one_pronoun else 'all'}",
            f"case:{'ignored' if settings.one_pronoun else 'kept'}",
        ]

    def verdicts(self, items: Items[Texts, ComparedPronoun], candidate: int) -> Sequence[int]:
        return list(map(_verdict, items.values[candidate]))

    def facts(self, items: Items[Texts, ComparedPronoun], candidate: int) -> Mapping[str, Any]:
        return {"clipped": clipped_words(items.values[candidate], self.lists(items.data))}


def _linked_side(sentence: LinkedSentence, anchor: Anchor) -> Side:
    positions = sentence.targets(anchor.position)
    return Side(positions, tuple(sentence.target[place] for place in positions))


def _verdict(example: ComparedPronoun) -> int:
    reference, candidate = len(example.reference.words), len(example.translation.words)
    if not reference:
        return 4 if candidate else 5
    if not candidate:
        return 3
    if not example.matches:
        return 2
    return 0 if example.matches == reference == candidate else 1


def _single(
    reference: tuple[str, ...], candidate: tuple[str, ...], lists: PronounLists
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """One pronoun a side: one that both have, else the first; OTHER where no word is one."""
    first, second = (
        [pronoun for word in side if (pronoun := lists.target_pronoun(word.lower())) is not None]
        for side in (reference, candidate)
    )
    shared = [pronoun for pronoun in first if pronoun in second]
    chosen = [
        tuple((shared or pronouns or [OTHER])[:1]) if side else ()
        for side, pronouns in ((reference, first), (candidate, second))
    ]
    return chosen[0], chosen[1]


def clipped_words(examples: Sequence[ComparedPronoun], lists: PronounLists) -> dict[str, Any]:
    """The words that match beside the pronoun where more than one word matches (001 §4).

    001 asks whether it is right to count all linked words. Of 143 pronouns with a clipped count
    above one, each had exactly one pronoun among its matches; the others were mostly *que* and
    auxiliaries. They are sorted here by the lists of `conf/words/clipped/`, the most frequent kind
    first; words of no list are *other*. Of several pronouns the first is the translated one.
    """
    kinds: dict[str, tuple[int, Counter[str]]] = {}
    above = single = 0
    for example in examples:
        shared = Counter(example.reference.words) & Counter(example.translation.words)
        words = [normal_form(word) for word in shared.elements()]
        if len(words) < 2:
            continue
        above += 1
        pronouns = [word for word in words if _kind(word, lists) == PRONOUN]
        single += len(pronouns) == 1
        if pronouns:
            words.remove(pronouns[0])
        kind = " and ".join(sorted({_kind(word, lists) for word in words}))
        number, counts = kinds.get(kind, (0, Counter()))
        counts.update(words)
        kinds[kind] = number + 1, counts
    additional = {
        kind: {"pronouns": number, "words": dict(counts.most_common())}
        for kind, (number, counts) in sorted(kinds.items(), key=lambda item: -item[1][0])
    }
    return {"above_one": above, "one_pronoun": single, "additional": additional}


def _kind(word: str, lists: PronounLists) -> str:
    """A list of the target language, what kind of pronoun it is, or neither."""
    for name, words in word_lists("clipped", lists.target_language).items():
        if word in words:
            return name
    if lists.target_pronoun(word) is not None:
        return PRONOUN
    kinds = {reading.kind for reading in readings_of(lists.target_language).get(word, ())}
    if kinds == {"reflexive"}:
        return "reflexive"
    return PRONOUN if kinds & {"personal", "demonstrative"} else "other"
