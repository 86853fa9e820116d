"""A network is one class that says what it reads, and all the rest follows from that."""

from __future__ import annotations

import importlib
import json
import re
from dataclasses import dataclass, replace
from typing import ClassVar

import pytest
import torch
from torch import nn

from crosspro.data_prep.core.errors import CrossproError, InputError
from crosspro.data_prep.core.example import Example, Gap
from crosspro.prediction.neural.layers.network import (
    Network,
    network_class,
    network_names,
    register,
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
from crosspro.prediction.system import load_system
from tests.conftest import ROOT
from tests.prediction.neural.small import QUIET, TASK, parsed

ENDING = Field("ending", "source", source_words, lambda word: word[-2:], folded=True)


@register("endings")
class Endings(Network):
    """The endings of the source words that follow the pronoun: a network with a new field."""

    fields = (ENDING,)

    def __init__(self, inventory: Inventory, *, size: int = 8, window: int = 5) -> None:
        super().__init__()
        self.window = window
        self.bag = nn.EmbeddingBag(inventory.size("ending"), size, padding_idx=0)
        self.output = nn.Linear(size, len(inventory.classes))

    def forward(self, data, gaps, width=None):
        bounds = data.source_position[gaps], data.source_low[gaps], data.source_high[gaps]
        places, lengths = window(*bounds, 1, self.window, first=0)
        return self.output(self.bag(pick(data["ending"], places, lengths)))


def made(name="endings", epochs=2, **settings):
    trainer = {**QUIET, "max_epochs": epochs}
    return NeuralSystem(
        name, training={"batch_size": 32}, optimisation={"learning_rate": 0.1}, trainer=trainer,
        **settings,
    )  # fmt: skip


def test_a_registered_network_is_trained_saved_loaded_and_predicts(train, dev, tmp_path):
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


@register("sided")
class Sided(Endings):
    """Endings of one side, in batches of sentences of one length; wants earlier sentences."""

    choices: ClassVar = {"side": ("before", "after")}
    widths: ClassVar[list[int]] = []

    @classmethod
    def reads(cls, settings):
        return Reads(
            cls.fields, earlier={"side": "after"} if settings["side"] == "before" else None
        )

    def __init__(self, inventory: Inventory, *, side: str = "after", window: int = 5) -> None:
        super().__init__(inventory, window=window)

    def extents(self, data):
        return (data.source_high - data.source_start).numpy()

    def forward(self, data, gaps, width=None):
        lengths = data.source_high[gaps] - data.source_start[gaps]
        assert int(lengths.max()) == width
        self.widths.append(width)
        return super().forward(data, gaps, width)


@pytest.mark.parametrize(
    ("name", "settings", "told"),
    [
        ("endings", {"size": 0}, r"size"),
        ("endings", {"depth": 3}, r"depth"),
        ("sided", {"side": "behind"}, r"side"),
    ],
)
def test_its_settings_are_the_keyword_arguments(name, settings, told):
    with pytest.raises(InputError, match=told):
        made(name, network_settings=settings)


def test_a_network_says_what_its_batches_are_sorted_by(train, dev):
    Sided.widths.clear()
    system = made("sided", epochs=1)
    system.fit(TASK, train, dev)
    system.predict(dev)
    assert max(Sided.widths) == max(len(e.source) for e in (*train, *dev) if e.gaps)
    assert len(set(Sided.widths)) > 2


def test_a_network_that_reads_earlier_sentences_needs_a_context(train, dev):
    system = made("sided", network_settings={"side": "before"})
    with pytest.raises(
        CrossproError, match=r"network_settings: side expected sentences before .* with after"
    ):
        system.fit(TASK, train, dev)


def test_a_name_is_taken_once():
    register("endings")(Endings)
    with pytest.raises(ValueError, match="has one of that name already"):
        register("endings")(type("Other", (Endings,), {}))


def test_every_module_of_networks_is_a_network_with_a_configuration():
    for path in (ROOT / "prediction/neural/networks").glob("[a-z]*.py"):
        assert issubclass(network_class(path.stem), Network)
        assert path.stem in network_names()
        files = (ROOT / "conf/system").glob("*.yaml")
        assert any(f"network: {path.stem}\n" in file.read_text("utf-8") for file in files)


def test_no_other_module_knows_a_network():
    own = ROOT / "prediction/neural/networks"
    names = {path.stem for path in own.glob("[a-z]*.py")}
    known = re.compile(
        rf"""(["'])({"|".join(names)})\1|from crosspro.prediction.neural.networks\."""
    )
    for folder in ("data_prep", "evaluation", "prediction", "baselines", "scripts"):
        for path in (ROOT / folder).rglob("*.py"):
            measures = path.parent.name == "reproduce"  # a network, or its results
            names_it = path == ROOT / "prediction/registry.py"  # what predicts without torch
            if not measures and not names_it and path.parent != own:
                assert not known.search(path.read_text("utf-8")), path


@register("own_loss")
class OwnLoss(Endings):
    """Learns the first class, whatever the labels say."""

    def loss(self, data, gaps, width, weights, smoothing):
        return -self(data, gaps, width).log_softmax(-1)[:, 0]


def test_a_network_may_own_its_loss(train, dev):
    system = made("own_loss")
    system.fit(TASK, train, dev)
    assert set(system.predict(dev).argmax(axis=1)) == {0}


@dataclass(frozen=True)
class Bias:
    epochs: int = 0
    strength: float = 100.0


@register("own_pretraining")
class OwnPretraining(Endings):
    """Begins with a strong preference for the last class."""

    pretraining = Bias

    def pretrain(self, data, inventory, settings, seed, device, report):
        with torch.no_grad():
            self.output.bias[len(inventory.classes) - 1] = settings.strength


def test_a_network_may_own_its_pretraining(train, dev):
    last = len(TASK.classes) - 1
    for epochs in (0, 1):
        system = made("own_pretraining", epochs=1, pretraining={"epochs": epochs})
        system.fit(TASK, train, dev)
        assert (set(system.predict(dev).argmax(axis=1)) == {last}) == bool(epochs)
    with pytest.raises(InputError, match=r"pretraining\.power"):
        made("own_pretraining", pretraining={"power": 1})
    with pytest.raises(InputError, match="epochs"):
        made(pretraining={"epochs": 1})
    assert made(pretraining={"epochs": 0, "window": 5}).pretraining is None


@register("reads_tags")
class ReadsTags(Endings):
    fields = (ENDING, SOURCE_TAG)


def test_a_field_of_a_parse_needs_one(train, dev):
    system = made("reads_tags", epochs=1)
    with pytest.raises(CrossproError, match=r"system\.network: it expected a parse .* give one$"):
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
    documented = importlib.import_module("documented").Endings
    assert network_class("documented") is documented
    assert [field.name for field in documented.fields] == ["ending"]
