"""A user's own system and a combination, through `crosspro train` and `crosspro predict`."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib

import pytest

from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.shared_task import write_examples
from crosspro.prediction.system import load_system
from tests.conftest import ROOT
from tests.integration.training import SMALL, train
from tests.prediction.own_system import write_package


@pytest.fixture
def command(tmp_path):
    """`crosspro` in a process that finds the packages of a folder."""
    packages = tmp_path / "packages"
    packages.mkdir()

    def run(*arguments):
        return subprocess.run(
            [sys.executable, "-m", "crosspro.scripts.main", *map(str, arguments)],
            capture_output=True, text=True, cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(packages)},
        )  # fmt: skip

    return packages, run


@pytest.fixture
def configuration(tmp_path):
    folder = tmp_path / "conf" / "system"
    folder.mkdir(parents=True)
    (folder / "mine.yaml").write_text("_target_: rare_words.Rarest\nleast: 2\n", "utf-8")
    return ("--config-dir", folder.parent, "system=mine", "task=en-fr", *SMALL,
            f"hydra.run.dir={tmp_path / 'run'}")  # fmt: skip


def test_a_registered_system_trains_and_predicts(command, configuration, tmp_path, en_fr):
    packages, run = command
    write_package(packages, "rarest = rare_words:Rarest")
    trained = run("train", *configuration)
    assert trained.returncode == 0, trained.stderr
    assert "mine" in trained.stdout
    write_examples(tmp_path / "test.data", demo_examples(en_fr, "test", 5))
    predicted = run("predict", tmp_path / "run", tmp_path / "test.data", "-o", tmp_path / "out")
    assert predicted.returncode == 0, predicted.stderr
    assert "predicted by mine seed 1" in predicted.stderr
    ours = (tmp_path / "run" / "test.submission.data").read_bytes()
    assert (tmp_path / "out").read_bytes() == ours


def test_the_system_of_the_documentation_trains_and_predicts(command, tmp_path, en_fr):
    packages, run = command
    text = (ROOT / "docs/tutorials/add-system.md").read_text("utf-8").split("## Your own")[1]
    code, entry, configuration = (
        re.search(rf"```{language}[^\n]*\n(.*?)```", text, re.DOTALL)[1]
        for language in ("python", "toml", "yaml")
    )
    (packages / "my_package").mkdir()
    (packages / "my_package" / "by_pronoun.py").write_text(code, "utf-8")
    (group,) = tomllib.loads(entry)["project"]["entry-points"].values()
    write_package(packages, *(f"{name} = {place}" for name, place in group.items()))
    (tmp_path / "conf" / "system").mkdir(parents=True)
    (tmp_path / "conf" / "system" / "by_pronoun.yaml").write_text(configuration, "utf-8")
    trained = run("train", "--config-dir", tmp_path / "conf", "system=by_pronoun", "task=en-fr",
                  *SMALL, f"hydra.run.dir={tmp_path / 'run'}")  # fmt: skip
    assert trained.returncode == 0, trained.stderr
    write_examples(tmp_path / "test.data", demo_examples(en_fr, "test", 5))
    predicted = run("predict", tmp_path / "run", tmp_path / "test.data", "-o", tmp_path / "out")
    assert predicted.returncode == 0, predicted.stderr
    ours = (tmp_path / "run" / "test.submission.data").read_bytes()
    assert (tmp_path / "out").read_bytes() == ours


def test_a_system_that_is_not_registered_is_refused_before_it_trains(
    command, configuration, tmp_path
):
    packages, run = command
    write_package(packages)
    refused = run("train", *configuration, "resamples=-1")
    assert refused.returncode == 2
    first, second = refused.stderr.splitlines()
    assert first.startswith("settings: resamples: ")
    assert 'rarest = "rare_words:Rarest" in the entry-point group crosspro.systems' in second
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
def test_a_network_and_a_language_model_are_one_configuration(tmp_path):
    network = "++system.members.network.network_settings"
    result = train(
        tmp_path, "task=en-fr", "system=turku_gru_with_lm", *SMALL, "trainer.accelerator=cpu",
        "trainer.max_epochs=2", "trainer.progress_bar=false", "seed=4",
        f"{network}={{embedding: 8, hidden: 8, dense: 12, window: 20}}",
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    rows = json.loads((tmp_path / "ensemble_weights.json").read_text("utf-8"))
    assert [row["member"] for row in rows] == ["network", "language_model"]
    assert (tmp_path / "members" / "network" / "checkpoints" / "last.ckpt").is_file()
    loaded = load_system(tmp_path)
    assert [part.name for part in loaded.parts] == ["turku_gru", "source_aware_lm"]
    assert loaded.parts[0].seed == 4
    assert loaded.weights == pytest.approx([row["weight"] for row in rows], abs=1e-6)
