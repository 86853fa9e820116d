"""The files of a saved neural system: weights, vocabularies and units.

Loading them runs no code; a damaged or foreign file is refused.
"""

from __future__ import annotations

import json
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import save

from crosspro.data_prep.core.errors import input_error, quoted
from crosspro.data_prep.core.files import atomic_output, write_text
from crosspro.data_prep.core.guard import note_input
from crosspro.prediction.neural.encoding import Encoder, encoder_from_json
from crosspro.prediction.neural.flat_text import Reading
from crosspro.prediction.neural.lexicon_input import save_lexicons
from crosspro.prediction.neural.network import Network
from crosspro.prediction.stored_tensors import load_tensors
from crosspro.prediction.system import read_json_object

_WEIGHTS = "network.safetensors"
_ENCODER = "encoder.json"


def save_network(network: Network, folder: Path) -> None:
    """Write the weights."""
    tensors = {k: v.contiguous().cpu() for k, v in network.state_dict().items()}
    with atomic_output(folder / _WEIGHTS) as handle:
        handle.write(save(tensors))


def load_weights(network: Network, name: str, folder: Path) -> str:
    """Give a network of the same settings the weights that were saved; returns how they were."""
    path = folder / _WEIGHTS
    note_input(path)
    try:
        stored = load_tensors(path)
        tensors = {key: torch.from_numpy(array) for key, array in stored.arrays.items()}
        others = set(tensors) ^ set(network.state_dict())
        if others:
            one = quoted(min(others))
            raise ValueError(f"other layers, of other settings or another version: {one}")
        network.load_state_dict(tensors)
    except (OSError, SafetensorError, RuntimeError, TypeError, ValueError) as error:
        found = " ".join(str(error).split()[:40])
        raise input_error(path, "weights", f"those of {name}", found) from error
    return stored.weights


def save_encoder(encoder: Encoder, folder: Path) -> None:
    """Write the vocabularies, the units if words are cut, and the lexicons of what is read."""
    if encoder.reading.units:
        encoder.reading.units.save(folder)
    save_lexicons(encoder.reading.lexicons, folder)
    write_text(folder / _ENCODER, json.dumps(encoder.to_json(), ensure_ascii=False))


def load_encoder(reading: Reading, folder: Path) -> Encoder:
    """Read the vocabularies of what is read."""
    path = folder / _ENCODER
    return encoder_from_json(read_json_object(path), path, reading)
