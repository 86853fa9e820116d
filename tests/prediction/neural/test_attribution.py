"""Gradient times input: exact for a linear network, and whole for ours."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.prediction.explanation import explain
from crosspro.prediction.neural.attribution import token_gradients
from crosspro.prediction.neural.layers.network import Network
from crosspro.prediction.neural.reading.encoding import Reading, encode, fit_and_encode
from crosspro.prediction.neural.reading.fields import LEMMA, PRONOUN, SOURCE
from crosspro.prediction.neural.reading.tensors import gap_tensors
from crosspro.prediction.neural.reading.vocabulary import Inventory
from crosspro.prediction.neural.system import NeuralSystem

TASK = load_task("en-fr")
TRAIN, DEV = demo_examples(TASK, "train", 20), demo_examples(TASK, "dev", 4)
QUIET = {"progress_bar": False, "accelerator": "cpu", "max_epochs": 1}


class Bag(Network):
    """The scores of the words of both sentences and of the pronoun, summed."""

    fields = (SOURCE, LEMMA, PRONOUN)
    window = 10

    def __init__(self, inventory: Inventory) -> None:
        super().__init__()
        self.tables = nn.ModuleDict(
            {field.name: nn.Embedding(inventory.size(field.name), 4) for field in self.fields}
        )
        self.output = nn.Linear(4, len(inventory.classes), bias=False)

    def forward(self, data, gaps, width=None):
        """All words of the line, wherever they stand."""
        rows = []
        for gap in gaps.tolist():
            source = data["source"][data.source_low[gap] : data.source_high[gap]]
            lemma = data["lemma"][data.target_low[gap] : data.target_high[gap]]
            vectors = [
                self.tables["source"](source).sum(0),
                self.tables["lemma"](lemma).sum(0),
                self.tables["pronoun"](data["pronoun"][gap]),
            ]
            rows.append(sum(vectors))
        return self.output(torch.stack(rows))


def test_the_numbers_of_a_linear_network_are_the_scores_of_its_words():
    reading = Reading(Bag.fields, True)
    encoder, _ = fit_and_encode(TRAIN, reading, TASK, 1)
    network = Bag(Inventory(encoder.vocabularies, TASK.classes))
    data = encode(DEV, encoder, TASK)
    tensors = gap_tensors(data)
    gap = 2
    found = token_gradients(network, tensors, Bag.fields, gap, 1, 3)
    slope = network.output.weight[1] - network.output.weight[3]
    for side, field in (("source", "source"), ("target", "lemma"), ("gap", "pronoun")):
        values = (network.tables[field](tensors[field]) @ slope).detach().numpy()
        low, high = (
            (getattr(tensors, f"{side}_{end}")[gap] for end in ("low", "high"))
            if (side != "gap")
            else (gap, gap + 1)
        )
        inside = np.zeros(len(values), dtype=bool)
        inside[low:high] = True
        assert found[side] == pytest.approx(np.where(inside, values, 0), abs=1e-6)
    scores = network(tensors, torch.tensor([gap]))[0].detach()
    total = sum(part.sum() for part in found.values())
    assert total == pytest.approx(float(scores[1] - scores[3]), abs=1e-5)


def test_a_network_without_embeddings_has_none():
    class Deaf(Bag):
        def forward(self, data, gaps, width=None):
            return torch.zeros(len(gaps), 8, requires_grad=True)

    reading = Reading(Bag.fields, True)
    encoder, _ = fit_and_encode(TRAIN, reading, TASK, 1)
    network = Deaf(Inventory(encoder.vocabularies, TASK.classes))
    tensors = gap_tensors(encode(DEV, encoder, TASK))
    assert token_gradients(network, tensors, Bag.fields, 0, 0, 1) is None


TURKU = {"embedding": 6, "hidden": 6, "dense": 8, "window": 10}
NYU = {"embedding": 6, "hidden": 6}
SYSTEMS = {
    "turku": ("turku_gru", TURKU, {"context": 1}),
    "uppsala": ("uppsala_bilstm", {"words": 6, "characters": 4, "hidden": 6, "mlp": 8}, {}),
    "nyu": ("nyu_nmt", NYU, {}),
    "nyu before": ("nyu_nmt", {**NYU, "previous": "concatenated"}, {"context": 1}),
    "nyu second": ("nyu_nmt", {**NYU, "previous": "second_encoder"}, {"context": 1}),
    "ukyoto": ("ukyoto_attention", {**NYU, "dense": 8, "tags": 4}, {}),
    "units": ("turku_gru", TURKU, {"units": "sentencepiece", "unit_vocabulary": 100}),
    "hardmeier_cnn": (
        "hardmeier_cnn", {"words": 6, "tags": 4, "distances": 4, "filters": 6, "window": 10},
        {"context": 1},
    ),
    "hardmeier_anaphora": (
        "hardmeier_anaphora", {"words": 6, "tags": 4, "hidden": 8, "anaphora_hidden": 6},
        {"context": 1},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SYSTEMS)
def test_all_numbers_together_are_the_slope_of_louder_embeddings(name):
    network, settings, training = SYSTEMS[name]
    system = NeuralSystem(network, settings, training, trainer=QUIET)
    system.fit(TASK, TRAIN, DEV)
    line = next(n for n, e in enumerate(DEV) if e.gaps and n and DEV[n - 1].document == e.document)
    document = [e for e in DEV if e.document == DEV[line].document]
    place = document.index(DEV[line])
    found = explain(system, document, place)
    example = document[place]
    assert len(found.evidence.source) == len(example.source)
    assert len(found.evidence.target) == len(example.target)
    total = sum(found.evidence.source) + sum(found.evidence.target)
    earlier = [one for one in found.evidence.tables if one.title == "Earlier sentences"]
    total += sum(row[3] for table in earlier for row in table.rows)
    row = sum(len(e.gaps) for e in document[:place])

    def odds(louder):
        tables = [m for m in system.network.modules() if isinstance(m, nn.Embedding)]
        before = [table.weight.detach().clone() for table in tables]
        with torch.no_grad():
            for table in tables:
                table.weight.mul_(1 + louder)
        tensors = gap_tensors(encode(document, system.encoder, TASK), system.training.context)
        double = system.network.double()(tensors, torch.tensor([row]))[0].detach()
        system.network.float()
        with torch.no_grad():
            for table, weight in zip(tables, before, strict=True):
                table.weight.copy_(weight)
        index = TASK.class_index
        return float(double[index[found.chosen]] - double[index[found.against]])

    slope = (odds(1e-3) - odds(-1e-3)) / 2e-3
    assert total == pytest.approx(slope, abs=1e-4)
    assert total
    assert any(found.evidence.source)
    assert bool(earlier) == bool(system.context)
