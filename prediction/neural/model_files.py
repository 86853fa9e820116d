"""The files of a saved neural system: weights, vocabularies, units and the tuned adjustment.

Loading them runs no code; a damaged or foreign file is refused.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.torch import load_file, save

from crosspro.data_prep.errors import input_error
from crosspro.data_prep.files.guard import note_input
from crosspro.data_prep.files.textfile import atomic_output, write_text
from crosspro.prediction.neural.encoding import Encoder, encoder_from_json
from crosspro.prediction.neural.flat_text import Reading
from crosspro.prediction.neural.network import Network
from crosspro.prediction.system import read_json_object

_WEIGHTS = "network.safetensors"
_ENCODER = "encoder.json"
_ADJUSTMENT = "adjustment.json"


@dataclass(frozen=True)
class Adjustment:
    """How strongly rare classes are favoured, and the frequencies that say which are."""

    tau: float
    frequencies: NDArray[np.float64]


def save_network(network: Network, folder: Path) -> None:
    """Write the weights."""
    tensors = {k: v.contiguous().cpu() for k, v in network.state_dict().items()}
    with atomic_output(folder / _WEIGHTS) as handle:
        handle.write(save(tensors))


def load_weights(network: Network, name: str, folder: Path) -> None:
    """Give a network of the same settings the weights that were saved."""
    path = folder / _WEIGHTS
    note_input(path)
    try:
        network.load_state_dict(load_file(path))
    except (OSError, SafetensorError, RuntimeError, TypeError) as error:
        found = " ".join(str(error).split()[:40])
        raise input_error(path, "weights", f"those of {name}", found) from error


def save_encoder(encoder: Encoder, folder: Path) -> None:
    """Write the vocabularies, and the units if words are cut."""
    if encoder.reading.units:
        encoder.reading.units.save(folder)
    write_text(folder / _ENCODER, json.dumps(encoder.to_json(), ensure_ascii=False))


def load_encoder(reading: Reading, folder: Path) -> Encoder:
    """Read the vocabularies of what is read."""
    path = folder / _ENCODER
    return encoder_from_json(read_json_object(path), path, reading)


def save_adjustment(adjustment: Adjustment, folder: Path) -> None:
    """Write the tuned adjustment."""
    content = {"tau": adjustment.tau, "frequencies": adjustment.frequencies.tolist()}
    write_text(folder / _ADJUSTMENT, json.dumps(content))


def load_adjustment(folder: Path, classes: int) -> Adjustment:
    """Read the adjustment of a system with so many classes."""
    path = folder / _ADJUSTMENT
    content = read_json_object(path)
    try:
        tau = float(content["tau"])
        frequencies = np.array(content["frequencies"], dtype=np.float64)
    except (KeyError, TypeError, ValueError) as error:
        raise input_error(path, "file", "tau and frequencies", str(error)) from error
    if frequencies.shape != (classes,) or not np.isfinite([tau, *frequencies]).all():
        expected = f"a finite tau and {classes} finite frequencies"
        raise input_error(path, "file", expected, "others")
    return Adjustment(tau, frequencies)
