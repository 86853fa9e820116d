"""The pronouns of one coreference chain as a sequence (UEDIN 2016, 003 §5.5).

Where the data has chains (X.chains.tsv), the gaps whose pronouns a chain mentions in a document are
a sequence, in reading order; of lines without a document those of one line. Without them gaps are
taken to belong together if they would have the same antecedent: the nearest noun that agrees in
number. A gap of no chain is a sequence of its own.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from itertools import groupby

import numpy as np

from crosspro.baselines.crf.packed import Ints
from crosspro.baselines.features.gaps import Batch, Resources, batches
from crosspro.baselines.features.reference import antecedent_places
from crosspro.baselines.features.values import NOTHING
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.lexicon.antecedents import pronoun_chains


def pronoun_sequences(examples: Sequence[Example], resources: Resources) -> list[Ints]:
    """The numbers of the gaps of each sequence; all gaps are in one."""
    documents = _documents(examples)
    members: dict[Hashable, list[int]] = {}
    row = 0
    for batch in batches(examples, resources):
        for key in _keys(batch, documents):
            members.setdefault(("alone", row) if key is None else key, []).append(row)
            row += 1
    return [np.array(rows, dtype=np.int64) for rows in members.values()]


def _keys(batch: Batch, documents: Sequence[int]) -> Iterator[Hashable | None]:
    """What the gaps of a sequence have in common; None for a gap of no chain."""
    nouns, _ = antecedent_places(batch)
    located = zip(*batch.target.line_and_place(nouns), strict=True)
    gaps = zip(batch.lines, batch.gaps, batch.indices, nouns.tolist(), located, strict=True)
    for example, gap, index, noun, place in gaps:
        if example.chains is not None:
            chains = pronoun_chains(example, gap)
            yield ("chain", documents[index], min(chains)) if chains else None
        else:
            yield None if noun == NOTHING else ("noun", *place)


def _documents(examples: Sequence[Example]) -> list[int]:
    """The number of each line's document; a line whose document is not known stands alone."""
    numbered = enumerate(examples)
    runs = groupby(numbered, key=lambda one: one[1].document or one[0])
    return [number for number, (_, run) in enumerate(runs) for _ in run]
