"""Runs of any systems as one."""

from __future__ import annotations

from crosspro.baselines.class_prior import ClassPrior
from crosspro.baselines.majority import Majority
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.shared_task import write_examples
from crosspro.data_prep.task import load_task
from crosspro.prediction.system import load_system
from tests.scripts.run import crosspro


def test_an_ensemble_is_tuned_saved_and_predicts(tmp_path):
    task = load_task("en-fr")
    train, dev = demo_examples(task, "train", 20), demo_examples(task, "dev", 10)
    for name, system in (("a", Majority()), ("b", ClassPrior(3))):
        system.fit(task, train, dev)
        system.save(tmp_path / name / "model")
    write_examples(tmp_path / "dev.data", dev)
    result = crosspro("ensemble", tmp_path / "a", tmp_path / "b", "-o", tmp_path / "both",
                      "--tune", tmp_path / "dev.data")  # fmt: skip
    assert result.code == 0, result.stderr
    assert b"macro_recall on dev.data" in result.stdout
    assert load_system(tmp_path / "both").name == "ensemble"
    predicted = crosspro("predict", tmp_path / "both", tmp_path / "dev.data",
                         "-o", tmp_path / "submission")  # fmt: skip
    assert predicted.code == 0
    before = (tmp_path / "dev.data").read_bytes()
    for wrong in (["-o", tmp_path / "dev.data"],
                  ["-o", tmp_path / "s2", "--probabilities", tmp_path / "dev.data"]):  # fmt: skip
        refused = crosspro("predict", tmp_path / "both", tmp_path / "dev.data", *wrong)
        assert refused.code == 2
        assert b"an input of this command" in refused.stderr
    assert (tmp_path / "dev.data").read_bytes() == before


def test_a_folder_with_files_is_not_written_into_and_all_missing_runs_are_named(tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full/file").touch()
    refused = crosspro("ensemble", tmp_path / "a", tmp_path / "b", "-o", tmp_path / "full")
    assert refused.code == 2
    assert b"a new or an empty folder" in refused.stderr
    refused = crosspro("ensemble", tmp_path / "a", tmp_path / "b", "-o", tmp_path / "new")
    assert refused.code == 2
    assert len(refused.stderr.splitlines()) == 2
    assert not (tmp_path / "new").exists()


def test_runs_of_two_tasks_are_refused(tmp_path):
    for name in ("en-fr", "en-de"):
        task = load_task(name)
        system = Majority()
        system.fit(task, demo_examples(task, "train", 5), [])
        system.save(tmp_path / name)
    result = crosspro("ensemble", tmp_path / "en-fr", tmp_path / "en-de", "-o", tmp_path / "x")
    assert result.code == 2
    assert b"runs of one task" in result.stderr
    assert not (tmp_path / "x").exists()
