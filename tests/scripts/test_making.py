"""The commands that make a recorded run, by what `run.json` says."""

from __future__ import annotations

from crosspro.data_prep.pipeline.sets.splits import Contents
from crosspro.prediction.recorded_runs import by_record, read_recorded, training_text
from crosspro.prediction.runs import Configuration, Run, Times, write_run
from crosspro.scripts.reproduce.making import making_steps

DIGEST = "e" * 64


def written(folder, *, task="en-de", system="document_encoder", data=(), **settings):
    """A run's folder that says these things of itself."""
    folder.mkdir(parents=True)
    seed = settings.pop("seed", 1)
    configuration = Configuration(**settings)
    files = tuple(Contents(split, name, 9, 5, DIGEST) for split, name in data)
    run = Run(status="complete", task=task, system=system, seed=seed, configuration=configuration,
              versions={"torch": "2"}, times=Times("2026-01-01"), data=files)  # fmt: skip
    write_run(folder, run)
    return folder


def pretrained(folder, seed, **more):
    files = (
        ("unseen", "test.a.data.xz"),
        ("train", "train.a.data.xz"),
        ("train", "novels.de.txt.xz"),
    )
    settings = {"recipe": "small_documents", "network_settings": {"target_lexicon": "german-nouns"}}
    return written(folder, seed=seed, data=files, settings=settings,
                   overrides=("trainer.max_epochs=3", f"seed={seed}"), **more)  # fmt: skip


def tuned(folder, seed, begin, **more):
    files = (("train", "train.a.data.xz"), ("test", "test.a.data.xz"))
    given = ("experiment=document_in_domain", "data.dir=/elsewhere/data", f"seed={seed}",
             f"system.init_from={begin}", "trainer.encoded_dir=/elsewhere/arrays")  # fmt: skip
    chosen = {"system": "document_encoder", "experiment": "document_in_domain"}
    return written(folder, seed=seed, data=files, overrides=given, choices=chosen, **more)


def test_a_network_begins_with_its_pretraining_wherever_that_was(tmp_path):
    for seed in (1, 2):
        pretrained(tmp_path / f"pre.{seed}", seed)
        tuned(tmp_path / f"net.{seed}", seed, f"/elsewhere/pre.{seed}")
    rows = by_record([read_recorded(str(tmp_path / f"net.{seed}")) for seed in (2, 1)])
    assert [[run.path.name for run in row] for row in rows] == [["net.1", "net.2"]]
    text = training_text(rows[0])
    assert (text.name, text.gaps) == ("all and novels", 5)
    steps = {step.makes: step for step in making_steps(rows[0], "en-de/net", "0123abc", ["news"])}
    made = ["data", "documents", "pre.1", "net.1", "pre.2", "net.2", "scores"]
    assert list(steps) == made
    encode = " ".join(steps["documents"].command)
    assert "--unseen {work}/data/en-de/test.a.data.xz" in encode
    assert "--text {corpora}/monolingual/novels.de.txt.xz" in encode
    assert "--doc-ids {corpora}/monolingual/novels.de.doc-ids.xz" in encode
    assert "--set network_settings.target_lexicon=german-nouns" in encode
    assert steps["documents"].needs == ("folder {corpora}/monolingual",)
    assert "system.init_from={work}/runs/en-de/pre.2" in steps["net.2"].command
    assert steps["net.1"].needs == ("gpu", "extra train")
    assert "--apart" in steps["scores"].command
    assert not any("elsewhere" in word for step in steps.values() for word in step.command)


def test_an_ensemble_of_ensembles_predicts_once(tmp_path):
    pretrained(tmp_path / "pre.1", 1)
    tuned(tmp_path / "net.1", 1, "pre.1")
    files = (("train", "train.a.data.xz"), ("test", "test.a.data.xz"))
    written(tmp_path / "svm", system="stymne_svm", data=files, choices={"system": "stymne_svm"})
    for name, members in (("nets", ["net.1"]), ("both", ["nets", "svm"])):
        written(tmp_path / name, system="ensemble", seed=None, data=(("dev", "dev.a.data.xz"),),
                settings={"members": members, "tune": "accuracy", "choose": "prior"})  # fmt: skip
    run = read_recorded(str(tmp_path / "both"))
    assert run.title == "document_encoder + stymne_svm, prior tuned"
    assert run.is_own
    assert run.seeds == (1, 1)
    steps = [step.makes for step in making_steps([run], "en-de/both", "0123abc")]
    made = [
        "data",
        "documents",
        "pre.1",
        "net.1",
        "nets",
        "svm",
        "both",
        "both on test.a",
        "scores",
    ]
    assert steps == made


def test_networks_of_the_box_are_made_by_their_own_program(tmp_path):
    pretrained(tmp_path / "pretrained.en-de.1", 1, task="en-de-text")
    tuned(tmp_path / "tuned.en-de.1", 1, "/elsewhere/pretrained.en-de.1", task="en-de-text")
    steps = making_steps(
        [read_recorded(str(tmp_path / "tuned.en-de.1"))], "en-de-text/a", "0123abc"
    )
    assert [step.makes for step in steps] == ["data", "networks", "scores"]
    assert steps[1].command[2:5] == ("crosspro.scripts.reproduce.models", "make", "{work}/box")
    assert steps[2].command[3] == "{work}/box/run/tuned.en-de.1"
    assert "{work}/box/data/en-de" in steps[2].command
    tuned(tmp_path / "other.1", 1, "/elsewhere/pretrained.en-de.1", task="en-de-text")
    steps = making_steps([read_recorded(str(tmp_path / "other.1"))], "en-de-text/b", "0123abc")
    assert [step.makes for step in steps] == ["data", "networks", "other.1", "scores"]
    assert "system.init_from={work}/box/run/pretrained.en-de.1" in steps[2].command
