"""AutoPRF: precision and recall of the words linked to source pronouns (Hardmeier & Federico 2010).

For each source pronoun, the candidate words linked to it are compared with the reference words
linked to it. Matches are clipped for each occurrence (001 §2, the default) or over the whole text
(000 §3.2), or each occurrence counts as a single pronoun (001 §4): recall is then APT without the
lists of identical and equivalent pronouns and without repair, over the occurrences that have a
reference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from crosspro.data_prep.core.task import OTHER
from crosspro.evaluation.core.pairs import PairChoice, every_pair
from crosspro.evaluation.core.signature import make_signature
from crosspro.evaluation.core.significance import (
    Difference,
    Resampling,
    paired_tests,
)
from crosspro.evaluation.core.units import ResampledUnits, side_by_side
from crosspro.evaluation.inputs.anchors import Anchor, source_anchors, target_pronoun
from crosspro.evaluation.inputs.document_units import Documents, sentence_units
from crosspro.evaluation.inputs.linked_text import Text, Translation, text_digest
from crosspro.evaluation.inputs.pronoun_lists import PronounLists
from crosspro.evaluation.metrics.autoprf.clipped import ClippedCounts, clipped_counts
from crosspro.evaluation.metrics.autoprf.counts import (
    ComparedPronoun,
    CountTable,
    PrfRow,
    shared_words,
)

Clipping = Literal["occurrence", "corpus"]


@dataclass(frozen=True)
class AutoPrfSettings:
    """How matches are counted; `links` says where the links come from."""

    clipping: Clipping = "occurrence"
    one_pronoun: bool = False
    ignore_case: bool = False
    links: str = "given"


@dataclass(frozen=True)
class AutoPrfResult:
    """The scores of one candidate."""

    name: str
    total: PrfRow
    pronouns: tuple[PrfRow, ...]
    documents: tuple[PrfRow, ...]
    examples: tuple[ComparedPronoun, ...]
    clipped: ClippedCounts


@dataclass(frozen=True)
class AutoPrfEvaluation:
    """The scores of all candidates, and their differences under each metric."""

    lists: PronounLists
    settings: AutoPrfSettings
    results: tuple[AutoPrfResult, ...]
    comparisons: tuple[Difference, ...]
    units: ResampledUnits
    warnings: tuple[str, ...] = ()


def evaluate_autoprf(
    source: Text,
    reference: Translation,
    candidates: Sequence[Translation],
    lists: PronounLists,
    settings: AutoPrfSettings,
    plan: Resampling | None,
    documents: Documents | None = None,
    pairs: PairChoice = every_pair,
) -> AutoPrfEvaluation:
    """Score candidates. Pronouns count in lower case or capitalised: IT is no pronoun."""
    anchors = [
        anchor
        for anchor in source_anchors(source, lists)
        if anchor.word in (anchor.pronoun, anchor.pronoun.capitalize())
    ]
    units = sentence_units([anchor.sentence for anchor in anchors], documents)
    plan = plan if anchors else None
    texts = text_digest(source, reference.text)
    signature = _signature(lists, settings, plan, units, len(anchors), texts)
    ours = _linked(anchors, reference)
    examples_of = [
        _examples(anchors, ours, _linked(anchors, candidate), lists, settings)
        for candidate in candidates
    ]
    words = shared_words(examples_of) if settings.clipping == "corpus" else None
    tables = [CountTable(examples, units, words) for examples in examples_of]
    results = []
    for candidate, examples, table in zip(candidates, examples_of, tables, strict=True):
        results.append(
            AutoPrfResult(
                candidate.name,
                table.row("TOTAL", np.ones(len(anchors), dtype=bool), plan, signature),
                tuple(_by_pronoun(table, anchors, lists, plan, signature)),
                tuple(_by_document(table, anchors, documents, signature)),
                tuple(examples),
                clipped_counts(examples, lists),
            )
        )
    comparisons: list[Difference] = []
    if plan is not None:
        names, f1 = [one.name for one in results], [one.total.values[-1] for one in results]
        for one, other in pairs(names, f1):
            both = side_by_side(tables[one].statistics(), tables[other].statistics())
            pair = names[one], names[other]
            comparisons += paired_tests(pair, both, tables[one].metrics, plan)
    warnings = _foreign(reference.name, results, lists) if settings.one_pronoun else []
    if not anchors:
        warnings = ["no pronoun of the lists was found: there is no score"]
    elif plan and units.few_documents:
        warnings.append(f"only {units.count} documents: their bootstrap intervals are too narrow")
    return AutoPrfEvaluation(
        lists, settings, tuple(results), tuple(comparisons), units, tuple(warnings)
    )


def _foreign(reference: str, results: Sequence[AutoPrfResult], lists: PronounLists) -> list[str]:
    """A warning for each text in which no pronoun of the lists was found."""
    sides = [(reference, [example.reference for example in results[0].examples])]
    sides += [(one.name, [example.candidate for example in one.examples]) for one in results]
    return [
        f"{name}: no target pronoun of the lists {lists.name} is linked to a pronoun; are they the "
        "lists of this language pair?"
        for name, words in sides
        if all(own in ((), (OTHER,)) for own in words)
    ]


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


def _examples(
    anchors: Sequence[Anchor],
    references: Iterable[tuple[str, ...]],
    candidates: Iterable[tuple[str, ...]],
    lists: PronounLists,
    settings: AutoPrfSettings,
) -> list[ComparedPronoun]:
    found = []
    for anchor, ours, theirs in zip(anchors, references, candidates, strict=True):
        if settings.ignore_case or settings.one_pronoun:
            ours, theirs = (tuple(word.lower() for word in side) for side in (ours, theirs))
        if settings.one_pronoun:
            ours, theirs = _single(ours, theirs, lists)
            matches = int(bool(ours) and ours == theirs != (OTHER,))
        else:
            matches = sum((Counter(ours) & Counter(theirs)).values())
        found.append(ComparedPronoun(anchor, ours, theirs, matches))
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


def _by_pronoun(
    table: CountTable,
    anchors: Sequence[Anchor],
    lists: PronounLists,
    plan: Resampling | None,
    signature: str,
) -> Iterable[PrfRow]:
    pronouns = np.array([anchor.pronoun for anchor in anchors], dtype=object)
    for pronoun in lists.source_pronouns:
        chosen = np.asarray(pronouns == pronoun, dtype=bool)
        if chosen.any():
            yield table.row(pronoun, chosen, plan, signature)


def _by_document(
    table: CountTable, anchors: Sequence[Anchor], documents: Documents | None, signature: str
) -> Iterable[PrfRow]:
    if documents is None:
        return
    lines = np.array([anchor.sentence for anchor in anchors], dtype=np.int64)
    of_item = documents.of_line[lines]
    for number, name in enumerate(documents.names):
        chosen = np.asarray(of_item == number, dtype=bool)
        yield table.row(name, chosen, None, signature)


def _signature(
    lists: PronounLists,
    settings: AutoPrfSettings,
    plan: Resampling | None,
    units: ResampledUnits,
    occurrences: int,
    texts: str,
) -> str:
    """How a score was computed, in one line that can be quoted with it."""
    parts = [
        "metric:AutoPRF",
        f"pronouns:{lists.name}-{lists.digest}",
        f"text:{texts}",
        f"occurrences:{occurrences}",
        f"clipping:{settings.clipping}",
        f"words:{'one-pronoun' if settings.one_pronoun else 'all'}",
        f"case:{'ignored' if settings.ignore_case or settings.one_pronoun else 'kept'}",
        f"links:{settings.links}",
    ]
    return make_signature(parts, plan, units.name)
