"""A filter for OpusFilter: sentence pairs whose pronouns a model takes for wrong are left out.

filters:
  - PronounAgreement: {model: en-de}
    module: crosspro.integrations.opusfilter
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, tee
from typing import Any

from opusfilter import CLEAN_LOW, ConfigurationError, FilterABC

import crosspro
from crosspro.integrations import loaded

Pair = Sequence[str]


class PronounAgreement(FilterABC):
    """The chance that the worst pronoun of a pair is wrong; 0 where it has no pronoun.

    A pair is accepted where that is below `threshold`. With `running`, the pairs follow each other
    as in a document, so that the model sees the sentences before: `batch` pairs are one document.
    Otherwise each is read by itself, and `batch` pairs go through the model together.
    """

    score_direction = CLEAN_LOW
    accept_threshold = 1 + 10**-6
    reject_threshold = 0

    def __init__(
        self,
        model: str,
        threshold: float = 0.4,
        running: bool = False,
        batch: int = 500,
        **kwargs: Any,
    ) -> None:
        if not 0 <= threshold <= self.accept_threshold:
            raise ConfigurationError(f"threshold: expected a chance from 0 to 1, found {threshold}")
        if batch < 1:
            raise ConfigurationError(f"batch: expected at least 1, found {batch}")
        self.model, self.threshold = model, threshold
        self.running, self.batch = running, batch
        super().__init__(**kwargs)

    def score(self, pairs: Iterable[Pair]) -> Iterator[float]:
        """The chance of the worst pronoun of each pair."""
        rest = iter(pairs)
        while some := list(islice(rest, self.batch)):
            if odd := next((pair for pair in some if len(pair) != 2), None):
                raise ConfigurationError(f"expected two languages, found {len(odd)}")
            alone = None if self.running else [str(number) for number in range(len(some))]
            source, target = ([pair[side] for pair in some] for side in range(2))
            worst = [0.0] * len(some)
            for pronoun in crosspro.proofread(source, target, alone, loaded(self.model)):
                worst[pronoun.segment] = max(worst[pronoun.segment], pronoun.wrong)
            yield from worst

    def accept(self, score: float) -> bool:
        """Whether no pronoun reaches the threshold."""
        return score < self.threshold

    def filter(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        """The pairs that are accepted; read in batches, not one at a time."""
        kept, scored = tee(pairs)
        return (pair for pair, right in zip(kept, self.decisions(scored), strict=True) if right)

    def filterfalse(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        """The pairs that are not accepted."""
        kept, scored = tee(pairs)
        return (pair for pair, right in zip(kept, self.decisions(scored), strict=True) if not right)
