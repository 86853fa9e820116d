"""Arrays of saved systems in fewer bits: 8 for each number, and a scale for each row.

Only large matrices are stored so; vectors and whole numbers stay as they are. The metadata of a
narrowed file has the type that each matrix had, and `load_tensors` restores it. Safetensors files
hold no code.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from crosspro.data_prep.core.arrays import check_finite
from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.files import atomic_output, parse_json
from crosspro.data_prep.core.settings import check_settings, settings

Arrays = Mapping[str, NDArray[Any]]
Taken = TypeVar("Taken")

Weights = Literal["float32", "int8"]
"""How the numbers of matrices are stored; float32 leaves all arrays as they are."""
WEIGHTS: tuple[Weights, ...] = get_args(Weights)
FULL: Weights = "float32"
WEIGHTS_FILE = "network.safetensors"
"""The file of a saved network."""

_LARGE = 1024
"""Numbers of a matrix that is worth it."""
_STEPS = 127
_SCALE = "/scale"
"""What follows the name of a matrix in that of its scales."""
_KEY = "crosspro"
_WIDE = ("float32", "float64")


@settings
class _Metadata:
    """The type that each narrowed matrix had."""

    weights: Literal["int8"]
    kinds: dict[str, Literal["float32", "float64"]]


def load_tensors(path: Path) -> dict[str, NDArray[Any]]:
    """The arrays of a safetensors file in full precision.

    `ValueError` says what is wrong with narrowed matrices, or which array has numbers that are not
    finite; otherwise it raises what safetensors raises.
    """
    with safe_open(path, framework="numpy") as handle:
        about = (handle.metadata() or {}).get(_KEY)
        arrays = {name: handle.get_tensor(name) for name in handle.keys()}  # noqa: SIM118
    if about is not None:
        metadata = check_settings(_Metadata, parse_json(about), path)
        for name, kind in metadata.kinds.items():
            arrays[name] = _widened(name, arrays).astype(kind)
    for name, array in arrays.items():
        check_finite(name, array)
    return arrays


def save_weights(arrays: Arrays, folder: Path) -> None:
    with atomic_output(folder / WEIGHTS_FILE) as handle:
        handle.write(narrowed(arrays, FULL))


def load_weights(
    folder: Path, name: str, take: Callable[[dict[str, NDArray[Any]]], Taken]
) -> Taken:
    """What `take` makes of the weights of a saved network.

    A damaged file, or one of another network, which `take` refuses, is one clear error.
    """
    path = folder / WEIGHTS_FILE
    try:
        return take(load_tensors(path))
    except (OSError, SafetensorError, RuntimeError, LookupError, TypeError, ValueError) as error:
        reason = " ".join(str(error).split()[:40])
        raise input_error(path, "weights", f"those of {name}", reason) from error


def narrowed(arrays: Arrays, weights: Weights) -> bytes:
    """A safetensors file of these arrays, with their matrices stored as `weights` says."""
    stored: dict[str, NDArray[Any]] = {}
    kinds: dict[str, str] = {}
    for name, array in arrays.items():
        check_finite(name, array)
        large = array.ndim >= 2 and array.size >= _LARGE and array.dtype.name in _WIDE
        if weights == FULL or not large:
            stored[name] = np.asarray(array, order="C")
            continue
        kinds[name] = array.dtype.name
        scales = (np.abs(array).max(axis=-1) / _STEPS).astype(np.float32)
        steps = np.where(scales > 0, scales, 1)[..., None]
        stored[name] = np.clip(np.rint(array / steps), -_STEPS, _STEPS).astype(np.int8)
        stored[name + _SCALE] = scales
    if not kinds:
        return bytes(save(stored))
    # One key: safetensors would write several in any order.
    about = json.dumps({"weights": weights, "kinds": kinds}, sort_keys=True)
    return bytes(save(stored, {_KEY: about}))


def _widened(name: str, arrays: dict[str, NDArray[Any]]) -> NDArray[Any]:
    """A matrix in full precision; its scales are taken out of the arrays."""
    stored, scales = arrays.get(name), arrays.pop(name + _SCALE, None)
    if stored is None or stored.dtype != np.int8:
        raise ValueError(f"{name} is no matrix of int8")
    fits = scales is not None and scales.dtype == np.float32 and scales.shape == stored.shape[:-1]
    if scales is None or not fits or not (np.isfinite(scales) & (scales >= 0)).all():
        raise ValueError(f"{name} has no scale from 0 for each of its rows")
    return np.asarray(stored.astype(np.float32) * scales[..., None])
