"""Lightning's Trainer as this project uses it: logs, early stopping, checkpoints, resuming.

A stopped run goes on from its last checkpoint, which must be whole, and of the same settings and
data.
"""

from __future__ import annotations

import contextlib
import json
import logging
import sys
import tempfile
import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

import pytorch_lightning as pl
import torch
from lightning_fabric.utilities.exceptions import MisconfigurationException
from pytorch_lightning.callbacks import EarlyStopping, ModelCheckpoint, TQDMProgressBar
from pytorch_lightning.loggers import TensorBoardLogger
from pytorch_lightning.utilities.exceptions import SIGTERMException
from torch import Tensor

from crosspro.data_prep.core.errors import CrossproError, input_error
from crosspro.data_prep.core.files import read_json_object, temporary_folder, write_text
from crosspro.prediction.fit_report import FitReport
from crosspro.prediction.neural.layers.network import Network
from crosspro.prediction.neural.reading.tensors import has_bfloat16
from crosspro.prediction.neural.training.data import TrainingData
from crosspro.prediction.neural.training.module import GapClassifier
from crosspro.prediction.neural.training.progress import EpochLog
from crosspro.prediction.neural.training.settings import Optimisation, TrainerSettings, Training
from crosspro.version import __version__

_IDENTITY, _LAST = "run.json", "last.ckpt"
"""What a run must have in common with the one that it continues, and what it goes on from."""
_FORMAT = 3
"""Of checkpoints: what they hold, and what they are compared by."""


def checkpoint_to_resume(place: Path, identity: Mapping[str, Any]) -> dict[str, Any] | None:
    """The last checkpoint of a run, or None if it has none yet.

    `identity` says what decides the result (settings, task, data). It is written down when a run
    begins, and compared when it goes on: in the folder of another run nothing is trained.
    """
    path, known = place / _LAST, place / _IDENTITY
    identity = {"format": _FORMAT, **identity}
    if not path.is_file():
        place.mkdir(parents=True, exist_ok=True)
        write_text(known, json.dumps(identity, indent=1, sort_keys=True) + "\n")
        return None
    earlier = read_json_object(known)
    if earlier.get("format") != _FORMAT:
        expected = f"checkpoints that crosspro {__version__} can go on from, or a new folder"
        raise input_error(place, "run", expected, "those of another version")
    found = _differences(earlier, json.loads(json.dumps(identity)))
    if found:
        expected = "checkpoints of a run with the same settings and data, or a new folder"
        raise input_error(place, "run", expected, "; ".join(found))
    return read_checkpoint(path)


def read_checkpoint(path: Path) -> dict[str, Any]:
    """A checkpoint of Lightning; no code in it is run."""
    try:
        checkpoint: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # torch raises a dozen kinds for damaged files
        expected = "a whole checkpoint (remove the folder to begin again)"
        found = "a damaged file" if path.is_file() else "no file"
        raise input_error(path, "checkpoint", expected, found) from error
    return checkpoint


def has_ended(checkpoint: Mapping[str, Any], max_epochs: int, patience: int) -> bool:
    """Whether a run had done all its epochs, or enough without a better score."""
    states = checkpoint["callbacks"].values()
    waits = max((state["wait_count"] for state in states if "wait_count" in state), default=0)
    all_done: bool = checkpoint["epoch"] + 1 >= max_epochs
    return all_done or waits >= patience


def _differences(
    earlier: Mapping[str, Any], wanted: Mapping[str, Any], prefix: str = ""
) -> list[str]:
    """What two nested mappings have not in common, a line each."""
    found = []
    for key in sorted({*earlier, *wanted}):
        one, other = earlier.get(key), wanted.get(key)
        if isinstance(one, dict) and isinstance(other, dict):
            found += _differences(one, other, f"{prefix}{key}.")
        elif one != other:
            found.append(f"{prefix}{key} {one}, not {other}")
    return found


_STOPPED = {True: 143, False: 130}
"""Exit codes after SIGTERM and after Ctrl-C, as shells give them."""


@dataclass(frozen=True)
class KeptEpoch:
    """The network after an epoch, and its dev score."""

    epoch: int
    score: float
    weights: dict[str, Tensor]


@dataclass(frozen=True)
class TrainedEpochs:
    """What came out of a training: the best epochs, best first, and how it ended."""

    kept: list[KeptEpoch]
    epochs: int
    steps: int
    stopped_by: Literal["max_epochs", "patience"]

    def reports(self, monitor: str) -> list[FitReport]:
        """How the training went by a dev score, with each of the best epochs as the chosen one."""
        ended = (self.epochs, self.steps, self.stopped_by)
        return [FitReport(monitor, one.score, one.epoch, *ended) for one in self.kept]


class NetworkTrainer:
    """Trains a network and keeps its best epochs; goes on where a stopped run left off.

    It is made before any data is looked at, since Lightning refuses some settings. Without a folder
    nothing is logged, and nothing can be resumed. As many epochs as `training.snapshots` are kept.
    """

    def __init__(
        self,
        settings: TrainerSettings,
        optimisation: Optimisation,
        training: Training,
        folder: Path | None,
    ) -> None:
        _quiet()
        self.settings = settings
        self.optimisation = optimisation
        self.folder = folder
        self.scratch = contextlib.ExitStack()
        if folder is None:
            system = Path(tempfile.gettempdir())
            self.place = self.scratch.enter_context(temporary_folder(system, "train"))
        else:
            self.place = folder / "checkpoints"
        # Nothing reads what was not written; filling it takes a kernel for each tensor.
        torch.utils.deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]
        monitor = f"dev_{training.monitor}"
        self.best = _Checkpoint(
            self.place,
            "best" if training.snapshots == 1 else "best-{epoch}",
            monitor=monitor,
            mode="max",
            save_top_k=training.snapshots,
            save_weights_only=True,
            auto_insert_metric_name=False,
            enable_version_counter=False,
        )
        last = _Checkpoint(self.place, "last", enable_version_counter=False)
        shown = [_Bar(refresh_rate=10)] if settings.progress_bar else []
        logs = [EpochLog(folder, training.monitor)] if folder else []
        self.patience = _Patience(monitor, mode="max")  # how many epochs, the data decides
        try:
            self.trainer = pl.Trainer(
                accelerator=settings.accelerator,
                devices=settings.devices,
                strategy=settings.strategy,
                precision=_precision(settings),  # type: ignore[arg-type]
                max_epochs=settings.max_epochs,
                callbacks=[*shown, *logs, self.patience, self.best, last],
                logger=TensorBoardLogger(folder, "tensorboard", "") if folder else False,
                enable_progress_bar=settings.progress_bar,
                enable_model_summary=False,
                gradient_clip_val=optimisation.gradient_clipping or None,
                num_sanity_val_steps=0,
                reload_dataloaders_every_n_epochs=1,
                use_distributed_sampler=False,
                log_every_n_steps=1,
                deterministic="warn" if settings.deterministic else False,
            )
        except (MisconfigurationException, ValueError, TypeError, RuntimeError) as error:
            raise CrossproError(f"settings: trainer: {error}") from error

    @property
    def goes_on(self) -> bool:
        """Whether a stopped run left weights to go on from."""
        return (self.place / _LAST).is_file()

    def fit(
        self, network: Network, data: TrainingData, seed: int, identity: Mapping[str, Any]
    ) -> TrainedEpochs:
        """Train; `identity` is what a run must have in common with the one that it continues."""
        module = GapClassifier(network, data, self.optimisation, seed)
        share, steps = data.settings.share, len(module.batches)
        self.patience.patience = self.settings.patience_in_epochs(share, steps)
        if self.settings.compile:
            network.compile(dynamic=True)
        resumed = checkpoint_to_resume(self.place, identity)
        if resumed and has_ended(resumed, self.settings.max_epochs, self.patience.patience):
            epochs, steps = resumed["epoch"] + 1, resumed["global_step"]
            for callback in (self.patience, self.best):
                callback.load_state_dict(resumed["callbacks"][callback.state_key])
        else:
            self._train(module, resumed)
            epochs, steps = self.trainer.current_epoch, self.trainer.global_step
        kept = self._kept()
        self.scratch.close()
        stopped = self.patience.wait_count >= self.patience.patience
        return TrainedEpochs(kept, epochs, steps, "patience" if stopped else "max_epochs")

    def _train(self, module: GapClassifier, resumed: Mapping[str, Any] | None) -> None:
        path = str(self.place / _LAST) if resumed else None
        if resumed and self.trainer.is_global_zero:
            print(f"going on after epoch {resumed['epoch']}: {path}", file=sys.stderr)
        try:
            self.trainer.fit(module, ckpt_path=path, weights_only=True)
        except SystemExit as stop:  # so Lightning ends after a signal, some of them with 0
            how = "; start it again with the same folder (hydra.run.dir, -o)" if self.folder else ""
            print(f"training was stopped{how}", file=sys.stderr)
            raise SystemExit(_STOPPED[isinstance(stop, SIGTERMException)]) from None

    def _kept(self) -> list[KeptEpoch]:
        """The epochs with the best dev scores, best first; of equal ones the earlier."""
        found = [
            _kept_epoch(Path(path), float(score)) for path, score in self.best.best_k_models.items()
        ]
        return sorted(found, key=lambda one: (-one.score, one.epoch))


def _precision(settings: TrainerSettings) -> str:
    """That of the settings; processors without bfloat16 are hundreds of times slower with it.

    Lightning takes it for 16-mixed, too, where there is no GPU.
    """
    no_gpu = not (torch.cuda.is_available() or torch.backends.mps.is_available())
    on_cpu = settings.accelerator == "cpu" or (settings.accelerator == "auto" and no_gpu)
    if settings.precision == "32-true" or not on_cpu or has_bfloat16():
        return settings.precision
    _tell_once("trainer.precision: 32-true; torch knows of no bfloat16 of this processor")
    return "32-true"


@cache
def _tell_once(note: str) -> None:
    print(note, file=sys.stderr)


class _Bar(TQDMProgressBar):
    """A progress bar on standard error; standard output is for scores.

    It also tells how long all epochs that are still allowed will take.
    """

    def on_train_start(self, *arguments: Any) -> None:
        """Remember when and with which epoch a run began, or goes on."""
        super().on_train_start(*arguments)
        self.began = (time.monotonic(), arguments[0].current_epoch)

    def on_train_epoch_start(self, trainer: pl.Trainer, *arguments: Any) -> None:
        """Tell it from the second epoch on."""
        super().on_train_epoch_start(trainer, *arguments)
        start, first = self.began
        done = trainer.current_epoch - first
        if done and trainer.max_epochs:
            each = (time.monotonic() - start) / done
            minutes = each * (trainer.max_epochs - trainer.current_epoch) / 60
            epoch = f"Epoch {trainer.current_epoch} of {trainer.max_epochs}"
            self.train_progress_bar.set_description(f"{epoch} (at most {minutes:.1f} min left)")

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


def _kept_epoch(path: Path, score: float) -> KeptEpoch:
    checkpoint = read_checkpoint(path)
    prefix = "network."
    weights = {
        name.removeprefix(prefix): tensor
        for name, tensor in checkpoint["state_dict"].items()
        if name.startswith(prefix)
    }
    return KeptEpoch(checkpoint["epoch"], score, weights)


def _quiet() -> None:
    """Lightning's advertisements and its warnings about torch's future are not for our users."""
    for name in ("utilities.rank_zero", "accelerators.cuda"):
        logging.getLogger(f"pytorch_lightning.{name}").setLevel(logging.WARNING)
    warnings.filterwarnings("ignore", message=".*LeafSpec.*")
    warnings.filterwarnings("ignore", message=".*exists and is not empty.*")
    # That a seed does not decide everything there, conf/trainer/default.yaml says.
    warnings.filterwarnings("ignore", message=".*cuDNN Attention defaults to a non-deterministic.*")
    # Gradients of a recorded CUDA graph come from the stream that recorded it: one synchronisation.
    warnings.filterwarnings("ignore", message=".*AccumulateGrad node's stream.*")
