"""`crosspro models`: trained systems as archives, and archives wherever a run may stand."""

from __future__ import annotations

import json
import shutil

import pytest

from crosspro.baselines.feature_system import FeatureSystem
from crosspro.baselines.ngram_system import NGramSystem
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.shared_task import write_doc_ids, write_examples
from crosspro.data_prep.pipeline.sets.splits import Splits
from crosspro.prediction.ensemble import Ensemble
from crosspro.prediction.fit_and_score import fit_and_score
from crosspro.prediction.system import load_system
from tests.prediction.neural.small import neural
from tests.scripts.run import crosspro

TASK = load_task("en-fr")
TRAINER = {"max_epochs": 2, "progress_bar": False, "accelerator": "cpu"}
NETWORK = {"embedding": 32, "hidden": 32, "dense": 32, "window": 20}


def network(seed=1):
    return neural("turku_gru", NETWORK, {"batch_size": 32}, trainer=TRAINER, seed=seed)


@pytest.fixture(scope="module")
def dev():
    return demo_examples(TASK, "dev", 10)


@pytest.fixture(scope="module")
def runs(tmp_path_factory, dev):
    folder = tmp_path_factory.mktemp("runs")
    splits = Splits(demo_examples(TASK, "train", 20), dev, {})
    systems = {
        "network": network(),
        "lm": NGramSystem(order=3),
        "linear": FeatureSystem(features=["target_lemmas:3", "source_words:3"], min_count=1),
        "both": Ensemble({"a": network(2), "lm": NGramSystem(order=2)}),
    }
    for name, system in systems.items():
        system.configured = name
        fit_and_score(TASK, system, splits, folder / name)
    write_examples(folder / "dev.data", dev)
    write_doc_ids(folder / "dev.doc-ids", dev)
    return folder


def exported(run, output, *options):
    result = crosspro("models", "export", run, "-o", output, *options)
    assert result.code == 0, result.stderr
    return result.stderr.decode()


@pytest.mark.parametrize("name", ["network", "lm", "linear", "both"])
def test_a_full_archive_predicts_as_its_run(name, runs, dev, tmp_path):
    shown = {"lm": "baseline-tuned"}.get(name, name)
    told = exported(runs / name, tmp_path / "a.zip")
    assert f"{shown} for en-fr" in told
    assert " MB" in told
    found = load_system(tmp_path / "a.zip")
    assert (found.predict(dev) == load_system(runs / name).predict(dev)).all()
    assert found.shown_name == shown


@pytest.mark.parametrize("name", ["network", "linear", "both"])
def test_fewer_bits_are_nearly_the_same_system(name, runs, dev, tmp_path):
    exported(runs / name, tmp_path / "full.zip")
    exported(runs / name, tmp_path / "a.zip", "--weights", "int8")
    whole, found = load_system(runs / name).predict(dev), load_system(tmp_path / "a.zip")
    assert 0 < abs(found.predict(dev) - whole).max() < 0.1
    sizes = [(tmp_path / one).stat().st_size for one in ("full.zip", "a.zip")]
    if name == "network":  # most of the other is its language model
        assert sizes[0] > 2.5 * sizes[1]
    exported(tmp_path / "a.zip", tmp_path / "b.zip", "--weights", "int8")
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()


def test_the_same_run_gives_the_same_bytes(runs, tmp_path):
    for name in ("a", "b"):
        copy = shutil.copytree(runs / "both", tmp_path / name)
        exported(copy, tmp_path / f"{name}.zip", "--weights", "int8")
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()


def test_commands_take_archives_where_they_take_runs(runs, tmp_path):
    archive, data = tmp_path / "net.zip", runs / "dev.data"
    exported(runs / "network", archive)

    def out(*arguments):
        result = crosspro(*arguments)
        assert result.code == 0, result.stderr
        return result

    for number, way in enumerate([(runs / "network", data), (archive, data)]):
        told = out("predict", *way, "-o", tmp_path / f"{number}.data").stderr
        assert b"predicted by network" in told
    texts = {(tmp_path / f"{number}.data").read_bytes() for number in range(2)}
    assert len(texts) == 1
    options = ("-t", "en-fr", "--resamples", 0, "--layout", "json")
    scored = [out("evaluate", data, one, *options).stdout for one in (runs / "network", archive)]
    assert scored[0] == scored[1]
    assert b"network seed 1" in scored[1]
    exported(runs / "lm", tmp_path / "lm.zip")
    out("ensemble", archive, runs / "lm", "-o", tmp_path / "joined")
    assert len(load_system(tmp_path / "joined").parts) == 2


def test_models_are_listed_with_their_scores(runs, tmp_path):
    exported(runs / "network", tmp_path / "net.zip", "--weights", "int8")
    exported(runs / "network", tmp_path / "full.zip")
    archives = sorted(tmp_path.glob("*.zip"))
    result = crosspro("models", "list", runs / "network", *archives, "--layout", "json")
    assert result.code == 0, result.stderr
    rows = {row["path"]: row for row in json.loads(result.stdout)}
    assert len(rows) == 3
    run, full, small = (
        rows[str(path)] for path in (runs / "network", tmp_path / "full.zip", tmp_path / "net.zip")
    )
    assert (run["kind"], full["kind"], small["kind"]) == ("run", "archive", "archive")
    assert run["digest"] == full["digest"] != small["digest"]
    scores = json.loads((runs / "network/run.json").read_text("utf-8"))["scores"]["dev"]
    for row in (run, full, small):
        assert (row["task"], row["system"]) == ("en-fr", "network seed 1")
        assert row["official"] == "macro_recall"
        assert row["dev"] == {name: score["value"] for name, score in scores.items()}
    assert small["size"] == (tmp_path / "net.zip").stat().st_size < full["size"] < run["size"]
    table = crosspro("models", "list", tmp_path / "net.zip").stdout.decode()
    assert f"{scores['macro_recall']['value']:.2f}" in table


def test_what_is_damaged_is_left_out_of_the_list_and_told(runs, tmp_path):
    shutil.copytree(runs / "lm", tmp_path / "good")
    (tmp_path / "bad.zip").write_bytes(b"PK\x03\x04garbage")
    result = crosspro("models", "list", tmp_path / "good", tmp_path / "bad.zip", "--layout", "json")
    assert result.code == 0
    assert len(json.loads(result.stdout)) == 1
    assert b"warning: " in result.stderr
    assert b"bad.zip: archive" in result.stderr
    missing = crosspro("models", "list", tmp_path / "none")
    assert missing.code == 2
