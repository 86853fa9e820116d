"""A training under Lightning: logs, early stopping, checkpoints, resuming.

A stopped run goes on from its last checkpoint, which must be whole, and of the same settings and
data. Without a folder nothing is logged, and nothing can be resumed.
"""

from __future__ import annotations

import csv
import json
import logging
import sys
import tempfile
import time
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
from crosspro.evaluation.report.plots import has_matplotlib, line_panels
from crosspro.prediction.dev_score import MONITORS
from crosspro.prediction.fit_report import LOG_FILE, FitReport, StoppedBy, epoch_report
from crosspro.prediction.neural.training.module import GapClassifier
from crosspro.prediction.neural.training.settings import NeuralSettings, TrainerSettings

METRICS = ("loss", "dev_loss", *(f"dev_{name}" for name in MONITORS))

Epochs = dict[int, dict[str, float]]
"""The metrics of each epoch by their names."""

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
    """What is trained, the checkpoint to go on from, and at the end the best epochs first."""

    trainer: pl.Trainer
    module: GapClassifier
    checkpoint: str | None
    kept: list[KeptEpoch] = field(default_factory=list)


def has_checkpoint(folder: Path | None) -> bool:
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
        checkpoints = folder / CHECKPOINTS if folder else Path(scratch)
        trainer, training = settings.trainer, settings.training
        monitor = f"dev_{training.monitor}"
        patience = trainer.patience_in_epochs(training.share, module.steps_an_epoch)
        early_stopping = EarlyStopping(monitor, mode="max", patience=patience)
        best = ModelCheckpoint(
            checkpoints,
            "best" if training.snapshots == 1 else "best-{epoch}",
            monitor=monitor,
            mode="max",
            save_top_k=training.snapshots,
            save_weights_only=True,
            auto_insert_metric_name=False,
            enable_version_counter=False,
        )
        last = ModelCheckpoint(checkpoints, "last", enable_version_counter=False)
        bar = trainer.progress_bar and sys.stdout.isatty()
        log = EpochLog(folder, training.monitor, trainer.progress_bar and not bar)
        resumed = _checkpoint_to_resume(checkpoints, {**identity, "patience": patience})
        max_epochs = trainer.max_epochs
        if resumed is not None:
            waited = resumed["callbacks"].get(early_stopping.state_key, {}).get("wait_count", 0)
            trained = resumed["epoch"] + 1  # Lightning refuses to train fewer epochs than these
            max_epochs = trained if waited >= patience else max(max_epochs, trained)
        lightning = _lightning_trainer(
            trainer,
            max_epochs=max_epochs,
            callbacks=[log, early_stopping, best, last, *_time_limit(trainer)],
            logger=CSVLogger(folder, "logs") if folder else False,
            enable_progress_bar=bar,
            gradient_clip_val=settings.optimisation.gradient_clipping or None,
        )
        path = checkpoints / _LAST
        if resumed is not None and lightning.is_global_zero:
            print(f"going on after epoch {resumed['epoch']}: {path}", file=sys.stderr)
        run = TrainingRun(lightning, module, None if resumed is None else str(path))
        with _exit_codes():
            yield run
        stopped = early_stopping.wait_count >= patience
        epochs, steps = lightning.current_epoch, lightning.global_step
        stopped_by: StoppedBy = "patience" if stopped else "max_epochs"
        if not stopped and epochs < max_epochs:
            stopped_by = "max_minutes"
        for name, score in best.best_k_models.items():
            content = read_checkpoint(Path(name))
            report = epoch_report(
                training.monitor,
                float(score),
                content["epoch"],
                epochs,
                steps,
                stopped_by,
            )
            weights = {
                key.removeprefix(_NETWORK): tensor
                for key, tensor in content["state_dict"].items()
                if key.startswith(_NETWORK)
            }
            run.kept.append(KeptEpoch(weights, report))
        run.kept.sort(
            key=lambda kept: (-kept.report.figures["score"], kept.report.figures["chosen_epoch"])
        )


def _time_limit(settings: TrainerSettings) -> list[Timer]:
    """What ends a training after an epoch when its minutes are over."""
    if not settings.max_minutes:
        return []
    return [Timer(timedelta(minutes=settings.max_minutes), interval="epoch", verbose=False)]


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
    """Without instructions for bfloat16 a processor would be hundreds of times slower with it."""
    no_gpu = not (torch.cuda.is_available() or torch.backends.mps.is_available())
    on_cpu = settings.accelerator == "cpu" or (settings.accelerator == "auto" and no_gpu)
    if settings.precision == "32-true" or not on_cpu or has_bfloat16():
        return settings.precision
    print("trainer.precision: 32-true, as this processor has no bfloat16", file=sys.stderr)
    return "32-true"


def has_bfloat16() -> bool:
    capabilities: Mapping[str, Any] = getattr(torch.cpu, "get_capabilities", dict)()
    return any(there is True for name, there in capabilities.items() if "bf16" in name)


def _checkpoint_to_resume(checkpoints: Path, identity: Mapping[str, Any]) -> dict[str, Any] | None:
    """The last checkpoint of a run, or None; the folder of another run is refused."""
    path, identity_file = checkpoints / _LAST, checkpoints / _IDENTITY
    # Lightning's checkpoints have absolute paths, so a folder that was moved is another one.
    identity = {"format": _FORMAT, "folder": str(checkpoints.resolve()), **identity}
    text = json.dumps(identity, indent=1, sort_keys=True)
    if not path.is_file():
        checkpoints.mkdir(parents=True, exist_ok=True)
        write_text(identity_file, text + "\n")
        return None
    earlier, identity = read_json_object(identity_file), json.loads(text)
    differing = [key for key in identity if earlier.get(key) != identity[key]]
    if differing:
        expected = "checkpoints of a run with the same settings and data, or a new folder"
        differences = (f"{key} {earlier.get(key)}, not {identity[key]}" for key in differing)
        raise input_error(checkpoints, "run", expected, "; ".join(differences))
    return read_checkpoint(path)


def read_checkpoint(path: Path) -> dict[str, Any]:
    """A checkpoint of Lightning; no code in it is run."""
    try:
        checkpoint: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # torch raises a dozen kinds for damaged files
        expected = "a whole checkpoint (remove the folder to begin again)"
        state = "a damaged file" if path.is_file() else "no file"
        raise input_error(path, "checkpoint", expected, state) from error
    return checkpoint


@contextmanager
def _exit_codes() -> Iterator[None]:
    """A training that a signal ends exits as shells expect; Lightning has other codes."""
    try:
        yield
    except SystemExit as stop:
        code = TERMINATED if isinstance(stop, SIGTERMException) else INTERRUPTED
        raise SystemExit(code) from None


class EpochLog(pl.Callback):
    """Writes a line an epoch to `train.log` and, if `shown`, to standard error; draws the curve."""

    def __init__(self, folder: Path | None, monitor: str, shown: bool) -> None:
        self.folder, self.monitor, self.shown = folder, monitor, shown

    def on_train_epoch_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        self.start = time.monotonic()

    def on_train_epoch_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        if not trainer.is_global_zero:
            return
        values = trainer.callback_metrics
        scores = (f"{name} {float(values[name]):.4g}" for name in METRICS if name in values)
        seconds = time.monotonic() - self.start
        line = f"epoch {trainer.current_epoch}: {', '.join(scores)} ({seconds:.1f} s)"
        logging.getLogger(LOG_FILE).info(line)
        if self.shown:
            print(line, file=sys.stderr)

    def on_train_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        if self.folder is None or not trainer.is_global_zero or not has_matplotlib():
            return
        if trainer.logger is not None:
            trainer.logger.save()
        if epochs := read_metrics(self.folder):
            write_text(self.folder / "learning_curve.svg", learning_curve(epochs, self.monitor))


def read_metrics(folder: Path) -> Epochs:
    """The metrics of all epochs of a run; each start has a file, of which later ones count."""
    epochs: Epochs = {}
    files = folder.glob("logs/version_*/metrics.csv")
    for path in sorted(files, key=lambda path: int(path.parent.name.removeprefix("version_"))):
        of_file: Epochs = {}
        with path.open(encoding="utf-8", newline="") as handle:
            for row in csv.DictReader(handle):
                numbers = {name: float(row[name]) for name in METRICS if row.get(name)}
                of_file.setdefault(int(row["epoch"]), {}).update(numbers)
        epochs |= of_file
    return dict(sorted(epochs.items()))


def learning_curve(epochs: Epochs, monitor: str) -> str:
    """The dev scores and both losses of all epochs as a chart, with the epoch that is chosen."""

    def values(name: str) -> list[float | None]:
        return [metrics.get(name) for metrics in epochs.values()]

    shown = dict.fromkeys(("macro_recall", "accuracy", monitor))
    panels = {
        "per cent": {f"dev {name.replace('_', ' ')}": values(f"dev_{name}") for name in shown},
        "loss": {"training loss": values("loss"), "dev loss": values("dev_loss")},
    }
    scores = {epoch: row[f"dev_{monitor}"] for epoch, row in epochs.items()}
    best = max(scores, key=lambda epoch: (scores[epoch], -epoch))
    label = f"best epoch {best}: {monitor.replace('_', ' ')} {scores[best]:.2f}"
    numbers = [float(epoch) for epoch in epochs]
    return line_panels("Learning curve", "epoch", numbers, panels, (float(best), label))
