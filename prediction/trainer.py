"""Lightning's Trainer as this project uses it: logs, checkpoints, early stopping, resuming."""

from __future__ import annotations

import logging
import tempfile
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
import torch
from lightning_fabric.utilities.exceptions import MisconfigurationException
from pytorch_lightning.callbacks import EarlyStopping, ModelCheckpoint, TQDMProgressBar
from pytorch_lightning.loggers import TensorBoardLogger

from data_prep.errors import CrossproError
from prediction.classifier import GapClassifier
from prediction.epoch_log import EpochLog
from prediction.resuming import checkpoint_to_resume, has_stopped
from prediction.training_settings import TrainerSettings


def train_network(
    module: GapClassifier,
    settings: TrainerSettings,
    monitor: str,
    gradient_clipping: float,
    folder: Path | None,
    identity: Mapping[str, Any],
) -> None:
    """Fit a network in place and load its best epoch; goes on where a stopped run left off.

    Without a folder nothing is logged, and nothing can be resumed. `identity` is what a run must
    have in common with the one that it continues.
    """
    _quiet()
    if settings.compile:
        module.network.compile(dynamic=True)
    with tempfile.TemporaryDirectory() as scratch:
        place = (folder or Path(scratch)) / "checkpoints"
        best = ModelCheckpoint(
            place,
            "best",
            monitor=monitor,
            mode="max",
            save_weights_only=True,
            enable_version_counter=False,
        )
        last = ModelCheckpoint(
            place, "last", every_n_epochs=settings.checkpoint_epochs, enable_version_counter=False
        )
        callbacks = [_Patience(monitor, patience=settings.patience, mode="max"), best, last]
        trainer = _trainer(settings, callbacks, gradient_clipping, folder)
        resumed = checkpoint_to_resume(place, identity)
        if resumed is None or not has_stopped(resumed, settings.patience):
            path = str(place / "last.ckpt") if resumed else None
            trainer.fit(module, ckpt_path=path, weights_only=True)
        _load_network(module, place / "best.ckpt")


class _Patience(EarlyStopping):
    """Early stopping with the patience of the settings, also where a run goes on with another."""

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        super().load_state_dict({**state_dict, "patience": self.patience})


def _trainer(
    settings: TrainerSettings,
    callbacks: list[pl.Callback],
    gradient_clipping: float,
    folder: Path | None,
) -> pl.Trainer:
    """Lightning's Trainer; what it refuses is said as a fault of the settings."""
    shown = [TQDMProgressBar(refresh_rate=10)] if settings.progress_bar else []
    logs = [EpochLog(folder)] if folder else []
    try:
        return pl.Trainer(
            accelerator=settings.accelerator,
            devices=settings.devices,
            strategy=settings.strategy,
            precision=settings.precision,  # type: ignore[arg-type]
            max_epochs=settings.max_epochs,
            callbacks=[*shown, *logs, *callbacks],
            logger=TensorBoardLogger(folder, "tensorboard") if folder else False,
            enable_progress_bar=settings.progress_bar,
            enable_model_summary=False,
            gradient_clip_val=gradient_clipping or None,
            num_sanity_val_steps=0,
            reload_dataloaders_every_n_epochs=1,
            use_distributed_sampler=False,
            log_every_n_steps=1,
            deterministic="warn" if settings.deterministic else False,
        )
    except (MisconfigurationException, ValueError, TypeError, RuntimeError) as error:
        raise CrossproError(f"settings: trainer: {error}") from error


def _load_network(module: GapClassifier, path: Path) -> None:
    """Give the network the weights of a checkpoint."""
    state = torch.load(path, map_location="cpu", weights_only=True)["state_dict"]
    prefix = "network."
    weights = {k.removeprefix(prefix): v for k, v in state.items() if k.startswith(prefix)}
    module.network.load_state_dict(weights)


def _quiet() -> None:
    """Lightning's advertisements and its warnings about torch's future are not for our users."""
    logging.getLogger("pytorch_lightning.utilities.rank_zero").setLevel(logging.WARNING)
    warnings.filterwarnings("ignore", message=".*LeafSpec.*")
    warnings.filterwarnings("ignore", message=".*exists and is not empty.*")
