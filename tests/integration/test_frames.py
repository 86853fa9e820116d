"""How deep a training is: a reader follows a value of conf/ to `forward` through few frames."""

from __future__ import annotations

import subprocess
import sys

from tests.conftest import ROOT
from tests.integration.training import SMALL

MOST_FRAMES = 8
CODE = """
import runpy, sys, traceback
from crosspro.prediction.neural.networks.turku_gru import TurkuGRU

def forward(self, *args, **kwargs):
    for frame in traceback.extract_stack():
        print("frame", frame.filename, frame.name, sep="\\t")
    raise SystemExit(0)

TurkuGRU.forward = forward
runpy.run_path("train.py", run_name="__main__")
"""


def test_a_training_reaches_forward_in_few_frames_of_ours(tmp_path):
    arguments = ("task=en-fr", "trainer.progress_bar=false", f"hydra.run.dir={tmp_path}")
    result = subprocess.run([sys.executable, "-c", CODE, *SMALL, *arguments], cwd=ROOT,
                            capture_output=True, text=True, check=False)  # fmt: skip
    places = [line.split("\t") for line in result.stdout.splitlines() if line.startswith("frame\t")]
    ours = [
        name
        for _, file, name in places
        if file == "train.py" or (file.startswith(str(ROOT)) and "site-packages" not in file)
    ]
    assert ours, result.stderr
    assert len(ours) <= MOST_FRAMES, ours
