"""The training of a network under Lightning: its steps, its dev scores and its optimiser.

Every epoch seeds its own generators, so a run that was interrupted and resumed gives the same
result as one that was not.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Mapping
from math import cos, isfinite, pi
from typing import Any

import numpy as np
import pytorch_lightning as pl
import torch
from torch import Tensor, nn

from crosspro.data_prep.core.errors import CrossproError
from crosspro.evaluation.metrics.submissions.scores import confusion_counts
from crosspro.prediction.adjustment import class_weights
from crosspro.prediction.dev_score import MONITORS, monitored
from crosspro.prediction.fit_report import LOG_FILE
from crosspro.prediction.neural.layers.network import Network, as_float32
from crosspro.prediction.neural.training.data import (
    Indices,
    TrainingData,
    batch_size,
    bucketed_batches,
    gaps_of_epoch,
    sorted_batches,
)
from crosspro.prediction.neural.training.other_runs import teacher_losses
from crosspro.prediction.neural.training.settings import NeuralSettings

METRICS = ("loss", "dev_loss", *(f"dev_{name}" for name in MONITORS))
IDENTITY = "identity"
"""What a checkpoint has of its run, which one that goes on from it must have in common."""
_EPOCHS_A_SEED, _RANKS = 100_003, 7919
"""Primes that keep the generators of seeds, epochs and processes apart."""


class Batches(list[Tensor]):
    """The gap numbers of batches. Lightning would take a plain list for several data loaders."""


class GapClassifier(pl.LightningModule):
    """A network with its data, its losses, its dev scores (`MONITORS`) and its optimiser."""

    def __init__(
        self,
        network: Network,
        data: TrainingData,
        settings: NeuralSettings,
        classes: int,
        soft_targets: Tensor | None = None,
        identity: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__()
        training = settings.training
        self.network, self.soft_targets, self.classes = network, soft_targets, classes
        self.settings, self.identity = settings, dict(identity or {})
        self.train_labels = data.train.label
        self.train_text, self.dev_text = data.train.to("cpu"), data.dev.to("cpu")
        self.train_extents = network.extents(self.train_text).numpy()
        self.dev_extents = network.extents(self.dev_text).numpy()
        self.dev_proportions = np.bincount(data.dev.label, minlength=classes) / len(data.dev)
        drawn = int((self.train_labels >= 0).sum() * training.share)
        self.batch_size = batch_size(training, drawn)
        self.steps_an_epoch = len(self.epoch_batches(0))
        if not self.steps_an_epoch:
            raise CrossproError(
                "train: expected gaps for at least one batch an epoch, found "
                f"{(self.train_labels >= 0).sum()} labelled gaps with a share of {training.share:g}"
            )
        weights = class_weights(self.train_labels, classes, training.class_weight_power)
        smoothing = settings.optimisation.label_smoothing
        self.class_loss = nn.CrossEntropyLoss(
            torch.from_numpy(weights).float(), reduction="none", label_smoothing=smoothing
        )

    def epoch_batches(self, epoch: int) -> list[Indices]:
        generator = np.random.default_rng((self.settings.seed, epoch))
        sampling, share = self.settings.training.sampling, self.settings.training.share
        gaps = gaps_of_epoch(self.train_labels, sampling, share, self.dev_proportions, generator)
        return bucketed_batches(gaps, self.train_extents, self.batch_size, generator)

    def on_fit_start(self) -> None:
        self.train_text = self.train_text.to(self.device)
        self.dev_text = self.dev_text.to(self.device)
        if self.soft_targets is not None:
            self.soft_targets = self.soft_targets.to(self.device)

    def train_dataloader(self) -> Batches:
        """The batches of the epoch that begins; every process has its part of each."""
        epoch, rank = self.current_epoch, self.global_rank
        torch.manual_seed(self.settings.seed * _EPOCHS_A_SEED + epoch + _RANKS * rank)
        batches = self.epoch_batches(epoch)
        self.batch_sizes = [len(batch) for batch in batches]
        parts = (batch[rank :: self.trainer.world_size] for batch in batches)
        return Batches(map(torch.from_numpy, parts))

    def val_dataloader(self) -> Batches:
        batches = sorted_batches(self.dev_extents, self.settings.training.batch_size)
        return Batches(map(torch.from_numpy, batches))

    def on_train_epoch_start(self) -> None:
        self.epoch_start = time.monotonic()

    def training_step(self, gaps: Tensor, number: int) -> Tensor:
        """The losses of all gaps, summed and divided by the number of gaps of the whole batch.

        Processes average their gradients, so each multiplies its part of the sum with their number:
        the loss does not depend on how a batch is split. A process without a gap takes part with
        one that counts nothing.
        """
        processes, size = self.trainer.world_size, self.batch_sizes[number]
        scale = processes / size if len(gaps) else 0.0
        gaps = gaps if len(gaps) else gaps.new_zeros(1)
        losses = self.network.loss(self.train_text, gaps, self.class_loss)
        if self.soft_targets is not None:
            distillation = self.settings.distillation
            scores, targets = self.network(self.train_text, gaps), self.soft_targets[gaps]
            soft = teacher_losses(scores, targets, distillation.temperature)
            losses = distillation.weight * soft + (1 - distillation.weight) * losses
        loss = losses.sum() * scale
        shown: Any = {"prog_bar": True, "on_step": False, "on_epoch": True}
        self.log("loss", loss, batch_size=size, sync_dist=processes > 1, **shown)
        return loss

    def on_train_epoch_end(self) -> None:
        """Refuse a loss that is not finite; log the scores of the epoch, dev has been predicted."""
        scores = {name: float(self.trainer.callback_metrics[name]) for name in METRICS}
        if not isfinite(loss := scores["loss"]):
            raise CrossproError(
                f"training: expected a finite loss, found {loss} in epoch {self.current_epoch}; "
                "a lower system.optimisation.learning_rate may help, or gradient_clipping"
            )
        if self.trainer.is_global_zero:
            text = ", ".join(f"{name} {score:.4g}" for name, score in scores.items())
            seconds = time.monotonic() - self.epoch_start
            line = f"epoch {self.current_epoch}: {text} ({seconds:.1f} s)"
            logging.getLogger(LOG_FILE).info(line)
            if self.settings.trainer.progress_bar and not sys.stdout.isatty():
                print(line, file=sys.stderr)

    def on_validation_epoch_start(self) -> None:
        self.predictions: list[tuple[Tensor, Tensor, Tensor]] = []

    def validation_step(self, gaps: Tensor, _: int) -> None:
        scores = as_float32(self.network(self.dev_text, gaps))
        labels = self.dev_text.label[gaps]
        self.predictions.append((labels, scores.argmax(-1), self.class_loss(scores, labels)))

    def on_validation_epoch_end(self) -> None:
        labels, predicted, losses = map(torch.cat, zip(*self.predictions, strict=True))
        counts = confusion_counts(labels.cpu().numpy(), predicted.cpu().numpy(), self.classes)
        several = self.trainer.world_size > 1  # processes, which all predict the whole of dev
        self.log("dev_loss", losses.mean(), sync_dist=several)
        for name in MONITORS:
            shown = name in ("macro_recall", "accuracy")
            self.log(f"dev_{name}", monitored(counts, name), prog_bar=shown, sync_dist=several)

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        checkpoint[IDENTITY] = self.identity

    def configure_optimizers(self) -> Any:
        settings = self.settings.optimisation
        optimiser = torch.optim.AdamW(
            self.network.parameters(),
            lr=settings.learning_rate,
            weight_decay=settings.weight_decay,
            # Lightning does not clip the gradients of a fused optimiser under mixed precision.
            fused=not settings.gradient_clipping or self.trainer.precision == "32-true",
        )
        if settings.decay == "none" and not settings.warmup_steps:
            return optimiser
        total = max(1, int(self.trainer.estimated_stepping_batches))

        def factor(step: int) -> float:
            progress = min(1.0, step / total)
            decays = {"none": 1.0, "linear": 1 - progress, "cosine": (1 + cos(pi * progress)) / 2}
            return min(1.0, (step + 1) / max(1, settings.warmup_steps)) * decays[settings.decay]

        schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, factor)
        return [optimiser], [{"scheduler": schedule, "interval": "step"}]
