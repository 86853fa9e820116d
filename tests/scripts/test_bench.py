"""The benches of training still run (what they measure is not looked at), and tables are right."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest

from crosspro.data_prep.core.task import load_task
from crosspro.data_prep.sample import sample_path
from crosspro.evaluation.metrics.submissions.metric import evaluate_submissions
from crosspro.evaluation.metrics.submissions.submission import read_gold, read_submissions
from crosspro.scripts.bench.__main__ import CASES, function_of, main
from crosspro.scripts.bench.commands import (
    evaluate,
    mt,
    prepare,
    real_text,
    report,
    start_up,
    write_large,
)
from crosspro.scripts.bench.networks import NETWORKS, measured
from crosspro.scripts.bench.plain_loops import score, words
from crosspro.scripts.bench.systems import examples_of, fitted, system_of
from tests.conftest import GOLDEN, ROOT, mostly_slow


@pytest.mark.parametrize("network", mostly_slow(NETWORKS, "turku_gru"))
def test_networks_are_trained(network, monkeypatch):
    monkeypatch.setattr("crosspro.scripts.bench.networks._WARM_UP", 1)
    row = measured(network, "cpu", 2, 1, bf16=False, threads=1)
    assert float(row["examples/s"].replace(",", "")) > 0


def bench(capsys, *arguments):
    with pytest.raises(SystemExit) as end:
        main([*map(str, arguments)])
    assert not end.value.code
    return capsys.readouterr().out


def test_every_case_is_listed_and_has_help(capsys):
    with pytest.raises(SystemExit) as end:
        main([])
    assert end.value.code == 0
    listed = capsys.readouterr().out
    for case in CASES:
        first = function_of(case).__doc__.splitlines()[0]
        assert first in listed
        assert first.split()[0] in bench(capsys, case, "--help")


def test_work_grows_and_is_kept(tmp_path, capsys):
    text, record = sample_path("sample.en"), tmp_path / "record.json"
    given = ("--lines", 20, "--lines", 40, "--times", 1, "--record", record)
    assert "exponent:" in bench(capsys, "tokenise", text, *given)
    kept = json.loads(record.read_text("utf-8"))
    assert kept["case"] == "tokenise" and kept["command"].startswith("tokenise ")
    assert kept["machine"].keys() == {"processor", "cores", "architecture"}
    assert [row[""] for row in kept["rows"]][-1] == "exponent:"


def test_the_speed_of_pretraining_is_measured(monkeypatch, capsys):
    monkeypatch.setattr("crosspro.scripts.bench.networks._DOCUMENT_GAPS", 12)
    changes = ("layers=1", "width=8", "heads=2", "dropout=0.1", "pointer=true")
    given = [word for one in changes for word in ("--change", one)]
    found = bench(capsys, "pretrain", "--batch", 4, "--steps", 1, "--device", "cpu", "--fp32",
                  *given)  # fmt: skip
    assert found.startswith("1 layers of 8, 302 pieces, batch 4, cpu:  pieces/s ")
    assert "filled up 0.0%" in found


def test_the_network_of_a_recipe_is_measured(monkeypatch, capsys):
    monkeypatch.setattr("crosspro.scripts.bench.networks._DOCUMENT_GAPS", 4)
    found = bench(capsys, "pretrain", "--recipe", "tiny_documents", "--device", "cpu", "--fp32",
                  "--batch", 2, "--steps", 1, "--change", "layers=1")  # fmt: skip
    assert found.startswith("1 layers of 192, 122 pieces, batch 2, cpu: ")


@pytest.mark.slow
def test_the_first_step_is_reached_and_a_failure_is_one():
    command = [sys.executable, "-m", "crosspro.scripts.bench", "first-step", "--lines", "300"]
    result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert result.returncode == 0, result.stderr
    assert "s to the first training step, further imports " in result.stdout
    failed = subprocess.run([*command, "seed=x"], capture_output=True, text=True, cwd=ROOT)
    assert failed.returncode == 1
    assert "ended without a step" in failed.stderr


def test_prepare_is_measured_by_size():
    files = sample_path("sample.en"), sample_path("sample.fr")
    *sizes, growth = prepare(*files, task="en-fr-2015", rules="2015", sizes=[20, 60], jobs=1)
    steps = ["reading and tokenising", "aligning", "placing gaps", "all"]
    assert [row[""] for row in sizes] == ["20 pairs:", "60 pairs:"]
    for row in sizes:
        assert list(row)[-4:] == steps
        assert row["memory"] != "0 MB"
    assert list(growth)[1:] == steps


@pytest.mark.parametrize(
    "rows",
    [1, pytest.param(4, marks=pytest.mark.slow)],  # each is a command of its own
)
def test_commands_are_measured_beside_plain_loops(rows):
    plain, *ours = islice(evaluate(lines=50, times=1), 1 + rows)
    assert plain[""] == "plain loop over 50 lines:"
    assert len(ours) == rows
    assert all(float(row["ratio to a plain loop"]) > 0 for row in ours)


@pytest.mark.slow
def test_starting_is_measured_in_turns():
    for row in start_up([Path(sys.executable)] * 2, times=1):
        assert row[""].split()[-1] in ("crosspro:", "--help:", "evaluate:")
        assert float(row[f"{sys.executable} CPU"].split()[0]) > 0


@pytest.mark.parametrize("rows", [1, pytest.param(4, marks=pytest.mark.slow)])
def test_metrics_are_measured_on_made_up_text(rows):
    expected = ["apt:", "autoprf:", "apt --legacy:", "autoprf --legacy:"]
    assert [row[""] for row in islice(mt(segments=30, times=1), rows)] == expected[:rows]


@pytest.mark.slow
def test_a_report_is_measured_by_its_steps():
    pytest.importorskip("sacrebleu")
    assert len(real_text([])) == 5
    one, _ = report(segments=300, systems=2)
    assert {"reading", "chrF", "BLEU", "pronoun F1", "APT", "AutoPRF"} <= set(one)


def test_the_plain_loop_gives_our_accuracy(tmp_path):
    gold, submission, task = tmp_path / "gold", tmp_path / "system", load_task("en-fr")
    write_large(gold, 300)
    write_large(submission, 300, predicted=True)
    labels = read_gold(gold, task)
    ours = evaluate_submissions(task, labels, read_submissions([submission], task, labels))
    assert round(100 * score(gold, submission), 6) == round(
        ours.systems[0].scores["accuracy"].value, 6
    )


def test_words_and_pairs_are_counted(tmp_path):
    (tmp_path / "text").write_text("a b a b\na\n")
    assert words(tmp_path / "text") == 5


@pytest.mark.parametrize("name", ["helsinki_svm", "uedin_crf"])
def test_the_speed_of_classical_systems_is_measured(name):
    found = fitted(name, "en-fr", [], 60)
    assert found[""] == f"{name}: 60 gaps,"
    assert "gaps/s" in found


def test_the_bench_of_crfs_has_all_published_features():
    task = load_task("en-fr")
    examples = examples_of(task, [], 60)
    system = system_of("uedin_crf")
    system.fit(task, examples, examples)
    assert system.report.left_out == {}


@pytest.mark.parametrize(("name", "words"), [("turku_gru", "million weights"), ("majority", "")])
def test_the_speed_of_prediction_is_measured(name, words, capsys):
    models = GOLDEN / "models"
    shown = bench(capsys, "predict", models / name, models / "input.data", "--times", 1)
    assert words in shown
    assert "gaps/s" in shown
