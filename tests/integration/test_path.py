"""The whole path: train, predict, evaluate, on the demo corpus and on a new language pair."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import pytest
import yaml

from crosspro.data_prep.core.task import load_task, task_to_mapping
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.shared_task import read_examples, write_doc_ids, write_examples
from crosspro.prediction.runs import read_run
from tests.conftest import ROOT
from tests.integration.training import SMALL, train
from tests.scripts.run import crosspro


@pytest.mark.parametrize("system", ["majority", "class_prior"])
def test_train_predict_evaluate(tmp_path, system):
    result = train(tmp_path, "task=en-fr", f"system={system}", "data=demo", *SMALL)
    assert result.returncode == 0, result.stderr
    assert "macro recall" in result.stdout
    for name in ("dev", "test"):
        assert (tmp_path / f"{name}.report.html").is_file()
    task = load_task("en-fr")
    examples = demo_examples(task, "test", 5)
    write_examples(tmp_path / "gold.data", examples)
    blind = [e.with_labels([]) if not e.gaps else e for e in examples]
    write_examples(tmp_path / "blind.data", blind)
    write_doc_ids(tmp_path / "doc-ids", examples)
    text = (tmp_path / "gold.data").read_text("utf-8").splitlines()
    stripped = "".join("\t\t" + line.split("\t", 2)[2] + "\n" for line in text)
    (tmp_path / "blind.data").write_text(stripped, "utf-8")
    submission = tmp_path / "submission.data"
    predicted = crosspro("predict", tmp_path, tmp_path / "blind.data", "-o", submission,
                         "--doc-ids", tmp_path / "doc-ids",
                         "--probabilities", tmp_path / "chances.tsv")  # fmt: skip
    assert predicted.code == 0, predicted.stderr
    assert submission.read_bytes() == (tmp_path / "test.submission.data").read_bytes()
    scored = crosspro("evaluate", tmp_path / "gold.data", submission, "--task", "en-fr",
                      "--layout", "json", "--resamples", 0)  # fmt: skip
    ours = json.loads(scored.stdout)["systems"][0]["scores"]["macro_recall"]["value"]
    own = json.loads((tmp_path / "test.scores.json").read_text("utf-8"))
    assert ours == own["systems"][0]["scores"]["macro_recall"]["value"]
    run = crosspro("evaluate", tmp_path / "gold.data", tmp_path, submission, "--task", "en-fr",
                   "--layout", "json", "--resamples", 0)  # fmt: skip
    one, other = json.loads(run.stdout)["systems"]
    assert one["scores"] == other["scores"]
    assert (one["name"], other["name"]) == (f"{system} seed 1", "submission")
    assert f"predicted by {system} seed 1" in predicted.stderr.decode()
    named = crosspro("evaluate", tmp_path / "gold.data", f"mine={tmp_path}", submission,
                     "--task", "en-fr", "--resamples", 0)  # fmt: skip
    assert b"mine" in named.stdout
    for names in (("submission=", ""), ("a=", "a=")):
        systems = map("{}{}".format, names, (tmp_path, submission))
        refused = crosspro("evaluate", tmp_path / "gold.data", *systems, "-t", "en-fr")
        assert refused.code == 2, names
    wrong = crosspro("evaluate", tmp_path / "gold.data", tmp_path, "--task", "en-de")
    assert wrong.code == 2
    (tmp_path / "empty").mkdir()
    no_run = crosspro("evaluate", tmp_path / "gold.data", tmp_path / "empty", "-t", "en-fr")
    assert no_run.code == 2
    rows = (tmp_path / "chances.tsv").read_text("utf-8").splitlines()
    assert len(rows) == 1 + sum(len(example.gaps) for example in examples)


def test_a_new_language_pair_is_one_file(tmp_path):
    """English to Italian, whole: task file, data files, train, predict, evaluate, check."""
    mapping = task_to_mapping(load_task("en-fr"))
    mapping.update(
        name="en-it", target_language="it", years=[], tagset="universal",
        classes={"esso": ["esso"], "essa": ["essa"], "essi": ["essi"], "esse": ["esse"],
                 "lo": ["lo"], "OTHER": ["NONE"]},
        fillers=["esso", "essa", "essi", "esse", "lo"], other_fillers=["che", "si"],
    )  # fmt: skip
    (tmp_path / "conf" / "task").mkdir(parents=True)
    path = tmp_path / "conf" / "task" / "en-it.yaml"
    path.write_text(yaml.safe_dump(mapping, allow_unicode=True, sort_keys=False), "utf-8")
    data = tmp_path / "data"
    data.mkdir()
    target = "il|DET auto|NOUN e|CONJ REPLACE_5 .|."
    line = f"essa\tessa|PRON\tThe car is red and it runs .\t{target}\t0-0 1-1\n"
    for split, count in (("train", 6), ("dev", 2), ("test", 2)):
        (data / f"{split}.data").write_text(line * count, "utf-8")
    (data / "test.blind.data").write_text("\t\t" + line.split("\t", 2)[2], "utf-8")
    result = train(tmp_path / "run", "--config-dir", str(tmp_path / "conf"), "task=en-it",
                   "data=shared_task", f"data.dir={data}", "resamples=20")  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert "Task en-it" in result.stdout
    assert "test.blind" in result.stderr
    submission = tmp_path / "submission.data"
    assert (
        crosspro("predict", tmp_path / "run", data / "test.blind.data", "-o", submission).code == 0
    )
    (example,) = read_examples(submission, load_task(path))
    assert example.gaps[0].label == "essa"
    assert crosspro("check", data / "test.data", "--task", path).code == 0
    scored = crosspro("evaluate", data / "test.data", data / "test.data", "--task", path)
    assert b"100.00" in scored.stdout


@pytest.mark.parametrize(
    ("arguments", "fragment"),
    [
        (["systm=majority"], "'systm'"),
        (
            [
                "system=turku_gru_2016",
                "system.training.batch_size=0",
                "trainer.max_epochs=x",
                "+system.network.colour=1",
            ],
            "system.training.batch_size",
        ),
        (["data.documnts=3"], "documnts"),
        (["system=foo"], "majority"),
        (["task=en-xx"], "en-fr-2015"),
        (["absent=perhaps", "resamples=x"], "resamples"),
        (["data=shared_task"], "data.dir"),
        (["data.documents=5"], "data.documents"),
        (["data.seed=abc", "system=class_prior", "system.seed=1.5"], "system.seed"),
        (["~system"], "settings: system"),
        (["+x=1"], "settings: x"),
        (["data=shared_task", "data.dir=.", "data.train=/x.data"], "inside data.dir"),
        (["data=shared_task", "data.dir=nowhere"], "a folder"),
        (["system._target_=subprocess.run"], "settings: system"),
        (["task.target=stemmed"], "'lemmatised' or 'inflected'"),
        (["data._target_=os.environ"], "settings: data"),
        (["data._target_=builtins.print"], "settings: data"),
        (["data._target_=nowhere.mine"], "nowhere"),
        (["~data._target_"], "data._target_"),
        (["~task"], "task"),
        (["~trainer", "system=turku_gru_2016"], "trainer"),
        (["task=null"], "Config group override"),
        (["experiment=turku_2016"], "turku_2016_primary"),
        (["task=en-xx", "sead=2"], "en-xx"),
        (["data.train=[a"], "no viable alternative"),
        (["seed=[a"], "no viable alternative"),
        (["--task", "en-fr"], "--task"),
    ],
)
def test_wrong_settings_stop_the_run_and_list_the_choices(tmp_path, arguments, fragment):
    result = train(tmp_path, *arguments)
    assert result.returncode == 2
    assert fragment in result.stderr
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "model").exists()


def test_bad_files_stop_the_run_with_all_problems(tmp_path):
    for split in ("train", "dev", "test"):
        (tmp_path / f"{split}.data").write_text("bad\n", "utf-8")
    result = train(tmp_path / "run", "data=shared_task", f"data.dir={tmp_path}")
    assert result.returncode == 2
    assert result.stderr.count(".data:1: columns") == 3


def test_scores_of_text_that_was_learnt_from_come_with_a_warning(tmp_path):
    write_examples(tmp_path / "all.data", demo_examples(load_task("en-fr"), "train", 5))
    same = [f"data.{split}=all.data" for split in ("train", "dev", "test")]
    result = train(tmp_path / "run", "data=shared_task", f"data.dir={tmp_path}", *same,
                   "resamples=0")  # fmt: skip
    assert result.returncode == 0, result.stderr
    for name, other in (("dev", "train"), ("all", "train"), ("all", "dev")):
        assert re.search(rf"warning: {name}: .* {other} ", result.stderr)


def demo_data(folder, *splits):
    """Files of the demo, and the arguments that train on them."""
    for split in splits:
        write_examples(folder / f"{split}.data", demo_examples(load_task("en-fr"), split, 5))
    return "data=shared_task", f"data.dir={folder}", "resamples=0"


def test_without_a_test_set_dev_alone_is_scored(tmp_path):
    data = demo_data(tmp_path, "train", "dev")
    result = train(tmp_path / "run", *data, "data.test=null")
    assert result.returncode == 0, result.stderr
    assert set(read_run(tmp_path / "run").scores) == {"dev"}
    assert "Traceback" not in result.stderr


def test_gaps_of_train_without_a_label_and_test_sets_without_gaps_are_told(tmp_path):
    data = demo_data(tmp_path, "train", "dev", "test")
    lines = (tmp_path / "train.data").read_text("utf-8").splitlines(keepends=True)
    wanted = next(i for i, line in enumerate(lines) if not line.startswith("\t"))
    classes = lines[wanted].split("\t")[0].split(" ")
    lines[wanted] = "\t\t" + lines[wanted].split("\t", 2)[2]
    (tmp_path / "train.data").write_text("".join(lines), "utf-8")
    every = demo_examples(load_task("en-fr"), "test", 20)
    write_examples(tmp_path / "test.empty.data", [one for one in every if not one.gaps][:3])
    result = train(tmp_path / "run", *data, "system=class_prior")
    assert result.returncode == 0, result.stderr
    assert f"train: {len(classes)} " in result.stderr
    assert "class_prior" in result.stdout
    assert "test.empty" in result.stderr
    assert (tmp_path / "run/test.empty.submission.data").is_file()


def test_an_output_folder_that_cannot_be_made_is_one_message(tmp_path):
    (tmp_path / "file").touch()
    result = train(tmp_path / "file" / "run", *SMALL)
    assert result.returncode == 2
    assert "hydra.run.dir" in result.stderr
    (tmp_path / "run").mkdir()
    (tmp_path / "run/model").touch()
    result = train(tmp_path / "run", *SMALL)
    assert result.returncode == 2
    assert "run/model" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("arguments", [["--help"], [*SMALL, "system=majority"]])
def test_a_reader_that_has_gone_is_not_told(tmp_path, arguments):
    command = [sys.executable, "train.py", *arguments, f"hydra.run.dir={tmp_path / 'run'}"]
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as gone:
        result = subprocess.run(command, stdout=gone, stderr=subprocess.PIPE, text=True, cwd=ROOT)
    assert result.returncode != 0
    assert "Traceback" not in result.stderr
    if "--help" not in arguments:
        assert read_run(tmp_path / "run").status == "complete"


def test_a_run_says_what_it_was_asked_for(tmp_path):
    arguments = ("task=en-fr", "system=majority", "seed=7", *SMALL)
    assert train(tmp_path, *arguments).returncode == 0
    run = read_run(tmp_path)
    assert (run.status, run.system, run.seed) == ("complete", "majority", 7)
    asked = run.configuration
    assert asked.overrides == arguments
    assert asked.choices == {
        "task": "en-fr", "data": "demo", "system": "majority", "trainer": "default",
    }  # fmt: skip
    assert asked.settings["data"]["documents"] == {"train": 20, "dev": 5, "test": 5}
    assert set(run.scores) == {"dev", "test"}


def test_data_may_come_from_a_function_of_ones_own(tmp_path):
    (tmp_path / "conf" / "data").mkdir(parents=True)
    (tmp_path / "conf" / "data" / "mine.yaml").write_text(
        "_target_: my_corpus.halves\nsize: 10\n", "utf-8"
    )
    (tmp_path / "my_corpus.py").write_text(
        "from crosspro.data_prep.demo.corpus import demo_examples\n"
        "from crosspro.data_prep.pipeline.sets.splits import Splits\n"
        "def halves(task, size: int):\n"
        "    text = demo_examples(task, 'train', size)\n"
        "    half = len(text) // 2\n"
        "    return Splits(text[:half], text[half:], {'all': text})\n"
        "def nothing(task):\n"
        "    return []\n",
        "utf-8",
    )
    own = ("--config-dir", str(tmp_path / "conf"), "data=mine", "resamples=0")
    result = train(tmp_path / "run", *own, PYTHONPATH=str(tmp_path))
    assert result.returncode == 0, result.stderr
    assert [one.name for one in read_run(tmp_path / "run").data] == ["train", "dev", "all"]
    wrong = train(tmp_path / "wrong", *own, "data.size=ten", PYTHONPATH=str(tmp_path))
    assert "settings: data" in wrong.stderr
    no_splits = ("data._target_=my_corpus.nothing", "~data.size")
    wrong = train(tmp_path / "wrong", *own, *no_splits, PYTHONPATH=str(tmp_path))
    assert not (tmp_path / "wrong").exists()
