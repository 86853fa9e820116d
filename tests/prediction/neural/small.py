"""Small networks, systems that train them in a second, and the metrics of their epochs."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import nn

from crosspro.data_prep.core.example import AnnotatedSentence, Token
from crosspro.data_prep.core.settings import check_settings
from crosspro.data_prep.core.task import load_task
from crosspro.prediction.neural.reading.lexicon_fields import inflected_text
from crosspro.prediction.neural.system import NeuralSystem
from crosspro.prediction.neural.training.settings import NeuralSettings

TASK = load_task("en-fr")
SMALL = {
    "turku_gru": {"embedding": 12, "hidden": 12, "dense": 24, "window": 20},
    "uppsala_bilstm": {"words": 16, "tags": 4, "characters": 4, "character_hidden": 6,
                       "hidden": 12, "mlp": 24, "dropout": 0.0, "word_dropout": 0.0},
    "nyu_nmt": {"embedding": 12, "hidden": 12, "class_loss": 0.5, "dropout": 0.0},
    "ukyoto_attention": {"embedding": 12, "tags": 0, "hidden": 12, "dense": 24, "dropout": 0.0},
    "hardmeier_cnn": {"words": 12, "tags": 4, "distances": 4, "filters": 16, "window": 20,
                      "dropout": 0.0},
    "hardmeier_anaphora": {"words": 12, "tags": 4, "kinds": 3, "distances": 4, "hidden": 24,
                           "anaphora_hidden": 12, "window": 40, "dropout": 0.0},
    "document_encoder": {"width": 16, "layers": 2, "heads": 2, "source_before": 20,
                         "source_after": 10, "target_before": 24, "target_after": 10,
                         "dropout": 0.0},
}  # fmt: skip
QUIET = {"progress_bar": False, "accelerator": "cpu", "patience": 1000, "patience_steps": 0}
TRAINING = {"min_steps": 0, "class_weight_power": 1.0, "lowercase": True}
JOINT = {"units": "joint", "unit_vocabulary": 300, "context": 2}


def neural(network, sizes=None, training=None, optimisation=None, pretraining=None, **others):
    """A system of plain values, as a file has them."""
    training = {**TRAINING, **(training or {})}
    sections = {"training": training, "optimisation": optimisation, "pretraining": pretraining}
    values = {key: value for key, value in {**sections, **others}.items() if value is not None}
    content = {"network": {"name": network, **(sizes or {})}, **values}
    return NeuralSystem(**vars(check_settings(NeuralSettings, content, "settings: system")))


def system(name, seed=1, epochs=2, network=None, optimisation=None, trainer=None, **training):
    """A small system; `training` settings may hold other sections, too."""
    sections = {key: training.pop(key) for key in list(training) if key in SECTIONS}
    return neural(
        name, {**SMALL.get(name, {}), **(network or {})}, {"batch_size": 32, **training},
        {"learning_rate": 0.01, **(optimisation or {})},
        trainer={**QUIET, "max_epochs": epochs, **(trainer or {})}, seed=seed, **sections,
    )  # fmt: skip


SECTIONS = ("pretraining", "init_from", "distillation")


def prepared(name, examples, network=None, **training):
    """A system with a new network for these examples, and their text on the CPU."""
    made = system(name, network=network, **training)
    made.task = TASK
    encoder = made.new_encoder(examples, inflected_text(TASK, examples))
    made.encoder, _ = encoder.fit_and_encode(examples, TASK)
    torch.manual_seed(1)
    made.network = made.settings.network.build(made.inventory).eval()
    return made, text_of(made, examples)


def text_of(made, examples):
    """Examples as the system reads them."""
    text = made.encoder.encode(examples, TASK)
    return text.with_context(made.context).to("cpu")


def all_gaps(text):
    return torch.arange(len(text))


def class_loss(smoothing=0.0, weights=None):
    weights = torch.ones(len(TASK.classes)) if weights is None else weights
    return nn.CrossEntropyLoss(weights, reduction="none", label_smoothing=smoothing)


def with_field(text, name, tokens):
    """The same text with other tokens in a field."""
    return replace(text, fields={**text.fields, name: tokens})


def parsed(example):
    """A parse of the simplest kind: every word depends on the one before."""
    tokens = [
        Token(word, word, "VERB" if i else "PRON", head=i - 1, deprel="dep" if i else "root")
        for i, word in enumerate(example.source)
    ]
    return replace(example, source_parse=AnnotatedSentence(tuple(tokens)))
