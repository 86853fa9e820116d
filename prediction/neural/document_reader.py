"""A saved document encoder that predicts without torch.

It is loaded in place of a `NeuralSystem` wherever predictions are wanted, and says the same. What
only torch can do, explaining and training on, `trainable` does, from the same weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.core.errors import CrossproError, how_to_install
from crosspro.data_prep.core.example import Example, Side
from crosspro.data_prep.core.files import atomic_output
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.formats.pointed_nouns import PointedNouns
from crosspro.prediction.adjustment import load_adjustment, save_adjustment
from crosspro.prediction.evidence import Evidence, GapQuestion
from crosspro.prediction.neural.document_arrays import DocumentArrays, DocumentText, ReadRows
from crosspro.prediction.neural.network_system import NetworkSystem
from crosspro.prediction.neural.reading.document_kind import DocumentKind, DocumentSettings
from crosspro.prediction.neural.reading.encoding import encode
from crosspro.prediction.neural.reading.word_places import NounSums
from crosspro.prediction.stored_tensors import FULL, WEIGHTS_FILE, narrowed, taken_weights
from crosspro.prediction.system import Classes, Probabilities

if TYPE_CHECKING:
    from crosspro.prediction.neural.system import NeuralSystem


class DocumentReader(NetworkSystem):
    """Predicts in numpy with the weights of a run or an archive."""

    network: DocumentArrays

    @classmethod
    def kind_of(cls, network: str) -> type[DocumentKind]:
        """That of document encoders, for which alone the registry has this class."""
        return DocumentKind

    def fit(
        self,
        task: Task,
        train: Sequence[Example],
        dev: Sequence[Example],
        folder: Path | None = None,
    ) -> None:
        """Refused: a new system goes on from this one."""
        raise CrossproError(
            f"{self.shown_name}: a saved system predicts; to train on, make a new one that goes on "
            "from its run or archive (system.init_from)"
        )

    def unadjusted(self, examples: Sequence[Example]) -> Probabilities:
        """The probabilities of the network."""
        text = self._text(examples)
        found = np.zeros((len(text.sizes), len(self.task.classes)))

        def use(gaps: slice, read: ReadRows) -> None:
            found[gaps] = read.chances

        self.network.read_all(text, use)
        return found

    def antecedents(self, examples: Sequence[Example], classes: Classes) -> list[PointedNouns]:
        """The nouns that the network points at, where it does."""
        if not self.points:
            return super().antecedents(examples, classes)
        text, parts = self._text(examples), {}

        def use(gaps: slice, read: ReadRows) -> None:
            parts[gaps.start] = (gaps, read.rows, read.shares, read.given(classes[gaps]))

        self.network.read_all(text, use)
        found = NounSums(self.encoder.reading, examples)
        for start in sorted(parts):
            gaps, rows, shares, given = parts[start]
            tokens, numbers = rows.tokens[rows.nouns], gaps.start + rows.noun_rows
            of_source = tokens < text.source_tokens
            sides: dict[Side, NDArray[np.bool_]] = {"target": ~of_source, "source": of_source}
            for side, own in sides.items():
                places = tokens[own] - (0 if side == "source" else text.source_tokens)
                found.add(side, numbers[own], places, shares[own], given[own])
        return found.nouns()

    def _text(self, examples: Sequence[Example]) -> DocumentText:
        data = encode(examples, self.encoder, self.task)
        network = self.network
        return DocumentText(data, network.settings, self.context, network.no_noun)

    def evidence(self, question: GapQuestion) -> Evidence | None:
        """Gradients, which torch calculates."""
        return self.trainable().evidence(question)

    def trainable(self) -> NeuralSystem:
        """The same system with its network in torch."""
        return self._in_torch

    @cached_property
    def _in_torch(self) -> NeuralSystem:
        if find_spec("torch") is None:
            raise CrossproError(
                f"{self.shown_name}: explaining or training a network expected torch, found none: "
                f"{how_to_install('train')}"
            )
        import torch

        from crosspro.prediction.neural.system import NeuralSystem

        made = NeuralSystem(**self.settings())
        made.task, made.configured, made.trained_layers = (
            self.task,
            self.configured,
            self.trained_layers,
        )
        made.encoder, made.adjustment, made.weights = self.encoder, self.adjustment, self.weights
        made.network = made.network_type(self._inventory(), **self.network_settings)
        tensors = {name: torch.from_numpy(array) for name, array in self.network.arrays.items()}
        made.network.load_state_dict(tensors)
        made.network.eval()
        return made

    def save_state(self, folder: Path) -> None:
        """Write the weights and the vocabularies."""
        with atomic_output(folder / WEIGHTS_FILE) as handle:
            handle.write(narrowed(self.network.arrays, FULL))
        self.encoder.save(folder)
        save_adjustment(self.adjustment, folder)

    def load_state(self, folder: Path) -> None:
        """Read the weights and the vocabularies; a damaged or foreign file is refused."""
        self._load_reading(folder)
        settings, inventory = DocumentSettings(**self.network_settings), self._inventory()

        def take(arrays: dict[str, NDArray[Any]]) -> DocumentArrays:
            return DocumentArrays(arrays, settings, inventory)

        self.network, self.weights = taken_weights(folder / WEIGHTS_FILE, self.name, take)
        self.adjustment = load_adjustment(folder, len(self.task.classes))
