"""A training on all data that goes on with the in-domain part of it."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from crosspro.baselines.ngram_system import NGramSystem
from crosspro.data_prep.core.errors import InputError
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.pipeline.sets.splits import Splits
from crosspro.prediction.dev_score import dev_score
from crosspro.prediction.ensemble import Ensemble
from crosspro.prediction.fit_and_score import fit_and_score
from crosspro.prediction.fit_report import FineTunedReport
from crosspro.prediction.neural.training.progress import read_metrics
from crosspro.prediction.runs import read_run
from crosspro.prediction.system import load_system
from tests.conftest import mostly_slow
from tests.prediction.neural.small import QUIET, SMALL, TASK, neural


def system(epochs=1, more=3, rate=0.0, name="turku_gru", **training):
    return neural(
        name, SMALL[name], {"batch_size": 32, **training}, {"learning_rate": 0.01},
        trainer={**QUIET, "max_epochs": epochs},
        fine_tuning={"learning_rate": rate, "max_epochs": more, "patience": 1000},
    )  # fmt: skip


@pytest.fixture(scope="module")
def splits(dev):
    train = demo_examples(TASK, "train", 12)
    return Splits(train, dev, {}, in_domain=train[: len(train) // 2])


def fitted(made, splits, folder=None):
    made.fit(TASK, splits.train, splits.dev, folder)
    made.fine_tune(splits.in_domain, splits.dev, folder)
    return made


def epochs_of(folder):
    return list(read_metrics(folder))


@pytest.mark.filterwarnings("error:.*in eval mode")
@pytest.mark.parametrize("name", mostly_slow(SMALL, "turku_gru"))
def test_the_second_stage_goes_on_from_the_first(name, splits, dev, tmp_path):
    made = fitted(system(name=name), splits, tmp_path)
    assert epochs_of(tmp_path) == [0]
    assert epochs_of(tmp_path / "in_domain") == [0, 1, 2]
    first, second = made.report.stages
    assert (first.epochs, second.epochs) == (1, 3)
    assert made.report.kept == ("in_domain" if second.score > first.score else "all")
    assert made.report.score == max(first.score, second.score)
    score = dev_score(TASK, dev, "macro_recall")
    assert score(made.predict(dev)) == pytest.approx(made.report.score, abs=1e-3)


def test_what_is_no_better_on_dev_is_not_kept(splits, dev):
    plain = system()
    plain.fit(TASK, splits.train, dev)
    made = fitted(system(rate=1e-12), splits)
    assert made.report.kept == "all"
    assert (made.predict(dev) == plain.predict(dev)).all()
    assert "not kept: no better on dev" in made.report.told()
    better = fitted(system(), splits)
    assert better.report.kept == "in_domain"
    assert "kept, since it is better on dev" in better.report.told()


@pytest.mark.slow
def test_an_interrupted_run_goes_on_to_the_same_bytes(splits, tmp_path):
    def saved(made, folder):
        made.save(folder / "model")
        return (folder / "model/network.safetensors").read_bytes()

    settings = {"tune_adjustment": True, "snapshots": 2}
    whole = saved(fitted(system(2, 4, **settings), splits, tmp_path / "whole"), tmp_path / "whole")
    system(1, **settings).fit(TASK, splits.train, splits.dev, tmp_path / "first")
    second = fitted(system(2, 2, **settings), splits, tmp_path / "second")
    assert len(second.snapshots()) == 2
    for name in ("first", "second"):  # in which stage it was stopped
        assert (
            saved(fitted(system(2, 4, **settings), splits, tmp_path / name), tmp_path / name)
            == whole
        )


def test_a_run_says_how_both_stages_went_and_goes_on_with_the_same_ones(splits, tmp_path):
    made = system()
    fit_and_score(TASK, made, splits, tmp_path)
    assert isinstance(made.report, FineTunedReport)
    run = read_run(tmp_path)
    assert run.fit == {**asdict(made.report), "stages": [asdict(one) for one in made.report.stages]}
    assert load_system(tmp_path).settings.fine_tuning == made.settings.fine_tuning
    assert not (tmp_path / "encoded").exists()
    other = system(rate=0.5)
    other.fit(TASK, splits.train, splits.dev, tmp_path)
    with pytest.raises(InputError):
        other.fine_tune(splits.in_domain, splits.dev, tmp_path)
    with pytest.raises(InputError):
        other.fine_tune(splits.in_domain[1:], splits.dev, tmp_path)


@pytest.mark.slow
def test_members_that_can_go_on_do(splits, dev, tmp_path):
    made = Ensemble({"net": system(), "lm": NGramSystem(order=2)}, tune="accuracy")
    assert made.fine_tunes
    assert not Ensemble([NGramSystem(order=2)]).fine_tunes
    fit_and_score(TASK, made, splits, tmp_path)
    alone = fitted(system(), splits)
    assert (made.parts[0].predict(dev) == alone.predict(dev)).all()
    assert epochs_of(tmp_path / "members/net/in_domain")
    assert load_system(tmp_path).predict(dev) == pytest.approx(made.predict(dev), abs=1e-6)
    with pytest.raises(TypeError):
        made.parts[1].fine_tune(splits.in_domain, dev)
