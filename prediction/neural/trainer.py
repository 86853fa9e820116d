"""Lightning's Trainer as this project uses it: logs, checkpoints, early stopping, resuming."""

from __future__ import annotations

import contextlib
import logging
import sys
import tempfile
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
from lightning_fabric.utilities.exceptions import MisconfigurationException
from pytorch_lightning.callbacks import EarlyStopping, ModelCheckpoint, TQDMProgressBar
from pytorch_lightning.loggers import TensorBoardLogger
from pytorch_lightning.utilities.exceptions import SIGTERMException

from crosspro.data_prep.errors import CrossproError
from crosspro.prediction.neural.classifier import GapClassifier
from crosspro.prediction.neural.epoch_log import EpochLog
from crosspro.prediction.neural.resuming import checkpoint_to_resume, has_ended, read_checkpoint
from crosspro.prediction.neural.training_settings import TrainerSettings

_STOPPED = {True: 143, False: 130}
"""Exit codes after SIGTERM and after Ctrl-C, as shells give them."""


class NetworkTrainer:
    """Trains a network in place and loads its best epoch; goes on where a stopped run left off.

    It is made before any data is looked at, since Lightning refuses some settings. Without a folder
    nothing is logged, and nothing can be resumed.
    """

    def __init__(
        self,
        settings: TrainerSettings,
        monitor: str,
        gradient_clipping: float,
        folder: Path | None,
    ) -> None:
        _quiet()
        self.settings = settings
        self.folder = folder
        self.scratch = tempfile.TemporaryDirectory()
        self.place = (folder or Path(self.scratch.name)) / "checkpoints"
        best = _Checkpoint(
            self.place,
            "best",
            monitor=monitor,
            mode="max",
            save_weights_only=True,
            enable_version_counter=False,
        )
        last = _Checkpoint(
            self.place,
            "last",
            every_n_epochs=settings.checkpoint_epochs,
            enable_version_counter=False,
        )
        shown = [_Bar(refresh_rate=10)] if settings.progress_bar else []
        logs = [EpochLog(folder)] if folder else []
        patience = _Patience(monitor, patience=settings.patience, mode="max")
        try:
            self.trainer = pl.Trainer(
                accelerator=settings.accelerator,
                devices=settings.devices,
                strategy=settings.strategy,
                precision=settings.precision,  # type: ignore[arg-type]
                max_epochs=settings.max_epochs,
                callbacks=[*shown, *logs, patience, best, last],
                logger=TensorBoardLogger(folder, "tensorboard", "") if folder else False,
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

    def fit(self, module: GapClassifier, identity: Mapping[str, Any]) -> None:
        """Train; `identity` is what a run must have in common with the one that it continues."""
        if self.settings.compile:
            module.network.compile(dynamic=True)
        resumed = checkpoint_to_resume(self.place, identity)
        if resumed is None or not has_ended(resumed, self.settings):
            path = str(self.place / "last.ckpt") if resumed else None
            if resumed and self.trainer.is_global_zero:
                print(f"going on after epoch {resumed['epoch']}: {path}", file=sys.stderr)
            try:
                self.trainer.fit(module, ckpt_path=path, weights_only=True)
            except SystemExit as stop:  # so Lightning ends after a signal, some of them with 0
                how = "; start it again with the same hydra.run.dir" if self.folder else ""
                print(f"training was stopped{how}", file=sys.stderr)
                raise SystemExit(_STOPPED[isinstance(stop, SIGTERMException)]) from None
        _load_network(module, self.place / "best.ckpt")
        self.scratch.cleanup()


class _Bar(TQDMProgressBar):
    """A progress bar on standard error; standard output is for scores."""

    def init_train_tqdm(self) -> Any:
        with contextlib.redirect_stdout(sys.stderr):
            return super().init_train_tqdm()

    def init_validation_tqdm(self) -> Any:
        with contextlib.redirect_stdout(sys.stderr):
            return super().init_validation_tqdm()


class _Patience(EarlyStopping):
    """Early stopping with the patience of the settings, also where a run goes on with another."""

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        super().load_state_dict({**state_dict, "patience": self.patience})


class _Checkpoint(ModelCheckpoint):
    """Files of a folder that are known again after the folder was moved."""

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        here = {"dirpath": self.dirpath}
        for key in ("best_model_path", "kth_best_model_path"):
            if state_dict.get(key):
                here[key] = str(Path(str(self.dirpath), Path(state_dict[key]).name))
        known = {
            str(Path(str(self.dirpath), Path(path).name)): score
            for path, score in state_dict.get("best_k_models", {}).items()
        }
        super().load_state_dict({**state_dict, **here, "best_k_models": known})


def _load_network(module: GapClassifier, path: Path) -> None:
    """Give the network the weights of a checkpoint."""
    state = read_checkpoint(path)["state_dict"]
    prefix = "network."
    weights = {k.removeprefix(prefix): v for k, v in state.items() if k.startswith(prefix)}
    module.network.load_state_dict(weights)


def _quiet() -> None:
    """Lightning's advertisements and its warnings about torch's future are not for our users."""
    logging.getLogger("pytorch_lightning.utilities.rank_zero").setLevel(logging.WARNING)
    warnings.filterwarnings("ignore", message=".*LeafSpec.*")
    warnings.filterwarnings("ignore", message=".*exists and is not empty.*")
    # Gradients of a recorded CUDA graph come from the stream that recorded it: one synchronisation.
    warnings.filterwarnings("ignore", message=".*AccumulateGrad node's stream.*")
