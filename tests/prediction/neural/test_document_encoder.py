"""The document encoder: what it hears, learns and hides."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.core.example import Example, Gap
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.lexicon.lexicon import Entry, Lexicon
from crosspro.prediction.neural.reading.document_kind import SHOWN_PIECE, shown_lemmas
from crosspro.prediction.neural.reading.encoding import encode, fit_and_encode
from crosspro.prediction.neural.reading.lexicon_fields import (
    target_agreement,
    whole_source_words,
    whole_target_words,
)
from crosspro.prediction.neural.reading.tensors import gap_tensors
from crosspro.prediction.system import load_system
from tests.prediction.neural.small import QUIET, SMALL, TASK, neural, prepared, system

NAME = "document_encoder"
PRETRAINING = {"masked_words": 0.5, "hidden_pronouns": 0.3}
POINTER = {"pointer": True}
JOINT = {"units": "joint", "unit_vocabulary": 300, "context": 2}
LEXICON = Lexicon.of(
    [
        Entry("maison", "NOUN", "Fem", "Sing", 9),
        Entry("petit", "ADJ", "Masc", "Sing", 5),
        Entry("est", "NOUN", "Masc", "Sing", 1),
        Entry("est", "X", None, None, 99),
        Entry("livre", "NOUN", "Masc", "Sing", 3),
        Entry("livre", "NOUN", "Fem", "Sing", 3),
    ]
)


def tensors_of(made, lines):
    return gap_tensors(encode(lines, made.encoder, TASK), made.context)


@pytest.mark.parametrize(
    "network",
    [
        {}, PRETRAINING, {"tags": True}, POINTER, {**PRETRAINING, **POINTER},
        {**POINTER, "pointer_agreement": 0.0},
    ],
)  # fmt: skip
def test_every_weight_that_is_trained_gets_a_gradient(network, train):
    made, data = prepared(NAME, train, network, **JOINT)
    made.network.train()
    weights = torch.ones(len(TASK.classes))
    losses = made.network.loss(data, torch.arange(40), made.network.window, weights, 0.0)
    source_less = Example.of_tokens((), ("REPLACE_0", "être|VER"), (), (Gap(0, 0, "il"),))
    other = tensors_of(made, [source_less])
    losses = torch.cat(
        (losses, made.network.loss(other, torch.tensor([0]), made.network.window, weights, 0.0))
    )
    torch.autograd.backward(losses.mean())
    for name, weight in made.network.named_parameters():
        assert (weight.grad is not None and weight.grad.any()) == weight.requires_grad, name
    assert made.network.words.bias.requires_grad == ("masked_words" in network)


@pytest.mark.parametrize(
    ("settings", "step"), [({"width": 100}, 24), ({"width": 20, "heads": 2}, 8), ({"heads": 7}, 28)]
)
def test_heads_have_a_size_that_is_a_multiple_of_four(settings, step):
    with pytest.raises(InputError, match=r"width"):
        neural(NAME, settings)


@pytest.mark.parametrize("network", [{}, pytest.param(POINTER, marks=pytest.mark.slow)])
def test_gaps_are_learnt_by_heart(network, train):
    made = neural(
        NAME, {**SMALL[NAME], **network}, {"batch_size": 16, "class_weight_power": 0.0, **JOINT},
        {"learning_rate": 0.005}, trainer={**QUIET, "max_epochs": 50},
    )  # fmt: skip
    lines = [line for line in train if line.gaps][:30]
    made.fit(TASK, lines, lines)
    assert made.report.score > 95


def test_both_sides_are_heard_as_far_back_as_windows_reach(dev):
    document = [line for line in dev if line.document == dev[0].document]
    place = next(n for n, line in enumerate(document) if n > 1 and line.gaps)
    made, _ = prepared(NAME, demo_examples(TASK, "train", 30), context=1)
    row = sum(len(line.gaps) for line in document[:place])
    words = {"source": "the", "target": "de|PRP"}
    for side, word in words.items():
        for back, heard in ((1, True), (2, False)):
            other = list(document)
            old = document[place - back]
            gaps = {gap.position for gap in old.gaps} if side == "target" else set()
            new = tuple(t if n in gaps else word for n, t in enumerate(getattr(old, side)))
            source = side == "source"
            other[place - back] = replace(old, source=new) if source else old.with_target(new)
            with torch.inference_mode():
                one, two = (
                    made.network(tensors_of(made, lines), torch.tensor([row]))
                    for lines in (document, other)
                )
            assert (one != two).any() == heard, (side, back)


def test_masked_and_hidden_words_are_not_read(train):
    """What stood in the own gap changes nothing but the loss of its class."""
    made, _ = prepared(NAME, train, {"masked_words": 0.5, "hidden_pronouns": 0.0})
    line = next(line for line in train if len(line.gaps) == 1)
    weights = torch.ones(len(TASK.classes))
    losses = []
    for word in ("il", "elle", "être"):
        gap = replace(line.gaps[0], word=word)
        data = tensors_of(made, [replace(line, gaps=(gap,))])
        torch.manual_seed(3)
        losses.append(made.network.loss(data, torch.tensor([0]), 60, weights, 0.0))
    assert losses[0] == losses[1] == losses[2]


def test_other_gaps_are_shown_as_often_as_the_settings_say(train):
    weights = torch.ones(len(TASK.classes))
    for hidden, differs in ((0.0, True), (1.0, False)):
        made, _ = prepared(NAME, train, {"hidden_pronouns": hidden})
        words = made.encoder.vocabularies["piece"].words[-2:]
        one, two = (
            made.network.loss(
                tensors_of(made, [
                    Example.of_tokens(
                        ("it", "and", "it"), ("REPLACE_0", "et|KON", "REPLACE_2"), (),
                        (Gap(0, 0, "il", "il"), Gap(2, 2, "elle", word)),
                    )
                ]),
                torch.tensor([0]), 60, weights, 0.0,
            )
            for word in words
        )  # fmt: skip
        assert (one != two).item() == differs


def test_no_more_words_are_masked_than_their_share(train):
    made, data = prepared(NAME, train, {"masked_words": 1.0, "masked_share": 0.2})
    rows = made.network._rows(data, torch.arange(30), None)
    chosen, counted = made.network._chosen(rows)
    good = (rows.inside & (rows.pieces != made.network.gap_piece)).sum(1)
    assert (counted.sum(1) - good * 0.2).abs().max() <= 1
    assert (rows.pieces.gather(1, chosen)[counted] != made.network.gap_piece).all()


def test_words_are_looked_up_whole_by_tag_or_by_what_they_mostly_are():
    said = {
        "maison|": "noun Fem Sing",
        "maison|NOM": "noun Fem Sing",
        "maison|VER": "",
        "petit|": "other Masc Sing",
        "est|": "",
        "est|NOM": "noun Masc Sing",
        "livre|NOM": "noun ? Sing",
        "jamais|ADV": "",
    }
    assert {token: target_agreement(token, LEXICON) for token in said} == said
    cut = Example.of_tokens(
        ("▁lit", "tle", "▁house"), ("▁mai|NOM", "son|NOM", "REPLACE_0", "▁a|VER"), (), ()
    )
    assert list(whole_source_words(cut)) == ["little", "little", "house"]
    assert list(whole_target_words(cut)) == ["maison|NOM", "maison|NOM", "REPLACE_0|", "a|VER"]
    odd = Example.of_tokens(("a\u00a0b", "c▁d"), ("10\u00a0000|NUM", "REPLACE_0"), (), ())
    assert list(whole_source_words(odd)) == ["a\u00a0b", "c▁d"]
    assert list(whole_target_words(odd)) == ["10\u00a0000|NUM", "REPLACE_0|"]


def test_a_lexicon_is_induced_from_inflected_text_and_saved(tmp_path):
    task = load_task("en-fr-2015")
    train, dev = demo_examples(task, "train", 40), demo_examples(task, "dev", 4)
    made = system(NAME, epochs=1, **JOINT)
    made.fit(task, train, dev)
    known = made.encoder.reading.lexicons
    assert list(known) == ["target"]  # English has no gender
    assert {"noun Fem Sing", "noun Masc Sing"} & set(made.encoder.vocabularies["agreement"].words)
    made.save(tmp_path)
    again = load_system(tmp_path)
    assert again.encoder.reading.lexicons == known
    assert (again.trainable().predict(dev) == made.predict(dev)).all()
    without = system(NAME, epochs=1, network={"target_lexicon": "none"}, **JOINT)
    without.fit(task, train, dev)
    assert not without.encoder.reading.lexicons


def test_units_of_both_sides_are_one_model_and_one_vocabulary(train):
    made, data = prepared(NAME, train, **JOINT)
    units = made.encoder.reading.units
    assert units.source == units.target
    assert data["source_piece"].max() < len(made.encoder.vocabularies["piece"])
    assert set(made.encoder.vocabularies) == {"piece", "agreement"}
    assert fit_and_encode(train, made.encoder.reading, TASK)[0] == made.encoder


def test_a_task_with_other_classes_takes_all_but_the_class_layer(tmp_path):
    """And the sizes, units and lexicons, whatever the settings say; not how far back it reads."""
    english = load_task("fr-en")
    settings = {"width": 24, "tags": True, **PRETRAINING}
    first = system(NAME, epochs=1, network=settings, **JOINT)
    first.fit(english, demo_examples(english, "train", 6), demo_examples(english, "dev", 3))
    first.save(tmp_path / "model")
    other = load_task("de-en")
    dev = demo_examples(other, "dev", 3)
    tuned = neural(
        NAME, SMALL[NAME], {"batch_size": 32, "units": "joint", "context": 0},
        {"learning_rate": 0.0}, trainer={**QUIET, "max_epochs": 1}, init_from=str(tmp_path),
    )  # fmt: skip
    tuned.fit(other, demo_examples(other, "train", 6), dev)
    assert (first.context, tuned.context) == (2, 0)
    assert tuned.settings.network.width == 24
    assert tuned.network.rows.tags is not None
    assert tuned.network.hidden_pronouns == 1.0
    assert tuned.encoder.reading.units == first.encoder.reading.units
    same = first.network.state_dict()
    for name, weight in tuned.network.state_dict().items():
        if not name.startswith("output."):
            assert torch.equal(weight, same[name]), name
    assert tuned.predict(dev).shape[1] == len(other.classes)
    assert np.isfinite(tuned.predict(dev)).all()
    with pytest.raises(InputError):
        neural(NAME, SMALL[NAME], trainer=QUIET, init_from=str(tmp_path)).fit(
            TASK, demo_examples(TASK, "train", 3), demo_examples(TASK, "dev", 3)
        )


@pytest.mark.parametrize("tags", [True, False])
def test_tags_of_target_words_are_read_if_asked_for(tags, train):
    made, _ = prepared(NAME, train, {"tags": tags, "target_lexicon": "none"}, **JOINT)
    gap = (Gap(0, 0, "il"),)
    lines = [
        Example.of_tokens(("it",), ("REPLACE_0", word), (), gap)
        for word in ("être|VER", "être|NOM")
    ]
    with torch.inference_mode():
        one, other = made.network(tensors_of(made, lines), torch.arange(2))
    assert torch.equal(one, other) != tags


def test_gaps_are_shown_as_the_lemmas_that_other_words_are():
    line = Example.of_tokens(
        ("it",), ("REPLACE_0", "▁a|VER"), (), (Gap(0, 0, "ce", "ce|PRON qui|PRON"),)
    )
    assert [SHOWN_PIECE.word(token) for token in shown_lemmas(line)] == ["▁ce", "▁a"]
    inflected = Example.of_tokens(
        ("it",), ("REPLACE_0", "▁a"), (), (Gap(0, 0, "ce", "C'"),), tagged=False
    )
    assert [SHOWN_PIECE.word(token) for token in shown_lemmas(inflected)] == ["▁C'", "▁a"]
