"""Runs of train.py, and the settings that it composes."""

from __future__ import annotations

import multiprocessing
import os
import runpy
import subprocess
import sys
import tempfile
from pathlib import Path

from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf

from crosspro.conf import CONF_DIR
from crosspro.prediction.configuration import training_setup
from tests.conftest import ROOT

SMALL = ("data.documents.train=20", "data.documents.dev=5", "data.documents.test=5", "resamples=50")

# A process of its own for each run, with its streams and its exit code, which need not import
# everything anew: they are forked from one that has.
_PROCESSES = multiprocessing.get_context("forkserver")
_PROCESSES.set_forkserver_preload(["crosspro.scripts.train"])


def train(folder, *arguments, **environment):
    """Run train.py, with a system that starts quickly unless one is named."""
    if not any(
        argument.startswith(("system=", "~system", "experiment=")) for argument in arguments
    ):
        arguments = (*arguments, "system=majority")
    command = ["train.py", *arguments, f"hydra.run.dir={folder}"]
    with tempfile.TemporaryDirectory() as outputs:
        streams = [Path(outputs) / name for name in ("stdout", "stderr")]
        variables = {**os.environ, **environment}
        process = _PROCESSES.Process(target=_run, args=(command, variables, streams))
        process.start()
        process.join()
        texts = [path.read_text("utf-8") for path in streams]
    return subprocess.CompletedProcess(command, process.exitcode, *texts)


def _run(command, environment, streams):
    """What `python train.py` does, in the process that was forked for it."""
    os.chdir(ROOT)
    os.environ.clear()
    os.environ.update(environment)
    for number, path in enumerate(streams, start=1):
        os.dup2(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND), number)
    sys.argv = command
    sys.path[:0] = [str(ROOT), *environment.get("PYTHONPATH", "").split(os.pathsep)]
    runpy.run_path(command[0], run_name="__main__")


def composed(*overrides):
    """The settings that some arguments come to."""
    with initialize_config_dir(str(CONF_DIR), version_base="1.3"):
        return OmegaConf.to_container(compose("train", list(overrides)), resolve=True)


def objects(*overrides):
    """The task, system and data that some arguments come to."""
    with initialize_config_dir(str(CONF_DIR), version_base="1.3"):
        return training_setup(compose("train", list(overrides)), {"task": "en-fr"})


def made(*overrides, **changes):
    """The system that some arguments come to, with other settings."""
    system = objects(*overrides).system
    return type(system)(**{**vars(system.settings), **changes})
