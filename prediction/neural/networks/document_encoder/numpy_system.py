"""A saved document encoder that predicts without torch.

It is loaded in place of a `NeuralSystem` wherever predictions are wanted, and says the same.
Training needs torch: `load_system(run, to_train=True)`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from crosspro.data_prep.core.errors import CrossproError
from crosspro.data_prep.core.example import Example
from crosspro.prediction.neural.network_system import NetworkSystem, PointedTokens
from crosspro.prediction.neural.networks.document_encoder.numpy_reader import (
    NumpyDocumentEncoder,
    ReadRows,
)
from crosspro.prediction.neural.networks.document_encoder.rows import DocumentEncoderSettings
from crosspro.prediction.stored_tensors import Arrays
from crosspro.prediction.system import Classes, Probabilities


class NumpySystem(NetworkSystem):
    """Predicts in numpy with the weights of a run or an archive."""

    single_threaded = True
    network: NumpyDocumentEncoder

    def fit(self, *_: Any) -> None:
        raise CrossproError(f"{self.shown_name}: train a new system with system.init_from instead")

    @property
    def reach(self) -> int:
        """As many words as sub-words, since words are no shorter."""
        return max(self.network.settings.source_before, self.network.settings.target_before)

    def unadjusted(self, examples: Sequence[Example]) -> Probabilities:
        parts = [read.probabilities for read in self._read(examples)]
        return np.concatenate([np.zeros((0, len(self.task.classes))), *parts])

    def pointed_tokens(
        self, examples: Sequence[Example], classes: Classes
    ) -> Iterator[PointedTokens]:
        start = 0
        for read in self._read(examples):
            end = start + len(read.probabilities)
            nouns, layout = read.rows.nouns, read.rows.layout
            columns = (
                start + read.rows.noun_gaps,
                layout.position[nouns],
                read.of_nouns,
                read.nouns_given(classes[start:end]),
            )
            in_source = layout.in_source[nouns]
            yield PointedTokens("target", *(column[~in_source] for column in columns))
            yield PointedTokens("source", *(column[in_source] for column in columns))
            start = end

    def _read(self, examples: Sequence[Example]) -> list[ReadRows]:
        """In one thread: products are small, and threads that wait for each other are slow."""
        text = self.encoder.encode(examples, self.task).with_context(self.context)
        with threadpool_limits(1, user_api="blas"):
            return list(self.network.read(text))

    def weights(self) -> Arrays:
        return self.network.arrays

    def take_weights(self, arrays: Arrays) -> None:
        settings = cast(DocumentEncoderSettings, self.settings.network)
        self.network = NumpyDocumentEncoder(arrays, settings, self.inventory)
