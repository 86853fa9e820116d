"""What a network says it looked at is put on words, and shown by explanations."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from crosspro.prediction.explanation import ExplainedGap, as_text, explain, explanation_page
from crosspro.prediction.neural.layers.network import Focus, Network, register
from crosspro.prediction.neural.reading.fields import LEMMA
from crosspro.prediction.neural.reading.vocabulary import Inventory
from crosspro.prediction.neural.system import NeuralSystem
from tests.prediction.neural.small import QUIET, TASK, focus_of


@register("looks_at_the_beginning")
class LooksAtTheBeginning(Network):
    """Chooses among the first two tokens of the context, or none of them."""

    fields = (LEMMA,)
    window = 5

    def __init__(self, inventory: Inventory, *, size: int = 4) -> None:
        super().__init__()
        self.table = nn.Embedding(inventory.size("lemma"), size, padding_idx=0)
        self.output = nn.Linear(size, len(inventory.classes))

    def forward(self, data, gaps, width=None):
        return self.output(self.table(data["lemma"][data.target_low[gaps]]))

    def focus(self, data, gaps):
        low = data.target_low[gaps]
        shares = torch.tensor([[0.5, 0.25]]).expand(len(gaps), -1)
        given = torch.zeros(len(gaps), len(TASK.classes), 2)
        given[:, :, 1] = 1.0
        return [Focus("Beginnings", "target", torch.stack((low, low + 1), 1), shares, given)]


def fitted(train, dev, **training):
    made = NeuralSystem(
        "looks_at_the_beginning",
        training={"batch_size": 32, **training},
        trainer={**QUIET, "max_epochs": 1},
    )
    made.fit(TASK, train, dev)
    return made


def document_with_an_earlier_line(dev):
    lines = [e for e in dev if e.document == dev[0].document]
    return lines, next(n for n, e in enumerate(lines) if n and e.gaps)


def test_shares_stand_on_words(train, dev):
    lines, line = document_with_an_earlier_line(dev)
    row = sum(len(e.gaps) for e in lines[:line])
    (focus,) = focus_of(fitted(train, dev), lines, row)
    assert [len(one) for one in focus.shares] == [len(e.target) for e in lines]
    assert focus.shares[line][:2].tolist() == [0.5, 0.25]
    assert sum(one.sum() for one in focus.shares) == 0.75
    assert focus.given[line].shape == (len(TASK.classes), len(lines[line].target))
    assert focus.given[line][3, :2].tolist() == [0.0, 1.0]


def test_units_are_summed(train, dev):
    lines, line = document_with_an_earlier_line(dev)
    row = sum(len(e.gaps) for e in lines[:line])
    system = fitted(train, dev, units="sentencepiece", unit_vocabulary=60)
    (focus,) = focus_of(system, lines, row)
    assert [len(one) for one in focus.shares] == [len(e.target) for e in lines]
    found = [round(float(one), 6) for one in focus.shares[line][:2]]
    assert found in ([0.75, 0.0], [0.5, 0.25])
    assert any(len(e.target) < len(s.target) for e, s in
               zip(dev, system.encoder.reading.units.split(dev, True), strict=True))  # fmt: skip


def test_explanations_show_them_as_text_and_page(train, dev):
    lines, line = document_with_an_earlier_line(dev)
    system = fitted(train, dev, context=1)
    found = explain(system, lines, line)
    table = found.evidence.tables[0]
    assert table.title == "Beginnings"
    assert table.columns[-1] == f"given {found.chosen}"
    first = lines[line - 1].target
    assert [row[:3] for row in table.rows] == [
        (first[0], 1, 0), (first[1], 1, 1), ("(none)", "", "")
    ]  # fmt: skip
    assert [row[3] for row in table.rows] == pytest.approx([0.5, 0.25, 0.25])
    assert [row[4] for row in table.rows] == pytest.approx([0, 1, 0])
    placed = ExplainedGap(found, lines[line], 1, 1)
    for shown in (as_text(placed, 5), explanation_page(placed, "x", 5)):
        assert "Beginnings" in shown
        assert "(none)" in shown


def test_a_network_that_says_nothing_has_no_focus(train, dev):
    made = NeuralSystem("turku_gru", {"embedding": 4, "hidden": 4, "dense": 4},
                        trainer={**QUIET, "max_epochs": 1})  # fmt: skip
    made.fit(TASK, train, dev)
    assert focus_of(made, dev, 0) == []
