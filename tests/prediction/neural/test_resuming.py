"""A stopped run goes on to the same result, and only where it belongs."""

from __future__ import annotations

import shutil

import pytest
import torch

from crosspro.data_prep.core.errors import InputError
from crosspro.prediction.neural.training.learning_curve import read_metrics
from tests.conftest import mostly_slow
from tests.prediction.neural.small import SMALL, TASK
from tests.prediction.neural.small import system as small_system


def system(name="turku_gru", epochs=4, patience=1000, seed=1, **settings):
    """With everything that draws random numbers: dropout, sampling, a schedule."""
    dropout = {"dropout": 0.3, **({"word_dropout": 0.2} if name == "uppsala_bilstm" else {})}
    return small_system(
        name, seed, epochs, dropout, {"warmup_steps": 3}, {"patience": patience},
        **{"batch_size": 16, "sampling": "equal", "share": 0.8, **settings},
    )  # fmt: skip


@pytest.fixture(scope="module")
def stopped_run(train, dev, tmp_path_factory):
    """The folder of a run after its first epoch."""
    folder = tmp_path_factory.mktemp("stopped") / "run"
    system(epochs=1).fit(TASK, train, dev, folder)
    kept = folder.with_name("kept")
    shutil.copytree(folder, kept)
    return folder, kept


@pytest.fixture
def stopped(stopped_run):
    """The same folder, as it was after the first epoch."""
    folder, kept = stopped_run
    shutil.rmtree(folder)
    shutil.copytree(kept, folder)
    return folder


@pytest.mark.parametrize("name", mostly_slow(SMALL, "turku_gru", "hardmeier_cnn"))
def test_an_interrupted_run_goes_on_to_the_same_result(name, train, dev, tmp_path):
    whole, resumed = system(name, snapshots=2), system(name, snapshots=2)
    whole.fit(TASK, train, dev, tmp_path / "whole")
    system(name, epochs=2, snapshots=2).fit(TASK, train, dev, tmp_path / "parts")
    resumed.fit(TASK, train, dev, tmp_path / "parts")
    for snapshot, other in zip(resumed.snapshots(), whole.snapshots(), strict=True):
        assert (snapshot.predict(dev) == other.predict(dev)).all()
    assert read_metrics(tmp_path / "parts") == read_metrics(tmp_path / "whole")
    assert list(read_metrics(tmp_path / "parts")) == [0, 1, 2, 3]


def test_a_run_that_had_stopped_by_itself_trains_no_more(train, dev, tmp_path):
    first, again = (system(epochs=20, patience=2) for _ in range(2))
    first.fit(TASK, train, dev, tmp_path)
    epochs = list(read_metrics(tmp_path))
    assert len(epochs) < 20
    again.fit(TASK, train, dev, tmp_path)
    assert list(read_metrics(tmp_path)) == epochs
    assert (again.predict(dev) == first.predict(dev)).all()
    assert again.report == first.report


def test_the_folder_of_another_run_is_refused(train, dev, stopped, tmp_path):
    for other in (system(seed=2), system(patience=3)):
        with pytest.raises(InputError):
            other.fit(TASK, train, dev, stopped)
    with pytest.raises(InputError):
        system().fit(TASK, train[:-1], dev, stopped)
    shutil.copytree(stopped, tmp_path / "moved")  # Lightning's checkpoints name their folder
    with pytest.raises(InputError):
        system().fit(TASK, train, dev, tmp_path / "moved")


@pytest.mark.parametrize("damage", [lambda whole: b"garbage", lambda whole: whole[:-500]])
def test_a_damaged_checkpoint_is_refused(damage, train, dev, stopped):
    path = stopped / "checkpoints/last.ckpt"
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    with pytest.raises(InputError, match=r"last\.ckpt: checkpoint"):
        system().fit(TASK, train, dev, stopped)
    path.write_bytes(whole)
    next(path.parent.glob("best-*.ckpt")).unlink()
    with pytest.raises(InputError, match=r"best-0\.ckpt: checkpoint"):
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
