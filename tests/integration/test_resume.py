"""A run that is killed and started again ends as one that was not."""

from __future__ import annotations

import shlex
import signal
import subprocess
import sys
import time

import pytest

from crosspro.prediction.neural.training.learning_curve import read_metrics
from tests.conftest import ROOT
from tests.integration.training import SMALL, train

SETTINGS = (
    "task=en-fr", "system=uppsala_bilstm", *SMALL, "trainer.accelerator=cpu",
    "trainer.max_epochs=12", "trainer.patience=100", "trainer.progress_bar=false",
    "system.training.batch_size=8", "system.training.share=0.9",
    "system.network={words: 16, hidden: 12, mlp: 12, characters: 4, character_hidden: 6}",
)  # fmt: skip


def heed_interrupts():
    """Processes in the background (nohup, &) ignore Ctrl-C; this undoes it in the run."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def until_checkpoint(folder, signal_number):
    """Start a run and send it a signal once it has a checkpoint; its exit code and message."""
    command = [sys.executable, "train.py", *SETTINGS, f"hydra.run.dir={folder}"]
    with subprocess.Popen(
        command,
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heed_interrupts,
    ) as process:
        while process.poll() is None and not (folder / "checkpoints/last.ckpt").is_file():
            time.sleep(0.01)
        process.send_signal(signal_number)
        message = process.communicate()[1]
    return process.returncode, message


@pytest.mark.slow
def test_a_killed_run_goes_on_to_the_same_model(tmp_path):
    whole = train(tmp_path / "whole", *SETTINGS)
    assert whole.returncode == 0, whole.stderr
    parts = tmp_path / "parts"
    until_checkpoint(parts, signal.SIGKILL)
    code, message = until_checkpoint(parts, signal.SIGTERM)  # which it gets while it starts
    assert code != 0
    assert not (parts / "model").exists(), message
    resumed = train(parts, *SETTINGS)
    assert resumed.returncode == 0, resumed.stderr
    for name in ("model/network.safetensors", "test.submission.data"):
        assert (parts / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name
    assert read_metrics(parts) == read_metrics(tmp_path / "whole")


@pytest.mark.parametrize(
    ("number", "expected"),
    [(signal.SIGTERM, 143), pytest.param(signal.SIGINT, 130, marks=pytest.mark.slow)],
)
def test_a_run_that_was_asked_to_stop_says_so(number, expected, tmp_path):
    code, message = until_checkpoint(tmp_path / "run", number)
    assert code == expected, message
    command = shlex.split(message.splitlines()[-1])
    assert command == ["python", "train.py", *SETTINGS, f"hydra.run.dir={tmp_path / 'run'}"]
    assert "Traceback" not in message
