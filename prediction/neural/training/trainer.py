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
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

import pytorch_lightning as pl
import torch
from lightning_fabric.utilities.exceptions import MisconfigurationException
from pytorch_lightning.callbacks import EarlyStopping, ModelCheckpoint
from pytorch_lightning.loggers import CSVLogger
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


STOPPED = {True: 143, False: 130}
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
    """Lightning's Trainer for one training of a network, which may go on where one was stopped.

    It is made before any data is looked at, since Lightning refuses some settings. A training is
    `prepare`, then `lightning.fit(module, ckpt_path="last")` inside `interruptible`, then `result`.
    Without a folder nothing is logged, and nothing can be resumed.
    """

    module: GapClassifier

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
        bar = settings.progress_bar and sys.stdout.isatty()
        epochs = EpochLog(folder, training.monitor, settings.progress_bar and not bar)
        self.patience = _Patience(monitor, mode="max")  # how many epochs, the data decides
        try:
            self.lightning = pl.Trainer(
                accelerator=settings.accelerator,
                devices=settings.devices,
                strategy=settings.strategy,
                precision=_precision(settings),  # type: ignore[arg-type]
                max_epochs=settings.max_epochs,
                callbacks=[epochs, self.patience, self.best, last],
                logger=CSVLogger(folder, "logs") if folder else False,
                enable_progress_bar=bar,
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

    def prepare(
        self, network: Network, data: TrainingData, seed: int, identity: Mapping[str, Any]
    ) -> None:
        """Make the module; `identity` is what a run has in common with the one it continues."""
        self.module = GapClassifier(network, data, self.optimisation, seed)
        share, steps = data.settings.share, len(self.module.batches)
        self.patience.patience = self.settings.patience_in_epochs(share, steps)
        if self.settings.compile:
            network.compile(dynamic=True)
        resumed = checkpoint_to_resume(self.place, identity)
        if resumed:  # Lightning refuses a checkpoint of more epochs than are asked for
            most = max(self.settings.max_epochs, resumed["epoch"] + 1)
            self.lightning.fit_loop.max_epochs = most
            if self.lightning.is_global_zero:
                path = self.place / _LAST
                print(f"going on after epoch {resumed['epoch']}: {path}", file=sys.stderr)

    @contextlib.contextmanager
    def interruptible(self) -> Iterator[None]:
        """A training inside ends with the exit codes of shells after a signal."""
        try:
            yield
        except SystemExit as stop:  # so Lightning ends after a signal, some of them with 0
            raise SystemExit(STOPPED[isinstance(stop, SIGTERMException)]) from None

    def result(self) -> TrainedEpochs:
        """The epochs with the best dev scores, best first; of equal ones the earlier."""
        kept = [
            _kept_epoch(Path(path), float(score)) for path, score in self.best.best_k_models.items()
        ]
        kept.sort(key=lambda epoch: (-epoch.score, epoch.epoch))
        self.scratch.close()
        reason: Literal["max_epochs", "patience"] = "max_epochs"
        if self.patience.wait_count >= self.patience.patience:
            reason = "patience"
        trainer = self.lightning
        return TrainedEpochs(kept, trainer.current_epoch, trainer.global_step, reason)


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


class _Patience(EarlyStopping):
    """Early stopping with the patience of the settings, also where a run goes on with another."""

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """A run that had waited long enough trains no more."""
        if self.wait_count >= self.patience:
            trainer.should_stop = True

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
    warnings.filterwarnings("ignore", message=".*there is no last checkpoint available.*")
    # That a seed does not decide everything there, conf/trainer/default.yaml says.
    warnings.filterwarnings("ignore", message=".*cuDNN Attention defaults to a non-deterministic.*")
    # Gradients of a recorded CUDA graph come from the stream that recorded it: one synchronisation.
    warnings.filterwarnings("ignore", message=".*AccumulateGrad node's stream.*")
