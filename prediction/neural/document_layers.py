"""The layers of a document encoder with products of whole numbers, where its library was built.

Archives whose matrices are stored in 8 bits are calculated by `document_layers.c`, faster than
numpy calculates in 32. Without the library numpy says the same.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.core.compiled import library
from crosspro.data_prep.core.errors import CrossproError

Floats = NDArray[np.float32]
Numbers = NDArray[np.int64]

_GROUP, _DEEP, _PART = 32, 4, 64
_HEAD = 32
"""As in the library, where halves of heads are whole vectors."""
_MOST = 127


class _Matrix(ctypes.Structure):
    _fields_ = (
        ("columns", ctypes.c_int32),
        ("depth", ctypes.c_int32),
        ("weights", ctypes.c_void_p),
        ("scales", ctypes.c_void_p),
        ("totals", ctypes.c_void_p),
    )


class _Layer(ctypes.Structure):
    _fields_ = (
        ("queries_keys_values", _Matrix),
        ("attended", _Matrix),
        ("wide", _Matrix),
        ("narrow", _Matrix),
    )


class _Encoder(ctypes.Structure):
    _fields_ = (
        ("layers", ctypes.c_int32),
        ("heads", ctypes.c_int32),
        ("width", ctypes.c_int32),
        ("each", ctypes.POINTER(_Layer)),
    )


def _built() -> ctypes.CDLL:
    found = library()
    if found is None:
        raise CrossproError("products in 8 bits: expected the library of the package, found none")
    found.instructions.restype = ctypes.c_char_p
    return found


def instructions() -> list[str]:
    """The sets of instructions that the library knows, the fastest first; "" for those that this
    processor lacks."""
    known = list[str]()
    while library() is not None and (name := _built().instructions(len(known))) is not None:
        known.append(name.decode())
    return known


@dataclass(frozen=True)
class LayerWeights:
    """The matrices of a layer, (outputs, inputs) each; pairs that are turned have a number in each
    half of a head."""

    queries_keys_values: Floats
    attended: Floats
    wide: Floats
    narrow: Floats


class ByteLayers:
    """Layers in 8 bits; `by` is the number of a set of instructions."""

    def __init__(self, layers: Sequence[LayerWeights], heads: int, by: int) -> None:
        self._kept: list[NDArray[Any]] = []
        self._encode, self._by = _built().encode, by
        self._width = layers[0].attended.shape[0]
        each = (_Layer * len(layers))(*map(self._layer, layers))
        self._encoder = _Encoder(len(layers), heads, self._width, each)

    @classmethod
    def fitting(cls, layers: Sequence[LayerWeights], heads: int) -> ByteLayers | None:
        """Those of the fastest instructions, if there are any and the sizes are right for them."""
        width = layers[0].attended.shape[0]
        by = next((number for number, name in enumerate(instructions()) if name), None)
        fits = width % _PART == 0 and width % (_HEAD * heads) == 0
        return cls(layers, heads, by) if fits and by is not None else None

    def _layer(self, layer: LayerWeights) -> _Layer:
        each = (layer.queries_keys_values, layer.attended, layer.wide, layer.narrow)
        return _Layer(*map(self._matrix, each))

    def _matrix(self, matrix: Floats) -> _Matrix:
        columns, depth = matrix.shape
        scales = np.asarray(np.abs(matrix).max(1) / _MOST, np.float32)  # those of the file
        steps = np.where(scales > 0, scales, 1)[:, None]
        rounded = np.rint(matrix / steps).clip(-_MOST, _MOST).astype(np.int8)
        groups, parts = columns // _GROUP, depth // _PART
        together = rounded.reshape(groups, _GROUP, parts, _PART // _DEEP, _DEEP)
        totals = rounded.reshape(groups, _GROUP, parts, _PART).sum(3, dtype=np.int32)
        arrays = (
            np.ascontiguousarray(together.transpose(0, 2, 3, 1, 4)),
            scales,
            np.ascontiguousarray(totals.transpose(0, 2, 1)),
        )
        self._kept += arrays
        return _Matrix(columns, depth, *(array.ctypes.data for array in arrays))

    def states(
        self, embedded: Floats, bounds: Numbers, offsets: Numbers, turns: Floats, asked: Numbers
    ) -> Floats:
        """The states of the places that are asked for, of rows end to end.

        `turns` are the cosines and sines of the pairs of a head by offset, from the lowest to as
        many above 0; rows begin at `bounds`.
        """
        found = np.empty((len(asked), self._width), np.float32)
        given = (
            np.ascontiguousarray(bounds, np.int64),
            np.ascontiguousarray(embedded, np.float32),
            np.ascontiguousarray(offsets, np.int64),
            np.ascontiguousarray(turns, np.float32),
            np.searchsorted(asked, bounds).astype(np.int64),
            np.ascontiguousarray(asked, np.int64),
        )
        pointers = [ctypes.c_void_p(array.ctypes.data) for array in given]
        reach = ctypes.c_int64(len(turns) // 2)
        done = self._encode(
            ctypes.byref(self._encoder),
            self._by,
            len(bounds) - 1,
            *pointers[:4],
            reach,
            *pointers[4:],
            ctypes.c_void_p(found.ctypes.data),
        )
        if not done:
            raise MemoryError("layers of a document encoder")
        return found
