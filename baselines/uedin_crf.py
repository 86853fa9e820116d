"""UEDIN 2016 (003 §5.5), the other model: a CRF over the pronouns of one coreference chain.

It reads gaps as the maximum-entropy classifier of UEDIN does; the classes of a chain are chosen
together, so that the same antecedent may get the same pronoun. The paper found it worse than
maximum entropy throughout.

Where the data has chains (X.chains.tsv), the gaps whose pronouns a chain mentions in a document are
a sequence, in reading order; of lines without a document those of one line. Without them gaps
belong together if they have the same antecedent: the nearest noun that agrees in number. A gap of
no chain is a sequence of its own.
"""

from __future__ import annotations

from collections.abc import Hashable
from itertools import groupby
from pathlib import Path
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field
from scipy.sparse import csr_matrix

from crosspro.baselines.crf import ChainCRF, CRFSettings
from crosspro.baselines.estimators.linear import LabelledRows
from crosspro.baselines.feature_reader import FeatureReading, ReaderSettings
from crosspro.baselines.features.nouns import PARSES, antecedent
from crosspro.baselines.features.view import GapView, Resources, gap_views
from crosspro.data_prep.core.settings import settings
from crosspro.data_prep.lexicon.antecedents import pronoun_chains
from crosspro.prediction.system import Examples, Probabilities


def pronoun_sequences(examples: Examples, resources: Resources) -> list[list[int]]:
    """The numbers of the gaps of each sequence; all gaps are in one."""
    # A line whose document is not known stands alone.
    runs = groupby(enumerate(examples), key=lambda pair: pair[1].document or pair[0])
    documents = [number for number, (_, run) in enumerate(runs) for _ in run]
    members: dict[Hashable, list[int]] = {}
    for row, view in enumerate(gap_views(examples, resources)):
        chain = _chain(view, documents[view.index])
        members.setdefault(("alone", row) if chain is None else chain, []).append(row)
    return list(members.values())


def _chain(view: GapView, document: int) -> Hashable | None:
    """What the gaps of a sequence have in common; None for a gap of no chain."""
    if view.example.chains is not None:
        chains = pronoun_chains(view.example, view.gap)
        return ("chain", document, min(chains)) if chains else None
    noun = antecedent(view)
    return None if noun is None else ("noun", view.index - noun.sentences, noun.index)


@settings
class UedinSettings(CRFSettings, ReaderSettings):
    """What is read of each gap, and how the chain is trained."""

    l2: Annotated[float, Field(ge=0, le=1e9)] = 1.0


class UedinCRF(FeatureReading):
    """A chain over gaps, which `FeatureSystem` classifies one at a time."""

    name = "uedin_crf"
    settings_class = UedinSettings
    settings: UedinSettings
    without_chains: ClassVar = {
        "a chain": "the gaps with the same nearest noun that agrees in number"
    }
    chain: ChainCRF

    @property
    def layers_read(self) -> frozenset[str]:
        """Those of the features, and the chains that gaps are joined by."""
        return super().layers_read | {"chains", *PARSES}

    def fit_rows(self, examples: Examples, rows: LabelledRows, dev: LabelledRows) -> None:
        features, labels = self._features(rows.matrix), rows.labels.tolist()
        labelled = (
            [row for row in sequence if labels[row] >= 0]
            for sequence in pronoun_sequences(examples, self.resources)
        )
        sequences = (
            ([features[row] for row in sequence], [self.labels[labels[row]] for row in sequence])
            for sequence in labelled
            if sequence
        )
        self.chain = ChainCRF.train(sequences, self.settings)

    def unadjusted(self, examples: Examples) -> Probabilities:
        features = self._features(self.matrix(examples))
        chances = np.zeros((len(features), len(self.labels)))
        for rows in pronoun_sequences(examples, self.resources):
            tokens = [features[row] for row in rows]
            chances[rows] = self.chain.marginals(tokens, range(len(tokens)), self.labels)
        return self.with_null(chances)

    def _features(self, matrix: csr_matrix) -> list[list[str]]:
        names = [*self.vocabulary]
        rows = np.split(matrix.indices, matrix.indptr[1:-1])
        return [[names[column] for column in row.tolist()] for row in rows][: matrix.shape[0]]

    def save_state(self, folder: Path) -> None:
        super().save_state(folder)
        self.chain.save(folder)

    def load_state(self, folder: Path) -> None:
        super().load_state(folder)
        self.chain = ChainCRF.load(folder)
