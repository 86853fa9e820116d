"""What a saved system says of how strongly rare classes are favoured."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crosspro.data_prep.core.errors import input_error
from crosspro.data_prep.core.files import write_text
from crosspro.prediction.adjustment import adjust
from crosspro.prediction.system import Probabilities, read_json_object

_ADJUSTMENT = "adjustment.json"


@dataclass(frozen=True)
class Adjustment:
    """How strongly rare classes are favoured, and the frequencies that say which are."""

    tau: float
    frequencies: NDArray[np.float64]

    def of(self, probabilities: Probabilities) -> Probabilities:
        """Probabilities in favour of rare classes; as they are with tau 0."""
        return adjust(probabilities, self.frequencies, self.tau) if self.tau else probabilities


def save_adjustment(adjustment: Adjustment, folder: Path) -> None:
    """Write the tuned adjustment."""
    write_text(folder / _ADJUSTMENT, json.dumps(adjustment_content(adjustment)))


def load_adjustment(folder: Path, classes: int) -> Adjustment:
    """Read the adjustment of a system with so many classes."""
    path = folder / _ADJUSTMENT
    return read_adjustment(path, read_json_object(path), classes)


def adjustment_content(adjustment: Adjustment) -> dict[str, Any]:
    """An adjustment as it is written."""
    return {"tau": adjustment.tau, "frequencies": adjustment.frequencies.tolist()}


def read_adjustment(path: Path, content: Any, classes: int) -> Adjustment:
    """What was read of a file as the adjustment of a system with so many classes."""
    try:
        tau = float(content["tau"])
        frequencies = np.array(content["frequencies"], dtype=np.float64)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise input_error(path, "file", "tau and frequencies", str(error)) from error
    if frequencies.shape != (classes,) or not np.isfinite([tau, *frequencies]).all():
        expected = f"a finite tau and {classes} finite frequencies"
        raise input_error(path, "file", expected, "others")
    return Adjustment(tau, frequencies)
