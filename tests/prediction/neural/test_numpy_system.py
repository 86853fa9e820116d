"""A saved document encoder in numpy says what it says in torch, and needs no torch for it."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from crosspro.data_prep.core.errors import CrossproError, InputError
from crosspro.data_prep.core.example import Gap
from crosspro.data_prep.formats.shared_task import write_examples
from crosspro.prediction import registry
from crosspro.prediction.adjustment import Adjustment
from crosspro.prediction.ensemble import Ensemble
from crosspro.prediction.model_archive import write_description
from crosspro.prediction.models import export_run
from crosspro.prediction.neural.networks.document_encoder.numpy_reader import NumpySystem
from crosspro.prediction.neural.system import NeuralSystem
from crosspro.prediction.system import load_system
from tests.conftest import ROOT
from tests.examples import example_of
from tests.prediction.neural.small import TASK, prepared, system

NAME = "document_encoder"
KINDS = {
    "plain": ({}, {}),
    "tags": ({"tags": True}, {"context": 2}),
    "pointer": ({"pointer": True}, {"context": 3, "units": "joint", "unit_vocabulary": 300}),
    "both": ({"tags": True, "pointer": True, "layers": 1, "width": 24, "heads": 3}, {"context": 1}),
}
NO_SOURCE = example_of((), ("REPLACE_0", "être|VER", "vrai|ADJ"), (), (Gap(0, 0),))
NO_TEXT = example_of((), (), (), ())


@pytest.fixture(scope="module")
def saved(train, tmp_path_factory):
    """Systems with random weights: in torch, and as they are loaded."""
    systems = {}
    for kind, (network, training) in KINDS.items():
        made, _ = prepared(NAME, train, network, **training)
        with torch.no_grad():
            for weight in made.network.parameters():
                weight.normal_(0, 0.4)
        made.adjustment = Adjustment(0.4, tuple(np.linspace(0.05, 0.4, len(TASK.classes)).tolist()))
        folder = tmp_path_factory.mktemp("model") / kind
        made.save(folder)
        systems[kind] = made, load_system(folder)
    return systems


def assert_same(in_torch, in_numpy, lines):
    expected = in_torch.predict(lines)
    assert in_numpy.predict(lines) == pytest.approx(expected, abs=1e-4)
    if in_torch.points:
        classes = in_torch.decide(lines, expected)
        pairs = zip(*(s.antecedents(lines, classes) for s in (in_numpy, in_torch)), strict=True)
        for nouns, others in pairs:
            assert as_table(nouns) == pytest.approx(as_table(others), abs=1e-4)


def as_table(nouns):
    """Probabilities of a gap's nouns by their positions; those near 0 are left out."""
    return {
        (noun.side, noun.sentences, noun.index, kind): getattr(noun, kind)
        for noun in nouns
        for kind in ("probability", "given_class")
        if noun.probability > 1e-12
    }


@pytest.mark.parametrize("kind", KINDS)
def test_probabilities_and_antecedents_are_those_of_torch(kind, saved, dev):
    in_torch, in_numpy = saved[kind]
    assert type(in_numpy) is NumpySystem
    assert in_numpy.settings == in_torch.settings
    assert_same(in_torch, in_numpy, dev)


@given(data=st.data())
def test_any_text_is_read_as_torch_reads_it(data, saved, dev):
    lines = data.draw(st.lists(st.sampled_from([*dev[:12], NO_SOURCE, NO_TEXT]), max_size=6))
    documents = data.draw(
        st.lists(st.sampled_from([None, "a", "b"]), min_size=len(lines), max_size=len(lines))
    )
    text = [replace(line, document=name) for line, name in zip(lines, documents, strict=True)]
    assert_same(*saved[data.draw(st.sampled_from(sorted(KINDS)))], text)


def test_it_is_saved_again_joined_packed_and_gone_on_from(saved, train, dev, tmp_path):
    loaded = saved["pointer"][1]
    expected = loaded.predict(dev)
    loaded.save(tmp_path / "again")
    assert (load_system(tmp_path / "again").predict(dev) == expected).all()
    Ensemble.of([loaded, saved["tags"][1]]).save(tmp_path / "several")
    parts = load_system(tmp_path / "several").parts
    assert [type(part) for part in parts] == [NumpySystem] * 2
    export_run(tmp_path / "again", tmp_path / "small.zip", "int8")
    small = load_system(tmp_path / "small.zip")
    in_torch = load_system(tmp_path / "small.zip", to_train=True)
    assert small.predict(dev) == pytest.approx(in_torch.predict(dev), abs=1e-4)
    with pytest.raises(CrossproError):
        loaded.fit(TASK, train, dev)
    tuned = system(NAME, epochs=1, init_from=str(tmp_path / "again"))
    tuned.fit(TASK, train, dev)
    assert tuned.predict(dev).shape == expected.shape


def test_torch_calculates_where_there_is_a_gpu(monkeypatch):
    settings = {"network": {"name": NAME}, "trainer": {"accelerator": "auto"}}
    on_cpu = {**settings, "trainer": {"accelerator": "cpu"}}
    monkeypatch.setattr(registry, "may_have_gpu", lambda: True)
    assert registry.predicting("neural", settings) is NeuralSystem
    assert registry.predicting("neural", on_cpu) is NumpySystem
    monkeypatch.setattr(registry, "find_spec", lambda name: None)
    assert registry.predicting("neural", settings) is NumpySystem


@pytest.mark.parametrize(
    ("key", "value"),
    [("width", 32), ("layers", 3), ("pointer", True), ("source_before", 21), ("heads", 0)],
)
def test_weights_of_other_settings_are_refused(key, value, saved, tmp_path):
    saved["plain"][1].save(tmp_path)
    description = json.loads((tmp_path / "system.json").read_text("utf-8"))
    description["settings"]["network"][key] = value
    write_description(description, tmp_path)
    with pytest.raises(InputError):
        load_system(tmp_path)


def test_predicting_imports_neither_torch_nor_what_trains(saved, dev, tmp_path):
    saved["pointer"][1].save(tmp_path / "model")
    write_examples(tmp_path / "dev.data", dev)
    code = f"""
import sys
from crosspro.scripts.entry import main
sys.argv = ["crosspro", "predict", {str(tmp_path)!r}, {str(tmp_path / "dev.data")!r},
    "-o", {str(tmp_path / "out.data")!r}, "--antecedents", {str(tmp_path / "nouns.tsv")!r}]
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
print(*sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert not loaded & {"torch", "pytorch_lightning", "hydra", "sklearn", "scipy"}
    assert len((tmp_path / "out.data").read_bytes().splitlines()) == len(dev)
    assert (tmp_path / "nouns.tsv").stat().st_size > 100
