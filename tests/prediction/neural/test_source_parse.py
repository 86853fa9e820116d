"""A parse of the source beside the data: read, checked, and seen by Uppsala's network."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from crosspro.data_prep.core.errors import CrossproError, InputError
from crosspro.data_prep.core.example import AnnotatedSentence
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.shared_task import write_examples
from crosspro.data_prep.pipeline.sets.splits import file_splits
from crosspro.prediction.neural.reading.vocabulary import UNK
from crosspro.prediction.system import load_system
from tests.prediction.neural.small import neural, parsed, with_network
from tests.prediction.neural.small import system as small_system

TASK = load_task("en-fr")
SETTINGS = {"words": 8, "tags": 4, "source_tags": 4, "source_labels": 4, "head": True,
            "characters": 4, "character_hidden": 4, "hidden": 8, "mlp": 12}  # fmt: skip


def conllu(examples):
    blocks = []
    for example in examples:
        rows = [
            f"{i}\t{word}\t{word}\tVERB\t_\t_\t{i - 1}\t{'dep' if i > 1 else 'root'}\t_\t_\n"
            for i, word in enumerate(example.source, start=1)
        ]
        blocks.append("".join(rows) + "\n")
    return "".join(blocks)


def system():
    return neural(
        "uppsala_bilstm", SETTINGS, {"batch_size": 32},
        trainer={"max_epochs": 1, "progress_bar": False, "accelerator": "cpu"},
    )  # fmt: skip


def test_the_files_beside_the_data_are_read_and_checked(tmp_path):
    for split in ("train", "dev", "test"):
        examples = demo_examples(TASK, split, 3)
        write_examples(tmp_path / f"{split}.data", examples)
        (tmp_path / f"{split}.source.conllu").write_text(conllu(examples), "utf-8")
    splits = file_splits(TASK, tmp_path, "train*.data", "dev*.data", "test*.data")
    for examples in (splits.train, splits.dev, splits.test["test"]):
        assert all(example.source_parse.forms == example.source for example in examples)
    path = tmp_path / "dev.source.conllu"
    path.write_text(path.read_text("utf-8").replace("\tVERB", "\tTREE", 2), "utf-8")
    with pytest.raises(InputError, match=r"dev\.source\.conllu:1") as caught:
        file_splits(TASK, tmp_path, "train*.data", "dev*.data", "test*.data")
    assert len(caught.value.problems) == 2


def test_the_network_sees_tags_labels_and_the_head(tmp_path):
    train, dev = ([parsed(e) for e in demo_examples(TASK, s, 6)] for s in ("train", "dev"))
    made = system()
    made.fit(TASK, train, dev)
    made.save(tmp_path)
    chances = made.predict(dev)
    assert (load_system(tmp_path).predict(dev) == chances).all()
    other = []
    for example in dev:
        tokens = [replace(token, deprel="dep", head=0) for token in example.source_parse.tokens]
        other.append(replace(example, source_parse=AnnotatedSentence(tuple(tokens))))
    assert not np.allclose(made.predict(other), chances)


def test_data_without_a_parse_is_refused_with_the_way_out():
    train, dev = demo_examples(TASK, "train", 4), demo_examples(TASK, "dev", 2)
    with pytest.raises(CrossproError):
        system().fit(TASK, train, dev)


def test_tags_alone_are_no_parse():
    train, dev = ([parsed(e) for e in demo_examples(TASK, s, 4)] for s in ("train", "dev"))
    flat = [
        replace(e, source_parse=AnnotatedSentence(
            tuple(replace(token, head=-1) for token in e.source_parse.tokens)))
        for e in train
    ]  # fmt: skip
    with pytest.raises(CrossproError):
        system().fit(TASK, flat, dev)


def test_gradients_reach_the_parse_embeddings():
    train = [parsed(e) for e in demo_examples(TASK, "train", 6)]
    made, tensors = with_network(system(), train)
    network = made.network.train()
    scores = network(tensors, torch.arange(len(tensors.label)))
    torch.nn.functional.cross_entropy(scores, tensors.label).backward()
    for name, parameter in network.named_parameters():
        assert parameter.grad is not None and parameter.grad.abs().sum() > 0, name


@pytest.mark.slow
def test_turku_reads_lemmas_of_the_source_if_asked_to():
    """As in 2016 (003 §5.4): another lemma changes the scores, another word of it does not."""
    train = [parsed(e) for e in demo_examples(TASK, "train", 6)]
    made = small_system("turku_gru", network={"source_lemmas": True})
    with pytest.raises(CrossproError):
        made.fit(TASK, *[demo_examples(TASK, "train", 2)] * 2)
    made, tensors = with_network(made, train)
    assert "source_lemma" in tensors.fields
    assert "source" not in tensors.fields
    gaps = torch.arange(len(tensors.label))
    other = tensors["source_lemma"].clone()
    other[tensors.source_position] = UNK
    changed = replace(tensors, fields={**tensors.fields, "source_lemma": other})
    with torch.inference_mode():
        one, two = (made.network(t, gaps) for t in (tensors, changed))
    assert (one != two).any(dim=1).all()
    taught = small_system("turku_gru", network={"source_lemmas": True}, epochs=1)
    taught.pretraining = replace(taught.pretraining, epochs=1)
    taught.fit(TASK, train, train)
    assert taught.predict(train).shape == (len(gaps), len(TASK.classes))
