"""Networks and their training: masks, gradients, memory of a run, and what is refused."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import fields, replace

import numpy as np
import pytest
import torch

from crosspro.data_prep.core.errors import CrossproError, InputError
from crosspro.data_prep.core.example import AnnotatedSentence, Example, Gap, Token
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.prediction.adjustment import adjust, class_weights, tune_tau
from crosspro.prediction.dev_score import dev_score
from crosspro.prediction.ensemble import Ensemble, mix, tune_weights
from crosspro.prediction.neural.reading import encoding
from crosspro.prediction.neural.reading.encoding import (
    UNKNOWN_LABEL,
    Reading,
    encode,
    fit_and_encode,
    text_digest,
)
from crosspro.prediction.neural.reading.fields import CHARACTER, LEMMA, PRONOUN, SOURCE
from crosspro.prediction.neural.reading.tensors import gap_tensors
from crosspro.prediction.neural.reading.vocabulary import PAD, UNK, build_vocabulary
from crosspro.prediction.neural.system import NeuralSystem
from crosspro.prediction.neural.training.progress import read_metrics
from crosspro.prediction.system import load_system
from tests.conftest import mostly_slow
from tests.prediction.neural.small import QUIET, SMALL, TASK, neural, prepared, system

READING = Reading((SOURCE, CHARACTER, LEMMA, PRONOUN))

VARIANTS = [
    ("turku_gru", {}, {}),
    ("turku_gru", {"inward": True}, {}),
    ("uppsala_bilstm", {}, {}),
    ("nyu_nmt", {}, {}),
    ("nyu_nmt", {"previous": "concatenated"}, {"context": 1}),
    ("nyu_nmt", {"previous": "second_encoder"}, {"context": 1}),
    ("ukyoto_attention", {}, {}),
    ("ukyoto_attention", {"tags": 4}, {}),
    ("hardmeier_cnn", {}, {"context": 1}),
    ("hardmeier_cnn", {"filter_width": 4, "window": 3, "tags": 0}, {"context": 1}),
    ("hardmeier_anaphora", {}, {"context": 2}),
    ("hardmeier_anaphora", {"candidates": 2, "window": 9}, {"context": 2}),
]

LONG = [
    pytest.param(*variant, marks=[pytest.mark.slow] if variant[1] else []) for variant in VARIANTS
]
"""For tests that train long: each network as it is, and its variants where there is time."""
JOINT = {"units": "joint", "unit_vocabulary": 300, "context": 2}
ENCODERS = [("document_encoder", network, JOINT) for network in ({}, {"pointer": True})]
"""Their tests of gradients and of learning by heart are in test_document_encoder."""


@pytest.mark.parametrize(("name", "network", "training"), [*VARIANTS, *ENCODERS])
def test_padding_never_changes_a_prediction(name, network, training, train):
    made, tensors = prepared(name, train, network, **training)
    gaps = torch.arange(len(tensors.label))
    with torch.inference_mode():
        together = made.network(tensors, gaps)
        alone = torch.cat([made.network(tensors, gap[None]) for gap in gaps])
    assert together.shape == (len(gaps), len(TASK.classes))
    assert torch.allclose(together, alone, atol=1e-5)


@pytest.mark.parametrize(("name", "network", "training"), VARIANTS)
def test_gradients_reach_every_parameter(name, network, training, train):
    made, tensors = prepared(name, train, network, **training)
    made.network.train()
    scores = made.network(tensors, torch.arange(len(tensors.label)))
    torch.nn.functional.cross_entropy(scores, tensors.label).backward()
    for key, parameter in made.network.named_parameters():
        assert parameter.grad is not None, key
        assert parameter.grad.abs().sum() > 0, key


@pytest.mark.parametrize(
    ("name", "network", "training"), mostly_slow(LONG, "hardmeier_cnn", "hardmeier_anaphora")
)
def test_a_few_examples_are_learnt_by_heart(name, network, training, tmp_path):
    different = {(e.source, e.target): e for e in demo_examples(TASK, "train", 20) if e.gaps}
    few = list(different.values())[:50]
    training = {"min_count": 1, "class_weight_power": 0.0, **training}
    made = system(name, epochs=80, network=network, patience=15, **training)
    made.fit(TASK, few, few, tmp_path)
    assert list(tmp_path.glob("logs/version_*/metrics.csv"))
    gold = [TASK.class_index[gap.label] for example in few for gap in example.gaps]
    assert len(gold) >= 50
    assert (made.predict(few).argmax(axis=1) == gold).all()


@pytest.mark.parametrize("name", mostly_slow(SMALL, "turku_gru"))
def test_the_seed_decides_and_a_saved_system_predicts_the_same(name, train, dev, tmp_path):
    first, again, other = system(name), system(name), system(name, seed=2)
    for made in (first, again, other):
        made.fit(TASK, train, dev)
    assert (first.predict(dev) == again.predict(dev)).all()
    assert (first.predict(dev) != other.predict(dev)).any()
    first.save(tmp_path)
    loaded = load_system(tmp_path)
    assert (loaded.predict(dev) == first.predict(dev)).all()
    assert loaded.settings == first.settings


def test_a_run_goes_on_from_another(train, dev, tmp_path):
    first = system("turku_gru", context=2)
    first.fit(TASK, train, dev)
    first.save(tmp_path / "model")
    tuned = neural("turku_gru", SMALL["turku_gru"], {"batch_size": 32},
                         {"learning_rate": 0.0}, trainer={**QUIET, "max_epochs": 1},
                         init_from=str(tmp_path))  # fmt: skip
    tuned.fit(TASK, dev, dev)
    assert tuned.context == 2
    assert tuned.predict(dev) == pytest.approx(first.predict(dev), abs=1e-5)
    wrong = neural("uppsala_bilstm", init_from=str(tmp_path), trainer=QUIET)
    with pytest.raises(InputError, match="init_from"):
        wrong.fit(TASK, train, dev)
    other = {**SMALL["turku_gru"], "hidden": 13, "inward": True, "dropout": 0.1}
    wrong = neural("turku_gru", other, init_from=str(tmp_path), trainer=QUIET)
    with pytest.raises(InputError):
        wrong.fit(TASK, train, dev)


@pytest.mark.parametrize(
    ("optimisation", "trainer"),
    [
        ({"gradient_clipping": 0.01}, {}),
        ({"warmup_steps": 20}, {}),
        ({"decay": "linear"}, {}),
        ({"decay": "cosine"}, {}),
        ({"weight_decay": 0.5}, {}),
        ({"label_smoothing": 0.2}, {}),
        ({}, {"precision": "bf16-mixed"}),
        ({"gradient_clipping": 0.01}, {"precision": "bf16-mixed"}),
    ],
)
def test_settings_of_the_training_have_an_effect(optimisation, trainer, train, dev, any_precision):
    plain = system("turku_gru", epochs=2)
    changed = neural(
        "turku_gru", SMALL["turku_gru"], {"batch_size": 32},
        {"learning_rate": 0.01, **optimisation}, trainer={**QUIET, "max_epochs": 2, **trainer},
    )  # fmt: skip
    for made in (plain, changed):
        made.fit(TASK, train, dev)
    assert (changed.predict(dev) != plain.predict(dev)).any()
    assert changed.predict(dev).sum(axis=1) == pytest.approx(1)


def test_logit_adjustment_is_tuned_on_dev_and_saved(train, dev, tmp_path):
    made = system("turku_gru", epochs=4, tune_adjustment=True, class_weight_power=0.0)
    made.fit(TASK, train, dev)
    score = dev_score(TASK, dev, "macro_recall")
    assert made.adjustment.tau > 0
    assert score(made.predict(dev)) >= score(made.unadjusted(dev))
    made.save(tmp_path)
    assert load_system(tmp_path).adjustment.tau == made.adjustment.tau


def test_the_spelling_of_an_unknown_word_counts(train):
    made, _ = prepared("uppsala_bilstm", train)
    example = next(example for example in train if example.gaps)
    found = []
    for word in ("zzzq", "unbelievably"):
        place = (example.gaps[0].source_index + 1) % len(example.source)
        source = (*example.source[:place], word, *example.source[place + 1 :])
        found.append(made.predict([replace(example, source=source)]))
    assert (found[0] != found[1]).any()


def test_word_dropout_teaches_the_unknown_word_on_both_sides(train):
    made, tensors = prepared("uppsala_bilstm", train)
    network = made.network.train()
    network.word_dropout = 100.0
    network(tensors, torch.arange(len(tensors.label))).sum().backward()
    for embedding in (network.source, network.lemma):
        assert embedding.weight.grad[UNK].abs().sum() > 0


@pytest.mark.slow
def test_without_a_folder_the_best_epoch_is_kept_too(train, dev, tmp_path):
    with_folder, without = (system("turku_gru", seed=1, epochs=12) for _ in range(2))
    with_folder.fit(TASK, train, dev, tmp_path)
    without.fit(TASK, train, dev)
    assert (with_folder.predict(dev) == without.predict(dev)).all()
    score = dev_score(TASK, dev, "macro_recall")
    best = max(row["dev_macro_recall"] for row in read_metrics(tmp_path).values())
    assert score(without.predict(dev)) == pytest.approx(best, abs=1e-3)


def test_an_epoch_without_a_batch_is_refused(train, dev):
    made = system("turku_gru", sampling="equal", share=0.00001)
    with pytest.raises(CrossproError):
        made.fit(TASK, train, dev)


def test_a_training_that_diverges_is_an_error(train, dev):
    made = neural("turku_gru", SMALL["turku_gru"], {"batch_size": 32},
                        {"learning_rate": 1e30}, trainer={**QUIET, "max_epochs": 2})  # fmt: skip
    with pytest.raises(CrossproError):
        made.fit(TASK, train, dev)


def test_a_step_without_finite_gradients_is_left_out_and_told(train, dev, monkeypatch, capsys):
    """One such step would make every weight NaN."""
    made = neural("hardmeier_cnn", SMALL["hardmeier_cnn"], {"batch_size": 32},
                        {"gradient_clipping": 1.0}, trainer={**QUIET, "max_epochs": 2})  # fmt: skip
    new = NeuralSystem._new_network
    steps = iter([1.0, torch.inf])  # the second step alone

    def spoilt(system):
        network = new(system)
        network.output.weight.register_hook(lambda gradient: gradient * next(steps, 1.0))
        return network

    monkeypatch.setattr(NeuralSystem, "_new_network", spoilt)
    made.fit(TASK, train, dev)
    assert all(weight.isfinite().all() for weight in made.network.parameters())
    told = capsys.readouterr().err
    assert re.search(r"epoch 0: 1 of \d+ steps had gradients that are not finite", told)
    assert "epoch 1:" not in told


def test_context_needs_documents(train, dev):
    loose = [replace(example, document=None) for example in train]
    with pytest.raises(CrossproError, match=r"training\.context"):
        system("turku_gru", context=3).fit(TASK, loose, dev)


def test_labels_are_needed_in_training_and_ignored_in_prediction(train, dev):
    def labelled(examples, label):
        return [replace(e, gaps=tuple(replace(g, label=label) for g in e.gaps)) for e in examples]

    encoder, _ = fit_and_encode(train, READING, TASK)
    assert set(encode(labelled(train, None), encoder, TASK).label) == {UNKNOWN_LABEL}
    made = system("turku_gru", epochs=1)
    with pytest.raises(CrossproError, match="train"):
        made.fit(TASK, labelled(train, None), dev)
    with pytest.raises(CrossproError, match="dev"):
        made.fit(TASK, train, [*dev, *labelled(dev, None)])
    made.fit(TASK, train, dev)
    assert (made.predict(labelled(dev, "nonsense")) == made.predict(dev)).all()


def test_encoding_is_cached_by_content(train, tmp_path, monkeypatch):
    encoder, made = fit_and_encode(train, READING, TASK)
    made = replace(made, digest=text_digest(train, READING))
    for _ in range(2):
        cached = encode(train, encoder, TASK, tmp_path)
        for column in fields(made):
            one, other = (getattr(data, column.name) for data in (cached, made))
            if isinstance(other, dict):
                assert {*one} == {*other}
                assert all((one[name] == other[name]).all() for name in other)
            else:
                assert np.all(one == other)
    assert len(list(tmp_path.iterdir())) == 1
    encode(train[:5], encoder, TASK, tmp_path)
    assert len(list(tmp_path.iterdir())) == 2
    monkeypatch.setattr(encoding, "_read", lambda *_: pytest.fail("read again"))
    assert (encode(train, encoder, TASK, tmp_path).label == made.label).all()


def test_context_reaches_back_inside_a_document_only(train):
    _, data = fit_and_encode(train, READING, TASK)
    near, far = gap_tensors(data), gap_tensors(data, context=3)
    assert (far.target_low <= near.target_low).all()
    assert (far.target_low < near.target_low).any()
    first = [i for i, e in enumerate(train) if i == 0 or e.document != train[i - 1].document]
    start = {data.target_starts[i] for i in first}
    in_first = np.isin(data.sentence, first)
    assert set(far.target_low[torch.from_numpy(in_first)].tolist()) <= start


def test_rare_words_are_unknown():
    vocabulary = build_vocabulary(Counter({"a": 3, "b": 2, "c": 1, "<pad>": 9}), 2)
    assert vocabulary.words == ("<pad>", "<unk>", "a", "b")
    assert vocabulary.numbers(["b", "c", "a"]) == [3, UNK, 2]
    assert PAD == 0


def test_class_weights_are_one_on_average():
    labels = np.array([0] * 90 + [1] * 10, dtype=np.int32)
    for power in (0.0, 0.5, 1.0):
        weights = class_weights(labels, 3, power)
        assert weights[labels].mean() == pytest.approx(1)
    assert weights[1] == pytest.approx(9 * weights[0])
    assert weights[2] == 0


def test_adjustment_favours_rare_classes():
    chances = np.array([[0.6, 0.4], [0.9, 0.1]])
    frequencies = np.array([0.9, 0.1])
    assert adjust(chances, frequencies, 0.0) == pytest.approx(chances)
    assert adjust(chances, frequencies, 1.0).argmax(axis=1).tolist() == [1, 0]
    tau = tune_tau(chances, frequencies, lambda p: float(p.argmax(axis=1)[0] == 1))
    assert 0 < tau < 1


def test_ensembles_mix_tune_save_and_load(train, dev, tmp_path):
    members = [system("turku_gru", seed) for seed in (1, 2)]
    for member in members:
        member.fit(TASK, train, dev)
    ensemble = Ensemble.of(members, [0.75, 0.25])
    parts = [member.predict(dev) for member in members]
    assert ensemble.predict(dev) == pytest.approx(mix(parts, [3, 1]))
    ensemble.save(tmp_path)
    assert load_system(tmp_path).predict(dev) == pytest.approx(ensemble.predict(dev))
    for wrong in ("[1]", "[NaN, 1]", "[0, 0]", "[-1, 2]", "null", '["a", 1]'):
        (tmp_path / "weights.json").write_text(f'{{"weights": {wrong}}}', "utf-8")
        found = "NaN" if "NaN" in wrong else "weights"
        with pytest.raises(InputError, match=found):
            load_system(tmp_path)
    good, bad = np.array([[0.9, 0.1]] * 4), np.array([[0.2, 0.8]] * 4)
    weights = tune_weights([bad, good], lambda p: float((p.argmax(axis=1) == 0).mean()))
    assert (mix([bad, good], weights).argmax(axis=1) == 0).all()


def test_weights_are_never_worse_than_a_member_alone():
    good, bad = np.array([[0.6, 0.4]] * 4), np.array([[0.01, 0.99]] * 4)
    weights = tune_weights([bad, good, bad], lambda p: float((p.argmax(axis=1) == 0).mean()))
    assert (mix([bad, good, bad], weights).argmax(axis=1) == 0).all()


def test_the_name_of_a_text_tells_what_is_read_of_it_and_how():
    parse = AnnotatedSentence((Token("it", "it", "PRON", head=0),))
    line = Example.of_tokens(("it",), ("REPLACE_0",), (), (Gap(0, 0, "il"),))
    others = [
        replace(line, source=("they",)), line.with_target(("REPLACE_0", ".|.")),
        replace(line, gaps=(Gap(0, 0, "elle"),)), replace(line, document="a"),
        replace(line, links=((0, 0),)), replace(line, source_parse=parse),
        replace(line, source_parse=replace(parse, tokens=(replace(parse.tokens[0], head=-1),))),
    ]  # fmt: skip
    names = [text_digest([one], READING) for one in (line, *others)]
    names += [text_digest([line], Reading((LEMMA,))), text_digest([line] * 2, READING)]
    assert len(set(names)) == len(names)
    assert text_digest([replace(line)], READING) == names[0]
