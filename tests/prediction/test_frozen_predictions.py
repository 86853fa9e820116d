"""The bundled models predict what they predicted when their predictions were frozen."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from crosspro.data_prep.annotate.layers import Layers, read_layered
from crosspro.prediction.output import predicted
from crosspro.prediction.registry import bundled_models
from crosspro.prediction.system import load_system
from tests.conftest import GOLDEN

FROZEN = GOLDEN / "bundled"
NAMES = ("de-en", "en-de", "en-es", "en-fr", "es-en", "fr-en")
TOLERANCE = 1e-3


@pytest.mark.parametrize("name", NAMES)
def test_probabilities_and_classes_are_the_frozen_ones(name):
    system = load_system(bundled_models()[name])
    layers = Layers(documents=FROZEN / f"{name}.doc-ids")
    examples = list(read_layered(FROZEN / f"{name}.data", system.task, layers))
    predictions = predicted(system, examples)
    with (FROZEN / f"{name}.probabilities.tsv").open(encoding="utf-8", newline="") as file:
        heading, *rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
    assert heading[2:] == list(system.task.classes)
    frozen = np.array([row[2:] for row in rows], dtype=float)
    assert len(frozen) >= 200
    assert np.abs(predictions.probabilities - frozen).max() < TOLERANCE
    assert (predictions.classes == frozen.argmax(axis=1)).all()
