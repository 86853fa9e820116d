"""Examples that are read as a network reads them when somebody asks for their tokens.

Their name is known before: data that was encoded by an earlier run is not cut into units again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b

from crosspro.data_prep.core.example import Example, examples_digest
from crosspro.data_prep.core.stored import content_key
from crosspro.prediction.neural.flat_text import FlatText, Reading, flatten


@dataclass(frozen=True)
class UnreadText:
    """Examples, and how they are to be read."""

    examples: Sequence[Example]
    reading: Reading

    @cached_property
    def flat(self) -> FlatText:
        """The tokens of the fields, and a row for each gap."""
        return flatten(self.examples, self.reading)

    @cached_property
    def digest(self) -> str:
        """A name of the examples, of the fields and of the units; lexicons are the encoder's."""
        units, fields = self.reading.units, [field.name for field in self.reading.fields]
        models = (units.source, units.target) if units else ()
        cut = [blake2b(model).hexdigest() for model in models]
        return content_key(examples_digest(self.examples), fields, self.reading.lowercase, cut)
