"""Counts of a text as a prior for new text: a single sentence could not be aligned otherwise.

A prior is vocabularies and expected counts of both directions, which a new text adds to its own.
One .npz file holds arrays and, as bytes, JSON; loading runs no code. A count is stored as a
logarithm in one byte, to a tenth of its size, so that a prior is small enough to travel with a
model. A part of a prior knows some pairs of words only. The counts of the others are kept as those
of a word that no text has, so that probabilities stay the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.align.hmm import Counts
from crosspro.data_prep.align.model import PriorTally, Tally
from crosspro.data_prep.align.numbering import (
    MAX_LENGTH,
    PREFIX,
    Ints,
    NumberedText,
    Numbers,
    distinct_values,
)
from crosspro.data_prep.core.arrays import Arrays, read_npz
from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.files import atomic_output

_FORMAT = {"version": 2, "form": "prefix", "prefix_length": PREFIX}
_LOG_STEP = 0.2
_SMALLEST = 1e-3
"""Pairs with a lower count in both directions are not kept: they are nearly all of them."""

REST = ""
"""The word that stands for all words of a side whose pairs a part of a prior leaves out."""

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Prior:
    """Counts of an earlier text in both directions.

    `left_out` is the number of words of each side, source and target, without a place in the
    vocabularies.
    """

    source_words: dict[str, int]
    target_words: dict[str, int]
    pair_source: Numbers
    pair_target: Numbers
    forward: Tally
    backward: Tally
    left_out: tuple[int, int] = (0, 0)

    def tallies(self, text: NumberedText) -> tuple[PriorTally, PriorTally]:
        """The counts in the numbering of a text whose vocabularies continue the prior's."""
        places = text.pair_numbers(self.pair_source, self.pair_target)
        unmet = places == 0
        source, target = text.source.words, text.target.words

        def renumbered(
            tally: Tally, states: Numbers, state_words: int, observed: dict[str, int], left_out: int
        ) -> PriorTally:
            pairs: Counts = np.zeros(len(text.keys))
            pairs[places] = tally.pairs
            pairs[0] = 0
            elsewhere = np.bincount(states[unmet], tally.pairs[unmet], max(state_words, 1))
            unlinked: Counts = np.zeros(max(len(observed), 1))
            unlinked[: len(tally.unlinked)] = tally.unlinked
            counts = Tally(pairs, unlinked, tally.jumps, tally.first)
            return PriorTally(counts, elsewhere.astype(np.float64), left_out - (REST in observed))

        return (
            renumbered(self.forward, self.pair_source, len(source), target, self.left_out[1]),
            renumbered(self.backward, self.pair_target, len(target), source, self.left_out[0]),
        )

    def of_words(self, source: Iterable[str], target: Iterable[str]) -> Prior:
        """The part that some words need (as they stand in the vocabularies): their pairs."""
        left, right = _marked(self.source_words, source), _marked(self.target_words, target)
        return self._part(left[self.pair_source] & right[self.pair_target], left, right)

    def largest(self, pairs: int) -> Prior:
        """The part with so many pairs, those that say most of a word, and the words in them.

        A pair is worth its count times its share in the counts of one of its words: a thousandth
        of the translations of a frequent word is a mistake.
        """
        if pairs >= len(self.pair_source):
            return self
        worth = np.zeros(len(self.pair_source))
        for tally, states in ((self.forward, self.pair_source), (self.backward, self.pair_target)):
            totals = np.maximum(np.bincount(states, tally.pairs), _SMALLEST)
            np.maximum(worth, tally.pairs**2 / totals[states], out=worth)
        kept = np.zeros(len(worth), dtype=np.bool_)
        kept[np.argsort(-worth, kind="stable")[:pairs]] = True
        left = np.bincount(self.pair_source[kept], minlength=len(self.source_words)) > 0
        right = np.bincount(self.pair_target[kept], minlength=len(self.target_words)) > 0
        return self._part(kept, left, right)

    def _part(self, kept: Mask, source: Mask, target: Mask) -> Prior:
        """Some pairs and some words; the counts of other pairs go to pairs with `REST`."""
        source_words, left, left_out = _renumbered(self.source_words, source)
        target_words, right, right_out = _renumbered(self.target_words, target)
        some = np.flatnonzero(source[self.pair_source] | target[self.pair_target])
        kept = kept[some]
        left_word = left[self.pair_source[some]].astype(np.int64)
        right_word = right[self.pair_target[some]].astype(np.int64)
        width = len(target_words)
        forward = left_word * width + np.where(kept, right_word, 0)
        backward = np.where(kept, left_word, 0) * width + right_word
        keys = distinct_values(np.concatenate([forward, backward]))

        def part(tally: Tally, places: Ints, numbers: Numbers, size: int) -> Tally:
            index = np.searchsorted(keys, places)
            pairs = np.bincount(index, tally.pairs[some], len(keys)).astype(np.float64)
            unlinked = np.bincount(numbers, tally.unlinked, size).astype(np.float64)
            return replace(tally, pairs=pairs, unlinked=unlinked)

        return Prior(
            source_words,
            target_words,
            (keys // width).astype(np.int32),
            (keys % width).astype(np.int32),
            part(self.forward, forward, right, width),
            part(self.backward, backward, left, len(source_words)),
            (self.left_out[0] + left_out, self.left_out[1] + right_out),
        )


def _marked(words: Mapping[str, int], chosen: Iterable[str]) -> Mask:
    mask = np.zeros(len(words), dtype=np.bool_)
    mask[[words[word] for word in {*chosen} if word in words]] = True
    return mask


def _renumbered(words: Mapping[str, int], mask: Mask) -> tuple[dict[str, int], Numbers, int]:
    """A vocabulary of `REST` and the marked words, the new number of each old one, and how many
    words are left out."""
    rest = words.get(REST)
    mask = mask & (np.arange(len(words)) != (-1 if rest is None else rest))
    numbers = (np.cumsum(mask) * mask).astype(np.int32)
    every = list(words)
    chosen = [every[number] for number in np.flatnonzero(mask).tolist()]
    left_out = len(words) - (rest is not None) - len(chosen)
    return {word: number for number, word in enumerate([REST, *chosen])}, numbers, left_out


def learnt_prior(text: NumberedText, tallies: tuple[Tally, Tally], earlier: Prior | None) -> Prior:
    """The counts of a text; tallies include those of an earlier prior for the pairs of the text."""
    kept = np.flatnonzero(np.maximum(tallies[0].pairs, tallies[1].pairs) > _SMALLEST)
    source, target = (words[kept] for words in text.pair_words)
    counts = [tally.pairs[kept] for tally in tallies]
    if earlier is not None:
        rest = np.flatnonzero(text.pair_numbers(earlier.pair_source, earlier.pair_target) == 0)
        source = np.concatenate([source, earlier.pair_source[rest]])
        target = np.concatenate([target, earlier.pair_target[rest]])
        for number, tally in enumerate((earlier.forward, earlier.backward)):
            counts[number] = np.concatenate([counts[number], tally.pairs[rest]])
    order = np.lexsort((target, source))
    forward, backward = (
        replace(tally, pairs=pairs[order]) for tally, pairs in zip(tallies, counts, strict=True)
    )
    left_out = earlier.left_out if earlier else (0, 0)
    words = text.source.words, text.target.words
    return Prior(*words, source[order], target[order], forward, backward, left_out)


# Files --------------------------------------------------------------------------------------------


def save_prior(path: Path, prior: Prior) -> None:
    """Write a prior as one .npz file."""
    about = {
        **_FORMAT,
        "others": list(prior.left_out),
        "source_words": list(prior.source_words),
        "target_words": list(prior.target_words),
    }
    text = json.dumps(about, ensure_ascii=False).encode("utf-8")
    target = prior.pair_target
    forward, backward = (_logarithms(tally.pairs) for tally in (prior.forward, prior.backward))
    arrays: Arrays = {
        "about": np.frombuffer(text, np.uint8),
        "pairs": np.bincount(prior.pair_source, minlength=len(prior.source_words)).astype("<u4"),
        "pair_target": np.stack([target >> shift & 255 for shift in (0, 8, 16)]).astype("u1"),
        "forward_pairs": forward,
        "backward_pairs": backward - forward,  # modulo 256; the difference packs better
    }
    for direction, tally in (("forward", prior.forward), ("backward", prior.backward)):
        arrays[f"{direction}_unlinked"] = _logarithms(tally.unlinked)
        arrays[f"{direction}_jump"] = tally.jumps.astype("<f4")
        arrays[f"{direction}_first"] = tally.first.astype("<f4")
    with atomic_output(path) as handle:
        np.savez_compressed(handle, **arrays)  # type: ignore[arg-type]


def _logarithms(counts: Counts) -> NDArray[np.uint8]:
    """Counts as bytes: 0 for none, then logarithms from that of the smallest."""
    steps = np.log(np.maximum(counts, _SMALLEST) / _SMALLEST) / _LOG_STEP
    return np.where(counts < _SMALLEST / 2, 0, np.clip(np.rint(steps) + 1, 1, 255)).astype(np.uint8)


def _counts(logarithms: NDArray[np.uint8]) -> Counts:
    counts = _SMALLEST * np.exp(_LOG_STEP * (logarithms.astype(np.float64) - 1))
    return np.where(logarithms == 0, 0.0, counts)


def load_prior(path: Path) -> Prior:
    """Read a prior, or that of a bundled model; a damaged or other file is refused."""
    try:
        arrays = read_npz(archived_prior(path) if path.suffix == ".zip" else path)
        return _unpacked(arrays, json.loads(arrays["about"].tobytes().decode("utf-8")))
    except (OSError, LookupError, TypeError, ValueError, BadZipFile) as error:
        raise input_error(path, "file", "a prior saved by crosspro align", str(error)) from error


def bundled_models() -> dict[str, Path]:
    """The archives of the bundled models, by their names."""
    folder = Path(__file__).resolve().parents[2] / "models"
    return {path.stem: path for path in sorted(folder.glob("*.zip"))}


def archived_prior(model: Path) -> BytesIO:
    """The prior in the archive of a bundled model."""
    with ZipFile(model) as archive:
        return BytesIO(archive.read("prior.npz"))


def _unpacked(arrays: Arrays, about: Mapping[str, Any]) -> Prior:
    """The prior of a file; raises `ValueError` where sizes or values cannot be."""
    if any(about[key] != value for key, value in _FORMAT.items()):
        raise ValueError(f"version {about['version']}, words by {about['form']}")
    pairs, target = arrays["pairs"], arrays["pair_target"].astype(np.int32)
    forward, difference = arrays["forward_pairs"], arrays["backward_pairs"]
    source_words, target_words = (
        {str(word): number for number, word in enumerate(about[f"{side}_words"])}
        for side in ("source", "target")
    )
    left_out, right_out = map(int, about["others"])
    pair_target = target[0] + (target[1] << 8) + (target[2] << 16)
    _check(
        pairs.dtype.kind == "u",
        forward.dtype == difference.dtype == np.uint8,
        len(pairs) == len(source_words),
        pairs.sum() == len(forward) == len(difference) == len(pair_target),
        pair_target.max(initial=-1) < len(target_words),
        min(left_out, right_out) >= 0,
    )

    def tally(direction: str, logarithms: NDArray[np.uint8], observed: int) -> Tally:
        unlinked, jumps, first = (
            arrays[f"{direction}_{name}"] for name in ("unlinked", "jump", "first")
        )
        _check(
            unlinked.dtype == np.uint8 and unlinked.shape == (observed,),
            jumps.shape == (2 * MAX_LENGTH + 1,) and first.shape == (MAX_LENGTH,),
            min(jumps.min(), first.min()) >= 0,
        )
        floats = jumps.astype(np.float64), first.astype(np.float64)
        return Tally(_counts(logarithms), _counts(unlinked), *floats)

    return Prior(
        source_words,
        target_words,
        np.repeat(np.arange(len(pairs), dtype=np.int32), pairs),
        pair_target,
        tally("forward", forward, len(target_words)),
        tally("backward", forward + difference, len(source_words)),
        (left_out, right_out),
    )


def _check(*conditions: bool) -> None:
    if not all(conditions):
        raise ValueError("arrays that do not fit together")
