"""What the aligner keeps: counts of a text as a prior for new text.

A prior is what was learnt from a text: vocabularies and expected counts. One .npz file holds arrays
and, as bytes, JSON; nothing in it is ever run. Counts are stored and not probabilities, so that a
new text can add its own to them. A part of a prior knows some pairs of words only; the counts of
the others are kept as those of a word that no text has, so that chances stay what they were. A
packed prior has counts as logarithms in a byte each: small enough to travel with a model.
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

from crosspro.data_prep.align.blocks import PairedText, distinct_values
from crosspro.data_prep.align.model import Known, Tally
from crosspro.data_prep.align.posteriors import Counts
from crosspro.data_prep.align.text import Numbers
from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.files import atomic_output
from crosspro.data_prep.core.stored import read_npz

_VERSION, _PACKED = 1, 2
_STEP = 0.2
"""Between logarithms of counts that are stored in a byte."""
_SMALLEST = 1e-3
"""Pairs with a lower count in both directions are not kept: they are nearly all of them."""

_FIELDS = ("pairs", "unlinked", "jump", "first")

Mask = NDArray[np.bool_]
REST = ""
"""The word that stands for all words of a side whose pairs a part of a prior leaves out."""


@dataclass(frozen=True)
class Prior:
    """Counts of an earlier text in both directions, and how its words were written.

    `others` are the words of each side, source and target, that were left out of the vocabularies.
    """

    form: str
    prefix_length: int
    source_words: dict[str, int]
    target_words: dict[str, int]
    pair_source: Numbers
    pair_target: Numbers
    forward: Tally
    backward: Tally
    others: tuple[int, int] = (0, 0)

    def known(self, text: PairedText, longest: int) -> tuple[Known, Known]:
        """The counts in the numbering of a text whose vocabularies continue the prior's."""
        places = text.keys.numbers(self.pair_source, self.pair_target)
        known = []
        for tally, given, sides in (
            (self.forward, self.pair_source, (text.source, text.target)),
            (self.backward, self.pair_target, (text.target, text.source)),
        ):
            pairs: Counts = np.zeros(text.keys.size)
            pairs[places] = tally.pairs
            pairs[0] = 0
            absent = places == 0
            size = max(len(sides[0].words), 1)
            beyond = np.bincount(given[absent], tally.pairs[absent], size).astype(np.float64)
            unlinked: Counts = np.zeros(max(len(sides[1].words), 1))
            unlinked[: len(tally.unlinked)] = tally.unlinked
            resized = Tally(pairs, unlinked, *_resized(tally, max(longest, 1)))
            others = self.others[sides[1] is text.target] - (REST in sides[1].words)
            known.append(Known(resized, beyond, others))
        return known[0], known[1]

    def turned(self) -> Prior:
        """The same for text of the other direction."""
        order = np.lexsort((self.pair_source, self.pair_target))
        forward, backward = (
            replace(tally, pairs=tally.pairs[order]) for tally in (self.backward, self.forward)
        )
        return replace(
            self,
            source_words=self.target_words,
            target_words=self.source_words,
            pair_source=self.pair_target[order],
            pair_target=self.pair_source[order],
            forward=forward,
            backward=backward,
            others=(self.others[1], self.others[0]),
        )

    def of_words(self, source: Iterable[str], target: Iterable[str]) -> Prior:
        """The part that some words need (as they stand in the vocabularies): their pairs."""
        left = _marked(self.source_words, source)
        right = _marked(self.target_words, target)
        return self._part(left[self.pair_source] & right[self.pair_target], left, right)

    def largest(self, pairs: int) -> Prior:
        """The part with so many pairs, those that say most of a word, and the words in them.

        Of a pair is asked how often its words translated each other, and in what share of all cases
        of one of them: a thousandth of the translations of a frequent word is a mistake.
        """
        worth = np.zeros(len(self.pair_source))
        for tally, given in ((self.forward, self.pair_source), (self.backward, self.pair_target)):
            totals = np.maximum(np.bincount(given, tally.pairs), _SMALLEST)
            np.maximum(worth, tally.pairs**2 / totals[given], out=worth)
        kept = np.zeros(len(worth), dtype=np.bool_)
        kept[np.argsort(-worth, kind="stable")[:pairs]] = True
        left = np.bincount(self.pair_source[kept], minlength=len(self.source_words)) > 0
        right = np.bincount(self.pair_target[kept], minlength=len(self.target_words)) > 0
        return self._part(kept, left, right)

    def _part(self, kept: Mask, source: Mask, target: Mask) -> Prior:
        """Some pairs and some words; what other pairs count goes to pairs with `REST`."""
        source_words, left = _renumbered(self.source_words, source)
        target_words, right = _renumbered(self.target_words, target)
        some = np.flatnonzero(source[self.pair_source] | target[self.pair_target])
        kept, left_word, right_word = (
            kept[some],
            left[self.pair_source[some]].astype(np.int64),
            right[self.pair_target[some]].astype(np.int64),
        )
        width = len(target_words)
        forward = left_word * width + np.where(kept, right_word, 0)
        backward = np.where(kept, left_word, 0) * width + right_word
        keys = distinct_values(np.concatenate([forward, backward]))
        forward_tally, backward_tally = (
            replace(
                tally,
                pairs=_summed(np.searchsorted(keys, places), tally.pairs[some], len(keys)),
                unlinked=_summed(numbers, tally.unlinked, size),
            )
            for tally, places, numbers, size in (
                (self.forward, forward, right, width),
                (self.backward, backward, left, len(source_words)),
            )
        )
        pair_source, pair_target = np.divmod(keys, width)
        return replace(
            self,
            source_words=source_words,
            target_words=target_words,
            pair_source=pair_source.astype(np.int32),
            pair_target=pair_target.astype(np.int32),
            forward=forward_tally,
            backward=backward_tally,
            others=(
                self.others[0] + _size(self.source_words) - _size(source_words),
                self.others[1] + _size(self.target_words) - _size(target_words),
            ),
        )


def _summed(places: NDArray[Any], counts: Counts, size: int) -> Counts:
    return np.bincount(places, counts, size).astype(np.float64)


def _size(words: Mapping[str, int]) -> int:
    """How many words there are, without the one that stands for others."""
    return len(words) - (REST in words)


def _marked(words: Mapping[str, int], asked: Iterable[str]) -> Mask:
    """Which words of a vocabulary are asked for."""
    mask = np.zeros(len(words), dtype=np.bool_)
    mask[[words[word] for word in {*asked} if word in words]] = True
    return mask


def _renumbered(words: Mapping[str, int], mask: Mask) -> tuple[dict[str, int], Numbers]:
    """A vocabulary of `REST` and the marked words, and the new number of each old one."""
    if REST in words:
        mask = mask & (np.arange(len(words)) != words[REST])
    numbers = (np.cumsum(mask) * mask).astype(np.int32)
    every = list(words)
    chosen = [every[number] for number in np.flatnonzero(mask).tolist()]
    return {word: number for number, word in enumerate([REST, *chosen])}, numbers


def prior_of(
    text: PairedText,
    tallies: tuple[Tally, Tally],
    form: str,
    prefix_length: int,
    earlier: Prior | None,
) -> Prior:
    """What was counted in a text; tallies include what an earlier prior knew of its pairs."""
    kept = np.flatnonzero(np.maximum(tallies[0].pairs, tallies[1].pairs) > _SMALLEST)
    source, target = text.keys.words_of(kept)
    counts = [tally.pairs[kept] for tally in tallies]
    if earlier is not None:
        rest = np.flatnonzero(text.keys.numbers(earlier.pair_source, earlier.pair_target) == 0)
        source = np.concatenate([source, earlier.pair_source[rest]])
        target = np.concatenate([target, earlier.pair_target[rest]])
        for number, tally in enumerate((earlier.forward, earlier.backward)):
            counts[number] = np.concatenate([counts[number], tally.pairs[rest]])
    order = np.lexsort((target, source))
    forward, backward = (
        Tally(pairs[order], tally.unlinked, tally.jump, tally.first)
        for pairs, tally in zip(counts, tallies, strict=True)
    )
    words = text.source.words, text.target.words
    others = earlier.others if earlier else (0, 0)
    pairs = source[order], target[order]
    return Prior(form, prefix_length, *words, *pairs, forward, backward, others)


def save_prior(path: Path, prior: Prior) -> None:
    """Write a prior as one .npz file."""
    arrays = _described(prior, _VERSION)
    arrays |= {"pair_source": prior.pair_source, "pair_target": prior.pair_target}
    for direction, tally in (("forward", prior.forward), ("backward", prior.backward)):
        for field in _FIELDS:
            arrays[f"{direction}_{field}"] = getattr(tally, field).astype(np.float32)
    with atomic_output(path) as handle:
        np.savez_compressed(handle, **arrays)  # type: ignore[arg-type]


def packed_prior(prior: Prior, most_bytes: int) -> bytes:
    """The .npz file of about the largest part of a prior that has no more than so many bytes.

    A count is a logarithm in one byte, to a tenth of it. Without any pairs a file has some 3,000
    bytes; it is no smaller.
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
    arrays = _described(prior, _PACKED)
    arrays["pairs"] = np.bincount(prior.pair_source, minlength=len(prior.source_words)).astype(
        "<u4"
    )
    target = prior.pair_target
    arrays["pair_target"] = np.stack([target >> shift & 255 for shift in (0, 8, 16)]).astype("u1")
    forward, backward = (_logarithms(tally.pairs) for tally in (prior.forward, prior.backward))
    arrays["forward_pairs"], arrays["backward_pairs"] = forward, backward - forward  # mod 256
    for direction, tally in (("forward", prior.forward), ("backward", prior.backward)):
        arrays[f"{direction}_unlinked"] = _logarithms(tally.unlinked)
        for field in ("jump", "first"):
            arrays[f"{direction}_{field}"] = getattr(tally, field).astype("<f4")
    handle = io.BytesIO()
    np.savez_compressed(handle, **arrays)  # type: ignore[arg-type]
    return handle.getvalue()


def _described(prior: Prior, version: int) -> dict[str, NDArray[Any]]:
    about = {
        "version": version,
        "form": prior.form,
        "prefix_length": prior.prefix_length,
        "others": list(prior.others),
        "source_words": list(prior.source_words),
        "target_words": list(prior.target_words),
    }
    text = json.dumps(about, ensure_ascii=False).encode("utf-8")
    return {"about": np.frombuffer(text, np.uint8)}


def _logarithms(counts: Counts) -> NDArray[np.uint8]:
    """Counts as bytes: 0 for none, then logarithms from that of the smallest."""
    steps = np.log(np.maximum(counts, _SMALLEST) / _SMALLEST) / _STEP
    return np.where(counts < _SMALLEST / 2, 0, np.clip(np.rint(steps) + 1, 1, 255)).astype(np.uint8)


def _counts(logarithms: NDArray[np.uint8]) -> Counts:
    counts = _SMALLEST * np.exp(_STEP * (logarithms.astype(np.float64) - 1))
    return np.where(logarithms == 0, 0.0, counts)


def _unpacked(arrays: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The arrays of a packed prior as those of any other."""
    pairs, low = arrays["pairs"], arrays["pair_target"].astype(np.int64)
    forward = arrays["forward_pairs"]
    if pairs.sum() != len(forward) or low.shape != (3, len(forward)):
        raise ValueError("pairs and counts of different lengths")
    given = {
        "pair_source": np.repeat(np.arange(len(pairs)), pairs),
        "pair_target": low[0] + (low[1] << 8) + (low[2] << 16),
        "forward_pairs": _counts(forward),
        "backward_pairs": _counts(forward + arrays["backward_pairs"]),
    }
    for direction in ("forward", "backward"):
        given[f"{direction}_unlinked"] = _counts(arrays[f"{direction}_unlinked"])
    return {**arrays, **given}


def load_prior(path: Path) -> Prior:
    """Read a prior; a damaged file, or one of something else, is refused."""
    if path.is_file() and not is_zipfile(path):
        raise _refused(path, "a file that is no .npz, or the beginning of one")
    try:
        arrays = read_npz(path)
        about = json.loads(arrays["about"].tobytes().decode("utf-8"))
    except OSError as error:
        raise _refused(path, error.strerror or str(error)) from error
    except (ValueError, KeyError, EOFError, BadZipFile, RuntimeError, zlib.error) as error:
        raise _refused(path, str(error)) from error
    try:
        if about["version"] not in (_VERSION, _PACKED):
            raise _refused(path, f"version {about['version']}")
        if about["version"] == _PACKED:
            arrays = _unpacked(arrays)
        others = [int(number) for number in about.get("others", (0, 0))]
        prior = Prior(
            str(about["form"]),
            int(about["prefix_length"]),
            {word: number for number, word in enumerate(about["source_words"])},
            {word: number for number, word in enumerate(about["target_words"])},
            arrays["pair_source"].astype(np.int32),
            arrays["pair_target"].astype(np.int32),
            _tally(arrays, "forward"),
            _tally(arrays, "backward"),
            (others[0], others[1]),
        )
    except (LookupError, TypeError, ValueError) as error:
        raise _refused(path, str(error)) from error
    fault = _fault(prior)
    if fault:
        raise _refused(path, fault)
    return prior


def _refused(path: Path, found: str) -> Exception:
    return input_error(path, "file", "a prior saved by crosspro align", found)


def _tally(arrays: dict[str, NDArray[Any]], direction: str) -> Tally:
    return Tally(*(arrays[f"{direction}_{field}"].astype(np.float64) for field in _FIELDS))


def _fault(prior: Prior) -> str | None:
    """What is wrong with the sizes and values of a prior, if anything."""
    source, target = len(prior.source_words), len(prior.target_words)
    pairs = len(prior.pair_source)
    both = (prior.forward, prior.backward)
    if min(prior.others) < 0:
        return "less than no other words"
    if {len(prior.pair_target), *(len(tally.pairs) for tally in both)} != {pairs}:
        return "pairs and counts of different lengths"
    if len(prior.forward.unlinked) != target or len(prior.backward.unlinked) != source:
        return "vocabularies and counts of different lengths"
    for words, size in ((prior.pair_source, source), (prior.pair_target, target)):
        if pairs and not (words.min() >= 0 and words.max() < size):
            return "pairs of words outside the vocabularies"
    for tally in both:
        if len(tally.jump) != 2 * len(tally.first) + 1:
            return "jumps and first positions of different lengths"
        for counts in (tally.pairs, tally.unlinked, tally.jump, tally.first):
            if not (np.isfinite(counts).all() and (counts >= 0).all()):
                return "counts that are negative or no numbers"
    return None


def _resized(tally: Tally, reach: int) -> tuple[Counts, Counts]:
    """Jump counts for another length limit: cut at the ends, or filled up with nothing."""
    old = len(tally.first)
    common = min(old, reach)
    jump, first = np.zeros(2 * reach + 1), np.zeros(reach)
    jump[reach - common : reach + common + 1] = tally.jump[old - common : old + common + 1]
    first[:common] = tally.first[:common]
    return jump, first
