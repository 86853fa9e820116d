"""The whole path: train, predict, evaluate, on the demo corpus and on a new language pair."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import pytest
import yaml

from crosspro.data_prep.core.settings import to_mapping
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.shared_task import read_examples, write_doc_ids, write_examples
from crosspro.prediction.runs import read_run
from tests.conftest import ROOT
from tests.integration.training import SMALL, train
from tests.scripts.run import crosspro


def trained(folder, *arguments, **environment):
    result = train(folder, *arguments, **environment)
    assert result.returncode == 0, result.stderr
    return result


def demo_data(folder, *splits):
    """Files of the demo, and the arguments that train on them."""
    for split in splits:
        write_examples(folder / f"{split}.data", demo_examples(load_task("en-fr"), split, 5))
    return "data=shared_task", f"data.dir={folder}", "resamples=0"


def scores(record):
    return {system["name"]: system["scores"] for system in json.loads(record)["candidates"]}


def test_train_predict_evaluate(tmp_path):
    arguments = ("task=en-fr", "system=class_prior", "seed=7", *SMALL)
    trained(tmp_path, *arguments)
    run = read_run(tmp_path)
    assert (run.status, run.system, run.seed) == ("complete", "class_prior", 7)
    assert run.configuration.overrides == arguments
    assert run.configuration.settings["data"]["documents"] == {"train": 20, "dev": 5, "test": 5}
    assert set(run.scores) == {"dev", "test"}
    assert all((tmp_path / f"{name}.report.html").is_file() for name in ("dev", "test"))
    examples = demo_examples(load_task("en-fr"), "test", 5)
    gold, blind, submission = (tmp_path / f"{name}.data" for name in ("gold", "blind", "filled"))
    write_examples(gold, examples)
    write_doc_ids(tmp_path / "gold.doc-ids", examples)
    write_doc_ids(tmp_path / "blind.doc-ids", examples)
    lines = gold.read_text("utf-8").splitlines()
    blind.write_text("".join("\t\t" + line.split("\t", 2)[2] + "\n" for line in lines), "utf-8")
    predicted = crosspro("predict", tmp_path, blind, "-o", submission,
                         "--probabilities", tmp_path / "p.tsv")  # fmt: skip
    assert predicted.code == 0, predicted.stderr
    assert submission.read_bytes() == (tmp_path / "test.submission.data").read_bytes()
    rows = (tmp_path / "p.tsv").read_text("utf-8").splitlines()
    assert len(rows) == 1 + sum(len(example.gaps) for example in examples)
    call = ("--task", "en-fr", "--layout", "json", "--resamples", 0)
    result = crosspro("evaluate", gold, f"run={tmp_path}", submission, *call)
    both = scores(result.stdout)
    assert both["run"] == both["filled"]
    (own,) = scores((tmp_path / "test.scores.json").read_bytes()).values()
    assert own["macro_recall"]["value"] == both["run"]["macro_recall"]["value"]
    (tmp_path / "empty").mkdir()
    for wrong in ((f"a={tmp_path}", f"a={submission}"), (tmp_path / "empty",)):
        assert crosspro("evaluate", gold, *wrong, *call).code == 2, wrong
    assert crosspro("evaluate", gold, tmp_path, "--task", "en-de").code == 2


def test_a_new_language_pair_is_one_file(tmp_path):
    """English to Italian: task file, data files, train, predict, evaluate, check."""
    mapping = to_mapping(load_task("en-fr"))
    mapping.update(
        name="en-it", target_language="it", years=[], tagset="universal",
        classes={"esso": ["esso"], "essa": ["essa"], "OTHER": ["NONE"]}, coarse={},
        fillers=["esso", "essa"], other_fillers=["che", "si"],
    )  # fmt: skip
    path = tmp_path / "conf" / "task" / "en-it.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(yaml.safe_dump(mapping, allow_unicode=True, sort_keys=False), "utf-8")
    target = "il|DET auto|NOUN e|CONJ REPLACE_5 .|."
    line = f"essa\tessa|PRON\tThe car is red and it runs .\t{target}\t0-0 1-1\n"
    for split, count in (("train", 6), ("dev", 2), ("test", 2)):
        (tmp_path / f"{split}.data").write_text(line * count, "utf-8")
    blind = tmp_path / "test.blind.data"
    blind.write_text("\t\t" + line.split("\t", 2)[2], "utf-8")
    trained(tmp_path / "run", "--config-dir", str(tmp_path / "conf"), "task=en-it",
            "data=shared_task", f"data.dir={tmp_path}", "resamples=20")  # fmt: skip
    filled = tmp_path / "filled.data"
    assert crosspro("predict", tmp_path / "run", blind, "-o", filled).code == 0
    (example,) = read_examples(filled, load_task(path))
    assert example.gaps[0].label == "essa"
    test = tmp_path / "test.data"
    assert crosspro("check", test, "--task", path).code == 0
    assert b"100.00" in crosspro("evaluate", test, test, "--task", path).stdout


@pytest.mark.parametrize(
    ("arguments", "fragment"),
    [
        (["systm=majority"], "'systm'"),
        (["system=turku_gru_2016", "system.training.batch_size=0"], "system.training.batch_size"),
        (["system=foo"], "majority"),
        (["resamples=x"], "resamples"),
        (["data=shared_task"], "data.dir"),
        (["data=shared_task", "data.dir=.", "data.train=/x.data"], "inside data.dir"),
        (["data=shared_task", "data.dir=nowhere"], "directory"),
        (["system._target_=subprocess.run"], "settings: system"),
        (["data._target_=builtins.print"], "settings: data"),
        (["task=null"], "Config group override"),
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


def test_a_closed_pipe_ends_without_a_traceback(tmp_path):
    command = [sys.executable, "train.py", *SMALL, "system=majority", f"hydra.run.dir={tmp_path}"]
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as closed:
        result = subprocess.run(command, stdout=closed, stderr=subprocess.PIPE, text=True, cwd=ROOT)
    assert result.returncode != 0
    assert "Traceback" not in result.stderr
    assert read_run(tmp_path).status == "complete"


def test_a_training_logs_its_epochs_and_warns_below_the_majority_class(tmp_path):
    tiny = "system.network={words: 6, characters: 4, character_hidden: 4, hidden: 6, mlp: 6}"
    result = trained(
        tmp_path, "task=en-fr", "system=uppsala_bilstm", *SMALL, tiny, "trainer.max_epochs=1",
        "trainer.progress_bar=false", "system.training.context=1",
    )  # fmt: skip
    log = (tmp_path / "train.log").read_text("utf-8")
    assert "epoch 0: loss " in log
    assert re.search(r"best dev mean \d+\.\d\d, of epoch 0", result.stderr)
    for fragment in ("uppsala_bilstm seed 1", "majority"):
        assert result.stdout.count(fragment) >= 2  # on dev and on test
    assert "generated" in result.stdout.splitlines()[-1]
    weak = trained(tmp_path / "weak", "task=en-fr", "system=class_prior", *SMALL)
    assert re.search(r"^warning: test: accuracy \d+\.\d\d is below ", weak.stdout, re.MULTILINE)


def test_data_may_come_from_a_function(tmp_path):
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
        "    return Splits(text[:half], text[half:], {'all': text})\n",
        "utf-8",
    )
    mine = ("--config-dir", str(tmp_path / "conf"), "data=mine", "resamples=0")
    trained(tmp_path / "run", *mine, PYTHONPATH=str(tmp_path))
    assert [data.name for data in read_run(tmp_path / "run").data] == ["train", "dev", "all"]
    wrong = train(tmp_path / "wrong", *mine, "data.size=ten", PYTHONPATH=str(tmp_path))
    assert "settings: data" in wrong.stderr
    assert not (tmp_path / "wrong").exists()
