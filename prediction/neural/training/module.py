"""The training of a network under Lightning: its steps, its dev scores and its optimiser.

Every epoch seeds its own generators, so a run that was interrupted and resumed gives the same
result as one that was not.
"""

from __future__ import annotations

import sys
from functools import partial
from math import isfinite
from typing import Any

import numpy as np
import pytorch_lightning as pl
import torch
from torch import Tensor

from crosspro.data_prep.core.errors import CrossproError
from crosspro.evaluation.metrics.submissions.scores import confusion_counts
from crosspro.prediction.dev_score import MONITORS, monitored
from crosspro.prediction.neural.layers.network import Network, gap_losses
from crosspro.prediction.neural.training.data import Batch, Batches, FixedBatches, TrainingData
from crosspro.prediction.neural.training.distillation import distilled_losses
from crosspro.prediction.neural.training.recording import Losses, RecordedLosses
from crosspro.prediction.neural.training.settings import Optimisation


class GapClassifier(pl.LightningModule):
    """Wraps a network with its data, its dev scores (`MONITORS`) and its optimiser."""

    weights: Tensor

    def __init__(
        self,
        network: Network,
        data: TrainingData,
        optimisation: Optimisation,
        seed: int,
    ) -> None:
        super().__init__()
        self.network = network
        self.data = {"train": data.train, "dev": data.dev}
        self.soft = data.soft
        self.batches = data.batches(network.extents(data.train), seed)
        self.dev_batches = data.dev_batches(network.extents(data.dev))
        self.optimisation = optimisation
        self.seed = seed
        self.register_buffer("weights", data.weights().float(), persistent=False)

    def on_fit_start(self) -> None:
        """Move all data to the device, once."""
        self.data = {name: tensors.to(self.device) for name, tensors in self.data.items()}
        self.soft = self.soft and self.soft.to(self.device)
        self.batches.device = self.device
        self.batches.rank, self.batches.world = self.global_rank, self.trainer.world_size
        settings: dict[str, Any] = {
            "weights": self.weights,
            "smoothing": self.optimisation.label_smoothing,
        }
        if self.soft is None:
            self.losses: Losses = partial(self.network.loss, self.data["train"], **settings)
        else:
            parts = self.network, self.soft, self.data["train"]
            self.losses = partial(distilled_losses, *parts, **settings)
        if self.device.type == "cuda" and self.trainer.world_size == 1:
            self.losses = RecordedLosses(self.network, self.losses)

    def train_dataloader(self) -> Batches:
        """The batches of the epoch that begins."""
        self.batches.epoch = self.current_epoch
        torch.manual_seed(self.seed * 100_003 + self.current_epoch + 7919 * self.global_rank)
        return self.batches

    def val_dataloader(self) -> FixedBatches:
        """All of dev, once."""
        return self.dev_batches

    def training_step(self, batch: Batch, _: int) -> Tensor:
        """The losses of all gaps, summed and divided by the number of gaps of the whole batch.

        Processes average their gradients, so each multiplies its part of the sum with their number;
        then the loss does not depend on how a batch is split. A process without a gap takes part
        with one that counts nothing.
        """
        gaps, width, size = batch
        scale = self.trainer.world_size / size if len(gaps) else 0.0
        gaps = gaps if len(gaps) else gaps.new_zeros(1)
        loss = self.losses(gaps, width).sum() * scale
        self.log(
            "loss",
            loss,
            prog_bar=True,
            on_step=False,
            on_epoch=True,
            batch_size=size,
            sync_dist=self.trainer.world_size > 1,
        )
        return loss

    def on_train_epoch_start(self) -> None:
        """Every step counts so far."""
        self.left_out = torch.zeros(())

    def on_train_epoch_end(self) -> None:
        """A loss that is no number any more stays so: there is nothing to wait for."""
        left_out, loss = int(self.left_out), float(self.trainer.callback_metrics["loss"])
        if left_out and self.trainer.is_global_zero:
            print(
                f"warning: epoch {self.current_epoch}: {left_out} of {len(self.batches)} steps had "
                "gradients that are not finite and were left out; a lower "
                "system.optimisation.learning_rate may help",
                file=sys.stderr,
            )
        if not isfinite(loss):
            raise CrossproError(
                f"training: expected a finite loss, found {loss} in epoch {self.current_epoch}; "
                "a lower system.optimisation.learning_rate may help, or gradient_clipping"
            )

    def on_validation_epoch_start(self) -> None:
        """Start with no predictions."""
        self.predicted: list[tuple[Tensor, Tensor, Tensor]] = []

    def validation_step(self, batch: Batch, _: int) -> None:
        """Predict a part of dev; its cross-entropy costs nothing more."""
        gaps = batch[0].to(self.device)
        scores = self.network(self.data["dev"], gaps, batch[1])
        labels = self.data["dev"].label[gaps]
        losses = gap_losses(scores, labels, self.weights, self.optimisation.label_smoothing)
        self.predicted.append((labels, scores.argmax(-1), losses))

    def on_validation_epoch_end(self) -> None:
        """Score dev as the shared task does."""
        labels, classes, losses = (torch.cat(parts) for parts in zip(*self.predicted, strict=True))
        counts = confusion_counts(labels.cpu().numpy(), classes.cpu().numpy(), len(self.weights))
        several = self.trainer.world_size > 1  # which all predict the whole of dev
        self.log("dev_loss", losses.mean(), sync_dist=several)
        for name in MONITORS:
            shown = name in ("macro_recall", "accuracy")
            self.log(f"dev_{name}", monitored(counts, name), prog_bar=shown, sync_dist=several)

    def configure_gradient_clipping(
        self,
        optimizer: torch.optim.Optimizer,
        gradient_clip_val: float | None = None,
        gradient_clip_algorithm: str | None = None,
    ) -> None:
        """By the norm of all gradients; a step whose norm is no finite number is left out.

        It would make all weights NaN. A fused optimiser looks by itself, and nobody waits for a
        GPU. Lightning refuses to clip for those under mixed precision, since they undo a scaling
        themselves; only 16-mixed scales, which leaves such steps out, and has no fused one here.
        """
        if not (gradient_clip_val and optimizer.defaults["fused"]):
            self.clip_gradients(optimizer, gradient_clip_val, gradient_clip_algorithm)
            return
        norm = torch.nn.utils.clip_grad_norm_(self.network.parameters(), gradient_clip_val)
        left_out = (~norm.isfinite()).float()
        optimizer.found_inf = left_out  # type: ignore[attr-defined]
        self.left_out = self.left_out.to(left_out.device) + left_out

    def configure_optimizers(self) -> Any:
        """Adam, with warm-up and decay if asked for."""
        settings = self.optimisation
        optimiser = torch.optim.AdamW(
            self.network.parameters(),
            lr=settings.learning_rate,
            weight_decay=settings.weight_decay,
            fused=self.device.type in ("cpu", "cuda") and self.trainer.precision != "16-mixed",
        )
        if settings.decay == "none" and not settings.warmup_steps:
            return optimiser
        total = max(1, int(self.trainer.estimated_stepping_batches))

        def factor(step: int) -> float:
            warm = min(1.0, (step + 1) / max(1, settings.warmup_steps))
            progress = min(1.0, step / total)
            fall = {"none": 1.0, "linear": 1 - progress}.get(
                settings.decay, 0.5 * (1 + float(np.cos(np.pi * progress)))
            )
            return warm * fall

        schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, factor)
        return {
            "optimizer": optimiser,
            "lr_scheduler": {"scheduler": schedule, "interval": "step"},
        }
