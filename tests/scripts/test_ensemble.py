"""Runs of any systems as one."""

from __future__ import annotations

import errno

from crosspro.baselines.majority import ClassPrior, Majority
from crosspro.baselines.source_aware import SourceAwareLM
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.shared_task import write_examples
from crosspro.prediction.dev_score import dev_score
from crosspro.prediction.runs import names_of, read_run
from crosspro.prediction.system import load_system
from tests.scripts.run import crosspro


def test_an_ensemble_is_tuned_saved_and_predicts(tmp_path):
    task = load_task("en-fr")
    train, dev = demo_examples(task, "train", 20), demo_examples(task, "dev", 10)
    for name, system in (("a", Majority()), ("b", ClassPrior(seed=3))):
        system.fit(task, train, dev)
        system.save(tmp_path / name / "model")
    write_examples(tmp_path / "dev.data", dev)
    result = crosspro("ensemble", tmp_path / "a", tmp_path / "b",
                      "-o", tmp_path / "both", "--tune", tmp_path / "dev.data")  # fmt: skip
    assert result.code == 0, result.stderr
    assert crosspro("ensemble", "-o", tmp_path / "c").code == 2
    assert b"macro_recall" in result.stdout
    joined = load_system(tmp_path / "both")
    assert joined.name == "ensemble"
    run = read_run(tmp_path / "both")
    assert (run.status, run.task, run.name) == ("complete", "en-fr", "ensemble")
    assert run.configuration.settings == {
        "members": [str(tmp_path / "a"), str(tmp_path / "b")], "tune": "macro_recall",
        "choose": "weights", "average": "arithmetic",
    }  # fmt: skip
    assert [one["weight"] for one in run.fit["members"]] == joined.weights
    assert run.fit["score"] == dev_score(task, dev, "macro_recall")(joined.predict(dev))
    assert [one.name for one in run.data] == ["dev.data"]
    assert names_of([tmp_path / "both"]) == ["both"]
    predicted = crosspro("predict", tmp_path / "both", tmp_path / "dev.data",
                         "-o", tmp_path / "submission")  # fmt: skip
    assert predicted.code == 0
    before = (tmp_path / "dev.data").read_bytes()
    for wrong in (["-o", tmp_path / "dev.data"],
                  ["-o", tmp_path / "s2", "--probabilities", tmp_path / "dev.data"]):  # fmt: skip
        refused = crosspro("predict", tmp_path / "both", tmp_path / "dev.data", *wrong)
        assert refused.code == 2
    assert (tmp_path / "dev.data").read_bytes() == before


def test_the_prior_is_chosen_on_the_file(tmp_path):
    task = load_task("en-fr")
    train, dev = demo_examples(task, "train", 20), demo_examples(task, "dev", 10)
    system = SourceAwareLM(order=3)
    system.fit(task, train, dev)
    system.save(tmp_path / "lm" / "model")
    write_examples(tmp_path / "dev.data", dev)
    asked = ("ensemble", tmp_path / "lm", "-o", tmp_path / "one", "--choose", "prior")
    refused = crosspro(*asked)
    assert refused.code == 2
    assert crosspro(*asked[:-1], "luck").code == 2
    made = crosspro(*asked, "--tune", tmp_path / "dev.data", "--monitor", "mean")
    assert made.code == 0, made.stderr
    run, joined = read_run(tmp_path / "one"), load_system(tmp_path / "one")
    assert f"ensemble, tau {run.fit['tau']:.1f}".encode() in made.stdout
    assert run.fit["tau"] == joined.adjustment.tau
    assert run.configuration.settings["choose"] == "prior"
    score = dev_score(task, dev, "mean")
    assert score(joined.predict(dev)) == run.fit["score"] >= score(system.predict(dev))
    half = len(dev) // 2
    for number, part in enumerate((dev[:half], dev[half:])):
        write_examples(tmp_path / f"dev{number}.data", part)
    two = [word for number in "01" for word in ("--tune", tmp_path / f"dev{number}.data")]
    asked = ("ensemble", tmp_path / "lm", "-o", tmp_path / "two", "--choose", "prior", *two)
    made = crosspro(*asked, "--monitor", "mean", "--average", "geometric")
    assert made.code == 0, made.stderr
    again = read_run(tmp_path / "two")
    assert again.fit == run.fit
    assert again.configuration.settings["average"] == "geometric"
    asked = ("ensemble", tmp_path / "lm", "-o", tmp_path / "new", "--choose", "prior", *two)
    assert b"--tune" in crosspro(*asked, *two[:2]).stderr
    assert b"--tune" in crosspro(*asked, "--tune", "-").stderr
    for name, content in {"none": "", "blind": "\t\tit\tREPLACE_0 être|VER\t0-0\n"}.items():
        (tmp_path / f"{name}.data").write_text(content, "utf-8")
        refused = crosspro(*asked, "--tune", tmp_path / f"{name}.data")
        assert f"{name}.data" in refused.stderr.decode()
    inflected = tmp_path / "inflected.data"
    write_examples(inflected, demo_examples(load_task("en-fr-2015"), "dev", 3))
    assert crosspro(*asked, "--tune", inflected).code == 2
    assert not (tmp_path / "new").exists()


def test_an_ensemble_is_whole_or_not_there(tmp_path, monkeypatch):
    """A full disk while it is written leaves nothing, and it can be made again."""
    task = load_task("en-fr")
    train = demo_examples(task, "train", 5)
    for name, system in (("a", Majority()), ("b", ClassPrior(seed=3))):
        system.fit(task, train, train)
        system.save(tmp_path / "runs" / name)
    line = ("ensemble", tmp_path / "runs/a", tmp_path / "runs/b", "-o", tmp_path / "out/both")
    for place in (
        "crosspro.scripts.ensemble.write_run",
        "crosspro.prediction.model_archive.write_text",
    ):
        with monkeypatch.context() as changed:
            changed.setattr(place, full_disk)
            assert crosspro(*line).code == 2
        assert list((tmp_path / "out").iterdir()) == []
    assert crosspro(*line).code == 0
    assert [one.name for one in (tmp_path / "out").iterdir()] == ["both"]
    assert load_system(tmp_path / "out/both").predict(train).shape[0]


def full_disk(*_):
    raise OSError(errno.ENOSPC, "No space left on device")
