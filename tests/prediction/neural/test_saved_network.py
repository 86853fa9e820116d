"""The files of a saved network: damage, other versions and other tasks are noticed."""

from __future__ import annotations

import json
import os

import pytest
from safetensors.torch import load_file, save_file

from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.task import load_task
from crosspro.prediction.system import load_system
from tests.prediction.neural.small import TASK, system


def changed(path, old, new):
    path.write_text(path.read_text("utf-8").replace(old, new), "utf-8")


@pytest.mark.parametrize(
    ("file", "damage"),
    [
        ("network.safetensors", lambda path: path.write_bytes(b"garbage")),
        ("network.safetensors", lambda path: path.write_bytes(path.read_bytes()[:-100])),
        ("encoder.json", lambda path: path.write_text("{}")),
        ("encoder.json", lambda path: changed(path, '"<unk>"', "7")),
        ("encoder.json", lambda path: changed(path, '"<unk>"', '"<pad>"')),
        ("encoder.json", lambda path: changed(path, "[0,", f"[{10**30},")),
        ("encoder.json", lambda path: changed(path, "[0,", "[-1,")),
        ("system.json", lambda path: changed(path, '"words"', '"letters"')),
        ("adjustment.json", lambda path: path.write_text("{}")),
        ("adjustment.json", lambda path: path.write_text('{"tau": NaN, "frequencies": []}')),
        ("adjustment.json", lambda path: changed(path, "[", f"[{10**400}, ")),
    ],
)
def test_damaged_models_are_refused(train, dev, tmp_path, file, damage):
    made = system("turku_gru", epochs=1)
    made.fit(TASK, train, dev)
    made.save(tmp_path)
    damage(tmp_path / file)
    with pytest.raises(InputError, match=file.replace(".", r"\.")):
        load_system(tmp_path)


def test_a_model_of_another_version_is_told_by_its_layers(train, dev, tmp_path):
    made = system("turku_gru", epochs=1)
    made.fit(TASK, train, dev)
    made.save(tmp_path)
    path = tmp_path / "network.safetensors"
    tensors = load_file(path)
    save_file({f"earlier.{name}": tensor for name, tensor in tensors.items()}, path)
    with pytest.raises(InputError):
        load_system(tmp_path)


def test_all_files_of_a_model_can_be_read_by_the_same_people(train, dev, tmp_path):
    made = system("turku_gru", epochs=1)
    made.fit(TASK, train, dev)
    before = os.umask(0o027)
    try:
        made.save(tmp_path / "model")
    finally:
        os.umask(before)
    modes = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "model").iterdir()}
    assert "network.safetensors" in modes
    assert set(modes.values()) == {0o640}


def test_weights_of_another_task_are_refused(train, dev, tmp_path):
    made = system("turku_gru", epochs=1)
    made.fit(TASK, train, dev)
    made.save(tmp_path)
    description = json.loads((tmp_path / "system.json").read_text("utf-8"))
    german = load_task("en-de")
    made.task = german
    made.save(tmp_path / "other")
    description["task"] = json.loads((tmp_path / "other/system.json").read_text("utf-8"))["task"]
    (tmp_path / "system.json").write_text(json.dumps(description), "utf-8")
    with pytest.raises(InputError):
        load_system(tmp_path)
