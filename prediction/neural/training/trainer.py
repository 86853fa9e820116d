"""A training under Lightning: logs, early stopping, checkpoints, resuming.

A stopped run goes on from its last checkpoint, which must be whole, and of the same settings and
data. Without a folder nothing is logged, and nothing can be resumed.
"""

from __future__ import annotations

import json
import logging
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
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
from crosspro.data_prep.core.files import read_json_object, write_text
from crosspro.prediction.fit_report import FitReport, StoppedBy, epoch_report
from crosspro.prediction.neural.training.module import GapClassifier
from crosspro.prediction.neural.training.progress import EpochLog
from crosspro.prediction.neural.training.settings import NeuralSettings, TrainerSettings

CHECKPOINTS = "checkpoints"
_IDENTITY, _LAST = "run.json", "last.ckpt"
"""What a run must have in common with the one that it continues, and the last checkpoint."""
_FORMAT = 4
"""Of checkpoints: their content, and what they are compared by."""
INTERRUPTED, TERMINATED = 130, 143
"""Exit codes after Ctrl-C and after SIGTERM, as shells give them."""
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


@dataclass
class TrainingRun:
    """Lightning's trainer, the checkpoint to go on from, and at the end the best epochs first."""

    trainer: pl.Trainer
    checkpoint: str | None
    kept: list[KeptEpoch] = field(default_factory=list)


def has_checkpoint(folder: Path | None) -> bool:
    """Whether a stopped run left weights to go on from."""
    return folder is not None and (folder / CHECKPOINTS / _LAST).is_file()


@contextmanager
def training_run(
    module: GapClassifier,
    settings: NeuralSettings,
    folder: Path | None,
    identity: Mapping[str, Any],
) -> Iterator[TrainingRun]:
    """A training, of which `trainer.fit` is called inside the block.

    `identity` is what a run must have in common with the one that it continues.
    """
    with tempfile.TemporaryDirectory() as scratch:
        place = folder / CHECKPOINTS if folder else Path(scratch)
        trainer, training = settings.trainer, settings.training
        monitor = f"dev_{training.monitor}"
        patience = trainer.patience_in_epochs(training.share, module.steps_an_epoch)
        early_stopping = EarlyStopping(monitor, mode="max", patience=patience)
        best = ModelCheckpoint(
            place,
            "best" if training.snapshots == 1 else "best-{epoch}",
            monitor=monitor,
            mode="max",
            save_top_k=training.snapshots,
            save_weights_only=True,
            auto_insert_metric_name=False,
            enable_version_counter=False,
        )
        last = ModelCheckpoint(place, "last", enable_version_counter=False)
        bar = trainer.progress_bar and sys.stdout.isatty()
        log = EpochLog(folder, training.monitor, trainer.progress_bar and not bar)
        resumed = _checkpoint_to_resume(place, {**identity, "patience": patience})
        max_epochs = trainer.max_epochs
        if resumed is not None:
            ended = resumed["callbacks"].get(early_stopping.state_key, {}).get("wait_count", 0)
            done = resumed["epoch"] + 1  # Lightning refuses to train fewer epochs than these
            max_epochs = done if ended >= patience else max(max_epochs, done)
        lightning = _lightning_trainer(
            trainer,
            max_epochs=max_epochs,
            callbacks=[log, early_stopping, best, last, *_time_limit(trainer)],
            logger=CSVLogger(folder, "logs") if folder else False,
            enable_progress_bar=bar,
            gradient_clip_val=settings.optimisation.gradient_clipping or None,
        )
        if resumed is not None and lightning.is_global_zero:
            print(f"going on after epoch {resumed['epoch']}: {place / _LAST}", file=sys.stderr)
        run = TrainingRun(lightning, str(place / _LAST) if resumed is not None else None)
        with _exit_codes():
            yield run
        stopped = early_stopping.wait_count >= patience
        stopped_by: StoppedBy = "patience" if stopped else "max_epochs"
        if not stopped and lightning.current_epoch < max_epochs:
            stopped_by = "max_minutes"
        for path, score in best.best_k_models.items():
            content = read_checkpoint(Path(path))
            report = epoch_report(
                training.monitor,
                float(score),
                content["epoch"],
                lightning.current_epoch,
                lightning.global_step,
                stopped_by,
            )
            run.kept.append(KeptEpoch(_network_weights(content), report))
        run.kept.sort(key=_best_first)


def _time_limit(settings: TrainerSettings) -> list[Timer]:
    """What ends a training after an epoch when its minutes are over."""
    if not settings.max_minutes:
        return []
    return [Timer(timedelta(minutes=settings.max_minutes), interval="epoch", verbose=False)]


def _best_first(epoch: KeptEpoch) -> tuple[float, int]:
    figures = epoch.report.figures
    return -figures["score"], figures["chosen_epoch"]


def _lightning_trainer(settings: TrainerSettings, **arguments: Any) -> pl.Trainer:
    for name in ("utilities.rank_zero", "accelerators.cuda"):
        logging.getLogger(f"pytorch_lightning.{name}").setLevel(logging.WARNING)
    for message in _QUIET:
        warnings.filterwarnings("ignore", message=message)
    try:
        return pl.Trainer(
            accelerator=settings.accelerator,
            devices=settings.devices,
            strategy=settings.strategy,
            precision=_precision(settings),  # type: ignore[arg-type]
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


def _precision(settings: TrainerSettings) -> str:
    """That of the settings; processors without bfloat16 are hundreds of times slower with it.

    Lightning takes it for 16-mixed, too, where there is no GPU.
    """
    no_gpu = not (torch.cuda.is_available() or torch.backends.mps.is_available())
    on_cpu = settings.accelerator == "cpu" or (settings.accelerator == "auto" and no_gpu)
    if settings.precision == "32-true" or not on_cpu or has_bfloat16():
        return settings.precision
    print("trainer.precision: 32-true, as this processor has no bfloat16", file=sys.stderr)
    return "32-true"


def has_bfloat16() -> bool:
    """Whether this processor has instructions for bfloat16; older versions of torch cannot say."""
    capabilities: Mapping[str, Any] = getattr(torch.cpu, "get_capabilities", dict)()
    return any(there is True for name, there in capabilities.items() if "bf16" in name)


def _checkpoint_to_resume(place: Path, identity: Mapping[str, Any]) -> dict[str, Any] | None:
    """The last checkpoint of a run, or None if it has none yet.

    The identity of a run is written when it begins; the folder of another run is refused.
    """
    path, described = place / _LAST, place / _IDENTITY
    # Lightning's checkpoints have absolute paths, so a folder that was moved is another one.
    identity = {"format": _FORMAT, "folder": str(place.resolve()), **identity}
    if not path.is_file():
        place.mkdir(parents=True, exist_ok=True)
        write_text(described, json.dumps(identity, indent=1, sort_keys=True) + "\n")
        return None
    earlier = read_json_object(described)
    differences = list(_differences(earlier, json.loads(json.dumps(identity))))
    if differences:
        expected = "checkpoints of a run with the same settings and data, or a new folder"
        raise input_error(place, "run", expected, "; ".join(differences))
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


def _network_weights(checkpoint: Mapping[str, Any]) -> dict[str, Tensor]:
    weights = checkpoint["state_dict"].items()
    return {
        name.removeprefix(_NETWORK): tensor for name, tensor in weights if name.startswith(_NETWORK)
    }


def _differences(
    earlier: Mapping[str, Any], identity: Mapping[str, Any], prefix: str = ""
) -> Iterator[str]:
    """What two nested mappings have not in common."""
    for key in sorted({*earlier, *identity}):
        old, new = earlier.get(key), identity.get(key)
        if isinstance(old, dict) and isinstance(new, dict):
            yield from _differences(old, new, f"{prefix}{key}.")
        elif old != new:
            yield f"{prefix}{key} {old}, not {new}"


@contextmanager
def _exit_codes() -> Iterator[None]:
    """A training that a signal ends exits as shells expect; Lightning has other codes."""
    try:
        yield
    except SystemExit as stop:
        code = TERMINATED if isinstance(stop, SIGTERMException) else INTERRUPTED
        raise SystemExit(code) from None
