"""Runs of train.py, and the settings that it composes."""

from __future__ import annotations

import os
import subprocess
import sys

from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf

from crosspro.conf import CONF_DIR
from tests.conftest import ROOT

SMALL = ("data.documents.train=20", "data.documents.dev=5", "data.documents.test=5", "resamples=50")


def train(folder, *arguments, **environment):
    """Run train.py, with a system that starts quickly unless one is named."""
    if not any(
        argument.startswith(("system=", "~system", "experiment=")) for argument in arguments
    ):
        arguments = (*arguments, "system=majority")
    command = [sys.executable, "train.py", *arguments, f"hydra.run.dir={folder}"]
    variables = {**os.environ, **environment}
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=variables)


def composed(*overrides):
    """The settings that some arguments come to."""
    with initialize_config_dir(str(CONF_DIR), version_base="1.3"):
        return OmegaConf.to_container(compose("train", list(overrides)), resolve=True)
