"""`crosspro results`: runs become records, and records are computed again."""

from __future__ import annotations

import json
import lzma
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from crosspro.baselines.majority import ClassPrior, Majority
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.shared_task import write_doc_ids, write_examples
from crosspro.data_prep.pipeline.sets.splits import file_splits
from crosspro.evaluation.leaderboard.evidence import read_gold_labels, read_labels
from crosspro.evaluation.leaderboard.record import Provenance, read_record
from crosspro.prediction.fit_and_score import fit_and_score
from crosspro.prediction.run_records import held_classes
from crosspro.prediction.runs import Configuration, read_run, write_run
from tests.scripts.run import crosspro

COMMIT = "0123abc"


@pytest.fixture
def made(tmp_path):
    """Data of a task with two test sets, and runs on it: one majority, a prior with two seeds."""
    task = load_task("en-fr")
    data = tmp_path / "data"
    data.mkdir()
    for name, size in (("train.a", 20), ("dev.a", 4), ("test.a", 6), ("test.b", 5)):
        examples = demo_examples(task, name.partition(".")[0], size)
        examples = [
            replace(one, document=f"{name}{place // 3}") for place, one in enumerate(examples)
        ]
        write_examples(data / f"{name}.data", examples)
        write_doc_ids(data / f"{name}.doc-ids", examples)
    splits = file_splits(task=task, dir=str(data), train="train*.data", dev="dev*.data",
                         test="test*.data")  # fmt: skip
    asked = {
        "first.1": ("class_prior", 1, ()),
        "first.2": ("class_prior", 2, (f"trainer.encoded_dir={tmp_path}/x",)),
        "red": ("class_prior", 1, ("system.colour=red", f"system.list={tmp_path}/words.txt")),
        "common": ("majority", 1, ()),
    }
    for folder, (system, seed, more) in asked.items():
        made = ClassPrior(seed) if system == "class_prior" else Majority()
        given = ("task=en-fr", f"system={system}", f"seed={seed}", f"data.dir={data}", *more)
        chosen = {"task": "en-fr", "system": system, "data": "shared_task"}
        settings = Configuration(chosen, given, {"task": {"years": [2016, 2017]}})
        fit_and_score(task, made, splits, tmp_path / folder, seed=seed, name=system,
                      configuration=settings)  # fmt: skip
    return tmp_path


def added(made, *words, code=0):
    result = crosspro("results", "add", *words, "--data", made / "data", "--commit", COMMIT,
                      "--results", made / "results")  # fmt: skip
    assert result.code == code, result.stderr.decode()
    return result


def test_runs_that_differ_in_their_seed_alone_are_one_record(made):
    runs = [made / name for name in ("first.1", "first.2", "red", "common")]
    added(made, *runs)
    names = sorted(path.stem for path in (made / "results" / "en-fr").glob("*.json"))
    red = "class_prior_system.colour_red_system.list_words.txt"
    assert names == ["class_prior", red, "majority"]
    record = read_record(made / "results" / "en-fr" / "class_prior.json")
    assert record.seeds == (1, 2)
    assert record.origin == Provenance.PAPERS
    assert record.text.rules == ("2017",)
    assert record.text.gaps == sum(
        one.gaps for one in read_run(made / "common").data if one.split == "train"
    )
    assert list(record.sets) == ["a", "b"]
    assert set(record.scores) == {"a", "b", "pooled"}
    assert record.scores["pooled"]["accuracy"].unit == "document"
    assert set(record.digests) == {"a 1", "a 2", "b 1", "b 2"}
    labels = read_labels(record.name, made / "results")
    gold = read_gold_labels("en-fr", made / "results")
    right = [
        sum(map(str.__eq__, gold[name].labels, own[seed]))
        for name, own in labels.items()
        for seed in own
    ]
    whole = sum(len(gold[name].labels) for name in ("a", "b"))
    mean = 100 * sum(right) / 2 / whole
    assert record.scores["pooled"]["accuracy"].value == pytest.approx(mean, abs=1e-6)
    assert crosspro("results", "verify", "--results", made / "results").code == 0
    listed = crosspro("results", "list", "--results", made / "results").stdout.decode()
    assert "en-fr/class_prior" in listed and f"{mean:.1f}" in listed


def test_a_record_has_its_commands_and_no_path_of_a_machine(made):
    added(made, made / "first.1", made / "first.2", made / "red")
    for path in (made / "results").rglob("*.json"):
        text = path.read_text()
        assert str(made) not in text
        assert not re.search(r'"/', text)
    steps = read_record(made / "results" / "en-fr" / "class_prior.json").steps
    assert [step.makes for step in steps] == ["data", "first.1", "first.2", "scores"]
    assert steps[0].command[:3] == ("python", "-m", "crosspro.scripts.reproduce.real_data")
    assert steps[1].command == ("crosspro", "train", "task=en-fr", "system=class_prior", "seed=1",
        "data.dir={work}/data/en-fr", "hydra.run.dir={work}/runs/en-fr/first.1")  # fmt: skip
    assert "system.list={corpora}/words.txt" in " ".join(
        word for path in (made / "results").rglob("*red*.json") for step in read_record(path).steps
        for word in step.command
    )  # fmt: skip


def test_an_ensemble_is_recorded_with_its_members(made):
    for name, members in (
        ("both", ("first.1", "first.2")),
        ("prior.1", ("first.1",)),
        ("prior.2", ("first.2",)),
    ):
        runs = [made / one for one in members]
        result = crosspro(
            "ensemble", *runs, "--tune", made / "data" / "dev.a.data", "-o", made / name
        )
        assert result.code == 0, result.stderr
        for test in ("test.a", "test.b"):
            crosspro("predict", made / name, made / "data" / f"{test}.data",
                     "-o", made / name / f"{test}.submission.data")  # fmt: skip
    shutil.move(made / "both", made / "moved")
    (made / "moved").rename(made / "both")
    added(made, *(made / name for name in ("both", "prior.1", "prior.2", "first.1", "first.2")))
    both = read_record(made / "results" / "en-fr" / "both.json")
    assert both.ensemble
    assert both.seeds == (1, 2)
    assert both.members == ("en-fr/class_prior",)
    assert set(both.digests) == {"a 1+2", "b 1+2"}
    alone = read_record(made / "results" / "en-fr" / "prior.json")
    assert set(alone.digests) == {"a 1", "a 2", "b 1", "b 2"}
    assert (
        both.text == alone.text == read_record(made / "results" / "en-fr" / "class_prior.json").text
    )
    joined = next(step for step in both.steps if step.makes == "both").command
    assert joined[:4] == (
        "crosspro",
        "ensemble",
        "{work}/runs/en-fr/first.1",
        "{work}/runs/en-fr/first.2",
    )
    assert joined[4:6] == ("--tune", "{work}/data/en-fr/dev.a.data")
    assert crosspro("results", "verify", "--results", made / "results").code == 0


def test_what_cannot_be_made_again_is_refused_with_all_reasons(made):
    run = read_run(made / "common")
    write_run(
        made / "common",
        replace(run, seed=None, data=tuple(one for one in run.data if one.split != "train")),
    )
    result = crosspro("results", "add", made / "common", "--data", made / "data", "--commit",
                      "main", "--results", made / "results")  # fmt: skip
    assert result.code == 2
    for field in ("commit: expected the commit", "seeds: expected a seed", "text.digest: expected"):
        assert field in result.stderr.decode()
    assert not (made / "results").exists()


def test_a_run_of_a_changed_checkout_needs_a_commit(made):
    write_run(made / "common", replace(read_run(made / "common"), commit="0123abcd+changed"))
    result = crosspro(
        "results", "add", made / "common", "--data", made / "data", "--results", made / "r"
    )
    assert result.code == 2
    assert "'0123abcd+changed'" in result.stderr.decode()
    write_run(made / "common", replace(read_run(made / "common"), commit="0123abcd"))
    assert crosspro("results", "add", made / "common", "--data", made / "data", "--results",
                    made / "r").code == 0  # fmt: skip


def test_gold_must_be_what_runs_were_tested_on(made):
    path = made / "data" / "test.b.data"
    content = path.read_bytes()
    path.with_name("test.b.data.xz").write_bytes(lzma.compress(content))
    path.unlink()
    added(made, made / "common")  # the same, compressed
    path.with_name("test.b.data.xz").write_bytes(
        lzma.compress(content.replace(b"\tI ", b"\tWe ") + content[-1:])
    )
    path.with_name("test.b.data.xz").write_bytes(
        lzma.compress(content + content.splitlines(keepends=True)[0])
    )
    with (made / "data" / "test.b.doc-ids").open("a") as handle:
        handle.write("more\n")
    result = added(made, made / "first.1", code=2)
    assert "digest: expected the file that" in result.stderr.decode()


def test_a_record_that_is_there_is_replaced_on_demand(made):
    added(made, made / "first.1", "--note", "one")
    assert "--replace" in added(made, made / "first.1", code=2).stderr.decode()
    added(made, made / "first.1", made / "first.2", "--replace")
    added(
        made,
        made / "first.2",
        "--name",
        "en-fr/second",
        "--title",
        "The second",
        "--origin",
        "own",
        "--year",
        2016,
    )
    second = read_record(made / "results" / "en-fr" / "second.json")
    assert (second.title, second.origin, second.year) == ("The second", Provenance.OWN, 2016)
    assert read_record(made / "results" / "en-fr" / "class_prior.json").seeds == (1, 2)


def test_a_set_of_another_domain_is_not_pooled(made):
    added(made, made / "common", "--apart", "a")
    record = read_record(made / "results" / "en-fr" / "majority.json")
    assert list(record.scores) == ["b", "a"]
    assert record.headline_set == "b"
    added(made, made / "first.1")  # gold says so already
    assert read_record(made / "results" / "en-fr" / "class_prior.json").headline_set == "b"
    assert "--apart" in record.steps[-1].command
    assert "expected" in added(made, made / "red", "--apart", "c", code=2).stderr.decode()


def test_an_archive_predicts_what_is_recorded(made):
    archive = made / "model.zip"
    assert crosspro("models", "export", made / "first.1", "-o", archive).code == 0
    added(made, made / "first.1")
    added(made, archive)
    run, packed = (
        read_record(made / "results" / "en-fr" / f"{name}.json")
        for name in ("class_prior", "model")
    )
    assert packed.digests == run.digests
    assert packed.origin == Provenance.OWN


def test_a_model_of_another_task_is_scored_by_the_classes_of_gold(tmp_path, made):
    own, task = load_task("en-fr-text"), load_task("en-fr-2015")
    held = dict(zip(own.classes, held_classes(own, task), strict=True))
    assert held["cela"] == {"ça": 3, "cela": 1}
    assert (held["le"], held["OTHER"], held["on"]) == ({"OTHER": 1}, {"OTHER": 1}, {"on": 1})
    data = tmp_path / "other"
    data.mkdir()
    for name, split in (("train.a", "train"), ("test.a", "test"), ("test.b", "dev")):
        examples = demo_examples(task, split, 9)
        if split == "train":
            examples = [
                one.with_labels(own.class_of(str(gap.label)) for gap in one.gaps)
                for one in examples
            ]
        write_examples(data / f"{name}.data", examples)
    splits = file_splits(task=own, dir=str(data), train="train*.data", dev="train*.data",
                         test="train*.data")  # fmt: skip
    fit_and_score(own, ClassPrior(1), splits, tmp_path / "prior", seed=1, name="class_prior")
    given = ("--data", data, "--commit", COMMIT, "--results", tmp_path / "found")
    result = crosspro("results", "add", tmp_path / "prior", "--task", "en-fr-2015", *given)
    assert result.code == 0, result.stderr.decode()
    record = read_record(tmp_path / "found/en-fr-2015/class_prior.json")
    assert record.task == "en-fr-2015"
    assert list(record.scores) == ["a", "b", "a.joined", "b.joined", "pooled"]
    gold = read_gold_labels("en-fr-2015", tmp_path / "found")
    joined = gold["a.joined"]
    assert joined.apart
    assert joined.labels == tuple("ça" if one == "cela" else one for one in gold["a"].labels)
    labels = read_labels(record.name, tmp_path / "found")
    assert labels["a.joined"] == labels["a"]
    assert record.steps[-1].command[-8:-6] == ("--task", "en-fr-2015")
    assert crosspro("results", "verify", "--results", tmp_path / "found").code == 0
    result = crosspro("results", "add", made / "first.1", "--task", "en-fr-2015", *given)
    assert result.code == 2
    assert b"--task: expected one whose text is that of en-fr" in result.stderr


def test_verify_tells_all_faults_at_once(made):
    added(made, made / "first.1", made / "common")
    results = made / "results" / "en-fr"
    content = json.loads((results / "majority.json").read_text())
    content["scores"]["pooled"]["accuracy"]["value"] += 0.001
    content["classes"]["a"].popitem()
    content["members"] = ["en-fr/none"]
    content["notes"] = ["from /home/somebody/runs"]
    (results / "majority.json").write_text(json.dumps(content))
    other = json.loads((results / "class_prior.json").read_text())
    other["members"] = ["en-fr/none"]
    other["scores"]["a"]["macro_recall"]["low"] -= 1
    (results / "class_prior.json").write_text(json.dumps(other))
    result = crosspro("results", "verify", "--results", made / "results")
    told = result.stderr.decode()
    assert result.code == 1
    assert "notes.0: expected no path of a machine" in told
    assert "scores.a.macro_recall.low: expected" in told
    assert "members.0: expected the name of a record, found en-fr/none" in told
    assert (
        crosspro("results", "verify", "en-fr/class_prior", "--results", made / "results").code == 1
    )
    content["notes"] = []
    (results / "majority.json").write_text(json.dumps(content))
    told = crosspro("results", "verify", results / "majority.json", "--results", made / "results")
    assert "scores.pooled.accuracy.value" in told.stderr.decode()
    assert "classes.a." in told.stderr.decode()


def test_verify_sees_other_labels_than_those_of_the_record(made):
    added(made, made / "first.1", made / "common")
    results = made / "results" / "en-fr"
    shutil.copy(results / "majority.xz", results / "class_prior.xz")
    result = crosspro("results", "verify", "--results", made / "results")
    assert result.code == 1
    assert "digests.a 1: expected" in result.stderr.decode()
    (results / "majority.xz").unlink()
    assert (
        "majority.xz"
        in crosspro("results", "verify", "--results", made / "results").stderr.decode()
    )


def test_a_folder_without_records_is_told(tmp_path):
    result = crosspro("results", "verify", "--results", tmp_path)
    assert result.code == 2
    assert "records" in result.stderr.decode()
    assert Path(tmp_path).is_dir()
