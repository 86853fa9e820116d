"""Lightning's Trainer as this project uses it: logs, checkpoints, early stopping, resuming."""

from __future__ import annotations

import csv
import logging
import warnings
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import EarlyStopping, ModelCheckpoint, TQDMProgressBar
from pytorch_lightning.loggers import CSVLogger, TensorBoardLogger

from data_prep.textfile import write_text
from evaluation.plot import line_chart
from prediction.classifier import GapClassifier
from prediction.training_settings import TrainerSettings


def train_network(
    module: GapClassifier,
    settings: TrainerSettings,
    monitor: str,
    gradient_clipping: float,
    folder: Path | None,
) -> None:
    """Fit a network in place and load its best epoch; goes on where a stopped run left off."""
    torch.set_num_threads(settings.threads)
    _quiet()
    checkpoints = None
    callbacks: list[Any] = [EarlyStopping(monitor, patience=settings.patience, mode="max")]
    if settings.progress_bar:
        callbacks.append(TQDMProgressBar(refresh_rate=10))
    if folder is not None:
        place = folder / "checkpoints"
        checkpoints = ModelCheckpoint(
            place,
            "best",
            monitor=monitor,
            mode="max",
            save_weights_only=True,
            enable_version_counter=False,
        )
        to_resume = ModelCheckpoint(
            place, "last", every_n_epochs=settings.checkpoint_epochs, enable_version_counter=False
        )
        callbacks += [checkpoints, to_resume]
    if settings.compile:
        module.network.compile(dynamic=True)
    trainer = pl.Trainer(
        accelerator=settings.accelerator,
        devices=settings.devices,
        strategy=settings.strategy,
        precision=settings.precision,  # type: ignore[arg-type]
        max_epochs=settings.max_epochs,
        callbacks=callbacks,
        logger=_loggers(folder),
        enable_checkpointing=folder is not None,
        enable_progress_bar=settings.progress_bar,
        enable_model_summary=False,
        gradient_clip_val=gradient_clipping or None,
        num_sanity_val_steps=0,
        reload_dataloaders_every_n_epochs=1,
        use_distributed_sampler=False,
        log_every_n_steps=1,
        deterministic="warn" if settings.deterministic else False,
    )
    last = folder / "checkpoints" / "last.ckpt" if folder else None
    resume = str(last) if last and last.is_file() else None
    trainer.fit(module, ckpt_path=resume, weights_only=True)
    if folder is not None:
        write_learning_curve(folder)
    if checkpoints is not None and checkpoints.best_model_path:
        best = torch.load(checkpoints.best_model_path, map_location="cpu", weights_only=True)
        prefix = "network."
        weights = {
            key.removeprefix(prefix): value
            for key, value in best["state_dict"].items()
            if key.startswith(prefix)
        }
        module.network.load_state_dict(weights)


def _quiet() -> None:
    """Lightning's advertisements and its warnings about torch's future are not for our users."""
    logging.getLogger("pytorch_lightning.utilities.rank_zero").setLevel(logging.WARNING)
    warnings.filterwarnings("ignore", message=".*LeafSpec.*")
    warnings.filterwarnings("ignore", message=".*exists and is not empty.*")


def write_learning_curve(folder: Path) -> None:
    """Draw the dev scores of each epoch from the CSV log; a resumed run's log has gaps."""
    path = folder / "logs" / "metrics.csv"
    if not path.is_file():
        return
    with path.open(encoding="utf-8", newline="") as handle:
        rows = [row for row in csv.DictReader(handle) if row.get("dev_accuracy")]
    if not rows:
        return
    scores = {
        "dev macro recall": [float(row["dev_macro_recall"]) for row in rows],
        "dev accuracy": [float(row["dev_accuracy"]) for row in rows],
    }
    epochs = [float(row["epoch"]) for row in rows]
    chart = line_chart("Learning curve", "epoch", "per cent", epochs, scores)
    write_text(folder / "learning_curve.svg", chart)


def _loggers(folder: Path | None) -> Any:
    if folder is None:
        return False
    return [CSVLogger(folder, name="", version="logs"), TensorBoardLogger(folder, "tensorboard")]
