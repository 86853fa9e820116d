"""A stopped run goes on to the same result, and only where it belongs."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import pytest
import torch

from crosspro.data_prep.core.errors import InputError
from crosspro.prediction.neural.networks.turku_gru import TurkuGRU
from crosspro.prediction.neural.training.progress import read_metrics
from tests.conftest import mostly_slow
from tests.prediction.neural.small import QUIET, SMALL, TASK, neural


def system(name="turku_gru", epochs=4, patience=1000, seed=1):
    """With everything that draws random numbers: dropout, sampling, a schedule."""
    dropout = {"dropout": 0.3, **({"word_dropout": 0.2} if name == "uppsala_bilstm" else {})}
    return neural(
        name, {**SMALL[name], **dropout},
        {"batch_size": 16, "sampling": "equal", "share": 0.8},
        {"learning_rate": 0.01, "warmup_steps": 3},
        trainer={**QUIET, "max_epochs": epochs, "patience": patience}, seed=seed,
    )  # fmt: skip


@pytest.fixture(scope="module")
def stopped_run(train, dev, tmp_path_factory):
    """The folder of a run after its first epoch, and its system."""
    folder, made = tmp_path_factory.mktemp("stopped"), system(epochs=1)
    made.fit(TASK, train, dev, folder)
    return folder, made


@pytest.fixture
def stopped(stopped_run, tmp_path):
    """A copy of it."""
    shutil.copytree(stopped_run[0], tmp_path / "run")
    return tmp_path / "run"


def epochs_of(folder):
    return list(read_metrics(folder))


@pytest.mark.parametrize("name", mostly_slow(SMALL, "turku_gru", "hardmeier_cnn"))
def test_an_interrupted_run_goes_on_to_the_same_result(name, train, dev, tmp_path):
    whole, resumed = system(name), system(name)
    whole.fit(TASK, train, dev, tmp_path / "whole")
    system(name, epochs=2).fit(TASK, train, dev, tmp_path / "parts")  # stopped after two epochs
    resumed.fit(TASK, train, dev, tmp_path / "parts")
    assert (resumed.predict(dev) == whole.predict(dev)).all()
    assert read_metrics(tmp_path / "parts") == read_metrics(tmp_path / "whole")
    assert epochs_of(tmp_path / "parts") == [0, 1, 2, 3]


@pytest.mark.slow
def test_embeddings_are_not_pretrained_again(train, dev, tmp_path, monkeypatch):
    calls = []
    pretrain = TurkuGRU.pretrain
    monkeypatch.setattr(TurkuGRU, "pretrain", lambda *a: (calls.append(1), pretrain(*a)))

    def pretrained(epochs):
        quiet = {**QUIET, "max_epochs": epochs, "patience": 9}
        settings = ({**SMALL["turku_gru"]}, {"batch_size": 16}, {"learning_rate": 0.01})
        return neural("turku_gru", *settings, pretraining={"epochs": 1}, trainer=quiet, seed=1)

    whole, resumed = pretrained(3), pretrained(3)
    whole.fit(TASK, train, dev, tmp_path / "whole")
    pretrained(2).fit(TASK, train, dev, tmp_path / "parts")
    assert len(calls) == 2
    resumed.fit(TASK, train, dev, tmp_path / "parts")
    assert len(calls) == 2
    assert (resumed.predict(dev) == whole.predict(dev)).all()


@pytest.mark.slow
def test_a_run_that_had_stopped_by_itself_trains_no_more(train, dev, tmp_path):
    first, again, longer = (system(epochs=20, patience=n) for n in (2, 2, 5))
    first.fit(TASK, train, dev, tmp_path)
    count = len(epochs_of(tmp_path))
    assert count < 20
    again.fit(TASK, train, dev, tmp_path)
    assert len(epochs_of(tmp_path)) == count
    assert (again.predict(dev) == first.predict(dev)).all()
    longer.fit(TASK, train, dev, tmp_path)
    assert len(epochs_of(tmp_path)) > count


def test_the_folder_of_another_run_is_refused(train, dev, stopped):
    with pytest.raises(InputError):
        system(seed=2).fit(TASK, train, dev, stopped)
    with pytest.raises(InputError):
        system().fit(TASK, train[:-1], dev, stopped)
    path = stopped / "checkpoints/run.json"
    identity = json.loads(path.read_text("utf-8"))
    del identity["format"]  # as version 0.1.0 wrote it
    path.write_text(json.dumps(identity), "utf-8")
    with pytest.raises(InputError):
        system().fit(TASK, train, dev, stopped)
    path.unlink()
    with pytest.raises(InputError, match=r"run\.json"):
        system().fit(TASK, train, dev, stopped)


@pytest.mark.slow
def test_a_moved_run_still_knows_its_best_epoch(train, dev, tmp_path):
    whole, resumed = system(epochs=12), system(epochs=12)
    whole.fit(TASK, train, dev, tmp_path / "whole")
    system(epochs=6).fit(TASK, train, dev, tmp_path / "old")
    (tmp_path / "old").rename(tmp_path / "new")
    resumed.fit(TASK, train, dev, tmp_path / "new")
    assert (resumed.predict(dev) == whole.predict(dev)).all()
    assert not (tmp_path / "old").exists()


def test_fewer_epochs_than_were_trained_are_enough(train, dev, tmp_path):
    first, again = system(epochs=2), system(epochs=1)
    for made in (first, again):
        made.fit(TASK, train, dev, tmp_path)
    assert (first.predict(dev) == again.predict(dev)).all()


def test_damaged_arrays_are_named_and_made_again_once_deleted(train, dev, stopped, stopped_run):
    for path in (stopped / "encoded").glob("*/lemma.npy"):
        path.write_bytes(path.read_bytes()[:-50])
    with pytest.raises(InputError, match=r"lemma\.npy: file"):
        system(epochs=1).fit(TASK, train, dev, stopped)
    shutil.rmtree(stopped / "encoded")
    again = system(epochs=1)
    again.fit(TASK, train, dev, stopped)
    assert (stopped_run[1].predict(dev) == again.predict(dev)).all()


@pytest.mark.parametrize("damage", [lambda whole: b"garbage", lambda whole: whole[:-500]])
def test_a_damaged_checkpoint_is_refused(damage, train, dev, stopped):
    path = stopped / "checkpoints/last.ckpt"
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    with pytest.raises(InputError, match=r"last\.ckpt: checkpoint"):
        system().fit(TASK, train, dev, stopped)
    path.write_bytes(whole)
    path.with_name("best.ckpt").unlink()
    with pytest.raises(InputError, match=r"best\.ckpt: checkpoint"):
        system(epochs=1).fit(TASK, train, dev, stopped)


class Trap:
    """What a checkpoint must not be able to do: call a function when it is loaded."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return open, (self.path, "w")


def test_a_checkpoint_with_code_is_refused_and_not_run(train, dev, stopped, tmp_path):
    path = stopped / "checkpoints/last.ckpt"
    content = torch.load(path, weights_only=True)
    torch.save({**content, "trap": Trap(str(tmp_path / "sprung"))}, path)
    with pytest.raises(InputError):
        system().fit(TASK, train, dev, stopped)
    assert not (tmp_path / "sprung").exists()


def test_runs_may_share_the_encoded_data(train, dev, tmp_path):
    for seed in (1, 2):
        made = system(seed=seed, epochs=1)
        trainer = replace(made.settings.trainer, encoded_dir=str(tmp_path / "shared"))
        made.settings = replace(made.settings, trainer=trainer)
        made.fit(TASK, train, dev, tmp_path / str(seed))
        assert not (tmp_path / str(seed) / "encoded").exists()
    assert len(list((tmp_path / "shared").iterdir())) == 2  # train and dev, each once
