"""The files of a saved network: damage, other networks and other tasks are noticed."""

from __future__ import annotations

import json
import os
import shutil

import pytest
from safetensors.torch import load_file, save_file

from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.task import load_task
from crosspro.prediction.system import load_system
from tests.prediction.neural.small import TASK, system


@pytest.fixture(scope="module")
def model(train, dev, tmp_path_factory):
    made = system(
        "turku_gru", epochs=1, units="sentencepiece", unit_vocabulary=200, tune_adjustment=True
    )
    made.fit(TASK, train, dev)
    folder = tmp_path_factory.mktemp("model") / "model"
    before = os.umask(0o027)
    try:
        made.save(folder)
    finally:
        os.umask(before)
    assert len(made.encoder.vocabularies["source"]) < 250
    return made, folder


@pytest.fixture
def copy(model, tmp_path):
    shutil.copytree(model[1], tmp_path / "model")
    return tmp_path / "model"


def changed(path, old, new):
    path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")


@pytest.mark.parametrize(
    ("file", "damage"),
    [
        ("network.safetensors", lambda path: path.write_bytes(b"garbage")),
        ("network.safetensors", lambda path: path.write_bytes(path.read_bytes()[:-100])),
        ("units.source.model", lambda path: path.write_bytes(b"nonsense")),
        ("encoder.json", lambda path: path.write_text("{}")),
        ("encoder.json", lambda path: changed(path, '"<unk>"', "7")),
        ("encoder.json", lambda path: changed(path, '"<unk>"', '"<pad>"')),
        ("encoder.json", lambda path: changed(path, "[0,", f"[{10**30},")),
        ("encoder.json", lambda path: changed(path, "[0,", "[-1,")),
        ("system.json", lambda path: changed(path, '"sentencepiece"', '"letters"')),
        ("adjustment.json", lambda path: path.write_text("{}")),
        ("adjustment.json", lambda path: path.write_text('{"tau": NaN, "frequencies": []}')),
        ("adjustment.json", lambda path: changed(path, "[", f"[{10**400}, ")),
    ],
)
def test_damaged_models_are_refused(copy, file, damage):
    damage(copy / file)
    with pytest.raises(InputError, match=file.replace(".", r"\.")):
        load_system(copy)


def test_weights_of_other_layers_or_another_task_are_refused(model, copy, tmp_path):
    path = copy / "network.safetensors"
    tensors = load_file(path)
    save_file({f"earlier.{name}": tensor for name, tensor in tensors.items()}, path)
    with pytest.raises(InputError):
        load_system(copy)
    made, folder = model
    description = json.loads((folder / "system.json").read_text("utf-8"))
    made.task = load_task("en-de")
    made.save(tmp_path / "other")
    made.task = TASK
    description["task"] = json.loads((tmp_path / "other/system.json").read_text("utf-8"))["task"]
    shutil.copyfile(folder / "network.safetensors", path)
    (copy / "system.json").write_text(json.dumps(description), "utf-8")
    with pytest.raises(InputError):
        load_system(copy)
