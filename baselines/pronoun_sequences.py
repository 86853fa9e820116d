"""The pronouns of one coreference chain as a sequence (UEDIN 2016, 003 §5.5).

Where the data has chains (X.chains.tsv), the gaps whose pronouns a chain mentions in a document are
a sequence, in reading order; of lines without a document those of one line. Without them gaps are
taken to belong together if they would have the same antecedent: the nearest noun that agrees in
number. A gap of no chain is a sequence of its own.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import groupby

import numpy as np

from crosspro.baselines.crf.packed import Ints
from crosspro.baselines.features.gaps import Batch, Resources, batches
from crosspro.baselines.features.reference import antecedent
from crosspro.data_prep.antecedents import pronoun_chains
from crosspro.data_prep.example import Example


def pronoun_sequences(examples: Sequence[Example], resources: Resources) -> list[Ints]:
    """The numbers of the gaps of each sequence; all gaps are in one."""
    documents = _documents(examples)
    members: dict[Hashable, list[int]] = {}
    row = 0
    for batch in batches(examples, resources):
        for number in range(len(batch)):
            key = _key(batch, number, documents)
            members.setdefault(("alone", row) if key is None else key, []).append(row)
            row += 1
    return [np.array(rows, dtype=np.int64) for rows in members.values()]


def _key(batch: Batch, number: int, documents: Sequence[int]) -> Hashable | None:
    """What the gaps of a sequence have in common; None for a gap of no chain."""
    index, example = batch.indices[number], batch.lines[number].example
    if example.chains is not None:
        chains = pronoun_chains(example, batch.gaps[number])
        return ("chain", documents[index], min(chains)) if chains else None
    noun = antecedent(batch, number)
    return None if noun is None else ("noun", index - noun.sentences, noun.index)


def _documents(examples: Sequence[Example]) -> list[int]:
    """The number of each line's document; a line whose document is not known stands alone."""
    numbered = enumerate(examples)
    runs = groupby(numbered, key=lambda one: one[1].document or one[0])
    return [number for number, (_, run) in enumerate(runs) for _ in run]
