"""Whether an *it* refers to nothing, as a scorer tells."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from crosspro.baselines.features.feature import Bins, Column, Feature
from crosspro.baselines.features.gaps import Batch
from crosspro.baselines.features.values import NOTHING, Values
from crosspro.baselines.it_classifier.context import LABELS, PLEONASTIC, PRONOUN, ItContext
from crosspro.baselines.it_classifier.labelling import annotate_contexts

_TENTHS = Bins([round(0.1 * step, 1) for step in range(1, 11)])
_ANSWERS = ("no", "yes")


def pleonastic(batch: Batch, _: int) -> Iterator[Column]:
    """Whether *it* refers to nothing: the more probable answer, and its probability in tenths."""
    scorer = batch.resources.pleonastic
    pronouns = batch.codes("source word", 0)
    is_it = pronouns == batch.reader.readings["source word"].code(PRONOUN)
    places = np.flatnonzero(is_it) if scorer else np.zeros(0, np.int64)
    chances = np.zeros(0)
    if scorer:
        asked = [_it(batch, number) for number in places.tolist()]
        contexts = annotate_contexts(asked, scorer.annotator)
        chances = scorer.probabilities(contexts)[:, LABELS.index(PLEONASTIC)]
    for slot, found in (
        ("pleonastic", Values((chances > 0.5).astype(np.int64), _ANSWERS)),
        ("pleonastic probability", _TENTHS.column(chances)),
    ):
        codes = np.full(len(batch), NOTHING)
        codes[places] = found.codes
        yield slot, Values(codes, found.names)


def _it(batch: Batch, number: int) -> ItContext:
    """An *it* with the sentence before, where sentences before count."""
    line, index = batch.lines[number], batch.indices[number]
    before: tuple[str, ...] = ()
    if batch.resources.context and index and line.document is not None:
        earlier = batch.examples[index - 1]
        before = earlier.source if earlier.document == line.document else ()
    return ItContext(line.source, batch.gaps[number].source_index, before)


FEATURES = (Feature("pleonastic", "whether it refers to nothing", pleonastic, ("english_source",)),)
