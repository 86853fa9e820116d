"""Self-labelled pre-training: encoded once, resumed to the same bytes, and gone on from."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.pipeline.self_labels import SelfLabels
from crosspro.prediction.neural.pretraining_set import (
    load_pretraining_set,
    read_encoded,
    settings_of_set,
    write_encoded,
    write_pretraining_set,
)
from crosspro.prediction.neural.reading.lexicon_fields import inflected_text
from tests.prediction.neural.small import JOINT, prepared, system

NAME = "document_encoder"
TASKS = ("en-fr", "en-fr-2015", "de-en")


def pretraining(epochs=2, pointer=False, **training):
    return system(
        NAME, epochs=epochs,
        network={"dropout": 0.1, "masked_words": 0.5, "hidden_pronouns": 0.3, "pointer": pointer},
        optimisation={"learning_rate": 0.003, "warmup_steps": 3},
        **{"batch_size": 16, "share": 0.5, **JOINT, **training},
    )  # fmt: skip


def text_of(task, split, documents):
    """Bitext, and the same without a source as if it were a novel."""
    bitext = []
    for example in demo_examples(task, split, documents):
        labels = {gap.position: gap.label for gap in example.gaps}
        (line,) = SelfLabels(task).of_bitext([example])
        gaps = (replace(gap, label=labels.get(gap.position, gap.label)) for gap in line.gaps)
        bitext.append(replace(line, gaps=tuple(gaps)))
    return bitext + [
        replace(
            line,
            source=(),
            document=f"novel {line.document}",
            lemmas=tuple("REPLACE_0" if t.startswith("REPLACE") else t for t in line.lemmas),
            gaps=tuple(replace(gap, source_index=0) for gap in line.gaps),
        )
        for line in bitext
    ]


def encoded(task, folder, pointer=False):
    train, dev = text_of(task, "train", 8), text_of(task, "dev", 3)
    text, made = inflected_text(task, train), pretraining(pointer=pointer)
    write_pretraining_set(folder, made, task, train, dev, text, files=(), held_out=0.2)
    return folder


def learnt(folder, made, run=None):
    loaded = load_pretraining_set(folder, made)
    made.fit_encoded(loaded.task, loaded.encoder, loaded.data, run)
    return made


def test_encoded_data_is_read_as_it_was_written(train, tmp_path):
    made, _ = prepared(NAME, train, **JOINT)
    text, names = made.encoder.encode(train, made.task), [field.name for field in made.reads.fields]
    path = tmp_path / "one.npz"
    write_encoded(path, text)
    again = read_encoded(path, names)
    assert np.array_equal(again.label, text.label)
    for arrays, others in ((again.positions, text.positions), (again.fields, text.fields)):
        assert {*arrays} == {*others}
        assert all(np.array_equal(arrays[name], others[name]) for name in others)
    whole = path.read_bytes()
    path.write_bytes(whole[:-200])
    with pytest.raises(InputError):
        read_encoded(path, names)


@pytest.mark.parametrize("name", TASKS)
def test_fine_tuning_goes_on_from_a_pretraining(name, tmp_path):
    task = load_task(name)
    made = learnt(encoded(task, tmp_path / "set"), pretraining(), tmp_path / "run")
    made.save(tmp_path / "run/model")
    tuned = system(NAME, epochs=1, units="joint", context=1, init_from=str(tmp_path / "run"))
    dev = demo_examples(task, "dev", 3)
    tuned.fit(task, demo_examples(task, "train", 4), dev)
    assert tuned.predict(dev).sum(axis=1) == pytest.approx(1)
    assert tuned.encoder.vocabularies == made.encoder.vocabularies


def test_a_stopped_pretraining_goes_on_to_the_same_bytes(tmp_path):
    folder = encoded(load_task("en-fr-2015"), tmp_path / "set")
    for run, parts in (("whole", (3,)), ("parts", (1, 3))):
        for epochs in parts:
            made = learnt(folder, pretraining(epochs), tmp_path / run)
        made.save(tmp_path / run / "model")
    files = [tmp_path / run / "model/network.safetensors" for run in ("whole", "parts")]
    assert files[0].read_bytes() == files[1].read_bytes()


def test_a_set_that_was_read_otherwise_is_refused(tmp_path):
    folder = encoded(load_task("de-en"), tmp_path / "set")
    assert settings_of_set(folder)["training.unit_vocabulary"] == 300
    with pytest.raises(InputError, match=r"set\.json: read"):
        load_pretraining_set(folder, pretraining(unit_vocabulary=400))
    for content in ("{}", '{"format": true}'):
        (folder / "set.json").write_text(content, "utf-8")
        with pytest.raises(InputError, match="format"):
            load_pretraining_set(folder, pretraining())
