"""A run that is killed and started again ends as one that was not."""

from __future__ import annotations

import subprocess
import sys
import time

from tests.conftest import ROOT
from tests.integration.test_path import SMALL, train

SETTINGS = (
    "task=en-fr", "system=uppsala_bilstm", *SMALL, "trainer.accelerator=cpu",
    "trainer.max_epochs=12", "trainer.patience=100", "trainer.progress_bar=false",
    "system.training.batch_size=8", "system.training.share=0.9",
    "system.network_settings={words: 16, hidden: 12, mlp: 12, characters: 4, character_hidden: 6}",
)  # fmt: skip


def test_a_killed_run_goes_on_to_the_same_model(tmp_path):
    whole = train(tmp_path / "whole", *SETTINGS)
    assert whole.returncode == 0, whole.stderr
    parts = tmp_path / "parts"
    command = [sys.executable, "train.py", *SETTINGS, f"hydra.run.dir={parts}"]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        while process.poll() is None and not (parts / "checkpoints/last.ckpt").is_file():
            time.sleep(0.01)
        process.kill()
    assert not (parts / "model").exists()
    resumed = train(parts, *SETTINGS)
    assert resumed.returncode == 0, resumed.stderr
    for name in ("model/network.safetensors", "test.submission.data", "logs/metrics.csv"):
        assert (parts / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name
