"""A network is one class that says what it reads, and all the rest follows from that."""

from __future__ import annotations

import importlib
import json
import re
from dataclasses import replace
from typing import ClassVar, Literal

import pytest
import torch
from torch import nn

from crosspro.data_prep.core.errors import CrossproError, InputError
from crosspro.data_prep.core.example import Example, Gap
from crosspro.data_prep.core.settings import settings
from crosspro.prediction.neural.layers.network import Network
from crosspro.prediction.neural.network_settings import (
    SETTINGS,
    NetworkSettings,
    Size,
    network_settings,
)
from crosspro.prediction.neural.reading.encoding import Reading, fit_and_encode
from crosspro.prediction.neural.reading.fields import (
    LEMMA,
    LEMMA_TAG,
    PRONOUN,
    SOURCE,
    SOURCE_TAG,
    TAG,
    Field,
    Reads,
    source_words,
)
from crosspro.prediction.neural.reading.tensors import gap_tensors, pick, window
from crosspro.prediction.neural.reading.vocabulary import Inventory
from crosspro.prediction.neural.system import NeuralSystem
from crosspro.prediction.neural.training.settings import (
    Optimisation,
    SkipGramSettings,
    TrainerSettings,
    Training,
)
from crosspro.prediction.system import load_system
from tests.conftest import ROOT
from tests.prediction.neural.small import QUIET, TASK, parsed

ENDING = Field("ending", "source", source_words, lambda word: word[-2:], folded=True)


@settings
class EndingsSettings(NetworkSettings):
    name: Literal["endings"] = "endings"
    size: Size = 8
    window: Size = 5
    kind: ClassVar = None
    fields: ClassVar = (ENDING,)

    @property
    def reads(self):
        return Reads(self.fields)

    def build(self, inventory):
        return (self.kind or Endings)(inventory, self)


class Endings(Network):
    """The endings of the source words that follow the pronoun: a network with a new field."""

    def __init__(self, inventory: Inventory, settings: EndingsSettings) -> None:
        super().__init__()
        self.window = settings.window
        self.bag = nn.EmbeddingBag(inventory.size("ending"), settings.size, padding_idx=0)
        self.output = nn.Linear(settings.size, len(inventory.classes))

    def forward(self, data, gaps, width=None):
        bounds = data.source_position[gaps], data.source_low[gaps], data.source_high[gaps]
        places, lengths = window(*bounds, 1, self.window, first=0)
        return self.output(self.bag(pick(data["ending"], places, lengths)))


def made(network=EndingsSettings(), epochs=2, **values):  # noqa: B008 - it does not change
    return NeuralSystem(
        network=network, training=Training(batch_size=32),
        optimisation=Optimisation(learning_rate=0.1),
        trainer=TrainerSettings(**{**QUIET, "max_epochs": epochs}), **values,
    )  # fmt: skip


def test_a_network_is_trained_saved_loaded_and_predicts(train, dev, tmp_path, monkeypatch):
    monkeypatch.setitem(SETTINGS, "endings", f"{__name__}:EndingsSettings")
    system = made(epochs=10)
    system.fit(TASK, train, dev, tmp_path / "run")
    shares = system.predict(dev)
    gold = [TASK.class_index[gap.label] for example in dev for gap in example.gaps]
    most = max(gold.count(one) for one in set(gold))
    assert (shares.argmax(axis=1) == gold).sum() > most
    system.save(tmp_path / "model")
    assert (load_system(tmp_path / "model").predict(dev) == shares).all()
    saved = json.loads((tmp_path / "model/encoder.json").read_text("utf-8"))
    assert list(saved["vocabularies"]) == ["ending"]
    arrays = {path.name for path in (tmp_path / "run/encoded").glob("*/*.npy")}
    assert {name for name in arrays if not name.startswith("gap-")} == {"ending.npy"}


@settings
class SidedSettings(EndingsSettings):
    side: Literal["before", "after"] = "after"

    @property
    def reads(self):
        return Reads(self.fields, earlier={"side": "after"} if self.side == "before" else None)

    def build(self, inventory):
        return Sided(inventory, self)


class Sided(Endings):
    """Endings of one side, in batches of sentences of one length; wants earlier sentences."""

    widths: ClassVar[list[int]] = []

    def extents(self, data):
        return (data.source_high - data.source_start).numpy()

    def forward(self, data, gaps, width=None):
        lengths = data.source_high[gaps] - data.source_start[gaps]
        assert int(lengths.max()) == width
        self.widths.append(width)
        return super().forward(data, gaps, width)


def test_a_network_says_what_its_batches_are_sorted_by(train, dev):
    Sided.widths.clear()
    system = made(SidedSettings(), epochs=1)
    system.fit(TASK, train, dev)
    system.predict(dev)
    assert max(Sided.widths) == max(len(e.source) for e in (*train, *dev) if e.gaps)
    assert len(set(Sided.widths)) > 2


def test_a_network_that_reads_earlier_sentences_needs_a_context(train, dev):
    with pytest.raises(CrossproError, match="side"):
        made(SidedSettings(side="before")).fit(TASK, train, dev)


def test_every_network_has_settings_and_a_configuration():
    files = [path.read_text("utf-8") for path in (ROOT / "conf/system").glob("*.yaml")]
    modules = {path.stem for path in (ROOT / "prediction/neural/networks").glob("[a-z]*.py")}
    assert modules == set(SETTINGS)
    for name, place in SETTINGS.items():
        assert network_settings({"name": name}).name == name
        assert any(f"_target_: {place.replace(':', '.')}\n" in text for text in files)


class OwnLoss(Endings):
    """Learns the first class, whatever the labels say."""

    def loss(self, data, gaps, width, weights, smoothing):
        return -self(data, gaps, width).log_softmax(-1)[:, 0]


@settings
class OwnLossSettings(EndingsSettings):
    kind: ClassVar = OwnLoss


def test_a_network_may_own_its_loss(train, dev):
    system = made(OwnLossSettings())
    system.fit(TASK, train, dev)
    assert set(system.predict(dev).argmax(axis=1)) == {0}


class OwnPretraining(Endings):
    """Begins with a strong preference for the last class."""

    def pretrain(self, data, inventory, settings, seed, device, report):
        with torch.no_grad():
            self.output.bias[len(inventory.classes) - 1] = 100


@settings
class OwnPretrainingSettings(EndingsSettings):
    kind: ClassVar = OwnPretraining
    pretrains: ClassVar = True


def test_a_network_may_own_its_pretraining(train, dev):
    last = len(TASK.classes) - 1
    for epochs in (0, 1):
        pretraining = SkipGramSettings(epochs=epochs)
        system = made(OwnPretrainingSettings(), epochs=1, pretraining=pretraining)
        system.fit(TASK, train, dev)
        assert (set(system.predict(dev).argmax(axis=1)) == {last}) == bool(epochs)
    with pytest.raises(InputError):
        made(pretraining=SkipGramSettings(epochs=1))


@settings
class ReadsTags(EndingsSettings):
    fields: ClassVar = (ENDING, SOURCE_TAG)


def test_a_field_of_a_parse_needs_one(train, dev):
    system = made(ReadsTags(), epochs=1)
    with pytest.raises(CrossproError, match="parse"):
        system.fit(TASK, train, dev)
    system.fit(TASK, [parsed(e) for e in train], [parsed(e) for e in dev])
    with pytest.raises(CrossproError, match="expected a parse of the source"):
        system.predict(dev)


def test_fields_say_what_a_token_becomes():
    example = Example.of_tokens(
        ("It", "Works"), ("REPLACE_0", "marcher|VER"), ((0, 0), (1, 0)), (Gap(0, 0, "il"),)
    )
    inflected = replace(example, lemmas=("REPLACE_0", "marche"), tags=None)
    expected = {
        SOURCE: ["it", "works"],
        PRONOUN: ["it works"],
        LEMMA: ["<gap>", "marcher"],
        TAG: ["<gap>", "VER"],
        LEMMA_TAG: ["<gap>|<gap>", "marcher|VER"],
    }
    for field, words in expected.items():
        assert [field.read(token, True, {}) for token in field.tokens(example)] == words
    untagged = {LEMMA: ["<gap>", "marche"], TAG: ["<gap>", ""]}
    for field, words in untagged.items():
        assert [field.read(token, False, {}) for token in field.tokens(inflected)] == words


def test_only_the_fields_that_are_read_are_encoded(train):
    encoder, data = fit_and_encode(train, Reading((TAG,)), TASK)
    tensors = gap_tensors(data)
    assert list(encoder.vocabularies) == list(tensors.fields) == ["tag"]
    assert not tensors.spellings


def test_a_field_that_leaves_tokens_out_is_refused(train):
    short = Field("short", "source", lambda example: example.source[1:])
    with pytest.raises(ValueError, match=r"field short"):
        fit_and_encode(train, Reading((short,)), TASK)


def test_the_documented_network_can_be_copied(tmp_path, monkeypatch):
    """The code of docs/tutorials/add-system.md is a module, its network the one tested here."""
    text = (ROOT / "docs" / "tutorials" / "add-system.md").read_text("utf-8")
    section = text[text.index("## Adding a network") :]
    code = re.search(r"```python[^\n]*\n(.*?)```", section, re.DOTALL)[1]
    (tmp_path / "documented.py").write_text(code.replace('"endings"', '"documented"'), "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    documented = importlib.import_module("documented").EndingsSettings
    assert [field.name for field in documented().reads.fields] == ["ending"]
