"""A saved document encoder in numpy says what it says in torch, and needs no torch for it."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from crosspro.data_prep.core.errors import CrossproError, InputError
from crosspro.data_prep.core.example import Example, Gap
from crosspro.data_prep.formats.shared_task import read_examples, write_examples
from crosspro.prediction import registry
from crosspro.prediction.adjustment import Adjustment
from crosspro.prediction.ensemble import Ensemble
from crosspro.prediction.model_archive import renewed_digests
from crosspro.prediction.models import export_run
from crosspro.prediction.neural import document_arrays, document_reader
from crosspro.prediction.neural.document_reader import DocumentReader, text_parts
from crosspro.prediction.neural.system import NeuralSystem
from crosspro.prediction.system import load_system
from tests.conftest import ROOT
from tests.prediction.neural.small import QUIET, SMALL, TASK, neural, prepared

NAME = "document_encoder"
KINDS = {
    "plain": ({}, {}),
    "tags": ({"tags": True}, {"context": 2}),
    "pointer": ({"pointer": True}, {"context": 3, "units": "joint", "unit_vocabulary": 300}),
    "together": ({"together": 12, "pointer": True}, {"context": 3}),
    "both": ({"tags": True, "pointer": True, "layers": 1, "width": 24, "heads": 3}, {"context": 1}),
}
NO_SOURCE = Example.of_tokens((), ("REPLACE_0", "être|VER", "vrai|ADJ"), (), (Gap(0, 0),))
NO_TEXT = Example.of_tokens((), (), (), ())


@pytest.fixture(scope="module")
def saved(train, tmp_path_factory):
    """Systems with random weights: in torch, and as they are loaded."""
    found = {}
    for kind, (network, training) in KINDS.items():
        made, _ = prepared(NAME, train, network, **training)
        with torch.no_grad():
            for weight in made.network.parameters():
                weight.normal_(0, 0.4)
        classes = len(TASK.classes)
        made.adjustment = Adjustment(0.4, np.linspace(0.05, 0.4, classes))
        folder = tmp_path_factory.mktemp("model") / kind
        made.save(folder)
        found[kind] = made, load_system(folder)
    return found


def assert_same(made, loaded, lines):
    expected = made.predict(lines)
    assert loaded.predict(lines) == pytest.approx(expected, abs=1e-4)
    assert loaded.unadjusted(lines) == pytest.approx(made.unadjusted(lines), abs=1e-4)
    if made.points:
        classes = made.decide(lines, expected)
        for nouns, others in zip(
            loaded.antecedents(lines, classes), made.antecedents(lines, classes), strict=True
        ):
            assert as_table(nouns) == pytest.approx(as_table(others), abs=1e-4)


def as_table(nouns):
    """Probabilities of a gap's nouns by their places; those of nothing are left out."""
    return {
        (noun.side, noun.sentences, noun.index, kind): getattr(noun, kind)
        for noun in nouns
        for kind in ("probability", "given")
        if noun.probability > 1e-12
    }


@pytest.mark.parametrize("kind", KINDS)
def test_probabilities_and_antecedents_are_those_of_torch(kind, saved, dev):
    made, loaded = saved[kind]
    assert type(loaded) is DocumentReader
    assert (loaded.context, loaded.points, loaded.shown_name, loaded.task) == (
        made.context, made.points, made.shown_name, made.task,
    )  # fmt: skip
    assert loaded.settings == made.settings
    assert_same(made, loaded, dev)


@given(data=st.data())
def test_any_text_is_read_as_torch_reads_it(data, saved, dev):
    lines = data.draw(st.lists(st.sampled_from([*dev[:12], NO_SOURCE, NO_TEXT]), max_size=6))
    documents = data.draw(
        st.lists(st.sampled_from([None, "a", "b"]), min_size=len(lines), max_size=len(lines))
    )
    text = [replace(one, document=name) for one, name in zip(lines, documents, strict=True)]
    assert_same(*saved[data.draw(st.sampled_from(sorted(KINDS)))], text)


@pytest.mark.parametrize("kind", KINDS)
def test_text_without_gaps_has_no_probabilities(kind, saved, dev):
    _, loaded = saved[kind]
    for lines in ([], [NO_TEXT], [Example.of_tokens(("it",), ("bon|ADJ",), (), ())]):
        assert loaded.predict(lines).shape == (0, len(TASK.classes))
    assert len(loaded.predict([NO_SOURCE])) == 1


def test_small_batches_change_nothing(saved, dev, monkeypatch):
    monkeypatch.setattr(document_arrays, "_PLACES", 50)
    for made, loaded in saved.values():
        assert_same(made, loaded, dev)


@pytest.mark.parametrize("number", [2, 3])
def test_several_threads_say_what_one_says(number, saved, dev, monkeypatch):
    alone = {kind: loaded.predict(dev) for kind, (_, loaded) in saved.items()}
    monkeypatch.setattr(document_reader, "_WORTH_A_THREAD", 1)
    monkeypatch.setattr(document_reader, "processors", lambda: number)
    parts = text_parts(dev, 2)
    assert len(parts) == number
    gaps = [sum(len(example.gaps) for example in part) for part in parts]
    assert sum(gaps) == sum(len(example.gaps) for example in dev)
    assert max(gaps) - min(gaps) < 5
    for kind, (_, loaded) in saved.items():
        assert loaded.predict(dev) == pytest.approx(alone[kind], abs=1e-6)


def test_little_text_needs_no_other_thread(dev, monkeypatch):
    monkeypatch.setattr(document_reader, "processors", lambda: 4)
    assert text_parts([], 1) == [[]]
    assert text_parts(dev[:2], 1) == [dev[:2]]


def test_a_text_is_cut_where_no_gap_is_read_with_one_before(dev, monkeypatch):
    monkeypatch.setattr(document_reader, "processors", lambda: 2)
    monkeypatch.setattr(document_reader, "_WORTH_A_THREAD", 1)
    line = replace(next(one for one in dev if one.gaps), document="a")
    empty = replace(line, gaps=())
    assert text_parts([line] * 6, 1, together=1000) == [[line] * 6]
    assert [len(part) for part in text_parts([line] * 6, 0, together=0)] == [3, 3]
    far = [line, empty, *[empty] * 3, line, line]
    words = len(line.lemmas)
    assert [len(part) for part in text_parts(far, 0, together=2 * words)] == [5, 2]
    other = replace(line, document="b")
    assert [len(part) for part in text_parts([line, line, other], 0, 1000)] == [2, 1]


def test_gaps_read_together_have_fewer_rows(saved, dev):
    text = saved["together"][1]._text(dev)
    assert len(text.sizes) < sum(len(example.gaps) for example in dev)
    assert len(saved["pointer"][1]._text(dev).sizes) == sum(len(one.gaps) for one in dev)


def test_a_system_that_does_not_point_says_so(saved, dev):
    with pytest.raises(CrossproError):
        saved["plain"][1].antecedents(dev, np.zeros(1, np.int64))


def test_it_is_saved_again_joined_and_packed(saved, dev, tmp_path):
    loaded = saved["pointer"][1]
    expected = loaded.predict(dev)
    loaded.save(tmp_path / "again")
    assert (load_system(tmp_path / "again").predict(dev) == expected).all()
    Ensemble.of([loaded, saved["tags"][1]]).save(tmp_path / "several")
    parts = load_system(tmp_path / "several").parts
    assert [type(part) for part in parts] == [DocumentReader] * 2
    export_run(tmp_path / "again", tmp_path / "small.zip", "int8")
    small = load_system(tmp_path / "small.zip")
    assert small.weights == "int8"
    assert small.predict(dev) == pytest.approx(small.trainable().predict(dev), abs=1e-4)


def test_training_on_takes_torch(saved, dev, train, tmp_path):
    _, loaded = saved["pointer"]
    assert type(loaded.trainable()) is NeuralSystem
    with pytest.raises(CrossproError, match="init_from"):
        loaded.fit(TASK, train, dev)
    loaded.save(tmp_path / "run")
    tuned = neural(
        NAME, SMALL[NAME], trainer={**QUIET, "max_epochs": 1}, init_from=str(tmp_path / "run")
    )
    tuned.fit(TASK, train, dev)
    tuned.save(tmp_path / "tuned")
    assert type(load_system(tmp_path / "tuned")) is DocumentReader


def test_without_torch_there_is_one_clear_sentence(saved, dev, monkeypatch):
    loaded = saved["plain"][1]
    loaded.__dict__.pop("_in_torch", None)
    monkeypatch.setattr(document_reader, "find_spec", lambda name: None)
    with pytest.raises(CrossproError):
        loaded.trainable()


def test_where_there_is_a_gpu_torch_calculates(saved, monkeypatch):
    settings = {"network": {"name": NAME}, "trainer": {"accelerator": "auto"}}
    monkeypatch.setattr(registry, "may_have_gpu", lambda: True)
    assert registry.predicting("neural", settings) is NeuralSystem
    on_cpu = {**settings, "trainer": {"accelerator": "cpu"}}
    assert registry.predicting("neural", on_cpu) is DocumentReader
    monkeypatch.setattr(registry, "find_spec", lambda name: None)
    assert registry.predicting("neural", settings) is DocumentReader
    monkeypatch.setattr(registry, "may_have_gpu", lambda: False)
    assert registry.predicting("neural", settings) is DocumentReader


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("width", 32, "those of document_encoder"),
        ("layers", 3, "other layers"),
        ("pointer", True, "vocabularies"),
        ("source_before", 21, "rows.places.weight"),
        ("heads", 0, "network"),
        ("size", 3, "size"),
    ],
)
def test_weights_of_other_settings_are_refused(key, value, message, saved, tmp_path):
    saved["plain"][1].save(tmp_path)
    description = json.loads((tmp_path / "system.json").read_text("utf-8"))
    description["settings"]["network"][key] = value
    whole = renewed_digests(description, tmp_path, "system.json")
    (tmp_path / "system.json").write_text(json.dumps(whole), "utf-8")
    with pytest.raises(InputError, match=message):
        load_system(tmp_path)


def test_damaged_weights_are_refused(saved, tmp_path):
    saved["plain"][1].save(tmp_path)
    file = tmp_path / "network.safetensors"
    file.write_bytes(file.read_bytes()[:-8])
    with pytest.raises(InputError, match="weights"):
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


def test_a_trial_archive_says_the_same_of_official_text(discomt2015):
    archive = ROOT.parent / "shared" / "models" / "en-fr-2015.small.zip"
    if not archive.is_file():
        pytest.skip("the trial archives are not here")
    loaded = load_system(archive)
    file = discomt2015 / "DiscoMT2015.test.en-fr.gold.data.xz"
    lines = list(islice(read_examples(file, loaded.task, lenient=True), 60))
    expected = loaded.trainable().predict(lines)
    found = loaded.predict(lines)
    assert found == pytest.approx(expected, abs=0.001)
    assert (found.argmax(1) == expected.argmax(1)).all()
