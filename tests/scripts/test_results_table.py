"""The table of results in RESULTS.md, from runs and their submissions."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections import Counter

import pytest

from crosspro.baselines.majority import ClassPrior, Majority
from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.demo.corpus import demo_examples
from crosspro.data_prep.formats.shared_task import write_doc_ids, write_examples
from crosspro.data_prep.pipeline.sets.splits import demo_splits
from crosspro.evaluation.metrics.submissions.submission import read_gold
from crosspro.prediction.fit_and_score import fit_and_score
from crosspro.prediction.runs import Configuration
from crosspro.scripts.reproduce.results_table import mean_and_interval, pool
from tests.conftest import ROOT


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
    assert pool(golds).units.name == "gap"


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
