"""Counts of a text as a prior for new text: a single sentence could not be aligned otherwise.

A prior is vocabularies and expected counts of both directions, which a new text adds to its own.
One .npz file holds arrays and, as bytes, JSON; loading runs no code. A count is stored as a
logarithm in one byte, to a tenth of its size, so that a prior is small enough to travel with a
model. A part of a prior knows some pairs of words only. The counts of the others are kept as those
of a word that no text has, so that probabilities stay the same.
"""

from __future__ import annotations

import io
import json
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, is_zipfile

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
from crosspro.data_prep.core.arrays import read_npz
from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.files import atomic_output

_FORMAT = {"version": 2, "form": "prefix", "prefix_length": PREFIX}
_LOG_STEP = 0.2
_SMALLEST = 1e-3
"""Pairs with a lower count in both directions are not kept: they are nearly all of them."""

REST = ""
"""The word that stands for all words of a side whose pairs a part of a prior leaves out."""

Arrays = dict[str, NDArray[Any]]
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
        source, target = text.source.words, text.target.words
        absent = self.left_out[0] - (REST in source), self.left_out[1] - (REST in target)

        def renumbered(
            tally: Tally, states: Numbers, state_words: int, observed_words: int, absent: int
        ) -> PriorTally:
            pairs: Counts = np.zeros(len(text.keys))
            pairs[places] = tally.pairs
            pairs[0] = 0
            unmet = places == 0
            elsewhere = np.bincount(states[unmet], tally.pairs[unmet], max(state_words, 1))
            unlinked: Counts = np.zeros(max(observed_words, 1))
            unlinked[: len(tally.unlinked)] = tally.unlinked
            counts = Tally(pairs, unlinked, tally.jumps, tally.first)
            return PriorTally(counts, elsewhere.astype(np.float64), absent)

        return (
            renumbered(self.forward, self.pair_source, len(source), len(target), absent[1]),
            renumbered(self.backward, self.pair_target, len(target), len(source), absent[0]),
        )

    def turned(self) -> Prior:
        """The same for text of the other direction."""
        order = np.lexsort((self.pair_source, self.pair_target))
        return Prior(
            self.target_words,
            self.source_words,
            self.pair_target[order],
            self.pair_source[order],
            replace(self.backward, pairs=self.backward.pairs[order]),
            replace(self.forward, pairs=self.forward.pairs[order]),
            (self.left_out[1], self.left_out[0]),
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
        source_words, left = _renumbered(self.source_words, source)
        target_words, right = _renumbered(self.target_words, target)
        some = np.flatnonzero(source[self.pair_source] | target[self.pair_target])
        kept = kept[some]
        left_word = left[self.pair_source[some]].astype(np.int64)
        right_word = right[self.pair_target[some]].astype(np.int64)
        width = len(target_words)
        forward = left_word * width + np.where(kept, right_word, 0)
        backward = np.where(kept, left_word, 0) * width + right_word
        keys = distinct_values(np.concatenate([forward, backward]))
        pair_source, pair_target = np.divmod(keys, width)

        def part(tally: Tally, places: Ints, numbers: Numbers, size: int) -> Tally:
            index = np.searchsorted(keys, places)
            pairs = np.bincount(index, tally.pairs[some], len(keys)).astype(np.float64)
            unlinked = np.bincount(numbers, tally.unlinked, size).astype(np.float64)
            return replace(tally, pairs=pairs, unlinked=unlinked)

        return Prior(
            source_words,
            target_words,
            pair_source.astype(np.int32),
            pair_target.astype(np.int32),
            part(self.forward, forward, right, width),
            part(self.backward, backward, left, len(source_words)),
            (
                self.left_out[0] + _size(self.source_words) - _size(source_words),
                self.left_out[1] + _size(self.target_words) - _size(target_words),
            ),
        )


def _size(words: Mapping[str, int]) -> int:
    """How many words there are, without the one that stands for others."""
    return len(words) - (REST in words)


def _marked(words: Mapping[str, int], chosen: Iterable[str]) -> Mask:
    mask = np.zeros(len(words), dtype=np.bool_)
    mask[[words[word] for word in {*chosen} if word in words]] = True
    return mask


def _renumbered(words: Mapping[str, int], mask: Mask) -> tuple[dict[str, int], Numbers]:
    """A vocabulary of `REST` and the marked words, and the new number of each old one."""
    if REST in words:
        mask = mask & (np.arange(len(words)) != words[REST])
    numbers = (np.cumsum(mask) * mask).astype(np.int32)
    every = list(words)
    chosen = [every[number] for number in np.flatnonzero(mask).tolist()]
    return {word: number for number, word in enumerate([REST, *chosen])}, numbers


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
    with atomic_output(path) as handle:
        handle.write(_packed(prior))


def packed_prior(prior: Prior, most_bytes: int) -> bytes:
    """The .npz file of about the largest part of a prior that has no more than so many bytes.

    Without any pairs a file has some 3,000 bytes; it is no smaller.
    """
    content = _packed(prior)
    if len(content) <= most_bytes:
        return content
    few, many, fitting = 0, len(prior.pair_source), _packed(prior.largest(0))
    while many - few > 1 + few // 50:
        middle = (few + many) // 2
        content = _packed(prior.largest(middle))
        if len(content) > most_bytes:
            many = middle
        else:
            few, fitting = middle, content
    return fitting


def _packed(prior: Prior) -> bytes:
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
    handle = io.BytesIO()
    np.savez_compressed(handle, **arrays)  # type: ignore[arg-type]
    return handle.getvalue()


def _logarithms(counts: Counts) -> NDArray[np.uint8]:
    """Counts as bytes: 0 for none, then logarithms from that of the smallest."""
    steps = np.log(np.maximum(counts, _SMALLEST) / _SMALLEST) / _LOG_STEP
    return np.where(counts < _SMALLEST / 2, 0, np.clip(np.rint(steps) + 1, 1, 255)).astype(np.uint8)


def _counts(logarithms: NDArray[np.uint8]) -> Counts:
    counts = _SMALLEST * np.exp(_LOG_STEP * (logarithms.astype(np.float64) - 1))
    return np.where(logarithms == 0, 0.0, counts)


def load_prior(path: Path) -> Prior:
    """Read a prior; a damaged file, or one of something else, is refused."""
    expected = "a prior saved by crosspro align"
    if path.is_file() and not is_zipfile(path):
        raise input_error(path, "file", expected, "a file that is no .npz, or the beginning of one")
    try:
        arrays = read_npz(path)
        return _unpacked(arrays, json.loads(arrays["about"].tobytes().decode("utf-8")))
    except (
        OSError, LookupError, TypeError, ValueError, EOFError, BadZipFile, RuntimeError, zlib.error,
    ) as error:  # fmt: skip
        raise input_error(path, "file", expected, str(error)) from error


def _unpacked(arrays: Arrays, about: Mapping[str, Any]) -> Prior:
    """The prior of a file; raises `ValueError` where sizes or values cannot be."""
    if any(about[key] != value for key, value in _FORMAT.items()):
        raise ValueError(f"version {about['version']}, words by {about['form']}")
    pairs, low = arrays["pairs"], arrays["pair_target"].astype(np.int64)
    forward, backward = arrays["forward_pairs"], arrays["backward_pairs"]
    source_words, target_words = (
        list(map(str, about[f"{side}_words"])) for side in ("source", "target")
    )
    left_out = [int(number) for number in about["others"]]
    number = len(forward)
    pair_target = low[0] + (low[1] << 8) + (low[2] << 16)
    _check(pairs.dtype.kind == "u" and forward.dtype == backward.dtype == np.uint8, "types")
    _check(len(pairs) == len(source_words) and pairs.sum() == number == len(backward), "pairs")
    _check(low.shape == (3, number), "target words of pairs")
    _check(pair_target.max(initial=-1) < len(target_words), "words outside the vocabulary")
    _check(len(left_out) == 2 and min(left_out) >= 0, "other words")

    def tally(direction: str, logarithms: NDArray[np.uint8], observed: int) -> Tally:
        unlinked, jumps, first = (
            arrays[f"{direction}_{name}"] for name in ("unlinked", "jump", "first")
        )
        _check(unlinked.dtype == np.uint8 and unlinked.shape == (observed,), "unlinked words")
        shapes = jumps.shape == (2 * MAX_LENGTH + 1,) and first.shape == (MAX_LENGTH,)
        _check(shapes and min(jumps.min(), first.min()) >= 0, "jumps")
        floats = jumps.astype(np.float64), first.astype(np.float64)
        return Tally(_counts(logarithms), _counts(unlinked), *floats)

    return Prior(
        {word: number for number, word in enumerate(source_words)},
        {word: number for number, word in enumerate(target_words)},
        np.repeat(np.arange(len(pairs)), pairs).astype(np.int32),
        pair_target.astype(np.int32),
        tally("forward", forward, len(target_words)),
        tally("backward", forward + backward, len(source_words)),
        (left_out[0], left_out[1]),
    )


def _check(holds: bool, field: str) -> None:
    if not holds:
        raise ValueError(f"{field} that do not fit together")
