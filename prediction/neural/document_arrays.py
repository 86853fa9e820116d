"""A document encoder in numpy: what `networks.document_encoder` calculates, without torch.

The pieces of all rows of a batch lie end to end, so that nothing is filled up: products are those
of whole batches, and attention alone goes from row to row. Work that changes nothing is left out.
Norms have no weights, so whatever is added to states is centred once, in the weights, and a norm
only scales. What is rotated together stands side by side, as one complex number. The last layer is
calculated for the places that are asked for: the gap, the pronoun, and nouns that may be
antecedents. Given its kind, each noun says the same of the classes, so that p(class) is a sum over
kinds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.core.example import SIDES
from crosspro.prediction.neural.reading.document_kind import (
    AGREEMENT,
    PIECES,
    SOURCE_AGREEMENT,
    SOURCE_PIECE,
    TARGET_AGREEMENT,
    TARGET_PIECE,
    DocumentSettings,
)
from crosspro.prediction.neural.reading.encoding import EncodedText, Ints
from crosspro.prediction.neural.reading.fields import TAG, Field
from crosspro.prediction.neural.reading.lexicon_fields import (
    NO_NOUN,
    NOUN_VOCABULARY,
    SOURCE_NOUN,
    TARGET_NOUN,
)
from crosspro.prediction.neural.reading.vocabulary import PAD, Inventory
from crosspro.prediction.stored_tensors import Arrays, check_names

Floats = NDArray[np.float32]
Chances = NDArray[np.float64]
Numbers = NDArray[np.int64]

_PLACES = 1 << 11
"""Places of a batch: products are large enough, and memory is used again by the next batch."""
_LONGEST = 10_000.0
_SMALLEST = 1e-5
"""Of rotations and norms, as in `layers.transformer`."""


@dataclass(frozen=True)
class DocumentRows:
    """The rows of some gaps end to end, first the source of each, then its target.

    `numbers` are those of pieces, agreement, distance and tags, where there are any, and `offsets`
    say how far places stand from the pronoun or the gap, or from the middle of those that are read
    together. `bounds` are where rows begin and the last one ends; `gap` and `pronoun` have a place
    for each gap, which is its own without a source. `nouns` are the places that may be antecedents
    of the gaps `noun_gaps`.
    """

    numbers: tuple[Numbers, ...]
    offsets: Numbers
    tokens: Numbers
    bounds: Numbers
    gap: Numbers
    pronoun: Numbers
    has_source: NDArray[np.bool_]
    nouns: Numbers
    noun_gaps: Numbers
    noun_kinds: Numbers


class DocumentText:
    """Text whose gaps are to be read: where their rows are, and what stands there.

    The tokens of the source and then those of the target are one array; `source_tokens` is where
    the target begins.
    """

    def __init__(
        self, data: EncodedText, settings: DocumentSettings, context: int, no_noun: int
    ) -> None:
        self.settings = settings
        self._no_noun = no_noun
        self.source_tokens = len(data.fields[SOURCE_PIECE.name])
        self._fields = [
            _joined(data, SOURCE_PIECE, TARGET_PIECE),
            _joined(data, SOURCE_AGREEMENT, TARGET_AGREEMENT),
        ]
        self._tags = _joined(data, None, TAG, self.source_tokens) if settings.tags else None
        self._nouns = _joined(data, SOURCE_NOUN, TARGET_NOUN) if settings.pointer else None
        spans = data.spans(context, settings.together)
        self._gaps = np.flatnonzero(np.diff(spans.row, prepend=-1, append=-1))
        """Where the gaps of each row begin, and where the last end."""
        first = self._gaps[:-1]
        of_source, of_target = (
            [getattr(spans, f"{side}_{name}")[first] for name in ("low", "high", "from", "to")]
            for side in SIDES
        )
        self._source = source = _Window.around(of_source, settings.source)
        self._target = target = _Window.around(of_target, settings.target)
        pronoun = data.source_position - source.start[spans.row]
        self._pronoun = np.minimum(pronoun, source.size[spans.row] - 1)
        self._gap = data.target_position + (source.size - target.start)[spans.row]

    @property
    def sizes(self) -> Numbers:
        """The places of each row."""
        return self._source.size + self._target.size

    def rows(self, chosen: slice) -> DocumentRows:
        """Some rows."""
        source, target = self._source[chosen], self._target[chosen]
        gaps = self._gaps[chosen.start : chosen.stop + 1]
        bounds = np.concatenate(([0], np.cumsum(source.size + target.size)))
        starts = bounds[:-1]
        row = np.repeat(np.arange(len(starts)), np.diff(bounds))
        column = np.arange(bounds[-1]) - starts[row]
        of_source = column < source.size[row]
        offsets = column - np.where(
            of_source, source.middle[row], (source.size + target.middle)[row]
        )
        begins = self.source_tokens + target.start - source.size
        tokens = column + np.where(of_source, source.start[row], begins[row])
        (before, after), (behind, ahead) = self.settings.source, self.settings.target
        distances = np.where(
            of_source,
            np.clip(offsets, -before, after) + before,
            np.clip(offsets, -behind, ahead) + behind + before + after + 1,
        )
        numbers = [*(field[tokens] for field in self._fields), distances]
        own = slice(gaps[0], gaps[-1])
        row_of_gap = np.repeat(np.arange(len(starts)), np.diff(gaps))
        has_source = source.size[row_of_gap] > 0
        gap = starts[row_of_gap] + self._gap[own]
        pronoun = np.where(has_source, starts[row_of_gap] + self._pronoun[own], gap)
        if self._tags is not None:
            numbers.append(self._tags[tokens])
        nouns = noun_gaps = kinds = np.zeros(0, np.int64)
        if self._nouns is not None:
            found = self._nouns[tokens]
            every = np.flatnonzero(found != self._no_noun)
            times = np.diff(gaps)[row[every]]
            nouns = np.repeat(every, times)
            ends = np.cumsum(times)
            noun_gaps = np.arange(len(nouns)) + np.repeat(
                gaps[row[every]] - gaps[0] - ends + times, times
            )
            earlier = nouns < np.where(of_source[nouns], pronoun[noun_gaps], gap[noun_gaps])
            nouns, noun_gaps = nouns[earlier], noun_gaps[earlier]
            kinds = found[nouns]
        return DocumentRows(
            tuple(numbers),
            offsets,
            tokens,
            bounds,
            gap,
            pronoun,
            has_source,
            nouns,
            noun_gaps,
            kinds,
        )

    def batches(self) -> Iterator[slice]:
        """All rows, a few at a time."""
        ends = np.cumsum(self.sizes)
        start = 0
        while start < len(ends):
            done = ends[start - 1] if start else 0
            fitting = int(np.searchsorted(ends, done + _PLACES, side="right"))
            end = max(start + 1, fitting)
            yield slice(start, end)
            start = end


def _joined(
    data: EncodedText, of_source: Field | None, of_target: Field, missing: int = 0
) -> Numbers:
    """A field of both sides; `missing` tokens of a source that has none are padding."""
    source = np.full(missing, PAD) if of_source is None else data.fields[of_source.name]
    return np.concatenate((source, data.fields[of_target.name])).astype(np.int64)


@dataclass(frozen=True)
class _Window:
    """Where what rows read of a side begins, how long it is, and where its middle is."""

    start: Numbers
    size: Numbers
    middle: Numbers

    @classmethod
    def around(cls, span: Sequence[Ints], reach: tuple[int, int]) -> _Window:
        """Those of the bounds and the outermost places of spans, from so far before these on."""
        low, high, first, last = span
        before, after = reach
        start = np.maximum(low, first - before).astype(np.int64)
        size = np.maximum(np.minimum(high, last + after + 1) - start, 0)
        return cls(start, size, (first + last) // 2 - start)

    def __getitem__(self, rows: slice) -> _Window:
        return _Window(self.start[rows], self.size[rows], self.middle[rows])


def places_of(settings: DocumentSettings) -> int:
    """The most places of a row."""
    return sum(settings.source) + sum(settings.target) + 2


@dataclass(frozen=True)
class ReadRows:
    """The probabilities of the classes of some gaps, and where they were pointed.

    For each noun of `rows` its probability is in `shares`; `of_kinds` (batch, kinds, classes) are
    the probabilities of classes given what the noun is.
    """

    chances: Chances
    rows: DocumentRows
    shares: Chances
    of_kinds: Chances

    def given(self, classes: Numbers) -> Chances:
        """The probability of each noun, if the gaps have these classes."""
        row = self.rows.noun_gaps
        chosen = classes[row]
        told = self.of_kinds[row, self.rows.noun_kinds, chosen]
        return np.asarray(self.shares * told / self.chances[row, chosen])


@dataclass(frozen=True)
class _Layer:
    """The matrices of a layer, as they are multiplied with from the right."""

    queries: Floats
    keys: Floats
    values: Floats
    attended: Floats
    wide: Floats
    narrow: Floats


class DocumentArrays:
    """The weights of a document encoder and what they make of rows."""

    def __init__(self, arrays: Arrays, settings: DocumentSettings, inventory: Inventory) -> None:
        expected = _shapes(settings, inventory)
        check_names(arrays, expected)
        for name, shape in expected.items():
            if arrays[name].shape != shape:
                raise ValueError(f"{name} is {arrays[name].shape}, not {shape}")
        self.arrays = {name: np.asarray(array, np.float32) for name, array in arrays.items()}
        self.settings = settings
        self.no_noun = 0
        if settings.pointer:
            self.no_noun = inventory.vocabularies[NOUN_VOCABULARY].number(NO_NOUN)
        self._head = settings.width // settings.heads
        self._reach = places_of(settings) + settings.together

    @cached_property
    def _tables(self) -> list[Floats]:
        names = ("pieces", "agreement", "places", *(("tags",) if self.settings.tags else ()))
        return [_centred(self.arrays[f"rows.{name}.weight"]) for name in names]

    @cached_property
    def _layers(self) -> list[_Layer]:
        return [self._layer(number) for number in range(self.settings.layers)]

    def _layer(self, number: int) -> _Layer:
        """The matrices of a layer; queries are scaled, and what is turned together stands side by
        side."""
        width, heads, size = self.settings.width, self.settings.heads, self._head
        together, attended, wide, narrow = (
            self.arrays[f"rows.layers.layers.{number}.{name}.weight"]
            for name in ("queries_keys_values", "attended", "wide", "narrow")
        )
        queries, keys, values = together.reshape(3, heads, size, width)
        three = np.stack((queries / np.float32(sqrt(size)), keys, values))
        three[:2, :, -1] = 0  # in torch it says what fills rows up
        queries, keys, values = three.reshape(3, width, width)
        order = np.arange(width).reshape(-1, 2, size // 2).transpose(0, 2, 1).ravel()
        each = (
            queries[order].T,
            keys[order].T,
            values.T,
            _centred(attended.T),
            wide.T,
            _centred(narrow.T),
        )
        return _Layer(*map(np.ascontiguousarray, each))

    @cached_property
    def _turns(self) -> NDArray[np.complex64]:
        """By which complex numbers the pairs of a head are multiplied, for every offset."""
        pairs = np.arange(0, self._head, 2)
        speeds = np.where(pairs < self._head - 2, _LONGEST ** (-pairs / self._head), 0.0)
        reach = self._reach
        angles = np.arange(-reach, reach + 1)[:, None] * speeds
        return np.asarray(np.exp(1j * angles), np.complex64)

    def read(self, text: DocumentText) -> Iterator[ReadRows]:
        """What is read of all gaps of a text, a few at a time, in their order."""
        return (self._read(text.rows(gaps)) for gaps in text.batches())

    def _read(self, rows: DocumentRows) -> ReadRows:
        asked = np.zeros(rows.bounds[-1], bool)
        for places in (rows.gap, rows.pronoun, rows.nouns):
            asked[places] = True
        found = self._states(rows, np.flatnonzero(asked))
        at = np.cumsum(asked) - 1
        none = self.arrays["no_pronoun"]
        pronoun = np.where(rows.has_source[:, None], found[at[rows.pronoun]], none)
        both = np.concatenate((found[at[rows.gap]], pronoun), 1)
        hidden = _gelu(self._linear("dense", both))
        scores = self._linear("output", hidden).astype(np.float64)
        if not self.settings.pointer:
            nothing = np.zeros((len(scores), 0, scores.shape[1]))
            return ReadRows(_softmax(scores), rows, np.zeros(0), nothing)
        query = self._linear("pointer.queries", both) / np.float32(sqrt(self.settings.width))
        none_fits = (query @ self.arrays["pointer.nothing"]).astype(np.float64)
        nouns, row = found[at[rows.nouns]], rows.noun_gaps
        fits = np.einsum("ij,ij->i", nouns, query[row]).astype(np.float64)
        most = none_fits.copy()
        np.maximum.at(most, row, fits)
        shares, no_noun = np.exp(fits - most[row]), np.exp(none_fits - most)
        total = no_noun + np.bincount(row, shares, len(most))
        shares /= total[row]
        told = self.arrays["pointer.noun_classes.weight"]
        of_kinds = _softmax(scores[:, None] + told)
        kinds = np.bincount(row * len(told) + rows.noun_kinds, shares, len(most) * len(told))
        kinds = kinds.reshape(len(most), len(told))
        kinds[:, self.no_noun] = no_noun / total
        chances = np.einsum("bk,bkc->bc", kinds, of_kinds)
        return ReadRows(chances, rows, shares, of_kinds)

    def _linear(self, name: str, vectors: Floats) -> Floats:
        return vectors @ self.arrays[f"{name}.weight"].T + self.arrays[f"{name}.bias"]

    def _states(self, rows: DocumentRows, asked: Numbers) -> Floats:
        """The states of the places that are asked for."""
        states = np.zeros((len(rows.offsets), self.settings.width), np.float32)
        for table, numbers in zip(self._tables, rows.numbers, strict=True):
            states += table[numbers]
        turns = self._turns[rows.offsets + self._reach]
        turns = np.tile(turns, self.settings.heads)
        for number, layer in enumerate(self._layers, start=1):
            normed = _normed(states)
            asking, asking_turns, bounds = normed, turns, rows.bounds
            if number == self.settings.layers:
                asking, asking_turns, states = normed[asked], turns[asked], states[asked]
                bounds = np.searchsorted(asked, rows.bounds)
            queries = _turned(asking @ layer.queries, asking_turns)
            keys = _turned(normed @ layer.keys, turns)
            values = normed @ layer.values
            found = self._attended(queries, keys, values, bounds.tolist(), rows.bounds.tolist())
            states += found @ layer.attended
            hidden = _normed(states) @ layer.wide
            np.maximum(hidden, np.zeros_like(hidden[0]), out=hidden)  # faster than a plain 0
            hidden *= hidden
            states += hidden @ layer.narrow
        return _normed(states)

    def _attended(
        self,
        queries: Floats,
        keys: Floats,
        values: Floats,
        asking: Sequence[int],
        bounds: Sequence[int],
    ) -> Floats:
        """What places attend to, each within its row, which begins at the bounds."""
        by_head = (-1, self.settings.heads, self._head)
        query, key, value = (part.reshape(by_head) for part in (queries, keys, values))
        found = np.empty_like(query)
        for row in range(len(bounds) - 1):
            own = slice(bounds[row], bounds[row + 1])
            asked = slice(asking[row], asking[row + 1])
            fits = key[own].transpose(1, 0, 2) @ query[asked].transpose(1, 2, 0)
            fits -= fits.max(1, keepdims=True)
            np.exp(fits, out=fits)
            fits /= fits.sum(1, keepdims=True)
            out = found[asked].transpose(1, 0, 2)
            np.matmul(fits.transpose(0, 2, 1), value[own].transpose(1, 0, 2), out=out)
        return found.reshape(queries.shape)


def _shapes(settings: DocumentSettings, inventory: Inventory) -> dict[str, tuple[int, ...]]:
    """The names and shapes of all weights."""
    width, classes = settings.width, len(inventory.classes)
    pieces = inventory.size(PIECES)
    tables = {"pieces": pieces, "agreement": inventory.size(AGREEMENT)}
    tables["places"] = places_of(settings)
    if settings.tags:
        tables["tags"] = inventory.size(TAG.name)
    linear = {"dense": (width, 2 * width), "output": (classes, width), "words.dense": (width,) * 2}
    own: dict[str, tuple[int, ...]] = {
        "no_pronoun": (width,),
        "words.bias": (pieces,),
        "words.norm.weight": (width,),
        "words.norm.bias": (width,),
    }
    if settings.pointer:
        linear["pointer.queries"] = (width, 2 * width)
        own["pointer.nothing"] = (width,)
        own["pointer.noun_classes.weight"] = (inventory.size(NOUN_VOCABULARY), classes)
    products = {
        "queries_keys_values": (3 * width, width),
        "attended": (width, width),
        "wide": (4 * width, width),
        "narrow": (width, 4 * width),
    }
    return {
        **own,
        **{f"rows.{name}.weight": (size, width) for name, size in tables.items()},
        **{f"{name}.weight": shape for name, shape in linear.items()},
        **{f"{name}.bias": shape[:1] for name, shape in linear.items()},
        **{
            f"rows.layers.layers.{number}.{name}.weight": shape
            for number in range(settings.layers)
            for name, shape in products.items()
        },
    }


def _centred(vectors: Floats) -> Floats:
    return np.asarray(vectors - vectors.mean(-1, keepdims=True))


def _normed(states: Floats) -> Floats:
    """Centred states, scaled as a norm does."""
    squares = np.einsum("ij,ij->i", states, states) / np.float32(states.shape[1])
    return np.asarray(states * (1 / np.sqrt(squares + np.float32(_SMALLEST)))[:, None])


def _turned(vectors: Floats, by: NDArray[np.complex64]) -> Floats:
    pairs = vectors.view(np.complex64)
    pairs *= by
    return vectors


def _gelu(values: Floats) -> Floats:
    """As torch has it; numpy has no error function (Abramowitz and Stegun, 7.1.26)."""
    size = np.abs(values.astype(np.float64)) / sqrt(2)
    step = 1 / (1 + 0.3275911 * size)
    terms = (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592, 0.0)
    shares = 1 - np.polyval(terms, step) * np.exp(-size * size)
    return np.asarray(values * (1 + np.sign(values) * shares) / 2, np.float32)


def _softmax(scores: Chances) -> Chances:
    chances = np.exp(scores - scores.max(-1, keepdims=True))
    return np.asarray(chances / chances.sum(-1, keepdims=True))
