"""A document encoder in numpy: what `networks.document_encoder` calculates, without torch.

The sub-words of all rows of a batch lie end to end, so nothing is padded: products are those of
whole batches, and attention alone goes from row to row. Work that changes nothing is left out:
norms have no weights, so whatever is added to states is centred once, in the weights, and a norm
only scales; the last layer is calculated for the gap, the pronoun and candidate nouns alone.

A `NumpySystem` is loaded in place of a `NeuralSystem` wherever predictions are wanted, and says the
same. Training needs torch: `load_system(run, to_train=True)`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import sqrt
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from crosspro.data_prep.core.errors import CrossproError
from crosspro.data_prep.core.example import Example
from crosspro.prediction.neural.network_system import NetworkSystem, PointedTokens
from crosspro.prediction.neural.networks.document_encoder.rows import (
    NOUN_FIELDS,
    DocumentEncoderSettings,
    Layout,
    Rows,
    embedded,
    lay_out,
)
from crosspro.prediction.neural.reading.encoding import EncodedText
from crosspro.prediction.neural.reading.lexicon_fields import NO_NOUN, NOUN
from crosspro.prediction.neural.reading.vocabulary import Inventory
from crosspro.prediction.stored_tensors import Arrays
from crosspro.prediction.system import Classes

Floats = NDArray[np.float32]
Probabilities = NDArray[np.float64]
Numbers = NDArray[np.int64]

_PLACES_AT_ONCE = 1 << 11
"""Places of a batch: products are large enough, and memory stays in caches."""
_LONGEST_WAVE = 10_000.0
_EPSILON = 1e-5
"""Of rotations and norms, as in `layers.transformer`."""


class FlatRows(NamedTuple):
    """Rows of gaps end to end; row i lies from `bounds[i]` to `bounds[i + 1]`.

    `gap` and `pronoun` have a place for each row. `nouns` are places of candidate antecedents, of
    the gaps `noun_gaps`, and `noun_kinds` their gender and number.
    """

    layout: Layout
    bounds: Numbers
    gap: Numbers
    pronoun: Numbers
    has_source: NDArray[np.bool_]
    nouns: Numbers
    noun_gaps: Numbers
    noun_kinds: Numbers


class ReadRows(NamedTuple):
    """The class probabilities of gaps, and those of the candidate nouns of `rows`.

    `class_of_kind` (gaps, kinds, classes) are the probabilities of classes given a noun's kind.
    """

    probabilities: Probabilities
    rows: FlatRows
    of_nouns: Probabilities
    class_of_kind: Probabilities

    def nouns_given(self, classes: Numbers) -> Probabilities:
        """The probability of each noun, if the gaps have these classes."""
        gaps = self.rows.noun_gaps
        chosen = classes[gaps]
        of_class = self.class_of_kind[gaps, self.rows.noun_kinds, chosen]
        return np.asarray(self.of_nouns * of_class / self.probabilities[gaps, chosen])


class NumpyLayer(NamedTuple):
    """The matrices of a layer, for multiplication from the right."""

    queries: Floats
    keys: Floats
    values: Floats
    attended: Floats
    wide: Floats
    narrow: Floats


class NumpyDocumentEncoder:
    """The weights of a document encoder, and the probabilities that they give gaps."""

    def __init__(
        self, arrays: Arrays, settings: DocumentEncoderSettings, inventory: Inventory
    ) -> None:
        self.arrays = {name: np.asarray(array, np.float32) for name, array in arrays.items()}
        self.settings = settings
        self.no_noun = 0
        if settings.pointer:
            self.no_noun = inventory.vocabularies[NOUN].number(NO_NOUN)
        self._tables: dict[str, Floats] = {}
        for name, size in settings.table_sizes(inventory).items():
            table = self.arrays[f"rows.{name}.weight"]
            if table.shape != (size, settings.width):
                raise ValueError(f"{name} is {table.shape}, not {(size, settings.width)}")
            self._tables[name] = _centred(table)
        self._layers = [self._layer(number) for number in range(settings.layers)]
        self._turns = self._turns_of_offsets()

    def _layer(self, number: int) -> NumpyLayer:
        width, heads = self.settings.width, self.settings.heads
        size = width // heads
        three, attended, wide, narrow = (
            self.arrays[f"rows.layers.layers.{number}.{name}.weight"]
            for name in ("queries_keys_values", "attended", "wide", "narrow")
        )
        queries, keys, values = three.reshape(3, heads, size, width).copy()
        queries /= np.float32(sqrt(size))
        queries[:, -1] = 0  # as in `layers.transformer`
        # Numbers that are rotated together become neighbours.
        order = np.arange(width).reshape(-1, 2, size // 2).transpose(0, 2, 1).ravel()
        queries, keys = (part.reshape(width, width)[order].T for part in (queries, keys))
        matrices = (
            *(queries, keys, values.reshape(width, width).T),
            *(_centred(attended.T), wide.T, _centred(narrow.T)),
        )
        return NumpyLayer(*map(np.ascontiguousarray, matrices))

    def _turns_of_offsets(self) -> NDArray[np.complex64]:
        """The complex numbers that rotate the pairs of all heads, for every offset."""
        size = self.settings.width // self.settings.heads
        pairs = np.arange(0, size, 2)
        speeds = np.where(pairs < size - 2, _LONGEST_WAVE ** (-pairs / size), 0.0)
        offsets = np.arange(-self.settings.places, self.settings.places + 1)
        angles = offsets[:, None] * speeds
        return np.asarray(np.exp(1j * np.tile(angles, self.settings.heads)), np.complex64)

    def read(self, text: EncodedText) -> Iterator[ReadRows]:
        """What is predicted for all gaps of a text, a few rows at a time, in their order."""
        ends = np.cumsum(Rows.of(text, slice(None), self.settings).size)
        start = 0
        while start < len(ends):
            limit = (ends[start - 1] if start else 0) + _PLACES_AT_ONCE
            end = max(start + 1, int(np.searchsorted(ends, limit, side="right")))
            yield self._read(text, slice(start, end))
            start = end

    def _read(self, text: EncodedText, gaps: slice) -> ReadRows:
        rows = self._flat(text, gaps)
        needed = np.unique(np.concatenate((rows.gap, rows.pronoun, rows.nouns)))
        states = self._states(text, rows, needed)
        of_gap, of_pronoun, of_noun = (
            states[np.searchsorted(needed, places)]
            for places in (rows.gap, rows.pronoun, rows.nouns)
        )
        of_pronoun = np.where(rows.has_source[:, None], of_pronoun, self.arrays["no_pronoun"])
        both = np.concatenate((of_gap, of_pronoun), 1)
        scores = self._linear("output", _gelu(self._linear("dense", both))).astype(np.float64)
        if not self.settings.pointer:
            nothing = np.zeros((len(scores), 0, scores.shape[1]))
            return ReadRows(_softmax(scores), rows, np.zeros(0), nothing)
        noun_gaps = rows.noun_gaps
        query = self._linear("pointer.queries", both) / np.float32(sqrt(self.settings.width))
        fit_of_none = (query @ self.arrays["pointer.nothing"]).astype(np.float64)
        fits = np.einsum("ij,ij->i", of_noun, query[noun_gaps]).astype(np.float64)
        most = fit_of_none.copy()
        np.maximum.at(most, noun_gaps, fits)
        of_nouns, of_none = np.exp(fits - most[noun_gaps]), np.exp(fit_of_none - most)
        total = of_none + np.bincount(noun_gaps, of_nouns, len(most))
        of_nouns /= total[noun_gaps]
        noun_classes = self.arrays["pointer.noun_classes.weight"]
        class_of_kind = _softmax(scores[:, None] + noun_classes)
        # Nouns of a kind say the same of the classes, so p(class) is a sum over kinds.
        cells = noun_gaps * len(noun_classes) + rows.noun_kinds
        of_kinds = np.bincount(cells, of_nouns, len(most) * len(noun_classes))
        of_kinds = of_kinds.reshape(len(most), -1)
        of_kinds[:, self.no_noun] = of_none / total
        probabilities = np.einsum("bk,bkc->bc", of_kinds, class_of_kind)
        return ReadRows(probabilities, rows, of_nouns, class_of_kind)

    def _flat(self, text: EncodedText, gaps: slice) -> FlatRows:
        rows = Rows.of(text, gaps, self.settings)
        bounds = np.concatenate(([0], np.cumsum(rows.size)))
        row = np.repeat(np.arange(len(rows.size)), rows.size)
        places = np.arange(bounds[-1])
        source, target = rows.source.of_rows(row), rows.target.of_rows(row)
        layout = lay_out(places - bounds[row], source, target, self.settings, np.where)
        gap = bounds[:-1] + rows.gap
        has_source = rows.source.size > 0
        pronoun = np.where(has_source, bounds[:-1] + rows.pronoun, gap)
        nouns = noun_gaps = noun_kinds = np.zeros(0, np.int64)
        if self.settings.pointer:
            kinds = layout.pick(text, NOUN_FIELDS, np.where)
            end = np.where(layout.in_source, pronoun[row], gap[row])
            nouns = np.flatnonzero((kinds != self.no_noun) & (places < end))
            noun_gaps, noun_kinds = row[nouns], kinds[nouns]
        return FlatRows(layout, bounds, gap, pronoun, has_source, nouns, noun_gaps, noun_kinds)

    def _states(self, text: EncodedText, rows: FlatRows, needed: Numbers) -> Floats:
        layout = rows.layout
        states = np.zeros((len(layout.offset), self.settings.width), np.float32)
        for name, numbers in embedded(text, layout, self.settings, np.where).items():
            states += self._tables[name][numbers]
        turns = self._turns[layout.offset + self.settings.places]
        for number, layer in enumerate(self._layers, start=1):
            normed = _normed(states)
            query_states, query_turns, query_bounds = normed, turns, rows.bounds
            if number == len(self._layers):
                query_states, query_turns, states = normed[needed], turns[needed], states[needed]
                query_bounds = np.searchsorted(needed, rows.bounds)
            queries = _turned(query_states @ layer.queries, query_turns)
            keys = _turned(normed @ layer.keys, turns)
            attended = self._attend(queries, keys, normed @ layer.values, query_bounds, rows.bounds)
            states += attended @ layer.attended
            hidden = _normed(states) @ layer.wide
            np.maximum(hidden, np.zeros_like(hidden[0]), out=hidden)  # faster than a plain 0
            hidden *= hidden
            states += hidden @ layer.narrow
        return _normed(states)

    def _attend(
        self,
        queries: Floats,
        keys: Floats,
        values: Floats,
        query_bounds: Numbers,
        bounds: Numbers,
    ) -> Floats:
        by_head = (-1, self.settings.heads, self.settings.width // self.settings.heads)
        query, key, value = (part.reshape(by_head) for part in (queries, keys, values))
        attended = np.empty_like(query)
        rows = zip(pairwise(bounds.tolist()), pairwise(query_bounds.tolist()), strict=True)
        for (start, end), (first, last) in rows:
            fits = key[start:end].transpose(1, 0, 2) @ query[first:last].transpose(1, 2, 0)
            fits -= fits.max(1, keepdims=True)
            np.exp(fits, out=fits)
            fits /= fits.sum(1, keepdims=True)
            out = attended[first:last].transpose(1, 0, 2)
            np.matmul(fits.transpose(0, 2, 1), value[start:end].transpose(1, 0, 2), out=out)
        return attended.reshape(queries.shape)

    def _linear(self, name: str, vectors: Floats) -> Floats:
        return vectors @ self.arrays[f"{name}.weight"].T + self.arrays[f"{name}.bias"]


class NumpySystem(NetworkSystem):
    """Predicts in numpy with the weights of a run or an archive."""

    single_threaded = True
    network: NumpyDocumentEncoder

    def fit(self, *_: Any) -> None:
        raise CrossproError(f"{self.shown_name}: train a new system with system.init_from instead")

    @property
    def reach(self) -> int:
        """As many words as sub-words, since words are no shorter."""
        return max(self.network.settings.source_before, self.network.settings.target_before)

    def unadjusted(self, examples: Sequence[Example]) -> Probabilities:
        parts = [read.probabilities for read in self._read(examples)]
        return np.concatenate([np.zeros((0, len(self.task.classes))), *parts])

    def pointed_tokens(
        self, examples: Sequence[Example], classes: Classes
    ) -> Iterator[PointedTokens]:
        start = 0
        for read in self._read(examples):
            end = start + len(read.probabilities)
            nouns, layout = read.rows.nouns, read.rows.layout
            columns = (
                start + read.rows.noun_gaps,
                layout.position[nouns],
                read.of_nouns,
                read.nouns_given(classes[start:end]),
            )
            in_source = layout.in_source[nouns]
            yield PointedTokens("target", *(column[~in_source] for column in columns))
            yield PointedTokens("source", *(column[in_source] for column in columns))
            start = end

    def _read(self, examples: Sequence[Example]) -> list[ReadRows]:
        """In one thread: products are small, and threads that wait for each other are slow."""
        text = self.encoder.encode(examples, self.task).with_context(self.context)
        with threadpool_limits(1, user_api="blas"):
            return list(self.network.read(text))

    def weights(self) -> Arrays:
        return self.network.arrays

    def take_weights(self, arrays: Arrays) -> None:
        settings = cast(DocumentEncoderSettings, self.settings.network)
        self.network = NumpyDocumentEncoder(arrays, settings, self.inventory)


def _centred(vectors: NDArray[Any]) -> Floats:
    return np.asarray(vectors - vectors.mean(-1, keepdims=True))


def _normed(states: Floats) -> Floats:
    squares = np.einsum("ij,ij->i", states, states) / np.float32(states.shape[1])
    return np.asarray(states * (1 / np.sqrt(squares + np.float32(_EPSILON)))[:, None])


def _turned(vectors: Floats, turns: NDArray[np.complex64]) -> Floats:
    pairs = vectors.view(np.complex64)
    pairs *= turns
    return vectors


def _gelu(values: Floats) -> Floats:
    """As in torch; numpy has no error function (Abramowitz and Stegun, 7.1.26)."""
    size = np.abs(values.astype(np.float64)) / sqrt(2)
    step = 1 / (1 + 0.3275911 * size)
    terms = (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592, 0.0)
    shares = 1 - np.polyval(terms, step) * np.exp(-size * size)
    return np.asarray(values * (1 + np.sign(values) * shares) / 2, np.float32)


def _softmax(scores: Probabilities) -> Probabilities:
    exponentials = np.exp(scores - scores.max(-1, keepdims=True))
    return np.asarray(exponentials / exponentials.sum(-1, keepdims=True))
