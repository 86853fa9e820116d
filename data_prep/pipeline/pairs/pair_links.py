"""Links of single pairs: made from what was learnt of a larger text, for a pair teaches nothing.

Which words translate each other is known from the prior of a model, or from the texts that come
with the package. A link between words that were never seen as translations rests on their positions
alone, and is told apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from crosspro.data_prep.align.align import align, learn, link_by_prior
from crosspro.data_prep.align.numbering import word_form
from crosspro.data_prep.align.prior import Prior
from crosspro.data_prep.core.example import Link
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.gaps.extract import with_gold_words

DEMO_DOCUMENTS = 150
_SEEN = 0.5
"""Words that were expected to be linked so often, in either direction, are translations."""

LinkChances = dict[Link, float | None]
"""Links with how often the source word was translated so; None where a link rests on positions."""


@dataclass(frozen=True)
class PairAligner:
    """Links pairs by what was learnt before; `origin` says where, in words.

    Without a prior, as between languages that the package has no texts of, all links rest on
    positions.
    """

    symmetrisation: str
    prior: Prior | None
    origin: str

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


def aligner_of_package(task: Task) -> PairAligner:
    """Links by what the package's own texts teach, which is little."""
    pairs = list(_package_texts(task))
    if not pairs:
        nothing = "positions alone; a prior would know translations"
        return PairAligner(task.symmetrisation, None, nothing)
    origin = f"the {len(pairs):,} short segments that come with the package"
    return PairAligner(task.symmetrisation, learn(pairs, jobs=1).prior(), origin)


def _package_texts(task: Task) -> Iterable[tuple[Sequence[str], Sequence[str]]]:
    """The package's own texts, inflected: the sample, and documents of the demo.

    They are imported here, as models that bring a prior do without them.
    """
    from crosspro.data_prep.demo.corpus import demo_examples
    from crosspro.data_prep.demo.language import PROFILES
    from crosspro.data_prep.sample import LANGUAGES, read_tokens

    if {task.source_language, task.target_language} <= set(LANGUAGES):
        sides = read_tokens(task.source_language), read_tokens(task.target_language)
        yield from zip(*sides, strict=True)
    if task.name in PROFILES:
        inflected = replace(task, target="inflected", tagset="none")
        for example in demo_examples(inflected, "train", DEMO_DOCUMENTS):
            yield example.source, with_gold_words(example).target
