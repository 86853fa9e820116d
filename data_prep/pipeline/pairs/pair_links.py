"""Links of single pairs: made from what was learnt of a larger text, for a pair teaches nothing.

Which words translate each other is known from the prior of a model, else from that of the bundled
model of the languages. A link between words that were never seen as translations rests on their
positions alone, and is told apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from crosspro.data_prep.align.align import align, link_by_prior
from crosspro.data_prep.align.numbering import word_form
from crosspro.data_prep.align.prior import Prior, bundled_models, load_prior
from crosspro.data_prep.core.example import Link
from crosspro.data_prep.core.task import Task

_SEEN = 0.5
"""Words that were expected to be linked so often, in either direction, are translations."""

LinkChances = dict[Link, float | None]
"""Links with how often the source word was translated so; None where a link rests on positions."""


@dataclass(frozen=True)
class PairAligner:
    """Links pairs by what was learnt before; without a prior all links rest on positions."""

    symmetrisation: str
    prior: Prior | None

    def links(
        self, sources: Sequence[Sequence[str]], targets: Sequence[Sequence[str]]
    ) -> list[LinkChances]:
        """The links of some pairs, each by itself."""
        pairs = list(zip(sources, targets, strict=True))
        if self.prior is None:
            aligned = align(pairs, self.symmetrisation, jobs=1)
            return [dict.fromkeys(links) for links in aligned]
        words = (set(map(word_form, chain.from_iterable(side))) for side in (sources, targets))
        prior = self.prior.of_words(*words)
        translations = _translations(prior)
        linked = link_by_prior(pairs, prior, self.symmetrisation)
        return [
            {
                (s, t): translations.get((word_form(source[s]), word_form(target[t])))
                for s, t in links
            }
            for (source, target), links in zip(pairs, linked, strict=True)
        ]


def _translations(prior: Prior) -> dict[tuple[str, str], float]:
    """The pairs of words that were often enough expected to be linked, in either direction.

    Each with how often the source word was translated so.
    """
    counts = prior.forward.pairs
    totals = np.maximum(np.bincount(prior.pair_source, counts), _SEEN)
    chances = counts / totals[prior.pair_source]
    kept = np.maximum(counts, prior.backward.pairs) >= _SEEN
    source, target = list(prior.source_words), list(prior.target_words)
    numbers = (prior.pair_source[kept].tolist(), prior.pair_target[kept].tolist())
    rows = zip(*numbers, chances[kept].tolist(), strict=True)
    return {(source[s], target[t]): chance for s, t, chance in rows}


def bundled_aligner(task: Task) -> PairAligner:
    """Links by the prior of the bundled model of the languages, if there is one."""
    path = bundled_models().get(f"{task.source_language}-{task.target_language}")
    return PairAligner(task.symmetrisation, load_prior(path) if path else None)
