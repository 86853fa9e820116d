"""The layers that a system was trained with, held against those of the data that it predicts.

Some systems do their best without a layer: the nearest noun that agrees stands in for a chain, a
lexicon for a parse. What they have learnt then fits the data less, and nobody would see it from the
output; so a saved system says what its training data had, and commands warn where data differs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from crosspro.data_prep.annotate.layers import SUFFIXES
from crosspro.data_prep.core.errors import choices, input_error, quoted

_WORDS = {
    "documents": "document ids",
    "source_parse": "parse of the source",
    "target_parse": "parse of the target",
    "chains": "coreference chains",
}


def layer_words(layer: str) -> str:
    """A layer as messages call it: `coreference chains (X.chains.tsv)`."""
    return f"{_WORDS[layer]} (X.{SUFFIXES[layer]})"


@dataclass(frozen=True)
class LayerDifference:
    """A layer that either the training of a system had or the data has."""

    system: str
    layer: str
    in_training: bool

    def told(self, data: str) -> str:
        """A warning for those who predict some data."""
        words = layer_words(self.layer)
        if self.in_training:
            return (
                f"warning: {data}: no {words}, which {self.system} was trained with: it makes do "
                "without, which it has not learnt, and the scores of its training do not hold here"
            )
        return (
            f"warning: {data}: {words}, which {self.system} was trained without: it uses what it "
            "has not learnt to use, and the scores of its training do not hold here"
        )


def checked_layers(layers: Any, path: object) -> frozenset[str] | None:
    """The layers that a saved system names; None if it was saved before they were noted."""
    if layers is None:
        return None
    if not isinstance(layers, list) or not all(name in SUFFIXES for name in map(str, layers)):
        raise input_error(str(path), "layers", choices(SUFFIXES), quoted(repr(layers)))
    return frozenset(map(str, layers))
