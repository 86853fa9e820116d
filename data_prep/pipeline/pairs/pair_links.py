"""Links of single pairs: made from what was learnt of a larger text, for a pair teaches nothing.

Which words translate each other is known from a saved prior, from a corpus of the user's, or from
the texts that come with the package. A link between words that were never seen as translations
rests on their positions alone, and is told apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from pathlib import Path

import numpy as np

from crosspro.data_prep.align.align import (
    AlignerSettings,
    align,
    default_settings,
    learn,
    link_by_prior,
    read_token_pairs,
)
from crosspro.data_prep.align.numbering import word_form
from crosspro.data_prep.align.prior import Prior, load_prior
from crosspro.data_prep.core.example import Link
from crosspro.data_prep.core.task import Task
from crosspro.data_prep.gaps.extract import with_gold_words

DEMO_DOCUMENTS = 150
SEEN = 0.5
"""Words that were expected to be linked so often, in either direction, are translations."""


@dataclass(frozen=True)
class PairLinks:
    """The links of a pair, and those of them that rest on positions alone.

    `chances` say how often the source word of a link was translated so, where that is known.
    """

    links: tuple[Link, ...]
    positional: frozenset[Link]
    chances: Mapping[Link, float] = field(default_factory=dict)


@dataclass(frozen=True)
class PairAligner:
    """Links pairs by what was learnt before; `origin` says where, in words."""

    settings: AlignerSettings
    prior: Prior | None
    origin: str

    def links(
        self, sources: Sequence[Sequence[str]], targets: Sequence[Sequence[str]]
    ) -> list[PairLinks]:
        """The links of some pairs, each by itself if there is a prior, else from all of them."""
        pairs = list(zip(sources, targets, strict=True))
        translations: Mapping[tuple[str, str], float] = {}
        if self.prior is None:
            found = align(pairs, settings=self.settings, jobs=1)
        else:
            words = (set(map(self._form, chain.from_iterable(side))) for side in (sources, targets))
            prior = self.prior.of_words(*words)
            found = link_by_prior(pairs, prior, self.settings)
            translations = _translations(prior)
        made = []
        for (source, target), links in zip(pairs, found, strict=True):
            words_of = {(s, t): (self._form(source[s]), self._form(target[t])) for s, t in links}
            chances = {
                link: translations[words]
                for link, words in words_of.items()
                if words in translations
            }
            made.append(PairLinks(links, frozenset(words_of.keys() - chances.keys()), chances))
        return made

    @cached_property
    def _form(self) -> Callable[[str], str]:
        how = self.settings if self.prior is None else self.prior
        return word_form(how.form, how.prefix_length)


def _translations(prior: Prior) -> dict[tuple[str, str], float]:
    """The pairs of words that were often enough expected to be linked, in either direction.

    Each with how often the source word was translated so.
    """
    counts = prior.forward.pairs
    totals = np.maximum(np.bincount(prior.pair_source, counts), SEEN)
    chances = counts / totals[prior.pair_source]
    kept = np.maximum(counts, prior.backward.pairs) >= SEEN
    source, target = list(prior.source_words), list(prior.target_words)
    numbers = (prior.pair_source[kept].tolist(), prior.pair_target[kept].tolist())
    rows = zip(*numbers, chances[kept].tolist(), strict=True)
    return {(source[s], target[t]): chance for s, t, chance in rows}


def aligner_with_prior(task: Task, path: Path) -> PairAligner:
    """Links by a prior that `crosspro align --save-prior` has written."""
    return PairAligner(default_settings(task), load_prior(path), f"the prior {path.name}")


def aligner_with_corpus(task: Task, source: Path, target: Path) -> PairAligner:
    """Links by what a tokenised corpus teaches."""
    pairs = read_token_pairs(source, target)
    return _learnt(task, pairs, f"{len(pairs):,} segments of {source.name} and {target.name}")


def aligner_of_package(task: Task) -> PairAligner:
    """Links by what the package's own texts teach: the sample and the demo corpus.

    That is little. Between languages that they do not have, nothing is known but positions.
    """
    pairs = list(package_texts(task))
    if not pairs:
        nothing = "positions alone; a prior would know translations"
        return PairAligner(default_settings(task), None, nothing)
    origin = f"the {len(pairs):,} short segments that come with the package"
    return _learnt(task, pairs, origin)


def _learnt(
    task: Task, pairs: Iterable[tuple[Sequence[str], Sequence[str]]], origin: str
) -> PairAligner:
    settings = default_settings(task)
    return PairAligner(settings, learn(pairs, settings=settings, jobs=1).prior(), origin)


def package_texts(
    task: Task, documents: int = DEMO_DOCUMENTS
) -> Iterable[tuple[Sequence[str], Sequence[str]]]:
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
        for example in demo_examples(inflected, "train", documents):
            yield example.source, with_gold_words(example).target
