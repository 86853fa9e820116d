"""The recipe from the command line: seeds, in-domain data, and one network that learns from all."""

from __future__ import annotations

import json

import pytest

from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.shared_task import write_doc_ids, write_examples
from crosspro.prediction.runs import read_run
from crosspro.prediction.system import load_system
from tests.integration.training import train
from tests.scripts.run import crosspro

TASK = load_task("en-fr")
TINY = "{embedding: 12, hidden: 12, dense: 16, window: 20, dropout: 0.0}"
QUICK = ("trainer.max_epochs=2", "trainer.progress_bar=false", "trainer.accelerator=cpu",
         "resamples=0")  # fmt: skip


@pytest.fixture
def files(tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    every = demo_examples(TASK, "train", 20)
    for name, examples in (
        ("train.ted", every[: len(every) // 2]),
        ("train.news", every[len(every) // 2 :]),
        ("dev", demo_examples(TASK, "dev", 5)),
        ("test", demo_examples(TASK, "test", 5)),
    ):
        write_examples(folder / f"{name}.data", examples)
        write_doc_ids(folder / f"{name}.doc-ids", examples)
    return ("data=shared_task", f"data.dir={folder}")


@pytest.mark.slow
def test_a_network_learns_from_an_ensemble_of_seeds_that_ended_in_its_domain(files, tmp_path):
    network = "system.members.network"
    result = train(
        tmp_path / "seeds", *files, *QUICK, "system=seeds",
        "system@system.members.network=turku_gru_2016", f"{network}.network={TINY}",
        "system.seeds=2", "data.in_domain=train.ted*.data",
        f"{network}.fine_tuning.max_epochs=2", f"{network}.training.batch_size=32",
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    members = read_run(tmp_path / "seeds").fit["members"]
    assert [member["name"] for member in members] == ["network", "network.seed2"]
    assert all(len(member["fit"]["stages"]) == 2 for member in members)
    packed = crosspro("models", "export", tmp_path / "seeds", "-o", tmp_path / "teacher.zip")
    assert packed.code == 0, packed.stderr
    result = train(
        tmp_path / "student", *files, *QUICK, "system=turku_gru_2016",
        f"system.network={TINY}", "system.training.batch_size=32",
        f"system.distillation.teacher={tmp_path / 'teacher.zip'}",
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert load_system(tmp_path / "student").name == "turku_gru"
    listed = crosspro(
        "models", "list", tmp_path / "seeds", tmp_path / "student", "--layout", "json"
    )
    rows = json.loads(listed.stdout)
    assert [row["system"] for row in rows] == [
        "seeds seed 1",
        "turku_gru_2016 seed 1",
    ]


@pytest.mark.slow
def test_wrong_settings_are_refused_with_the_choices(files, tmp_path):
    wrong = {
        "system.distillation.techer=RUN": "techer",
        "system.distillation.weight=2": "system.distillation.weight",
        "system.distillation.teacher=none": "expected a saved system",
        "system.fine_tuning.max_epochs=0": "max_epochs",
        "data.in_domain=train.tv*.data": "found train.news.data, train.ted.data",
    }
    for argument, words in wrong.items():
        result = train(tmp_path / "run", *files, *QUICK, "system=turku_gru_2016", argument)
        assert result.returncode == 2, argument
        assert words in result.stderr
        assert not (tmp_path / "run").exists()
