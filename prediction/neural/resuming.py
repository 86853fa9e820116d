"""May a stopped run go on? Its checkpoint must be whole, and of the same settings and data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.files.textfile import write_text
from crosspro.prediction.system import read_json_object
from crosspro.version import __version__

_IDENTITY = "run.json"
_FORMAT = 3
"""Of checkpoints: what they hold, and what they are compared by."""


def checkpoint_to_resume(place: Path, identity: Mapping[str, Any]) -> dict[str, Any] | None:
    """The last checkpoint of a run, or None if it has none yet.

    `identity` says what decides the result (settings, task, data). It is written down when a run
    begins, and compared when it goes on: in the folder of another run nothing is trained.
    """
    path = last_checkpoint(place)
    known = place / _IDENTITY
    identity = {"format": _FORMAT, **identity}
    if not has_checkpoint(place):
        place.mkdir(parents=True, exist_ok=True)
        write_text(known, json.dumps(identity, indent=1, sort_keys=True) + "\n")
        return None
    earlier = read_json_object(known)
    if earlier.get("format") != _FORMAT:
        expected = f"checkpoints that crosspro {__version__} can go on from, or a new folder"
        raise input_error(place, "run", expected, "those of another version")
    found = _differences(earlier, json.loads(json.dumps(identity)))
    if found:
        expected = "checkpoints of a run with the same settings and data, or a new folder"
        raise input_error(place, "run", expected, "; ".join(found))
    return read_checkpoint(path)


def last_checkpoint(place: Path) -> Path:
    """Where a run keeps what it goes on from."""
    return place / "last.ckpt"


def has_checkpoint(place: Path) -> bool:
    """Whether a run had got as far as a checkpoint, of whatever settings."""
    return last_checkpoint(place).is_file()


def read_checkpoint(path: Path) -> dict[str, Any]:
    """A checkpoint of Lightning; no code in it is run."""
    try:
        checkpoint: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # torch raises a dozen kinds for damaged files
        expected = "a whole checkpoint (remove the folder to begin again)"
        found = "a damaged file" if path.is_file() else "no file"
        raise input_error(path, "checkpoint", expected, found) from error
    return checkpoint


def has_ended(checkpoint: Mapping[str, Any], max_epochs: int, patience: int) -> bool:
    """Whether a run had done all its epochs, or enough without a better score."""
    states = checkpoint["callbacks"].values()
    waits = max((state["wait_count"] for state in states if "wait_count" in state), default=0)
    all_done: bool = checkpoint["epoch"] + 1 >= max_epochs
    return all_done or waits >= patience


def _differences(
    earlier: Mapping[str, Any], wanted: Mapping[str, Any], prefix: str = ""
) -> list[str]:
    """What two nested mappings have not in common, a line each."""
    found = []
    for key in sorted({*earlier, *wanted}):
        one, other = earlier.get(key), wanted.get(key)
        if isinstance(one, dict) and isinstance(other, dict):
            found += _differences(one, other, f"{prefix}{key}.")
        elif one != other:
            found.append(f"{prefix}{key} {one}, not {other}")
    return found
