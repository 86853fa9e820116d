"""The document encoder: what it reads, learns and hides."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.example import Gap
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.prediction.neural.reading.vocabulary import PAD
from crosspro.prediction.system import load_system
from tests.examples import example_of
from tests.prediction.neural.small import (
    JOINT,
    TASK,
    class_loss,
    prepared,
    system,
    text_of,
)

NAME = "document_encoder"
PRETRAINING = {"masked_words": 0.5, "hidden_pronouns": 0.3}
POINTER = {"pointer": True}
FIRST = torch.tensor([0])


@pytest.mark.parametrize(
    "network",
    [PRETRAINING, {"tags": True}, {**PRETRAINING, **POINTER}, {**POINTER, "pointer_agreement": 0}],
)
def test_every_weight_that_is_trained_gets_a_gradient(network, train):
    network = {key: float(v) if key == "pointer_agreement" else v for key, v in network.items()}
    made, text = prepared(NAME, train, network, **JOINT)
    made.network.train()
    source_less = example_of((), ("REPLACE_0", "être|VER"), (), (Gap(0, 0, "il"),))
    losses = torch.cat(
        [
            made.network.loss(text, torch.arange(40), class_loss()),
            made.network.loss(text_of(made, [source_less]), FIRST, class_loss()),
        ]
    )
    torch.autograd.backward(losses.mean())
    for name, weight in made.network.named_parameters():
        assert (weight.grad is not None and weight.grad.any()) == weight.requires_grad, name
        assert weight.grad is None or torch.isfinite(weight.grad).all(), name
    assert made.network.words.bias.requires_grad == ("masked_words" in network)
    rows = made.network.rows
    assert (
        not made.settings.network.tags or rows.tags.weight.grad[PAD].any()
    )  # the tag of source words
    assert "masked_words" not in network or rows.agreement.weight.grad[PAD].any()


def test_the_word_of_the_own_gap_is_never_read(train):
    made, _ = prepared(NAME, train, {"masked_words": 0.5, "hidden_pronouns": 0.0})
    line = next(line for line in train if len(line.gaps) == 1)
    losses = []
    for word in ("il", "elle", "être"):
        text = text_of(made, [replace(line, gaps=(replace(line.gaps[0], word=word),))])
        torch.manual_seed(3)
        losses.append(made.network.loss(text, FIRST, class_loss()))
    assert losses[0] == losses[1] == losses[2]


def test_a_lexicon_is_induced_from_inflected_text_and_saved(tmp_path):
    task = load_task("en-fr-2015")
    train, dev = demo_examples(task, "train", 40), demo_examples(task, "dev", 4)
    made = system(NAME, epochs=1, **JOINT)
    made.fit(task, train, dev)
    lexicons = made.encoder.lexicons
    assert list(lexicons) == ["target"]  # English has no gender
    assert {"noun Fem Sing", "noun Masc Sing"} & set(made.encoder.vocabularies["agreement"].words)
    made.save(tmp_path)
    again = load_system(tmp_path)
    assert again.encoder.lexicons == lexicons
    in_torch = load_system(tmp_path, to_train=True)
    assert (in_torch.predict(dev) == made.predict(dev)).all()
    without = system(NAME, epochs=1, network={"target_lexicon": "none"}, **JOINT)
    without.fit(task, train, dev)
    assert not without.encoder.lexicons


def test_a_task_with_other_classes_takes_all_but_the_class_layer(tmp_path):
    """And the sizes, units and lexicons, whatever the settings say; not how far back it reads."""
    english, other = load_task("fr-en"), load_task("de-en")
    first = system(NAME, epochs=1, network={"width": 24, "tags": True, **PRETRAINING}, **JOINT)
    first.fit(english, demo_examples(english, "train", 6), demo_examples(english, "dev", 3))
    first.save(tmp_path / "model")
    train, dev = demo_examples(other, "train", 6), demo_examples(other, "dev", 3)
    tuned = system(
        NAME, epochs=1, units="joint", context=1, optimisation={"learning_rate": 0.0},
        init_from=str(tmp_path),
    )  # fmt: skip
    tuned.fit(other, train, dev)
    assert (first.context, tuned.context) == (2, 1)
    assert (tuned.settings.network.width, tuned.settings.network.tags) == (24, True)
    assert tuned.settings.network.hidden_pronouns == 1.0
    assert tuned.encoder.units == first.encoder.units
    before = first.network.state_dict()
    for name, weight in tuned.network.state_dict().items():
        if not name.startswith("output."):
            assert torch.equal(weight, before[name]), name
    assert tuned.predict(dev).shape[1] == len(other.classes)
    assert np.isfinite(tuned.predict(dev)).all()
    with pytest.raises(InputError):
        system(NAME, init_from=str(tmp_path)).fit(TASK, train, dev)
