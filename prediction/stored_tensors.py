"""Arrays of saved systems in fewer bits: half precision, or 8 bits and a scale for each row.

Only large matrices are stored so; vectors and whole numbers stay as they are. The metadata of a
narrowed file has the type that each matrix had, and `load_tensors` restores it. Safetensors files
hold no code.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from crosspro.data_prep.core.errors import input_error, quoted
from crosspro.data_prep.core.files import atomic_output, parse_json
from crosspro.data_prep.core.stored import check_finite

Arrays = Mapping[str, NDArray[Any]]
Taken = TypeVar("Taken")

Weights = Literal["float32", "float16", "int8"]
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


@dataclass(frozen=True)
class StoredTensors:
    """The arrays of a file in full precision, and how its matrices were stored."""

    arrays: dict[str, NDArray[Any]]
    weights: Weights


def load_tensors(path: Path) -> StoredTensors:
    """Read a safetensors file.

    `ValueError` says what is wrong with narrowed matrices, or which array has numbers that are not
    finite; otherwise it raises what safetensors raises.
    """
    with safe_open(path, framework="numpy") as handle:
        weights, kinds = _described(handle.metadata())
        arrays = {name: handle.get_tensor(name) for name in handle.keys()}  # noqa: SIM118
    for name, kind in kinds.items():
        if name not in arrays:
            raise ValueError(f"no matrix {name}")
        arrays[name] = _widened(name, arrays, weights).astype(kind)
    for name, array in arrays.items():
        check_finite(name, array)
    return StoredTensors(arrays, weights)


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
        return take(load_tensors(path).arrays)
    except (OSError, SafetensorError, RuntimeError, TypeError, ValueError) as error:
        reason = " ".join(str(error).split()[:40])
        raise input_error(path, "weights", f"those of {name}", reason) from error


def check_names(found: Collection[str], expected: Collection[str]) -> None:
    """Refuse the weights of another network, with one that only one of the two has."""
    others = {*found} ^ {*expected}
    if others:
        first = quoted(min(others))
        raise ValueError(f"other layers, of other settings or another version: {first}")


def stored_weights(path: Path) -> Weights:
    """How the matrices of a safetensors file are stored; only its head is read."""
    try:
        with safe_open(path, framework="numpy") as handle:
            return _described(handle.metadata())[0]
    except (OSError, SafetensorError, ValueError) as error:
        reason = " ".join(str(error).split()[:40])
        raise input_error(path, "weights", "a safetensors file", reason) from error


def narrowed(arrays: Arrays, weights: Weights) -> bytes:
    """A safetensors file of these arrays, with their matrices stored as `weights` says."""
    stored: dict[str, NDArray[Any]] = {}
    kinds: dict[str, str] = {}
    for name, array in arrays.items():
        check_finite(name, array)
        if not _can_be_narrowed(array, weights):
            stored[name] = np.ascontiguousarray(array)
            continue
        kinds[name] = array.dtype.name
        if weights == "float16":
            stored[name] = array.astype(np.float16)
        else:
            stored[name], stored[name + _SCALE] = _rounded(array)
    if not kinds:
        return bytes(save(stored))
    # One key: safetensors would write several in any order.
    about = json.dumps({"weights": weights, "kinds": kinds}, sort_keys=True)
    return bytes(save(stored, {_KEY: about}))


def _can_be_narrowed(array: NDArray[Any], weights: Weights) -> bool:
    if array.ndim < 2 or array.size < _LARGE or array.dtype.name not in _WIDE:
        return False
    if weights == "float16":
        return bool(np.abs(array).max() <= np.finfo(np.float16).max)
    return weights == "int8"


def _rounded(array: NDArray[Any]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    scales = (np.abs(array).max(axis=-1) / _STEPS).astype(np.float32)
    steps = np.where(scales > 0, scales, 1)[..., None]
    return np.clip(np.rint(array / steps), -_STEPS, _STEPS).astype(np.int8), scales


def _widened(name: str, arrays: dict[str, NDArray[Any]], weights: Weights) -> NDArray[Any]:
    """A matrix in full precision; its scales are taken out of the arrays."""
    stored = arrays[name]
    if stored.dtype.name != weights:
        raise ValueError(f"{name} is {stored.dtype.name}, not {weights}")
    if weights == "float16":
        return stored
    scales = arrays.pop(name + _SCALE, None)
    fits = scales is not None and scales.dtype == np.float32 and scales.shape == stored.shape[:-1]
    if scales is None or not fits or not (np.isfinite(scales) & (scales >= 0)).all():
        raise ValueError(f"{name} has no scale from 0 for each of its rows")
    return np.asarray(stored.astype(np.float32) * scales[..., None])


def _described(metadata: Mapping[str, str] | None) -> tuple[Weights, dict[str, str]]:
    about = (metadata or {}).get(_KEY)
    if about is None:
        return FULL, {}
    content = parse_json(about)
    if not isinstance(content, dict) or content.get("weights") not in WEIGHTS[1:]:
        raise ValueError("matrices that are neither float16 nor int8")
    kinds = content.get("kinds")
    if not isinstance(kinds, dict) or not all(kind in _WIDE for kind in kinds.values()):
        raise ValueError(f"matrices that were none of {', '.join(_WIDE)}")
    return content["weights"], kinds
