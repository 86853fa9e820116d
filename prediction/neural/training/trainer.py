"""A training under Lightning: early stopping, checkpoints, resuming.

A stopped run goes on from its last checkpoint, which must be whole, and of the same settings and
data. Without a folder nothing is logged, and nothing can be resumed.
"""

from __future__ import annotations

import logging
import sys
import tempfile
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
import torch
from lightning_fabric.utilities.exceptions import MisconfigurationException
from pytorch_lightning.callbacks import EarlyStopping, ModelCheckpoint, Timer
from pytorch_lightning.loggers import CSVLogger
from pytorch_lightning.utilities.exceptions import SIGTERMException
from torch import Tensor

from crosspro.data_prep.core.errors import CrossproError, input_error
from crosspro.prediction.fit_report import FitReport, StoppedBy, epoch_report
from crosspro.prediction.neural.layers.network import device_of
from crosspro.prediction.neural.training.learning_curve import write_learning_curve
from crosspro.prediction.neural.training.module import IDENTITY, GapClassifier
from crosspro.prediction.neural.training.settings import NeuralSettings, TrainerSettings
from crosspro.prediction.runs import INTERRUPTED, TERMINATED

CHECKPOINTS, _LAST = "checkpoints", "last.ckpt"
_NETWORK = "network."
_QUIET = (
    ".*LeafSpec.*",
    ".*exists and is not empty.*",
    # conf/trainer/default.yaml says that a seed does not decide everything there.
    ".*cuDNN Attention defaults to a non-deterministic.*",
)
"""Warnings of Lightning and torch that are not for our users."""


@dataclass(frozen=True)
class KeptEpoch:
    """The weights of a network after an epoch, and the report of a training that chose it."""

    weights: dict[str, Tensor]
    report: FitReport


def best_epochs(
    module: GapClassifier, settings: NeuralSettings, folder: Path | None
) -> list[KeptEpoch]:
    """Train a network; returns the epochs with the best dev scores, the best first."""
    trainer, training = settings.trainer, settings.training
    monitor = f"dev_{training.monitor}"
    patience = trainer.patience_in_epochs(training.share, module.steps_an_epoch)
    early_stopping = EarlyStopping(monitor, mode="max", patience=patience)
    with tempfile.TemporaryDirectory() as scratch:
        checkpoints = folder / CHECKPOINTS if folder else Path(scratch)
        best = ModelCheckpoint(
            checkpoints,
            "best-{epoch}",
            monitor=monitor,
            mode="max",
            save_top_k=training.snapshots,
            save_weights_only=True,
            auto_insert_metric_name=False,
            enable_version_counter=False,
        )
        last = ModelCheckpoint(checkpoints, "last", enable_version_counter=False)
        # Lightning's checkpoints have absolute paths, so a folder that was moved is another one.
        module.identity |= {"folder": str(checkpoints.resolve()), "patience": patience}
        path, max_epochs = checkpoints / _LAST, trainer.max_epochs
        resumed = _checkpoint_to_resume(path, module.identity)
        if resumed is not None:
            waited = resumed["callbacks"].get(early_stopping.state_key, {}).get("wait_count", 0)
            trained = resumed["epoch"] + 1  # Lightning refuses to train fewer epochs than these
            max_epochs = trained if waited >= patience else max(max_epochs, trained)
            print(f"going on after epoch {resumed['epoch']}: {path}", file=sys.stderr)
        minutes = timedelta(minutes=trainer.max_minutes) if trainer.max_minutes else None
        lightning = _lightning_trainer(
            trainer,
            max_epochs=max_epochs,
            callbacks=[
                *(early_stopping, best, last),
                Timer(minutes, interval="epoch", verbose=False),
            ],
            logger=CSVLogger(folder, "logs") if folder else False,
            enable_progress_bar=trainer.progress_bar and sys.stdout.isatty(),
            gradient_clip_val=settings.optimisation.gradient_clipping or None,
        )
        try:
            lightning.fit(module, ckpt_path=path if resumed else None, weights_only=True)
        except SystemExit as stop:  # Lightning has other codes than shells expect
            code = TERMINATED if isinstance(stop, SIGTERMException) else INTERRUPTED
            raise SystemExit(code) from None
        if folder and lightning.is_global_zero:
            write_learning_curve(folder, training.monitor)
        epochs, steps = lightning.current_epoch, lightning.global_step
        stopped_by: StoppedBy = "max_minutes" if epochs < max_epochs else "max_epochs"
        if early_stopping.wait_count >= patience:
            stopped_by = "patience"
        kept = []
        for name, score in best.best_k_models.items():
            content = read_checkpoint(Path(name))
            report = epoch_report(
                training.monitor, float(score), content["epoch"], epochs, steps, stopped_by
            )
            weights = {
                key.removeprefix(_NETWORK): tensor
                for key, tensor in content["state_dict"].items()
                if key.startswith(_NETWORK)
            }
            kept.append(KeptEpoch(weights, report))
    return sorted(
        kept, key=lambda kept: (-kept.report.figures["score"], kept.report.figures["chosen_epoch"])
    )


def _lightning_trainer(settings: TrainerSettings, **arguments: Any) -> pl.Trainer:
    for name in ("utilities.rank_zero", "accelerators.cuda"):
        logging.getLogger(f"pytorch_lightning.{name}").setLevel(logging.WARNING)
    for message in _QUIET:
        warnings.filterwarnings("ignore", message=message)
    precision: Any = settings.precision
    if settings.accelerator == "auto" and device_of("auto").type == "cpu":
        precision = "32-true"  # most processors are slow in bfloat16
    try:
        return pl.Trainer(
            accelerator=settings.accelerator,
            devices=settings.devices,
            strategy=settings.strategy,
            precision=precision,
            enable_model_summary=False,
            num_sanity_val_steps=0,
            reload_dataloaders_every_n_epochs=1,
            use_distributed_sampler=False,
            log_every_n_steps=1,
            deterministic="warn" if settings.deterministic else False,
            **arguments,
        )
    except (MisconfigurationException, ValueError, TypeError, RuntimeError) as error:
        raise CrossproError(f"settings: trainer: {error}") from error


def _checkpoint_to_resume(path: Path, identity: Mapping[str, Any]) -> dict[str, Any] | None:
    """The last checkpoint of a run, or None; that of another run is refused."""
    if not path.is_file():
        return None
    checkpoint = read_checkpoint(path)
    earlier = checkpoint.get(IDENTITY, {})
    differing = [key for key in identity if earlier.get(key) != identity[key]]
    if differing:
        expected = "checkpoints of a run with the same settings and data, or a new folder"
        raise input_error(path.parent, "run", expected, f"another {', another '.join(differing)}")
    return checkpoint


def read_checkpoint(path: Path) -> dict[str, Any]:
    """A checkpoint of Lightning; no code in it is run."""
    try:
        checkpoint: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # torch raises a dozen kinds for damaged files
        expected = "a whole checkpoint (remove the folder to begin again)"
        state = "a damaged file" if path.is_file() else "no file"
        raise input_error(path, "checkpoint", expected, state) from error
    return checkpoint
