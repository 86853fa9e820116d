"""A saved document encoder that predicts without torch.

It is loaded in place of a `NeuralSystem` wherever predictions are wanted, and says the same. To
train on takes torch: `trainable` is the same system with its network there.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cache, cached_property, partial
from importlib.util import find_spec
from itertools import pairwise
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.core.errors import CrossproError, how_to_install
from crosspro.data_prep.core.example import Example, Side
from crosspro.data_prep.core.files import atomic_output
from crosspro.data_prep.core.processes import processors
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.formats.pointed_nouns import PointedNouns
from crosspro.prediction.adjustment import load_adjustment, save_adjustment
from crosspro.prediction.neural.document_arrays import DocumentArrays, DocumentText
from crosspro.prediction.neural.network_system import NetworkSystem
from crosspro.prediction.neural.reading.document_kind import DocumentSettings
from crosspro.prediction.neural.reading.encoding import encode
from crosspro.prediction.neural.reading.word_places import NounSums
from crosspro.prediction.stored_tensors import FULL, WEIGHTS_FILE, narrowed, taken_weights
from crosspro.prediction.system import Classes, Probabilities

if TYPE_CHECKING:
    from crosspro.prediction.neural.system import NeuralSystem


class DocumentReader(NetworkSystem):
    """Predicts in numpy with the weights of a run or an archive."""

    network: DocumentArrays

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

    @property
    def reach(self) -> int:
        """As many words as pieces, which are no longer than words."""
        return max(self.network.settings.source_before, self.network.settings.target_before)

    def unadjusted(self, examples: Sequence[Example]) -> Probabilities:
        """The probabilities of the network."""
        parts = text_parts(examples, self.context, self.together)
        # Threads serve as well as processes: numpy works outside the interpreter's lock.
        with _one_thread(), ThreadPoolExecutor(len(parts)) as pool:
            return np.concatenate([*pool.map(self._chances, parts)])

    def _chances(self, examples: Sequence[Example]) -> Probabilities:
        nothing = np.zeros((0, len(self.task.classes)))
        read = self.network.read(self._text(examples))
        return np.concatenate((nothing, *(rows.chances for rows in read)))

    def antecedents(self, examples: Sequence[Example], classes: Classes) -> list[PointedNouns]:
        """The nouns that the network points at, where it does."""
        if not self.points:
            return super().antecedents(examples, classes)
        text, found = self._text(examples), NounSums(self.encoder.reading, examples)
        with _one_thread():
            parts = [*self.network.read(text)]
        start = 0
        for read in parts:
            end = start + len(read.chances)
            tokens, gaps = read.rows.tokens[read.rows.nouns], start + read.rows.noun_gaps
            given = read.given(classes[start:end])
            of_source = tokens < text.source_tokens
            sides: dict[Side, NDArray[np.bool_]] = {"target": ~of_source, "source": of_source}
            for side, own in sides.items():
                places = tokens[own] - (0 if side == "source" else text.source_tokens)
                found.add(side, gaps[own], places, read.shares[own], given[own])
            start = end
        return found.nouns()

    def _text(self, examples: Sequence[Example]) -> DocumentText:
        data = encode(examples, self.encoder, self.task)
        network = self.network
        return DocumentText(data, network.settings, self.context, network.no_noun)

    def trainable(self) -> NeuralSystem:
        """The same system with its network in torch."""
        return self._in_torch

    @cached_property
    def _in_torch(self) -> NeuralSystem:
        if find_spec("torch") is None:
            raise CrossproError(
                f"{self.shown_name}: to train a network: expected the package torch, "
                f"found nothing: {how_to_install('train')}"
            )
        import torch

        from crosspro.prediction.neural.system import NeuralSystem

        made = NeuralSystem(**vars(self.settings))
        made.task, made.configured, made.trained_layers = (
            self.task,
            self.configured,
            self.trained_layers,
        )
        made.encoder, made.adjustment, made.weights = self.encoder, self.adjustment, self.weights
        made.network = self.settings.network.build(self._inventory())
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
        inventory, network = self._inventory(), cast(DocumentSettings, self.settings.network)

        def take(arrays: dict[str, NDArray[Any]]) -> DocumentArrays:
            return DocumentArrays(arrays, network, inventory)

        self.network, self.weights = taken_weights(folder / WEIGHTS_FILE, self.name, take)
        self.adjustment = load_adjustment(folder, len(self.task.classes))


@cache
def _matrix_library() -> Any:
    """What is asked for threads, once: to find it takes longer than to ask it."""
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

    return ThreadpoolController().select(user_api="blas")


def _one_thread() -> AbstractContextManager[Any]:
    """Products in one thread: ours are small, and two that wait for each other on a machine with
    other work to do take ten times as long as one."""
    limited: AbstractContextManager[Any] = _matrix_library().limit(limits=1)
    return limited


_WORTH_A_THREAD = 100
"""Gaps of a part, at least: each part reads the lines before it again."""


def text_parts(
    examples: Sequence[Example], context: int, together: int = 0
) -> list[Sequence[Example]]:
    """Examples in a part with as many gaps for each processor, if that is worth it.

    Before its own a part has the lines that its first gaps look back at, without their gaps. A part
    ends where no gap is near enough to the last one to be read together with it.
    """
    ends = np.cumsum([len(example.gaps) for example in examples])
    number = min(processors(), int(ends[-1]) // _WORTH_A_THREAD) if len(ends) else 0
    if number < 2:
        return [examples]
    places = _apart(examples, together)
    wanted = (np.searchsorted(ends, ends[-1] * np.arange(1, number) / number) + 1).tolist()
    nearest = {min(places, key=partial(_distance, one)) for one in wanted if places}
    cuts = [0, *sorted(nearest), len(examples)]
    parts: list[Sequence[Example]] = []
    for start, end in pairwise(cuts):
        before = examples[max(0, start - context) : start]
        parts.append([*(replace(line, gaps=()) for line in before), *examples[start:end]])
    return parts


def _distance(one: int, other: int) -> int:
    return abs(one - other)


def _apart(examples: Sequence[Example], together: int) -> list[int]:
    """The lines before which a text can be cut: what follows is not read with a gap before it."""
    found: list[int] = []
    words, last, document = 0, -inf, examples[0].document
    for number, example in enumerate(examples):
        if example.document is None or example.document != document:
            last, document = -inf, example.document
        first = min((gap.position for gap in example.gaps), default=-inf)
        if words + first - last > together or not together:
            found.append(number)
        last = max((words + gap.position for gap in example.gaps), default=last)
        words += len(example.lemmas)
    return [number for number in found if number]
