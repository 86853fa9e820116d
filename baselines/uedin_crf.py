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
from numpy.typing import NDArray
from pydantic import Field
from scipy.sparse import csr_matrix

from crosspro.baselines.crf import ChainCRF, CRFSettings, Features
from crosspro.baselines.feature_files import load_vocabulary, save_vocabulary
from crosspro.baselines.feature_system import NULL, FeatureSettings, FeatureSystem, ReadGaps
from crosspro.baselines.features.gaps import Batch, Resources, batches
from crosspro.baselines.features.nouns import PARSES, antecedent_places
from crosspro.baselines.features.text import NOTHING
from crosspro.data_prep.core.settings import settings
from crosspro.data_prep.lexicon.antecedents import pronoun_chains
from crosspro.prediction.evidence import Evidence, GapQuestion
from crosspro.prediction.system import Examples, Probabilities

Ints = NDArray[np.int64]


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


@settings
class UedinSettings(CRFSettings, FeatureSettings):
    """What is read of each gap, and how the chain is trained; it has no weights of classes."""

    steps: Literal["one"] = "one"
    class_weight_power: Annotated[float, Field(ge=0, le=0)] = 0.0
    l2: Annotated[float, Field(ge=0, le=1e9)] = 1.0


class UedinCRF(FeatureSystem):
    """Features as those of `FeatureSystem`, whose weights a chain learns."""

    name = "uedin_crf"
    settings_class = UedinSettings
    settings: UedinSettings
    chain: ChainCRF

    @property
    def layers_read(self) -> frozenset[str]:
        """Those of the features, and the chains that gaps are joined by."""
        return super().layers_read | {"chains", *PARSES}

    def without_chains(self) -> dict[str, str]:
        """The sequence of a gap, too, is another without chains."""
        instead = "the gaps with the same nearest noun that agrees in number"
        return {**super().without_chains(), "a chain": instead}

    @property
    def labels(self) -> tuple[str, ...]:
        """The classes, and what is not translated."""
        return (*self.task.classes, NULL)

    def learn(self, train: ReadGaps, dev: ReadGaps) -> None:
        """Train the chain on the labelled gaps of each sequence."""
        features = self._features(train.matrix)
        labels = train.labels.tolist()
        rows = (
            [row for row in sequence.tolist() if labels[row] >= 0]
            for sequence in pronoun_sequences(train.examples, self.resources)
        )
        sequences = (
            ([features[row] for row in known], [self.labels[labels[row]] for row in known])
            for known in rows
            if known
        )
        self.chain = ChainCRF.train(sequences, self.settings)

    def chances(self, examples: Examples, read: csr_matrix) -> Probabilities:
        """Marginals of the chains; the last column is what is not translated."""
        features = self._features(read)
        chances = np.zeros((read.shape[0], len(self.labels)))
        for sequence in pronoun_sequences(examples, self.resources):
            tokens = [features[row] for row in sequence.tolist()]
            chances[sequence] = self.chain.marginals(tokens, range(len(tokens)), self.labels)
        return chances

    def _features(self, read: csr_matrix) -> list[Features]:
        """The features of each gap by name."""
        names = self.vocabulary.names()
        ends = zip(read.indptr[:-1].tolist(), read.indptr[1:].tolist(), strict=True)
        indices, values = read.indices.tolist(), read.data.tolist()
        return [{names[indices[at]]: values[at] for at in range(start, end)} for start, end in ends]

    def evidence(self, question: GapQuestion) -> Evidence:
        """The best path through the pronouns of the chain, and what the gap's features add."""
        examples = question.examples
        sequences = pronoun_sequences(examples, self.resources)
        rows = next(rows.tolist() for rows in sequences if question.row in rows)
        features = self._features(self._matrix(examples))
        pronouns = [
            f"line {line - question.line:+d} {example.source[gap.source_index]}"
            if line != question.line
            else f"this line {example.source[gap.source_index]}"
            for line, example in enumerate(examples)
            for gap in example.gaps
        ]
        names = {place: pronouns[row] for place, row in enumerate(rows)}
        pair = self.task.classes[question.chosen], self.task.classes[question.against]
        tokens = [features[row] for row in rows]
        return self.chain.evidence(question, tokens, rows.index(question.row), pair, names)

    def save_learnt_model(self, folder: Path) -> None:
        """Write the vocabulary and the chain."""
        save_vocabulary(folder, self.vocabulary)
        self.chain.save(folder)

    def load_learnt_model(self, folder: Path) -> None:
        """Read them."""
        self.vocabulary = load_vocabulary(folder)
        self.chain = ChainCRF.load(folder)
