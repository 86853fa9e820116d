"""What a feature is: a name that settings list, and columns of values for a batch of gaps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crosspro.baselines.features.gaps import Batch
from crosspro.baselines.features.values import Values

Column = tuple[str, Sequence[str | None]]
"""A slot and its value for each gap, None where there is none; `slot=value` is what is learnt from.

A slot may come more than once: then its values are a set. Columns whose values come again and again
are best `Values`."""

Extractor = Callable[[Batch, int], Iterable[Column]]
"""Makes the columns of a batch; their slots are the same for every batch. The number is that of the
settings (`target_lemmas:3`), 0 for features that take none."""


@dataclass(frozen=True)
class Feature:
    """A named extractor: what it says, the layers it cannot do without, and its number.

    `needs` are names of `crosspro.baselines.features.needs`. `number` is what the number after the
    name is where none is given, 0 if the feature takes none; it counts to `most`.
    """

    name: str
    says: str
    columns: Extractor
    needs: tuple[str, ...] = ()
    number: int = 0
    most: int = 0
    learnt: str | None = None
    """What must be learnt from training text before: `lm` or `telling`."""
    reads: tuple[str, ...] = ()
    """Layers that it looks at where there are any, and does without where not."""
    without_chains: str = ""
    """What it says where there are no coreference chains, of a feature that reads them."""

    @property
    def layers(self) -> frozenset[str]:
        """All layers that it makes use of and does not insist on."""
        return frozenset(self.reads) | ({"chains"} if self.without_chains else frozenset())


@dataclass(frozen=True)
class ChosenFeature:
    """A feature of a list of settings, with its number."""

    feature: Feature
    number: int

    @property
    def written(self) -> str:
        """As in the settings."""
        name = self.feature.name
        return f"{name}:{self.number}" if self.feature.most else name


class Bins:
    """Bins of numbers: `<=` the first edge that is not below a number, else `>` the last."""

    def __init__(self, edges: Sequence[float]) -> None:
        self._edges = np.array(edges)
        self.names = (*(f"<={edge:g}" for edge in edges), f">{edges[-1]:g}")

    def column(self, numbers: NDArray[Any]) -> Values:
        """The bins of some numbers."""
        return Values(np.searchsorted(self._edges, numbers, side="left"), self.names)
