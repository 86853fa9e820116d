"""What an aligner has learnt from a text, kept for new text: vocabularies and expected counts."""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from data_prep.align.model import Counts, Floats
from data_prep.align.pairs import Ints, PairedText
from data_prep.errors import input_error
from data_prep.textfile import atomic_output

_SMALLEST = 1e-3
"""Pairs with a lower count in both directions are not kept: they are nearly all of them."""


@dataclass(frozen=True)
class Prior:
    """Counts of word pairs in both directions."""

    source_words: dict[str, int]
    target_words: dict[str, int]
    pair_source: Ints
    pair_target: Ints
    counts: tuple[Floats, Floats]

    def counts_for(self, text: PairedText) -> tuple[Floats, Floats]:
        """The counts of the pairs of a new text whose vocabularies continue the prior's."""
        width = max(len(text.target_words), 1)
        known = self.pair_source * width + self.pair_target
        order = np.argsort(known)
        keys = text.pair_source * width + text.pair_target
        place = np.minimum(np.searchsorted(known[order], keys), max(len(known) - 1, 0))
        result = []
        for counts in self.counts:
            found = np.zeros(text.pairs)
            if len(known):
                same = known[order][place] == keys
                found[same] = counts[order][place[same]]
            found[0] = 0
            result.append(found)
        return result[0], result[1]


def prior_of(
    text: PairedText, counts: tuple[Counts, Counts], known: tuple[Floats, Floats] | None
) -> Prior:
    """What was counted in a text, on top of what was known before."""
    sums = [one.pairs + (0 if known is None else known[n]) for n, one in enumerate(counts)]
    kept = np.flatnonzero((sums[0] > _SMALLEST) | (sums[1] > _SMALLEST))
    kept = kept[kept > 0]
    return Prior(
        text.source_words,
        text.target_words,
        text.pair_source[kept],
        text.pair_target[kept],
        (sums[0][kept], sums[1][kept]),
    )


def save_prior(path: Path, prior: Prior) -> None:
    """Write a prior as one .npz file without pickled objects."""
    words = [list(prior.source_words), list(prior.target_words)]
    with atomic_output(path) as handle:
        np.savez_compressed(
            handle,
            words=np.frombuffer(json.dumps(words).encode("utf-8"), dtype=np.uint8),
            pair_source=prior.pair_source,
            pair_target=prior.pair_target,
            forward=prior.counts[0],
            backward=prior.counts[1],
        )


def load_prior(path: Path) -> Prior:
    """Read a prior; a damaged file is refused."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            source, target = json.loads(arrays["words"].tobytes().decode("utf-8"))
            prior = Prior(
                {word: number for number, word in enumerate(source)},
                {word: number for number, word in enumerate(target)},
                arrays["pair_source"],
                arrays["pair_target"],
                (arrays["forward"], arrays["backward"]),
            )
    except (OSError, ValueError, KeyError, EOFError, BadZipFile, zlib.error) as error:
        raise input_error(path, "file", "a prior saved by crosspro align", str(error)) from error
    sizes = {len(a) for a in (prior.pair_source, prior.pair_target, *prior.counts)}
    if len(sizes) != 1:
        raise input_error(path, "file", "arrays of one length", str(sorted(sizes)))
    return prior
