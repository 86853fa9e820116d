"""What a network is, and the networks by name.

A network says what it reads, gives logits for gaps, and may own its loss and its pre-training. It
is one file in `networks/` and one in `conf/system/`; nothing else knows its name, but for the
registry of systems, where one predicts with it without torch. Its constructor takes an `Inventory`
and keyword settings with defaults, which are those that `system.network_settings` may have.
"""

from __future__ import annotations

import importlib
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import torch
from numpy.typing import NDArray
from safetensors.torch import save
from torch import Tensor, nn

from crosspro.data_prep.core.errors import choices, input_error
from crosspro.data_prep.core.example import Side
from crosspro.data_prep.core.files import atomic_output
from crosspro.data_prep.core.processes import Report
from crosspro.prediction.neural.reading.encoding import EncodedText
from crosspro.prediction.neural.reading.network_kind import NetworkKind
from crosspro.prediction.neural.reading.tensors import GapTensors, Indices, widest_sides
from crosspro.prediction.neural.reading.vocabulary import Inventory
from crosspro.prediction.stored_tensors import WEIGHTS_FILE, check_names, taken_weights


@dataclass(frozen=True)
class PointedTokens:
    """Tokens of one side that gaps may stand for, with the probability of each: a row a gap.

    `tokens` and `shares` are (batch, tokens): positions in the text, and probabilities, 0 for what
    fills a row up. What is missing to 1 is the probability that none was chosen. `given` (batch,
    classes, tokens) are the probabilities once the class is known, where that tells more.
    """

    side: Side
    tokens: Tensor
    shares: Tensor
    given: Tensor | None = None


def gap_losses(scores: Tensor, labels: Tensor, weights: Tensor, smoothing: float) -> Tensor:
    """The cross-entropy of each gap, with weights of the classes and smoothed labels."""
    return nn.functional.cross_entropy(
        scores.float(), labels, weight=weights, reduction="none", label_smoothing=smoothing
    )


class Network(nn.Module, NetworkKind, ABC):
    """Scores of each class for a batch of gaps."""

    window: int
    """How many tokens it reads on each side at most."""

    may_change: ClassVar[tuple[str, ...]] = ("dropout",)
    """Settings in which fine-tuning may differ from the run it begins with."""

    inherits: ClassVar[bool] = False
    """Whether fine-tuning takes all other settings from that run, instead of refusing others."""

    class_layers: ClassVar[tuple[str, ...]] = ()
    """Beginnings of the names of weights that classes decide on. A network that names them may go
    on from a run with other classes, with these weights new."""

    optional_layers: ClassVar[tuple[str, ...]] = ()
    """Beginnings of the names of weights that settings which may change decide on: where the run to
    go on from has none, they are new."""

    recorded_places: float = 0.0
    """A batch of at most so many places (its gaps times its width) may be recorded on a GPU in
    training: nothing in it waits for the GPU, and its gaps and width alone decide what is done."""

    def extents(self, data: GapTensors) -> Indices:
        """How much is read of each gap's context: gaps that are alike in it share a batch.

        Unless a network says otherwise, the longest side of it, at most `window` tokens.
        """
        return widest_sides(data, self.window)

    @abstractmethod
    def forward(self, data: GapTensors, gaps: Tensor, width: int | None = None) -> Tensor:
        """Scores of (batch, classes); no gap of the batch has a greater extent than `width`."""

    def antecedents(self, data: GapTensors, gaps: Tensor) -> Sequence[PointedTokens]:
        """The words that gaps may stand for; of a network that points at them (`pointing`)."""
        return ()

    def loss(
        self, data: GapTensors, gaps: Tensor, width: int, weights: Tensor, smoothing: float
    ) -> Tensor:
        """The loss of each gap: cross-entropy with weights of the classes and smoothed labels."""
        scores = self(data, gaps, width)
        labels = data.label[gaps].clamp(min=0)  # a gap that counts nothing may have none
        return gap_losses(scores, labels, weights, smoothing)

    def pretrain(
        self,
        data: EncodedText,
        inventory: Inventory,
        settings: Any,
        seed: int,
        device: torch.device,
        report: Report,
    ) -> None:
        """Learn from the training data before the training; `settings` are of `pretraining`.

        What takes long may `report` how far it is, under a name for each part of it.
        """
        raise TypeError(f"{type(self).__name__} has settings of a pre-training, but none")


N = TypeVar("N", bound=type[Network])
_NETWORKS = "crosspro.prediction.neural.networks"

_registered: dict[str, type[Network]] = {}


def register(name: str) -> Callable[[N], N]:
    """A decorator that makes a network known by a name."""

    def add(network: N) -> N:
        known = _registered.setdefault(name, network)
        if (known.__module__, known.__qualname__) != (network.__module__, network.__qualname__):
            raise ValueError(f"network {name}: {known.__module__} has one of that name already")
        return network

    return add


def network_class(name: str) -> type[Network]:
    """The network of a name; no other module than those listed here is ever imported for it."""
    if name not in _registered and name in _modules():
        importlib.import_module(f"{_NETWORKS}.{name}")
    if name not in _registered:
        raise input_error("settings", "system.network", choices(network_names()), repr(name))
    return _registered[name]


def network_names() -> list[str]:
    """All names that are known."""
    return sorted({*_modules(), *_registered})


def pointing_networks() -> list[str]:
    """Networks that point at antecedents, with the settings that they need for it."""
    found = []
    for name in sorted({*_modules(), *_registered}):
        needed = network_class(name).pointing
        if needed is not None:
            settings = [f"network_settings.{key}={value}" for key, value in needed.items()]
            found.append(f"{name} ({', '.join(settings).lower()})" if settings else name)
    return found


def _modules() -> list[str]:
    folder = Path(__file__).parents[1] / "networks"
    return [module.name for module in pkgutil.iter_modules([str(folder)])]


def save_weights(network: Network, folder: Path) -> None:
    """Write the weights of a network."""
    tensors = {k: v.contiguous().cpu() for k, v in network.state_dict().items()}
    with atomic_output(folder / WEIGHTS_FILE) as handle:
        handle.write(save(tensors))


def load_weights(network: Network, name: str, folder: Path) -> str:
    """Give a network of the same settings the weights that were saved; returns how they were.

    Loading them runs no code; a damaged or foreign file is refused.
    """

    def take(arrays: dict[str, NDArray[Any]]) -> None:
        tensors = {key: torch.from_numpy(array) for key, array in arrays.items()}
        check_names(tensors, network.state_dict())
        network.load_state_dict(tensors)

    return taken_weights(folder / WEIGHTS_FILE, name, take)[1]
