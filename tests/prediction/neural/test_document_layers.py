"""The library of layers says what numpy and torch say, by every set of instructions."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch

from crosspro.data_prep.core.files import write_text
from crosspro.prediction.adjustment import Adjustment
from crosspro.prediction.model_archive import renewed_digests
from crosspro.prediction.neural import document_layers
from crosspro.prediction.neural.document_layers import ByteLayers, LayerWeights, instructions
from crosspro.prediction.stored_tensors import BYTES, WEIGHTS_FILE, load_tensors, narrowed
from crosspro.prediction.system import DESCRIPTION, load_system
from tests.prediction.neural.small import TASK, prepared

WIDTH, HEADS = 128, 2
SAME = 1e-4
"""How far probabilities may be from those in 32 bits."""

needs_library = pytest.mark.skipif(not instructions(), reason="the library was not built")


@pytest.fixture(scope="module")
def folder(train, tmp_path_factory):
    """A saved system whose matrices are stored in 8 bits."""
    sizes = {"width": WIDTH, "heads": HEADS, "layers": 3, "pointer": True}
    made, _ = prepared("document_encoder", train, sizes, context=3)
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for weight in made.network.parameters():
            weight.normal_(0, 0.08, generator=generator)
    classes = len(TASK.classes)
    made.adjustment = Adjustment(0.0, np.full(classes, 1 / classes))
    folder = tmp_path_factory.mktemp("bytes") / "model"
    made.save(folder)
    weights = folder / WEIGHTS_FILE
    weights.write_bytes(narrowed(load_tensors(weights).arrays, BYTES))
    description = json.loads((folder / DESCRIPTION).read_text("utf-8"))
    write_text(folder / DESCRIPTION, json.dumps(renewed_digests(description, folder, DESCRIPTION)))
    return folder


def layers(width: int, number: int = 2) -> list[LayerWeights]:
    generator = np.random.default_rng(number)

    def matrix(rows: int, columns: int) -> np.ndarray:
        return generator.normal(0, 0.1, (rows, columns)).astype(np.float32)

    return [
        LayerWeights(
            matrix(3 * width, width), matrix(width, width), matrix(4 * width, width),
            matrix(width, 4 * width),
        )
        for _ in range(number)
    ]  # fmt: skip


def states(by: ByteLayers, width: int, head: int, lengths: list[int], every: int) -> np.ndarray:
    """Those of every so many places of rows of these lengths, from random embeddings."""
    generator = np.random.default_rng(7)
    bounds = np.concatenate(([0], np.cumsum(lengths)))
    embedded = generator.normal(0, 1, (bounds[-1], width)).astype(np.float32)
    reach = max(lengths)
    angles = np.arange(-reach, reach + 1)[:, None] * np.linspace(1, 0, head // 2)
    turns = np.concatenate((np.cos(angles), np.sin(angles)), 1)
    offsets = np.concatenate([np.arange(size) - size // 2 for size in lengths])
    return by.states(embedded, bounds, offsets, turns, np.arange(0, bounds[-1], every))


@needs_library
def test_archives_in_8_bits_are_calculated_by_the_library(folder, dev):
    in_bytes = load_system(folder)
    assert in_bytes.network.in_bytes
    assert in_bytes.network._byte_layers is not None
    whole = load_system(folder)
    whole.network.in_bytes = False  # as an archive that was widened
    expected = whole.predict(dev)
    found = in_bytes.predict(dev)
    assert found == pytest.approx(expected, abs=SAME)
    assert found == pytest.approx(whole.trainable().predict(dev), abs=SAME)
    assert (found != expected).any()
    assert len(found) == sum(len(example.gaps) for example in dev)


@needs_library
def test_every_set_of_instructions_says_the_same(folder, dev):
    expected = None
    for number, name in enumerate(instructions()):
        if not name:
            continue
        system = load_system(folder)
        arrays = system.network
        weights = [arrays._layer_weights(one) for one in range(arrays.settings.layers)]
        arrays.__dict__["_byte_layers"] = ByteLayers(weights, HEADS, number)
        found = system.predict(dev)
        expected = found if expected is None else expected
        assert found == pytest.approx(expected, abs=SAME)


@needs_library
@pytest.mark.parametrize("width, heads", [(64, 1), (128, 4), (192, 3), (256, 4)])
@pytest.mark.parametrize("lengths", [[1], [2, 1, 17], [16, 33], [150, 5]])
def test_rows_do_not_depend_on_others_or_on_what_is_asked(width, heads, lengths):
    for number, name in enumerate(instructions()):
        if not name:
            continue
        by = ByteLayers(layers(width), heads, number)
        every = states(by, width, width // heads, lengths, 1)
        assert every.shape == (sum(lengths), width)
        assert np.isfinite(every).all()
        assert (every * every).mean(1) == pytest.approx(1, abs=0.01)
        assert states(by, width, width // heads, lengths, 3) == pytest.approx(every[::3], abs=1e-4)
        first = states(by, width, width // heads, lengths[:1], 1)
        if max(lengths) == lengths[0]:  # the same embeddings and angles
            assert first == pytest.approx(every[: lengths[0]], abs=1e-4)


@needs_library
def test_a_place_that_is_nothing_and_a_matrix_of_zeros_are_read():
    zeros = [LayerWeights(*(np.zeros_like(part) for part in vars(one).values()))
             for one in layers(64)]  # fmt: skip
    by = ByteLayers.fitting(zeros, 1)
    assert by is not None
    bounds, turns = np.array([0, 2]), np.ones((5, 64), np.float32)
    found = by.states(np.zeros((2, 64), np.float32), bounds, np.array([0, 1]), turns, np.array([1]))
    assert (found == 0).all()


def test_other_sizes_and_machines_without_the_library_take_numpy(folder, dev, monkeypatch):
    assert ByteLayers.fitting(layers(96), 3) is None
    monkeypatch.setattr(document_layers, "library", lambda: None)
    assert instructions() == []
    system = load_system(folder)
    assert system.network._byte_layers is None
    assert system.predict(dev).shape[1] == len(TASK.classes)
