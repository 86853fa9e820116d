"""AutoPRF: precision and recall of the words linked to source pronouns (Hardmeier & Federico 2010).

For each source pronoun, the candidate words linked to it are compared with the reference words
linked to it. Matches are clipped for each occurrence (001 §2, the default) or over the whole text
(000 §3.2), or each occurrence counts as a single pronoun (001 §4): recall is then APT without the
lists of identical and equivalent pronouns and without repair, over the occurrences that have a
reference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from crosspro.data_prep.core.errors import counted
from crosspro.data_prep.core.task import NONE, OTHER
from crosspro.data_prep.core.words import word_lists
from crosspro.evaluation.core.evaluation import Evaluation
from crosspro.evaluation.core.metric import Part, Scored
from crosspro.evaluation.core.statistics import Floats, harmonic_mean, quotient
from crosspro.evaluation.core.tables import Matrix, Table, make_matrices, without_rare
from crosspro.evaluation.inputs.anchors import Anchor, source_anchors, target_pronoun
from crosspro.evaluation.inputs.linked_text import Translation
from crosspro.evaluation.inputs.mt_input import MtInput
from crosspro.evaluation.inputs.pronoun_forms import readings_of
from crosspro.evaluation.inputs.pronoun_lists import PronounLists, normal_form
from crosspro.evaluation.metrics.autoprf.settings import AutoPrfSettings
from crosspro.evaluation.metrics.linked_metric import (
    LinkedMetric,
    ShownPronoun,
    foreign_texts,
    linked_record,
    linked_scored,
)
from crosspro.evaluation.output.examples import Mark, Rendering
from crosspro.evaluation.output.text import group_table

DOCUMENT, PRONOUN = "document", "pronoun"
OTHER_WORD = "other"


@dataclass(frozen=True, slots=True)
class ComparedPronoun:
    """A source pronoun with the words that are compared, and how many match.

    Under corpus clipping matches belong to the text and not to an example.
    """

    anchor: Anchor
    reference: tuple[str, ...]
    candidate: tuple[str, ...]
    matches: int


ScoredText = Scored[MtInput, ComparedPronoun]
"""Source pronouns of some text, with what is compared."""


class AutoPrf(LinkedMetric[AutoPrfSettings, ComparedPronoun]):
    """Precision, recall and F1 in total, by source pronoun and by document."""

    name = "autoprf"
    settings_class = AutoPrfSettings
    title = "Precision and recall of pronouns (AutoPRF)"
    called = "AutoPRF"
    column = "AutoPRF F1"
    measures = {"precision": "precision", "recall": "recall", "f1": "F1"}
    headline = "f1"
    total_title = "TOTAL"
    grouped = PRONOUN
    fractions = {"precision": ("matches", "candidate"), "recall": ("matches", "reference")}
    hidden_breakdowns = (DOCUMENT,)
    verdict_kinds = (
        ("same words", "right"),
        ("some words", "part"),
        ("other words", "wrong"),
        ("not in cand.", "wrong"),
        ("not in ref.", "open"),
        ("in neither", "open"),
    )

    def items(self, data: MtInput) -> ScoredText:
        """The source pronouns in lower case or capitalised: IT is no pronoun."""
        anchors = [
            anchor
            for anchor in source_anchors(data.source, data.pronouns)
            if anchor.word in (anchor.pronoun, anchor.pronoun.capitalize())
        ]
        ours = _linked(anchors, data.reference)
        found = tuple(
            tuple(
                map(
                    partial(self._compared, data.pronouns),
                    anchors,
                    ours,
                    _linked(anchors, candidate),
                )
            )
            for candidate in data.candidates
        )
        warnings: Iterable[str] = ()
        if self.settings.one_pronoun:
            theirs = ((one.candidate for one in own) for own in found)
            warnings = foreign_texts(data, (one.reference for one in found[0]), theirs)
        return linked_scored(data, anchors, found, warnings)

    def _compared(
        self,
        lists: PronounLists,
        anchor: Anchor,
        ours: tuple[str, ...],
        theirs: tuple[str, ...],
    ) -> ComparedPronoun:
        if self.settings.ignore_case or self.settings.one_pronoun:
            ours, theirs = (tuple(word.lower() for word in side) for side in (ours, theirs))
        if self.settings.one_pronoun:
            ours, theirs = _single(ours, theirs, lists)
            return ComparedPronoun(
                anchor, ours, theirs, int(bool(ours) and ours == theirs != (OTHER,))
            )
        matches = sum((Counter(ours) & Counter(theirs)).values())
        return ComparedPronoun(anchor, ours, theirs, matches)

    def statistics(self, scored: ScoredText, system: int) -> Floats:
        """The numbers of candidate words, of reference words, and of matches.

        Where matches are clipped over the text, they follow from the counts of each word in
        reference and candidate, which stand in their place.
        """
        own = scored.items[system]
        sizes = [(len(e.candidate), len(e.reference), e.matches) for e in own]
        rows: Floats = np.array(sizes, dtype=np.float64).reshape(-1, 3)
        if self.settings.clipping == "occurrence":
            return rows
        column = {word: number for number, word in enumerate(_shared_words(scored))}
        counts = np.zeros((2, len(own), len(column)))
        for number, example in enumerate(own):
            for side, linked in enumerate((example.reference, example.candidate)):
                for word in linked:
                    if word in column:
                        counts[side, number, column[word]] += 1
        return np.concatenate((rows[:, :2], *counts), axis=1)

    def _matches(self, sums: Floats) -> Floats:
        if self.settings.clipping == "occurrence":
            return sums[:, 2]
        words = (sums.shape[1] - 2) // 2
        ours, theirs = sums[:, 2 : 2 + words], sums[:, 2 + words :]
        return np.asarray(np.minimum(ours, theirs).sum(axis=1))

    def score(self, sums: Floats) -> Mapping[str, Floats]:
        """Precision, recall and F1; not a number where nothing is linked."""
        matches = self._matches(sums)
        precision, recall = quotient(matches, sums[:, 0]), quotient(matches, sums[:, 1])
        f1 = harmonic_mean(precision, recall)
        f1[np.isnan(precision + recall)] = np.nan
        return {"precision": precision, "recall": recall, "f1": f1}

    def counts(self, sums: Floats) -> Mapping[str, int]:
        """Matches, and words of candidate and reference."""
        matches = int(self._matches(sums[None])[0])
        return {"matches": matches, "candidate": int(sums[0]), "reference": int(sums[1])}

    def parts(self, scored: ScoredText, system: int) -> Iterable[Part]:
        """Source pronouns, everything, and documents, which have no intervals."""
        anchors = [item.anchor for item in scored.items[0]]
        pronouns = np.array([anchor.pronoun for anchor in anchors], dtype=object)
        for pronoun in scored.data.pronouns.source_pronouns:
            chosen = np.asarray(pronouns == pronoun, dtype=bool)
            if chosen.any():
                yield Part(PRONOUN, pronoun, chosen)
        yield Part()
        documents = scored.data.documents
        if documents is not None:
            lines = np.array([anchor.sentence for anchor in anchors], dtype=np.int64)
            for number, name in enumerate(documents.names):
                chosen = np.asarray(documents.of_line[lines] == number, dtype=bool)
                yield Part(DOCUMENT, name, chosen, resampled=False)

    def verdicts(self, scored: ScoredText, system: int) -> Sequence[int]:
        """How far the words of each pronoun are the same."""
        return [verdict_of(item) for item in scored.items[system]]

    def described(self, scored: ScoredText, part: Part, measure: str, system: int) -> list[str]:
        """Lists, texts, pronouns, clipping, words, case and links."""
        lists, own = scored.data.pronouns, self.settings
        return [
            "metric:AutoPRF",
            f"pronouns:{lists.name}-{lists.digest}",
            f"text:{scored.facts['text']}",
            f"occurrences:{scored.size}",
            f"clipping:{own.clipping}",
            f"words:{'one-pronoun' if own.one_pronoun else 'all'}",
            f"case:{'ignored' if own.ignore_case or own.one_pronoun else 'kept'}",
            f"links:{scored.data.links}",
        ]

    def heading(self, scored: ScoredText) -> str:
        """How many pronouns were scored."""
        return f"AutoPRF of {counted(scored.size, 'pronoun')}"

    def tables(self, evaluation: Evaluation) -> Sequence[Table]:
        """Documents, and what is matched beside the pronoun, for those who ask for them."""
        found = []
        for one in evaluation.systems:
            groups = [group for group in one.groups if group.breakdown == DOCUMENT]
            title = f"{one.name} by document"
            found.append(group_table(evaluation, groups, title, DOCUMENT, "by_document"))
        for one in evaluation.systems:
            clipped = one.facts["clipped"]
            rows = [
                (kind, ", ".join(f"{w} {n}" for w, n in own["words"].items()), str(own["pronouns"]))
                for kind, own in clipped["additional"].items()
            ]
            note = (
                f"{clipped['above_one']:,} of {evaluation.scored.size:,} pronouns match in more "
                f"than one word; {clipped['one_pronoun']:,} of these have exactly one pronoun "
                "among them."
            )
            heading = ("additional words", "which", "pronouns") if rows else ()
            title = f"{one.name}: matches beside the pronoun"
            found.append(Table(heading, rows, title, 2, (note,), option="clipped"))
        return found

    def of_system(self, scored: ScoredText, system: int) -> Mapping[str, Any]:
        """What is matched beside the pronoun."""
        return {"clipped": clipped_counts(scored.items[system], scored.data.pronouns)}

    def _cells(self, scored: ScoredText) -> list[list[tuple[str, str]]]:
        """Reference and candidate words of each pronoun, rare ones under one label."""
        return without_rare(
            [
                [(" ".join(e.reference) or NONE, " ".join(e.candidate) or NONE) for e in own]
                for own in scored.items
            ]
        )

    def matrices(self, scored: ScoredText) -> Sequence[Matrix]:
        """Words of the reference against words of the candidate."""
        return make_matrices(self._cells(scored))

    def details(self, scored: ScoredText, system: int) -> Iterator[Mapping[str, Any]]:
        """Each pronoun with the words that are compared, and its sentences."""
        for item in scored.items[system]:
            own = {
                "reference": list(item.reference),
                "candidate": list(item.candidate),
                "matches": item.matches,
            }
            yield linked_record(scored.data, item.anchor, system, own)

    def shown(self, scored: ScoredText, numbers: Iterable[int]) -> list[ShownPronoun]:
        """Pronouns with what is linked to them."""
        data, cells = scored.data, self._cells(scored)

        def mark(translation: Translation, anchor: Anchor) -> Mark:
            links = translation.links.sentence(anchor.sentence)
            return Mark(0, (anchor.position,), links.targets(anchor.position))

        shown: list[ShownPronoun] = []
        for number in numbers:
            anchor = scored.items[0][number].anchor
            renderings = [
                Rendering(
                    verdict_of(scored.items[place][number]),
                    *cells[place][number],
                    [mark(candidate, anchor)],
                )
                for place, candidate in enumerate(data.candidates)
            ]
            shown.append((anchor, mark(data.reference, anchor), renderings))
        return shown


def verdict_of(example: ComparedPronoun) -> int:
    """The number of the verdict on the words of an example."""
    if not example.reference:
        return 4 if example.candidate else 5
    if not example.candidate:
        return 3
    if not example.matches:
        return 2
    return 0 if example.matches == len(example.reference) == len(example.candidate) else 1


def clipped_counts(examples: Sequence[ComparedPronoun], lists: PronounLists) -> dict[str, Any]:
    """What is matched beside the pronoun where AutoPRF counts more than one word (001 §4).

    001 asks whether it is right to count all linked words. Of 143 pronouns with a clipped count
    above one, each had exactly one pronoun among its matches; the others were mostly *que* and
    auxiliaries. They are sorted here by the lists of `conf/words/clipped/`, the most frequent kind
    first; words of no list are *other*. Of several pronouns the first is the translated one.
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
    additional = {
        kind: {"pronouns": number, "words": dict(found.most_common())}
        for kind, (number, found) in sorted(kinds.items(), key=lambda item: -item[1][0])
    }
    return {"above_one": above, "one_pronoun": single, "additional": additional}


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


def _linked(anchors: Sequence[Anchor], translation: Translation) -> list[tuple[str, ...]]:
    found = []
    line = -1
    for anchor in anchors:
        if anchor.sentence != line:
            line = anchor.sentence
            links = translation.links.sentence(line)
            words = translation.text.raw_words(line)
        found.append(tuple(words[t].decode("utf-8") for t in links.targets(anchor.position)))
    return found


def _single(
    reference: tuple[str, ...], candidate: tuple[str, ...], lists: PronounLists
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """One pronoun a side: one that both have, else the first; OTHER where no word is one."""
    ours, theirs = (
        [word for word in (target_pronoun(one, lists) for one in side) if word is not None]
        for side in (reference, candidate)
    )
    shared = [word for word in ours if word in theirs]
    chosen = [
        tuple((shared or found or [OTHER])[:1]) if side else ()
        for side, found in ((reference, ours), (candidate, theirs))
    ]
    return chosen[0], chosen[1]


def _shared_words(scored: ScoredText) -> list[str]:
    """The words that are linked in the reference and in some candidate."""
    every = [one for own in scored.items for one in own]
    ours = {word for one in every for word in one.reference}
    theirs = {word for one in every for word in one.candidate}
    return sorted((ours & theirs) - {OTHER})


METRIC = AutoPrf
