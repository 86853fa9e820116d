"""The benches of training still run (what they measure is not looked at), and tables are right."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections import Counter

import pytest
import torch

from crosspro.baselines.class_prior import ClassPrior
from crosspro.baselines.majority import Majority
from crosspro.baselines.uedin_crf import UedinCRF
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.shared_task import write_doc_ids, write_examples
from crosspro.data_prep.pipeline.sets.splits import demo_splits
from crosspro.data_prep.sample import sample_path
from crosspro.evaluation.metrics.submissions.submission import read_gold
from crosspro.prediction.fit_and_score import fit_and_score
from crosspro.prediction.neural.networks.nyu_nmt import NyuNMT
from crosspro.prediction.neural.networks.ukyoto_attention import UkyotoAttention
from crosspro.prediction.runs import Configuration
from crosspro.scripts.bench import pretrain_speed
from crosspro.scripts.bench.crf_speed import make_examples
from crosspro.scripts.bench.feature_speed import measure as feature_speed
from crosspro.scripts.bench.feature_speed import settings_of
from crosspro.scripts.bench.plain_hardmeier import PlainHardmeierAnaphora, PlainHardmeierCNN
from crosspro.scripts.bench.plain_networks import PlainNyu, PlainUkyoto, PlainUppsala
from crosspro.scripts.bench.prepare_scale import prepare_run, steps_table
from crosspro.scripts.bench.train_speed import INVENTORY, NETWORKS, make_data, ratio
from crosspro.scripts.reproduce.results_table import mean_and_interval, pool
from tests.conftest import GOLDEN, ROOT


@pytest.mark.parametrize(
    "network",
    [pytest.param(name, marks=[pytest.mark.slow] if n else []) for n, name in enumerate(NETWORKS)],
)
def test_networks_are_trained_and_compared_with_plain_ones(network, monkeypatch):
    monkeypatch.setattr("crosspro.scripts.bench.train_speed._WARM_UP", 1)
    assert "ratio" in ratio(network, "cpu", 2, 1, bf16=False, threads=1)


def test_the_speed_of_pretraining_is_measured(monkeypatch, capsys):
    monkeypatch.setattr("crosspro.scripts.bench.pretrain_speed._GAPS", 12)
    sizes = ["--batch", "4", "--layers", "1", "--width", "8", "--heads", "2", "--steps", "1"]
    others = ["--pointer", "--device", "cpu", "--dropout", "0.1", "--fp32"]
    monkeypatch.setattr(sys, "argv", ["pretrain_speed", *sizes, *others])
    pretrain_speed.main()
    found = capsys.readouterr().out
    assert found.startswith("1 layers of 8, 302 pieces, batch 4, cpu: ")
    assert "0.0% filled up" in found


def test_the_network_of_a_recipe_is_measured(monkeypatch, capsys):
    monkeypatch.setattr("crosspro.scripts.bench.pretrain_speed._GAPS", 4)
    given = ["--recipe", "tiny_documents", "--device", "cpu", "--fp32", "--batch", "2"]
    monkeypatch.setattr(sys, "argv", ["pretrain_speed", *given, "--steps", "1", "--layers", "1"])
    pretrain_speed.main()
    assert capsys.readouterr().out.startswith("1 layers of 192, 122 pieces, batch 2, cpu: ")


@pytest.mark.parametrize(
    ("ours", "plain", "reader"),
    [(NyuNMT, PlainNyu, "encoder"), (UkyotoAttention, PlainUkyoto, "source_reader")],
)
def test_a_plain_network_has_the_loss_of_ours(ours, plain, reader):
    """With the same weights: what is compared is the same work."""
    data = make_data(31, "cpu")
    network = plain(INVENTORY).eval()
    inner = network.inner
    assert isinstance(inner, ours)
    both = getattr(inner, reader)
    for way, suffix in ((both.forwards[0], ""), (both.backwards[0], "_reverse")):
        for name, weight in way.named_parameters():
            getattr(network.encoder, name + suffix).data.copy_(weight)
    gaps, ones = torch.arange(5), torch.ones(len(INVENTORY.classes))
    with torch.inference_mode():
        found, expected = (one.loss(data, gaps, 31, ones, 0.0) for one in (inner, network))
    assert found == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("hardmeier_cnn", PlainHardmeierCNN),
        ("hardmeier_anaphora", PlainHardmeierAnaphora),
        ("uppsala_bilstm", PlainUppsala),
    ],
)
def test_a_plain_network_that_shares_all_weights_has_the_loss_of_ours(name, plain):
    compared = NETWORKS[name]
    data = make_data(compared.length, "cpu", compared.context)
    network = plain(INVENTORY).eval()
    gaps, ones = torch.arange(5, 10), torch.ones(len(INVENTORY.classes))
    width = int(network.inner.extents(data).max())
    with torch.inference_mode():
        found, expected = (
            one.loss(data, gaps, width, ones, 0.0) for one in (network.inner, network)
        )
    assert found == pytest.approx(expected, rel=1e-4)


@pytest.mark.slow
def test_the_first_step_is_reached_and_a_failure_is_one():
    command = [sys.executable, "-m", "crosspro.scripts.bench.first_step", "--lines", "300"]
    result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert result.returncode == 0, result.stderr
    assert "s to the first training step, imports " in result.stdout
    failed = subprocess.run([*command, "seed=x"], capture_output=True, text=True, cwd=ROOT)
    assert failed.returncode == 1
    assert "ended without a step" in failed.stderr


def test_prepare_is_measured_by_size():
    files = {"source": sample_path("sample.en"), "target": sample_path("sample.fr")}
    runs = [prepare_run(files, ["--task", "en-fr-2015", "--rules", "2015"], n) for n in (20, 260)]
    heading, rows = steps_table(runs)
    assert heading == ("step", "20", "260", "growth")
    steps = ["reading and tokenising", "aligning", "placing gaps", "all"]
    assert [row[0] for row in rows] == steps
    assert all(run.peak_mb > 0 and run.wall > 0 for run in runs)


def test_the_bench_of_crfs_runs():
    command = [sys.executable, "-m", "crosspro.scripts.bench.crf_speed", "60"]
    result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert result.returncode == 0, result.stderr
    assert "uedin_crf: prediction: " in result.stdout
    wrong = subprocess.run([*command, "svm"], capture_output=True, text=True, cwd=ROOT)
    assert wrong.returncode == 1


def test_the_bench_of_crfs_has_all_published_features():
    examples = make_examples(60)
    system = UedinCRF(**settings_of("uedin_crf"))
    system.fit(load_task("en-fr"), examples, examples)
    assert system.report.left_out == {}


def test_the_speed_of_classical_systems_is_measured():
    found = feature_speed("helsinki_svm", "en-fr", [], 40)
    assert found.startswith("helsinki_svm")
    assert "gaps/s" in found


def test_the_speed_of_prediction_is_measured():
    models = GOLDEN / "models"
    command = [sys.executable, "-m", "crosspro.scripts.bench.predict_speed", "--times", "1"]
    for name, words in (("turku_gru", "places a gap"), ("majority", "predict ")):
        given = [str(models / name), str(models / "input.data")]
        result = subprocess.run([*command, *given], capture_output=True, text=True, cwd=ROOT)
        assert result.returncode == 0, result.stderr
        assert words in result.stdout
        assert "gaps/s" in result.stdout


def test_a_results_table_has_the_mean_and_the_range_of_its_seeds(tmp_path):
    task = load_task("en-fr")
    gold = demo_examples(task, "test", 10)
    write_examples(tmp_path / "test.data", gold)
    write_doc_ids(tmp_path / "test.doc-ids", gold)
    wrong = [example.with_labels(["OTHER"] * len(example.gaps)) for example in gold]
    pairs = zip(gold, wrong, strict=True)
    half = [other if number % 2 else one for number, (one, other) in enumerate(pairs)]
    for name, examples in (("base", gold), ("bad.1", wrong), ("bad.2", half)):
        (tmp_path / name).mkdir()
        write_examples(tmp_path / name / "test.submission.data", examples)
    write_examples(tmp_path / "base" / "test.other.submission.data", wrong)
    runs = [str(tmp_path / name) for name in ("base", "base:other", "bad.1", "bad.2")]
    command = [sys.executable, "-m", "crosspro.scripts.reproduce.results_table", "--task",
               "en-fr", "--data", str(tmp_path), "--against", runs[0], "--resamples", "100",
               *runs]  # fmt: skip
    result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert result.returncode == 0, result.stderr
    assert "[95% by document] |" in result.stdout.splitlines()[0]
    rows = {line.split(" ")[1]: line.split("|") for line in result.stdout.splitlines()[2:]}
    assert list(rows) == ["bad", "base", "base:other"]
    assert rows["base"][-2].strip() == "", "the reference is not compared with itself"
    lowest = float(rows["base:other"][-2].split(" / ")[1].split(" ")[0])
    mean, p = rows["bad"][-2].split(" / ")[1].split(" (p ")
    assert lowest < float(mean) < 0
    # Four differences at 1/101 each, the least p that 100 resamples can show.
    assert float(p.rstrip(") ")) == pytest.approx(4 / 101, abs=0.01)
    header = result.stdout.splitlines()[0]
    counts = Counter(gap.label for example in gold for gap in example.gaps)
    many = sum(number >= 10 for number in counts.values())
    assert f"macro recall of the {many} classes with 10 gaps or more" in header
    twice = subprocess.run([*command, "--against", runs[0]], capture_output=True, text=True,
                           cwd=ROOT)  # fmt: skip
    assert twice.stdout == result.stdout, "a reference of equal seeds is that seed"


def test_an_interval_of_a_results_table_is_around_its_mean():
    """In RESULTS.md stood 55.3 [44.1, 51.5]: the interval of other seeds than the mean."""
    assert mean_and_interval(48.0, 44.1, 51.5) == "48.0 [44.1, 51.5]"
    assert mean_and_interval(55.3, 44.1, 51.5) == "55.3"
    assert mean_and_interval(55.3, None, None) == "55.3"


def test_pooled_sets_without_documents_are_resampled_by_gap(tmp_path):
    """They were two documents, one for each set."""
    task = load_task("en-fr")
    golds = []
    for name in ("test.a", "test.b"):
        write_examples(tmp_path / f"{name}.data", demo_examples(task, "test", 5))
        golds.append(read_gold(tmp_path / f"{name}.data", task))
    assert pool(golds).unit == "gap"


def test_a_results_table_knows_system_seed_and_settings_from_the_runs(tmp_path):
    task = load_task("en-fr")
    gold = demo_examples(task, "test", 10)
    write_examples(tmp_path / "test.data", gold)
    splits = demo_splits(task, {"train": 20, "dev": 2, "test": 10}, 1)
    asked = {
        "x": ("majority", 1, ()),
        "y": ("class_prior", 1, ("seed=1", "data.train=a")),
        "z": ("class_prior", 2, ("seed=2", "data.train=a", "trainer.encoded_dir=elsewhere")),
        "w": ("class_prior", 1, ("seed=1", "data.train=b", "system.colour=red")),
    }
    for folder, (name, seed, overrides) in asked.items():
        system = ClassPrior(seed) if name == "class_prior" else Majority()
        configuration = Configuration(overrides=("task=en-fr", f"system={name}", *overrides))
        fit_and_score(task, system, splits, tmp_path / folder, seed=seed,
                      configuration=configuration)  # fmt: skip
    runs = [str(tmp_path / folder) for folder in asked]
    command = [sys.executable, "-m", "crosspro.scripts.reproduce.results_table", "--data",
               str(tmp_path), "--against", runs[0], "--resamples", "100", *runs]  # fmt: skip
    result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    assert "pooled" not in result.stdout, "one test set is told once"
    assert "[95% by gap]" in result.stdout, "there are no documents beside it"
    titles = [line.split("|")[1].strip() for line in result.stdout.splitlines()[2:]]
    assert titles == [
        "class_prior data.train=b system.colour=red (1)",
        "majority (1)",
        "class_prior data.train=a (2)",
    ]
    shutil.copytree(runs[0], tmp_path / "again")
    twice = subprocess.run([*command, str(tmp_path / "again")], capture_output=True, text=True,
                           cwd=ROOT)  # fmt: skip
    assert twice.returncode == 2
    assert "seed: expected one run of each seed" in twice.stderr
