"""The benches of training still run; what they measure is not looked at."""

from __future__ import annotations

import subprocess
import sys

from scripts.bench.train_speed import NETWORKS, make_data, speed
from tests.conftest import ROOT


def test_both_networks_are_trained():
    data = make_data(16, "cpu")
    for name in ("ours", "plain"):
        assert speed(NETWORKS[name](), data, 4, 1, bf16=False) > 0


def test_the_first_step_is_reached_and_a_failure_is_one():
    command = [sys.executable, "-m", "scripts.bench.first_step", "--lines", "300"]
    result = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert result.returncode == 0, result.stderr
    assert "s to the first training step, imports " in result.stdout
    failed = subprocess.run([*command, "seed=x"], capture_output=True, text=True, cwd=ROOT)
    assert failed.returncode == 1
    assert "ended without a step" in failed.stderr
