"""Self-labelled pre-training: encoded once, resumed to the same bytes, and gone on from."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.example import Example
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.pipeline.self_labels import SelfLabels
from crosspro.prediction.neural.document_set import (
    SetOrigin,
    load_document_set,
    read_encoded,
    write_document_set,
    write_encoded,
)
from crosspro.prediction.neural.reading.encoding import POSITIONS, fit_and_encode
from crosspro.prediction.neural.reading.lexicon_fields import inflected_text
from tests.prediction.neural.small import QUIET, SMALL, neural

NAME = "document_encoder"
TRAINING = {"batch_size": 16, "units": "joint", "unit_vocabulary": 300, "context": 2, "share": 0.5}
PRETRAINING = {**SMALL[NAME], "dropout": 0.1, "masked_words": 0.5, "hidden_pronouns": 0.3}
TASKS = ("en-fr", "en-fr-2015", "de-en")


def pretraining(epochs=2, pointer=False, **training):
    return neural(
        NAME, {**PRETRAINING, "pointer": pointer}, {**TRAINING, **training},
        {"learning_rate": 0.003, "warmup_steps": 3}, trainer={**QUIET, "max_epochs": epochs},
    )  # fmt: skip


def text_of(task, split, documents):
    """Bitext, and the same without a source as if it were a novel."""
    labels = SelfLabels(task, own_gaps=True)
    bitext = list(labels.of_bitext(demo_examples(task, split, documents)))
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
    system = pretraining(pointer=pointer)
    write_document_set(
        folder, system, task, train, dev, inflected_text(task, train), SetOrigin(held_out=0.2)
    )
    return folder


def test_encoded_data_is_read_as_it_was_written(train, tmp_path):
    made = pretraining()
    made.task = load_task("en-fr")
    _, data = fit_and_encode(train, made._new_reading(train), made.task)
    path = tmp_path / "one.npz"
    write_encoded(path, data, made.reads.fields)
    again = read_encoded(path, made.reads.fields)
    for name in (*POSITIONS, "label"):
        assert np.array_equal(getattr(again, name), getattr(data, name)), name
    for name, array in data.fields.items():
        assert np.array_equal(again.fields[name], array), name
    whole = path.read_bytes()
    write_encoded(path, data, made.reads.fields)
    assert path.read_bytes() == whole
    path.write_bytes(whole[:-200])
    with pytest.raises(InputError):
        read_encoded(path, made.reads.fields)


@pytest.mark.parametrize("name", TASKS)
def test_fine_tuning_goes_on_from_a_pretraining(name, tmp_path):
    task = load_task(name)
    made = pretraining()
    loaded = load_document_set(encoded(task, tmp_path / "set"), made)
    assert loaded.task == task
    made.fit_encoded(loaded.task, loaded.encoder, loaded.data, tmp_path / "run")
    made.save(tmp_path / "run/model")
    tuned = neural(
        NAME, SMALL[NAME], {"batch_size": 32, "units": "joint", "context": 2},
        {"learning_rate": 0.001},
        trainer={**QUIET, "max_epochs": 1}, init_from=str(tmp_path / "run"),
    )  # fmt: skip
    dev = demo_examples(task, "dev", 3)
    tuned.fit(task, demo_examples(task, "train", 4), dev)
    assert tuned.predict(dev).sum(axis=1) == pytest.approx(1)
    assert tuned.encoder.vocabularies == made.encoder.vocabularies
    assert tuned.context == 2


@pytest.mark.parametrize("name", TASKS)
def test_a_pretraining_may_point_at_antecedents(name, tmp_path):
    """What was encoded for it may be learnt from without; the other way there are no nouns."""
    task = load_task(name)
    dev = demo_examples(task, "dev", 3)
    folder = encoded(task, tmp_path / "set", pointer=True)
    for pointer in (True, False):
        made = pretraining(1, pointer)
        loaded = load_document_set(folder, made)
        made.fit_encoded(loaded.task, loaded.encoder, loaded.data)
        assert made.predict(dev).sum(axis=1) == pytest.approx(1)
        assert made.points == pointer
        assert ("noun" in made.encoder.vocabularies) == pointer
    without = encoded(task, tmp_path / "other")
    with pytest.raises(InputError, match="read"):
        load_document_set(without, pretraining(pointer=True))


def test_a_stopped_pretraining_goes_on_to_the_same_bytes(tmp_path):
    task = load_task("en-fr-2015")
    folder = encoded(task, tmp_path / "set")
    for run, parts in (("whole", (3,)), ("parts", (1, 3))):
        for epochs in parts:
            made = pretraining(epochs)
            loaded = load_document_set(folder, made)
            made.fit_encoded(loaded.task, loaded.encoder, loaded.data, tmp_path / run)
        made.save(tmp_path / run / "model")
    files = [tmp_path / run / "model/network.safetensors" for run in ("whole", "parts")]
    assert files[0].read_bytes() == files[1].read_bytes()


def test_a_set_that_was_read_otherwise_is_refused(tmp_path):
    folder = encoded(load_task("de-en"), tmp_path / "set")
    with pytest.raises(InputError, match=r"set\.json: read"):
        load_document_set(folder, pretraining(unit_vocabulary=400))
    for content in ("{}", '{"format": true}'):
        (folder / "set.json").write_text(content, "utf-8")
        with pytest.raises(InputError, match="format"):
            load_document_set(folder, pretraining())


def test_text_without_any_source_is_learnt_from(tmp_path):
    task = load_task("en-fr-2015")
    text = [line for line in text_of(task, "train", 6) if not line.source]
    assert all(isinstance(line, Example) for line in text)
    inflected = inflected_text(task, text)
    write_document_set(tmp_path, pretraining(), task, text, text, inflected, SetOrigin())
    made = pretraining(1)
    loaded = load_document_set(tmp_path, made)
    made.fit_encoded(loaded.task, loaded.encoder, loaded.data)
    assert made.report.epochs == 1
