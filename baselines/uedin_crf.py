"""UEDIN 2016 (003 §5.5), the other model: a CRF over the pronouns of one coreference chain.

It reads gaps as the maximum-entropy classifier of UEDIN does; the classes of a chain are chosen
together, so that the same antecedent may get the same pronoun. A gap of no chain is classified
alone. The paper found it worse than maximum entropy throughout.

Where the data has chains (X.chains.tsv), the gaps whose pronouns a chain mentions in a document are
a sequence, in reading order; of lines without a document those of one line. Without them gaps are
taken to belong together if they would have the same antecedent: the nearest noun that agrees in
number. A gap of no chain is a sequence of its own.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import Field
from scipy.sparse import csr_matrix

from crosspro.baselines.crf.chain import Ints
from crosspro.baselines.crf.model import (
    ChainModel,
    ChainTraining,
    Penalty,
    averaged_class_weights,
    best_path,
    load_chain,
    train_chain,
)
from crosspro.baselines.feature_files import load_vocabulary, save_vocabulary
from crosspro.baselines.feature_system import (
    NULL,
    FeatureSettings,
    FeatureSystem,
    ReadGaps,
)
from crosspro.baselines.features.gaps import Batch, Resources, batches
from crosspro.baselines.features.nouns import PARSES, antecedent_places
from crosspro.baselines.features.text import NOTHING
from crosspro.data_prep.core.settings import settings
from crosspro.data_prep.lexicon.antecedents import pronoun_chains
from crosspro.prediction.evidence import Evidence, GapQuestion
from crosspro.prediction.system import Examples, Probabilities


def pronoun_sequences(examples: Examples, resources: Resources) -> list[Ints]:
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


def _documents(examples: Examples) -> list[int]:
    """The number of each line's document; a line whose document is not known stands alone."""
    numbered = enumerate(examples)
    runs = groupby(numbered, key=lambda one: one[1].document or one[0])
    return [number for number, (_, run) in enumerate(runs) for _ in run]


_CHAIN = "chain.npz"


@settings
class UedinSettings(ChainTraining, FeatureSettings):
    """What is read of each gap, and how the chain is trained."""

    steps: Literal["one"] = "one"
    l2: Penalty = 3.0
    batch_tokens: Annotated[int, Field(ge=1)] = 1024


class UedinCRF(FeatureSystem):
    """Features as those of `FeatureSystem`, whose weights a chain learns."""

    name = "uedin_crf"
    settings_class = UedinSettings
    settings: UedinSettings
    chain: ChainModel

    @property
    def layers_read(self) -> frozenset[str]:
        """Those of the features, and the chains that gaps are joined by."""
        return super().layers_read | {"chains", *PARSES}

    def without_chains(self) -> dict[str, str]:
        """The sequence of a gap, too, is another without chains."""
        instead = "the gaps with the same nearest noun that agrees in number"
        return {**super().without_chains(), "a chain": instead}

    def learn(self, train: ReadGaps, dev: ReadGaps) -> None:
        """Train the chain on the labelled gaps of each sequence, which weighs what they do."""
        known = [rows[train.labels[rows] >= 0] for rows in self._sequences(train.examples)]
        order, lengths = _in_line([rows for rows in known if len(rows)])
        size = len(self.task.classes) + self.settings.null_class
        read, labels = train.matrix[order], train.labels[order]
        self.chain = train_chain(
            read.__getitem__,
            read.shape[1],
            lengths,
            labels,
            size,
            self.settings,
            averaged_class_weights(labels, lengths, size, self.settings.class_weight_power),
        )

    def chances(self, examples: Examples, read: csr_matrix) -> Probabilities:
        """Marginals of the chains; the last column is what is not translated."""
        found = np.zeros((read.shape[0], len(self.task.classes) + 1))
        order, lengths = _in_line(self._sequences(examples))
        marginals = self.chain.marginals(read[order].__getitem__, lengths)
        found[order, : marginals.shape[1]] = marginals
        return found

    def _sequences(self, examples: Examples) -> list[Ints]:
        return pronoun_sequences(examples, self.resources)

    def evidence(self, question: GapQuestion) -> Evidence:
        """The best path through the pronouns of the chain, and what the gap's features add."""
        examples = question.examples
        own = next(rows for rows in self._sequences(examples) if question.row in rows)
        place = int(np.flatnonzero(own == question.row)[0])
        read = self._matrix(examples)[own]
        path = best_path(self.chain, read.__getitem__, np.array([len(own)]))
        names = (*self.task.classes, NULL)
        known = self.vocabulary.names()
        features = {number: known[number] for number in read[[place]].indices.tolist()}
        pronouns = [
            f"line {line - question.line:+d} {example.source[gap.source_index]}"
            if line != question.line
            else f"this line {example.source[gap.source_index]}"
            for line, example in enumerate(examples)
            for gap in example.gaps
        ]
        tokens = [pronouns[row] for row in own]
        return path.evidence(question, place, features, names, tokens, range(len(own)))

    def save_learnt_model(self, folder: Path) -> None:
        """Write the vocabulary and the chain."""
        save_vocabulary(folder, self.vocabulary)
        self.chain.save(folder / _CHAIN)

    def load_learnt_model(self, folder: Path) -> None:
        """Read them."""
        self.vocabulary = load_vocabulary(folder)
        size = len(self.task.classes) + self.settings.null_class
        self.chain = load_chain(folder / _CHAIN, len(self.vocabulary), size)


def _in_line(sequences: Sequence[Ints]) -> tuple[Ints, Ints]:
    """The gaps of all sequences one after the other, and the length of each sequence."""
    order = np.concatenate([np.zeros(0, np.int64), *sequences])
    return order, np.array([len(rows) for rows in sequences], dtype=np.int64)
